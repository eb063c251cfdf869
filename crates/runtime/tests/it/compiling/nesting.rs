//! The deepest nests of bodies, compiled and run on threads of the usual size.

use crate::CPU;
use hloom_graph::{MAX_NESTING, Spec, Tensor, cond, for_loop, grad, vmap, while_loop};
use hloom_runtime::Buffer;

type Nest = fn(usize, Tensor) -> Tensor;

fn loops(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x + 1.0,
        _ => for_loop(1, x, |_, x| loops(depth - 1, x)),
    }
}

fn conds(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x + 1.0,
        _ => cond(x.sum(..).lt(100.0), || conds(depth - 1, x), || x * 2.0),
    }
}

fn whiles(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x + 1.0,
        _ => while_loop(x, |x| x.sum(..).lt(6.5), |x| whiles(depth - 1, x)),
    }
}

#[test]
fn the_deepest_nests_compile_and_run() {
    let nests: [(&str, Nest, usize); 3] = [
        ("for_loop", loops, MAX_NESTING),
        ("cond", conds, MAX_NESTING),
        ("while_loop", whiles, MAX_NESTING),
    ];
    let x = Buffer::from_slice(&CPU, &[1.0f32, 2.0, 3.0], [3]).unwrap();
    for (name, nest, depth) in nests {
        let y = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(2 << 20);
            let walked = thread.spawn_scoped(scope, || {
                let f = move |x: Tensor| nest(depth, x);
                let y = CPU.compile(f, (Spec::f32([3]),))?.call((&x,))?;
                y.to_vec::<f32>()
            });
            walked.unwrap().join().unwrap()
        });
        let y = y.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(y, [2.0, 3.0, 4.0], "{name}");
    }
    let error = CPU.compile(|x: Tensor| loops(1000, x), (Spec::f32([3]),)).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("bodies are nested more than 64 deep"), "{message}");
    assert!(message.contains("nesting.rs"), "{message}");
    let derived = |x: Tensor| {
        let slope = grad(x, |x| conds(MAX_NESTING / 2, x).sum(..));
        slope + vmap(x.insert_axis(0, "b"), 0, |x| loops(MAX_NESTING / 2, x)).squeeze(0)
    };
    let y = CPU.compile(derived, (Spec::f32([3]),)).unwrap().call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [3.0, 4.0, 5.0]);
}
