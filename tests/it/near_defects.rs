//! Programs near those on which plugins are known to be wrong, against the interpreter.
//!
//! Inputs are small whole numbers, so that results are equal and not only near.

use crate::platforms::platforms;
use hloom::{
    grad,
    ops::{ConvOptions, Padding, PoolOptions, case, optimization_barrier, reduce_by, sort_by},
    prelude::*,
};

/// The name, the sizes of the inputs, and the function.
type Program = (&'static str, &'static [&'static [usize]], fn(&[Tensor]) -> Vec<Tensor>);

/// The input at an index: whole numbers from -4 to 4, none of them 0.
fn numbers(sizes: &[usize], salt: usize) -> Vec<f32> {
    let count = sizes.iter().product();
    let number = |i: usize| ((i * 5 + i / 7 + salt * 3) % 8) as f32 - 4.0;
    (0..count).map(number).map(|x| if x >= 0.0 { x + 1.0 } else { x }).collect()
}

/// Compares the results of each program with the interpreter's.
fn check(programs: &[Program]) {
    let mut wrong = Vec::new();
    for platform in platforms() {
        for &(name, sizes, function) in programs {
            if let Err(message) = compared(platform, sizes, function) {
                wrong.push(format!("{name} on {}: {message}", platform.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

fn compared(
    platform: &Platform,
    sizes: &[&[usize]],
    function: fn(&[Tensor]) -> Vec<Tensor>,
) -> Result<(), String> {
    let specs: Vec<Spec> = sizes.iter().map(|sizes| Spec::f32(*sizes)).collect();
    let compiler = platform.compiler().keep_graph(true);
    let exe = compiler.compile(move |inputs: Vec<Tensor>| function(&inputs), (specs,));
    let exe = exe.map_err(|error| error.to_string())?;
    let input = |(salt, sizes): (usize, &&[usize])| {
        Buffer::from_slice(platform, &numbers(sizes, salt), *sizes).expect("it fits")
    };
    let inputs: Vec<Buffer> = sizes.iter().enumerate().map(input).collect();
    let found = exe.call((&inputs,)).map_err(|error| error.to_string())?;
    let expected = exe.interpret((&inputs,)).map_err(|error| error.to_string())?;
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let bytes = |x: &Buffer| x.to_bytes().map_err(|error| error.to_string());
        if bytes(found)? != bytes(expected)? {
            return Err(format!("result {i} is {found}, not {expected}"));
        }
    }
    Ok(())
}

/// Every row takes the values of the row before.
fn next(x: Tensor) -> Tensor {
    x.at(0, 1..).set(x.slice(0, ..-1))
}

/// A shifted update of what a compiler takes for the tensor itself.
fn shifted(same: Tensor, x: Tensor) -> Vec<Tensor> {
    let part = x.reshape([6]).slice(0, ..-1).reshape([1, 5]);
    vec![same.reshape([1, 6]).at(1, 1..).set(part).insert_axis(0, "_")]
}

#[test]
fn updates_read_all_of_the_tensor_before_they_write() {
    check(&[
        ("in a loop with a condition", &[&[6]], |x| {
            let start = (x[0], Tensor::scalar(0, DType::I32));
            let (x, _) = while_loop(start, |(_, i)| i.lt(3), |(x, i)| (next(x), i + 1));
            vec![x.insert_axis(0, "_")]
        }),
        ("in a scan", &[&[6], &[4]], |x| {
            let step = |history: Tensor, new: Tensor| {
                let history = next(history).at(0, 0).set(new);
                (history, history.insert_axis(0, "_"))
            };
            let (last, all) = scan(x[0], x[1], 0, step);
            vec![last.insert_axis(0, "_"), all]
        }),
        ("at the index of a loop", &[&[8]], |x| {
            let step = |i: Tensor, x: Tensor| {
                let part = x.dynamic_slice(0, i, 4);
                x.dynamic_update_slice(part, 0, i + 1).reshape([2, 4]).reshape([8])
            };
            vec![for_loop(4, x[0], step).reshape([4, 2])]
        }),
        ("along two axes", &[&[4, 5]], |x| {
            let part = x[0].slice(0, ..-1).slice(1, ..-1);
            vec![x[0].at(0, 1..).at(1, 1..).set(part).reshape([20])]
        }),
        ("reversed", &[&[6]], |x| {
            vec![x[0].at(0, 1..).set(x[0].slice(0, ..-1).reverse(0)).insert_axis(0, "_")]
        }),
        ("with a step", &[&[12]], |x| {
            let part = x[0].slice_step(0, ..-2, 2);
            vec![x[0].at(0, 3..8).set(part).reshape([3, 4])]
        }),
        ("by sums, products and extremes in a loop", &[&[6]], |x| {
            let step = |_: Tensor, x: Tensor| {
                let x = x.at(0, 1..).add(x.slice(0, ..-1));
                let x = x.at(0, 2..).max(x.slice(0, ..-2)).at(0, 1..).min(x.slice(0, ..-1));
                x.reshape([2, 3]).reshape([6])
            };
            let product = x[0].at(0, 1..).mul(x[0].slice(0, ..-1)).insert_axis(0, "_");
            vec![for_loop(2, x[0], step).insert_axis(1, "_"), product]
        }),
        ("transposed", &[&[4, 3]], |x| {
            let turned = x[0].transpose([1, 0]);
            vec![turned.at(1, 1..).set(turned.slice(1, ..-1)).transpose([1, 0]).reshape([12])]
        }),
        ("of every width", &[&[6]], |x| {
            let types = [DType::BF16, DType::F16, DType::F64, DType::I8, DType::I64];
            let of = |dtype| next(x[0].convert(dtype)).insert_axis(0, "_");
            [types.map(of).to_vec(), vec![next(x[0].gt(0)).insert_axis(0, "_")]].concat()
        }),
        ("of complex numbers", &[&[6]], |x| {
            let x = x[0].complex(x[0] * 2);
            vec![next(x).insert_axis(0, "_").real(), next(x).insert_axis(0, "_").imag()]
        }),
        ("by concatenation in a loop", &[&[6]], |x| {
            let step = |_: Tensor, x: Tensor| {
                concatenate(&[x.slice(0, ..1), x.slice(0, ..-1)], 0).reshape([3, 2]).reshape([6])
            };
            vec![for_loop(3, x[0], step).insert_axis(0, "_")]
        }),
        ("in a branch", &[&[6]], |x| {
            let x = x[0];
            let y =
                cond(x.sum(..).gt(-100), || next(x).insert_axis(0, "_"), || x.insert_axis(0, "_"));
            let index = x.slice(0, ..1).squeeze(0).convert(DType::I32) + 5;
            let z = case(
                index,
                || x.reshape([2, 3]),
                [
                    Box::new(move || next(x).reshape([2, 3])) as Box<dyn FnOnce() -> Tensor>,
                    Box::new(move || next(next(x)).reshape([2, 3])),
                ],
            );
            vec![y, z]
        }),
        ("of results of ops along axes of size 1", &[&[1, 6]], |x| {
            let x = x[0];
            let zero = Tensor::scalar(0.0f32, DType::F32);
            let nothing = Tensor::full(0i32, DType::I32, [0]);
            let same = [
                x.sort(0, false),
                sort_by(x, 0, |a: Tensor, b: Tensor| a.lt(b)),
                reduce_by(x, zero, 0, |a, b| a + b).insert_axis(0, "_"),
                x.complex(x.zeros_like()).fft(0).real(),
                x.index_set(nothing, x.slice(0, ..0), 0),
            ];
            same.into_iter().flat_map(|same| shifted(same, x)).collect()
        }),
        ("both ways", &[&[6]], |x| {
            let (down, up) = (next(x[0]), x[0].at(0, ..-1).set(x[0].slice(0, 1..)));
            vec![(down + up).insert_axis(0, "_"), down.insert_axis(0, "_"), up.reshape([2, 3])]
        }),
        ("at computed places", &[&[8], &[1]], |x| {
            let place = x[1].squeeze(0).convert(DType::I32).abs();
            let part = x[0].dynamic_slice(0, place, 4);
            let y = x[0].dynamic_update_slice(part, 0, place + 1);
            vec![y.insert_axis(0, "_"), y.reshape([2, 4])]
        }),
        ("at gathered rows", &[&[6, 2]], |x| {
            let rows = Tensor::constant(&[0i32, 1, 2, 3], [4]);
            let y = x[0].at(0, rows + 1).set(x[0].at(0, rows).get());
            vec![y.reshape([3, 4]), y.reshape([12])]
        }),
        ("two tensors in one loop", &[&[6], &[6]], |x| {
            let step = |_: Tensor, (a, b): (Tensor, Tensor)| {
                (a.at(0, 1..).set(b.slice(0, ..-1)), b.at(0, 1..).set(a.slice(0, ..-1)))
            };
            let (a, b) = for_loop(3, (x[0], x[1]), step);
            let (c, d) = for_loop(2, (x[0], x[0]), step);
            [a, b, c, d].map(|x| x.insert_axis(0, "_")).to_vec()
        }),
        ("stacked", &[&[3, 4]], |x| {
            let rows = stack(&[x[0].index(0, 0), x[0].index(0, 1), x[0].index(0, 2)], "_");
            vec![rows.at(0, 1..).set(x[0].slice(0, ..-1)).reshape([12])]
        }),
    ]);
}

#[test]
fn updates_of_what_is_the_tensor_itself_read_it_before_they_write() {
    check(&[
        ("transposed", &[&[1, 6]], |x| shifted(x[0].transpose([1, 0]), x[0])),
        ("a sum of one", &[&[1, 6]], |x| shifted(x[0].sum(0), x[0])),
        ("a maximum of one", &[&[1, 6]], |x| shifted(x[0].max(0), x[0])),
        ("a running sum of one", &[&[1, 6]], |x| shifted(x[0].cumsum(0), x[0])),
        ("behind a barrier", &[&[6]], |x| shifted(optimization_barrier(x[0]), x[0])),
        ("times 1", &[&[6]], |x| shifted(x[0] * 1, x[0])),
        ("divided by 1", &[&[6]], |x| shifted(x[0] / 1, x[0])),
        ("minus 0", &[&[6]], |x| shifted(x[0] - 0, x[0])),
        ("negated twice", &[&[6]], |x| shifted(-(-x[0]), x[0])),
        ("the larger of both", &[&[6]], |x| shifted(x[0].maximum(x[0]), x[0])),
        ("selected", &[&[6]], |x| shifted(x[0].eq(x[0]).select(x[0], x[0]), x[0])),
        ("selected by a constant", &[&[6]], |x| {
            let always = Tensor::ones(DType::Bool, [6]);
            shifted(always.select(x[0], x[0] * 3), x[0])
        }),
        ("reversed along one", &[&[1, 6]], |x| shifted(x[0].reverse(0), x[0])),
        ("broadcast", &[&[6]], |x| shifted(x[0].broadcast_to([1, 1, 6]), x[0])),
        ("padded by nothing", &[&[6]], |x| shifted(x[0].pad(0, 0, 0, 0), x[0])),
        ("padded and cut", &[&[6]], |x| shifted(x[0].pad(0, 2, 0, 0).slice(0, 2..), x[0])),
        ("concatenated with nothing", &[&[6]], |x| {
            shifted(concatenate(&[x[0], x[0].slice(0, ..0)], 0), x[0])
        }),
        ("in two halves", &[&[6]], |x| {
            shifted(concatenate(&[x[0].slice(0, ..3), x[0].slice(0, 3..)], 0), x[0])
        }),
        ("a whole dynamic slice", &[&[6]], |x| shifted(x[0].dynamic_slice(0, 0, 6), x[0])),
        ("a window of one", &[&[6]], |x| shifted(x[0].reshape([1, 6]).max_pool([1], 1), x[0])),
        ("its bits", &[&[6]], |x| shifted(x[0].bitcast(DType::U32).bitcast(DType::F32), x[0])),
        ("converted and back", &[&[6]], |x| {
            shifted(x[0].convert(DType::F64).convert(DType::F32), x[0])
        }),
        ("after no step", &[&[6]], |x| shifted(for_loop(0, x[0], |_, x| x * 2), x[0])),
        ("after a step that keeps it", &[&[6], &[6]], |x| {
            let (same, _) = for_loop(3, (x[0], x[1]), |_, (x, y)| (x, y * 2));
            shifted(same, x[0])
        }),
        ("a step of a loop before", &[&[6], &[6]], |x| {
            let step = |_: Tensor, (same, y): (Tensor, Tensor)| {
                (shifted(same, x[0])[0].reshape([6]), y * 2)
            };
            let (y, _) = for_loop(1, (x[0], x[1]), step);
            vec![y.insert_axis(0, "_")]
        }),
        ("the only step of a scan", &[&[6], &[1]], |x| {
            let step = |same: Tensor, y: Tensor| (shifted(same, x[0])[0].reshape([6]), y);
            let (y, _) = scan(x[0], x[1], 0, step);
            vec![y.insert_axis(0, "_")]
        }),
        ("the only step of a loop with a condition", &[&[6]], |x| {
            let start = (x[0], Tensor::scalar(0, DType::I32));
            let step = |(same, i): (Tensor, Tensor)| (shifted(same, x[0])[0].reshape([6]), i + 1);
            let (y, _) = while_loop(start, |(_, i)| i.lt(1), step);
            vec![y.insert_axis(0, "_")]
        }),
        ("a branch that is always taken", &[&[6]], |x| {
            let same = cond(Tensor::scalar(0, DType::I32).eq(0), || x[0], || x[0] * 2);
            shifted(same, x[0])
        }),
        ("twice in a loop of one step", &[&[6]], |x| {
            let step = |_: Tensor, (a, b): (Tensor, Tensor)| (shifted(a, b)[0].reshape([6]), b);
            vec![for_loop(1, (x[0], x[0]), step).0.insert_axis(0, "_")]
        }),
        ("updated as a whole", &[&[6], &[6]], |x| {
            shifted(x[1].dynamic_update_slice(x[0], 0, 0), x[0])
        }),
        ("updated by itself", &[&[6]], |x| {
            shifted(x[0].dynamic_update_slice(x[0].slice(0, 2..4), 0, 2), x[0])
        }),
        ("at all rows", &[&[6]], |x| {
            shifted(x[0].at(0, Tensor::iota(DType::I32, [6], 0)).get(), x[0])
        }),
    ]);
}

#[test]
fn cut_inputs_of_windows_end_where_they_are_cut() {
    fn image(x: Tensor) -> Tensor {
        x.reshape([1, 4, 6, 8])
    }
    check(&[
        ("pools", &[&[1, 4, 6, 8]], |x| {
            let pool = |low, high| {
                PoolOptions::new([2, 2])
                    .strides(1)
                    .padding(Padding::Explicit(vec![(low, high), (high, low)]))
            };
            let sides = [(-1isize, 1isize), (1, -1), (-1, -1), (-1, 0), (0, -2)];
            let all = |(low, high)| {
                let options = pool(low, high);
                let of = [
                    x[0].max_pool([1, 2], options.clone()),
                    x[0].sum_pool([1, 2], options.clone()),
                ];
                [of[0], of[1], x[0].min_pool([1, 2], options)]
            };
            sides.into_iter().flat_map(all).collect()
        }),
        ("a pool of more than the input", &[&[6]], |x| {
            let options = |low, high| {
                PoolOptions::new(1).strides(1).padding(Padding::Explicit(vec![(low, high)]))
            };
            vec![x[0].sum_pool([0], options(-6, 3)), x[0].max_pool([0], options(4, -5))]
        }),
        ("separate channels", &[&[1, 4, 6, 8], &[8, 1, 2, 2]], |x| {
            let input = x[0].transpose([0, 3, 1, 2]);
            let options =
                ConvOptions::new().groups(8).padding(Padding::Explicit(vec![(-1, 1), (1, -2)]));
            vec![input.conv2d(x[1], options)]
        }),
        ("dilated kernels and strides", &[&[1, 8, 9, 7], &[8, 8, 2, 2]], |x| {
            let options = ConvOptions::new().strides([2, 1]).dilation([2, 3]);
            let sides = [[(-1isize, 2isize), (0, -1)], [(-2, 0), (-1, -1)], [(3, -2), (-3, 4)]];
            let conv = |sides: [(isize, isize); 2]| {
                x[0].conv2d(x[1], options.clone().padding(Padding::Explicit(sides.to_vec())))
            };
            sides.map(conv).to_vec()
        }),
        ("transposed with more padding than the kernel", &[&[1, 8, 5], &[8, 8, 2]], |x| {
            let options = |padding: usize| ConvOptions::new().padding(padding);
            let strided = ConvOptions::new().strides(2).padding(2).output_padding(1);
            let cut = ConvOptions::new().padding(Padding::Explicit(vec![(3, -1)]));
            vec![
                x[0].conv_transpose1d(x[1], options(2)),
                x[0].conv_transpose1d(x[1], options(1)),
                x[0].conv_transpose1d(x[1], strided),
                x[0].conv_transpose1d(x[1], cut),
            ]
        }),
        ("gradients of padded convolutions", &[&[1, 8, 5], &[8, 8, 2]], |x| {
            let options = || ConvOptions::new().padding(Padding::Explicit(vec![(3, 2)]));
            let loss = |(x, k): (Tensor, Tensor)| x.conv1d(k, options()).sum(..);
            let cut = || ConvOptions::new().padding(Padding::Explicit(vec![(-2, 3)]));
            let cut_loss = |(x, k): (Tensor, Tensor)| x.conv1d(k, cut()).sum(..);
            let (dx, dk) = grad((x[0], x[1]), loss);
            let (cx, ck) = grad((x[0], x[1]), cut_loss);
            vec![dx, dk, cx, ck]
        }),
        ("padding that cuts", &[&[6], &[4, 5]], |x| {
            vec![
                x[0].pad(0, -2, 3, 7),
                x[0].pad(0, 3, -8, 7),
                x[0].pad(0, -6, 2, 7),
                x[0].pad_interior(0, -3, -2, 2, 7),
                x[0].pad_interior(0, 2, -9, 1, 7),
                x[1].pad(0, -1, 1, 7).pad(1, 1, -3, 5),
                image(x[0].pad_interior(0, -1, 187, 0, 1)).sum([1, 2]),
            ]
        }),
    ]);
}

#[test]
fn divisions_and_shifts_of_constants_are_those_of_the_program() {
    fn folded<T: hloom::Element + Copy>(left: &[T], right: &[T]) -> Vec<Tensor> {
        let sizes = [left.len()];
        let (a, b) = (Tensor::constant(left, sizes), Tensor::constant(right, sizes));
        let last = |x: Tensor| x.slice(0, -1..).squeeze(0);
        vec![
            a / b,
            a % b,
            a / last(b),
            last(a) % last(b),
            a.reshape([1, left.len()]) / b.reshape([1, right.len()]),
            for_loop(2, a, |_, x| x / b),
            a.shift_left(b),
            a.shift_right_arithmetic(b),
            a.shift_right_logical(b),
        ]
    }
    check(&[
        ("i8", &[], |_| folded(&[6i8, -128, -128, 127, 0], &[0, -1, 0, 9, 0])),
        ("i16", &[], |_| folded(&[6i16, i16::MIN, i16::MIN, -7], &[0, -1, 17, -1])),
        ("i32", &[], |_| folded(&[6i32, i32::MIN, i32::MIN, -7, 1], &[0, -1, 0, 32, 31])),
        ("i32 by -1", &[], |_| folded(&[6i32, i32::MIN, 7, i32::MIN], &[-1, -1, -1, -1])),
        ("i64", &[], |_| folded(&[6i64, i64::MIN, i64::MIN, -7], &[0, -1, 64, -64])),
        ("i64 by -1", &[], |_| folded(&[i64::MIN, i64::MIN], &[-1, -1])),
        ("u8", &[], |_| folded(&[6u8, 255, 128, 0], &[0, 8, 255, 0])),
        ("u32", &[], |_| folded(&[6u32, u32::MAX, 1], &[0, 32, 31])),
        ("u64", &[], |_| folded(&[6u64, u64::MAX, 1], &[0, 64, 63])),
        ("numbers known as one", &[], |_| {
            let number = |x: i64, dtype| Tensor::full(x, dtype, [3]);
            let pair = |least: i64, dtype| {
                [number(least, dtype) / number(-1, dtype), number(least, dtype) % number(-1, dtype)]
            };
            [
                pair(-128, DType::I8),
                pair(i16::MIN.into(), DType::I16),
                pair(i32::MIN.into(), DType::I32),
                pair(i64::MIN, DType::I64),
            ]
            .concat()
        }),
        ("of counted numbers", &[], |_| {
            let i = Tensor::iota(DType::I32, [5], 0);
            let least = Tensor::full(i32::MIN, DType::I32, [5]);
            let seven = Tensor::full(7, DType::I32, [5]);
            vec![
                seven / (i - 2),
                seven % (i - 2),
                least / (i - 3),
                least % (i - 3),
                (i - 2) / (i - i),
            ]
        }),
        ("of numbers of the program", &[&[5]], |x| {
            let i = x[0].convert(DType::I32);
            let least = i.minimum(i32::MIN);
            let ones = i.sign() * i.sign();
            vec![i / (i - i), i % (i - i), least / -ones, least % -ones, i / (i + 4), i % (i + 4)]
        }),
        ("floor and modulo", &[], |_| {
            let (a, b) = (
                Tensor::constant(&[7i32, -7, i32::MIN, 5], [4]),
                Tensor::constant(&[-2i32, 2, -1, 0], [4]),
            );
            vec![a.floor_divide(b), a.modulo(b)]
        }),
        ("powers", &[], |_| {
            let (a, b) = (
                Tensor::constant(&[2i32, -1, 0, 3, 1], [5]),
                Tensor::constant(&[31i32, -3, 0, -1, -7], [5]),
            );
            vec![a.pow(b)]
        }),
        ("floats as integers", &[], |_| {
            let x = Tensor::constant(&[f32::NAN, 1e10, -1e10, f32::INFINITY, -0.9, 2.5e9], [6]);
            [DType::I8, DType::I32, DType::I64, DType::U8, DType::U32]
                .map(|to| x.convert(to))
                .to_vec()
        }),
        ("remainders of floats", &[], |_| {
            let a = Tensor::constant(&[5.5f32, -5.5, 1.0, -0.0, f32::INFINITY, 3.0], [6]);
            let b = Tensor::constant(&[2f32, 2.0, 0.0, 3.0, 2.0, f32::INFINITY], [6]);
            // Bits of NaN are the compiler's choice.
            let rest = (a % b).eq(a % b).select(a % b, (a % b).full_like(99));
            vec![rest, (a / b).is_nan()]
        }),
    ]);
}

#[test]
fn sums_of_parts_keep_their_order_of_reductions() {
    check(&[
        ("windows in loops", &[&[12]], |x| {
            let step = |_: Tensor, x: Tensor| {
                let pooled = x.sum_pool([0], PoolOptions::new(3).strides(1).padding(1));
                pooled.minimum(9).maximum(-9)
            };
            vec![for_loop(3, x[0], step), x[0].cumsum(0), x[0].cumprod(0)]
        }),
        ("scatters onto one element", &[&[6], &[6]], |x| {
            let places = Tensor::constant(&[1i32, 1, 3, 1, 9, -7], [6]);
            let at = || x[0].at(0, places);
            vec![at().add(x[1]), at().mul(x[1]), at().max(x[1]), at().min(x[1])]
        }),
        ("reductions along every axis", &[&[3, 1, 4]], |x| {
            let x = x[0];
            vec![x.sum(0), x.sum([1, 2]), x.prod(1), x.prod([0, 2]), x.max([0, 1]), x.min(..)]
        }),
    ]);
}

/// The parts of `numpy.sin` and `numpy.cos`; zeros of cosines have no specified sign.
#[test]
fn complex_sines_of_zeros_and_infinities_are_those_of_numpy() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let rows = [
        ([0.0, inf], [0.0, inf], [inf, 0.0]),
        ([-0.0, inf], [-0.0, inf], [inf, 0.0]),
        ([0.0, -inf], [0.0, -inf], [inf, 0.0]),
        ([inf, 0.0], [nan, 0.0], [nan, 0.0]),
        ([inf, -0.0], [nan, -0.0], [nan, 0.0]),
        ([-0.0, -0.0], [-0.0, -0.0], [1.0, 0.0]),
        ([1.0, inf], [inf, inf], [inf, -inf]),
        ([nan, 0.0], [nan, 0.0], [nan, nan]),
    ];
    for platform in platforms() {
        let part = |at: usize| rows.map(|(x, ..)| x[at]);
        let function = |(re, im): (Tensor, Tensor)| {
            let x = re.complex(im);
            [x.sin(), x.cos()].map(|y| (y.real(), y.imag()))
        };
        let exe = platform.compile(function, ((Spec::f32([8]), Spec::f32([8])),)).unwrap();
        let buffer = |at| Buffer::from_slice(platform, &part(at), [8]).unwrap();
        let [sin, cos] = exe.call((&(buffer(0), buffer(1)),)).unwrap();
        let values = |x: &Buffer| x.to_vec::<f32>().unwrap();
        let (sin, cos) = ([values(&sin.0), values(&sin.1)], [values(&cos.0), values(&cos.1)]);
        let is_same = |a: f32, b: f32| a.is_nan() == b.is_nan() && (a.is_nan() || a == b);
        for (i, (x, of_sin, of_cos)) in rows.into_iter().enumerate() {
            for at in 0..2 {
                let (found, expected) = (sin[at][i], of_sin[at]);
                let is_zero_of_sign =
                    expected != 0.0 || found.is_sign_negative() == expected.is_sign_negative();
                assert!(is_same(found, expected) && is_zero_of_sign, "sin {x:?}: {found}");
                // The zero next to a NaN operand may be NaN.
                assert!(is_same(cos[at][i], of_cos[at]), "cos {x:?}: {}", cos[at][i]);
            }
        }
    }
}
