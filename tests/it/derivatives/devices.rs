//! Gradients through manual computations and collectives, against those of the same function of
//! whole values on one device.

use super::{assert_near, numbers, run};
use crate::platforms::{cpu, cpus};
use hloom::{
    grad,
    mesh::{axis_index, manual},
    ops::{Reduction, concatenate},
    prelude::*,
    transforms::{CheckpointPolicy, checkpoint},
};

/// The size of an axis that is split; its parts can be split again.
const SIZE: usize = 16;

/// A function of two matrices over devices, the same function on one device, and its name. The
/// first takes the mesh axes, the second the number of devices along them.
struct Trial {
    name: &'static str,
    over_mesh: fn(Tensor, Tensor, &[&'static str]) -> Tensor,
    whole: fn(Tensor, Tensor, usize) -> Tensor,
}

fn rows(over: &[&'static str]) -> PartitionSpec {
    PartitionSpec::shard(0, over)
}

fn columns(over: &[&'static str]) -> PartitionSpec {
    PartitionSpec::shard(1, over)
}

fn whole() -> PartitionSpec {
    PartitionSpec::replicated()
}

/// The parts of a matrix's rows, in order.
fn parts(x: Tensor, count: usize) -> Vec<Tensor> {
    let size = (SIZE / count) as isize;
    (0..count as isize).map(|i| x.slice(0, i * size..(i + 1) * size)).collect()
}

/// The parts of a matrix's rows, as a new axis.
fn apart(x: Tensor, count: usize) -> Tensor {
    x.reshape([count, SIZE / count, SIZE])
}

fn trials() -> Vec<Trial> {
    vec![
        Trial {
            name: "the same weights for parts of a batch",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), whole()), rows(over), |(x, w)| x.matmul(w.sin()).tanh())
            },
            whole: |x, w, _| x.matmul(w.sin()).tanh(),
        },
        Trial {
            name: "all_reduce of a product",
            over_mesh: |x, w, over| {
                manual((x, w), (columns(over), rows(over)), whole(), |(x, w)| {
                    x.sin().matmul(w).all_reduce(Reduction::Sum, over).tanh() * 0.5
                })
            },
            whole: |x, w, _| x.sin().matmul(w).tanh() * 0.5,
        },
        Trial {
            name: "all_reduce of maxima",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), whole()), whole(), |(x, w)| {
                    x.max(0).sin().all_reduce(Reduction::Max, over) * w
                })
            },
            whole: |x, w, count| apart(x, count).max(1).sin().max(0) * w,
        },
        Trial {
            name: "all_gather",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), columns(over)), columns(over), |(x, w)| {
                    x.cos().all_gather(0, over).matmul(w).sin()
                })
            },
            whole: |x, w, _| x.cos().matmul(w).sin(),
        },
        Trial {
            name: "all_gather of results",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), whole()), whole(), |(x, w)| {
                    (x.matmul(w).sin().all_gather(0, over)).tanh()
                })
            },
            whole: |x, w, _| x.matmul(w).sin().tanh(),
        },
        Trial {
            name: "reduce_scatter",
            over_mesh: |x, w, over| {
                manual((x, w), (columns(over), rows(over)), rows(over), |(x, w)| {
                    x.matmul(w.sin()).reduce_scatter(Reduction::Sum, 0, over).cos()
                })
            },
            whole: |x, w, _| x.matmul(w.sin()).cos(),
        },
        Trial {
            name: "reduce_scatter of minima",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), whole()), rows(over), |(x, w)| {
                    let each = (x.min(0) * w).sin();
                    each.reduce_scatter(Reduction::Min, 0, over)
                })
            },
            whole: |x, w, count| {
                let each: Vec<Tensor> =
                    parts(x, count).iter().map(|x| (x.min(0) * w).sin()).collect();
                each.into_iter().reduce(|a, b| a.minimum(b)).expect("there is a part")
            },
        },
        Trial {
            name: "all_to_all",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), columns(over)), columns(over), |(x, w)| {
                    x.sin().all_to_all(1, 0, over) * w
                })
            },
            whole: |x, w, _| x.sin() * w,
        },
        Trial {
            name: "collective_permute",
            over_mesh: |x, w, over| {
                let count = hloom::mesh::axis_size(over);
                manual((x, w), (rows(over), rows(over)), rows(over), |(x, w)| {
                    let next = (1..count).map(|i| (i - 1, i));
                    (x * w).collective_permute(over, next).exp() * x
                })
            },
            whole: |x, w, count| {
                let mut all = parts(x * w, count);
                all.rotate_right(1);
                all[0] = all[0].full_like(0);
                concatenate(&all, 0).exp() * x
            },
        },
        Trial {
            name: "collective_broadcast",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), rows(over)), rows(over), |(x, w)| {
                    (x.sin().collective_broadcast(1, over) * w).cos()
                })
            },
            whole: |x, w, count| {
                let second = parts(x.sin(), count)[1];
                (concatenate(&vec![second; count], 0) * w).cos()
            },
        },
        Trial {
            name: "axis_index",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), rows(over)), rows(over), |(x, w)| {
                    (x * (axis_index(over).convert(DType::F64) + 1)).sin() * w
                })
            },
            whole: |x, w, count| {
                let scaled = |(i, x): (usize, &Tensor)| *x * (i + 1);
                let all: Vec<Tensor> = parts(x, count).iter().enumerate().map(scaled).collect();
                concatenate(&all, 0).sin() * w
            },
        },
        Trial {
            name: "a loop of checkpoints",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), whole()), rows(over), |(x, w)| {
                    for_loop(2, x, |_, c| {
                        checkpoint((c, w), CheckpointPolicy::DotsSaveable, |(c, w)| {
                            let total = c.sum(0).all_reduce(Reduction::Sum, over);
                            (c.matmul(w) * 0.3 + total * 0.1).tanh()
                        })
                    })
                })
            },
            whole: |x, w, _| for_loop(2, x, |_, c| (c.matmul(w) * 0.3 + c.sum(0) * 0.1).tanh()),
        },
        Trial {
            name: "a body in a loop",
            over_mesh: |x, w, over| {
                for_loop(2, x, |_, c| {
                    manual((c, w), (columns(over), rows(over)), whole(), |(c, w)| {
                        c.matmul(w).all_reduce(Reduction::Sum, over).tanh()
                    })
                })
            },
            whole: |x, w, _| for_loop(2, x, |_, c| c.matmul(w).tanh()),
        },
        Trial {
            name: "a gradient in the body",
            over_mesh: |x, w, over| {
                manual((x, w), (rows(over), whole()), whole(), |(x, w)| {
                    let own = grad(w, |w| x.matmul(w).sin().sum(..));
                    own.all_reduce(Reduction::Sum, over)
                })
            },
            whole: |x, w, _| grad(w, |w| x.matmul(w).sin().sum(..)),
        },
    ]
}

/// The value, the gradient and the gradient of the gradient's squares of each function.
fn derivatives(
    functions: &[Box<dyn Fn(Tensor, Tensor) -> Tensor + '_>],
    xs: &[Tensor],
) -> Vec<Tensor> {
    let (x, w, weights) = (xs[0], xs[1], xs[2]);
    let each = functions.iter().flat_map(|f| {
        let loss = |x: Tensor, w: Tensor| (f(x, w) * weights).sum(..);
        let squares = |x: Tensor, w: Tensor| {
            let (of_x, of_w) = grad((x, w), |(x, w)| loss(x, w));
            (of_x * of_x).sum(..) + (of_w * of_w).sum(..)
        };
        let (of_x, of_w) = grad((x, w), |(x, w)| loss(x, w));
        let (twice_x, twice_w) = grad((x, w), |(x, w)| squares(x, w));
        [f(x, w), of_x, of_w, twice_x, twice_w]
    });
    each.collect()
}

/// Compares all functions over these axes of a mesh.
fn check(sizes: &[(&'static str, usize)], over: &[&'static str]) {
    let mesh = Mesh::new(cpus(), sizes.iter().copied()).expect("there are six devices");
    let count = sizes.iter().filter(|own| over.contains(&own.0)).map(|own| own.1).product();
    let specs = vec![Spec::f64([SIZE, SIZE]); 3];
    let expected = run(cpu(), &specs, |xs| {
        let own = |trial: Trial| -> Box<dyn Fn(Tensor, Tensor) -> Tensor> {
            Box::new(move |x, w| (trial.whole)(x, w, count))
        };
        derivatives(&trials().into_iter().map(own).collect::<Vec<_>>(), &xs)
    });
    let function = |xs: Vec<Tensor>| {
        let own = |trial: Trial| -> Box<dyn Fn(Tensor, Tensor) -> Tensor + '_> {
            Box::new(move |x, w| (trial.over_mesh)(x, w, over))
        };
        derivatives(&trials().into_iter().map(own).collect::<Vec<_>>(), &xs)
    };
    let exe = mesh.compiler().compile(function, (specs.clone(),)).expect("it compiles");
    let input = |(seed, spec): (usize, &Spec)| {
        let sharding = mesh.sharding(spec).expect("the spec fits");
        Buffer::from_slice(&sharding, &numbers(seed, SIZE * SIZE), [SIZE, SIZE]).expect("a buffer")
    };
    let inputs: Vec<Buffer> = specs.iter().enumerate().map(input).collect();
    let results: Vec<Buffer> = exe.call((&inputs,)).expect("it runs");
    let found: Vec<Vec<f64>> = results.iter().map(|x| x.to_vec().expect("f64")).collect();
    for ((trial, found), expected) in trials().iter().zip(found.chunks(5)).zip(expected.chunks(5)) {
        assert_near(&format!("{} over {over:?} of {sizes:?}", trial.name), found, expected);
    }
}

#[test]
fn gradients_over_two_devices_are_those_of_whole_values() {
    check(&[("x", 2)], &["x"]);
}

#[test]
fn gradients_over_four_devices_are_those_of_whole_values() {
    check(&[("x", 4)], &["x"]);
    check(&[("x", 2), ("y", 2)], &["x", "y"]);
}

#[test]
fn devices_along_other_axes_repeat_the_work() {
    check(&[("x", 2), ("y", 2)], &["x"]);
    check(&[("x", 2), ("y", 2)], &["y"]);
}

/// The gradient of a parameter is split as the parameter: an update needs no transfer.
#[test]
fn gradients_have_the_shardings_of_their_parameters() {
    let splits: [fn(Spec) -> Spec; 4] = [
        |spec| spec.shard(0, "x"),
        |spec| spec.shard(1, "x"),
        |spec| spec.shard(0, "y").shard(1, "x"),
        |spec| spec.replicated(),
    ];
    for sizes in [[("x", 2), ("y", 1)], [("x", 4), ("y", 1)], [("x", 2), ("y", 2)]] {
        let mesh = Mesh::new(cpus(), sizes).expect("there are six devices");
        for split in splits {
            let batch = Spec::f64([("batch", SIZE), ("in", SIZE)]).shard("batch", "x");
            let weight = || split(Spec::f64([SIZE, SIZE]));
            let specs = (batch.clone(), (weight(), weight()));
            let function = |x: Tensor, ws: (Tensor, Tensor)| {
                grad(ws, |(v, w)| {
                    let hidden = x.matmul(v.named(["in", "hidden"])).tanh();
                    hidden.matmul(w.named(["hidden", "out"])).sin().sum(..)
                })
            };
            let exe = mesh.compiler().compile(function, specs).expect("it compiles");
            let load = |seed: usize, spec: &Spec| {
                let sharding = mesh.sharding(spec).expect("the spec fits");
                let sizes = spec.shape().sizes().to_vec();
                Buffer::from_slice(&sharding, &numbers(seed, SIZE * SIZE), &sizes[..])
                    .expect("there is memory")
            };
            let parameters = (load(1, &weight()), load(2, &weight()));
            let gradient = exe.call((&load(0, &batch), &parameters)).expect("it runs");
            for (gradient, parameter) in
                [(&gradient.0, &parameters.0), (&gradient.1, &parameters.1)]
            {
                let [found, expected] = [gradient, parameter]
                    .map(|x| x.sharding().expect("it is over a mesh").describe(&parameter.shape()));
                assert_eq!(found, expected, "over {sizes:?}");
            }
        }
    }
}
