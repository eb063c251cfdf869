//! Gradients of ops, against `jax.vjp`: the last input of a case is the cotangent of the result.
//! The row of a smooth op has another one for its second derivatives, called `.. twice`.

use crate::{Row, Tolerance, ulps};
use hloom::{
    grad,
    graph::record,
    ops::{
        ConvDims, PadDims, PerAxis, Reduction, TransposeA, TriangularSolve, WindowDims,
        concatenate, sort_together,
    },
    prelude::*,
    vjp,
};

/// The cotangents of all inputs but the last one, which is the cotangent of the result.
pub fn pulled(inputs: &[Tensor], f: impl FnOnce(&[Tensor]) -> Tensor) -> Vec<Tensor> {
    let Some((&cotangent, xs)) = inputs.split_last() else { return Vec::new() };
    let (_, pullback) = vjp(xs.to_vec(), |xs| f(&xs));
    pullback.apply(cotangent)
}

/// The gradient of the sum of the squares of the cotangents.
pub fn twice(inputs: &[Tensor], f: impl Fn(&[Tensor]) -> Tensor) -> Vec<Tensor> {
    let Some((&cotangent, xs)) = inputs.split_last() else { return Vec::new() };
    grad(xs.to_vec(), |xs| {
        let of = pulled(&[&xs[..], &[cotangent]].concat(), &f);
        let squares = of.into_iter().filter(|x| x.dtype().is_float()).map(|x| (x * x).sum(..));
        squares.reduce(|a, b| a + b).expect("there is an input")
    })
}

/// Units of the largest element: rules are composed of several ops, which sum and cancel.
pub const ROUNDED: Tolerance = ulps(64).of_largest();
/// Those of second derivatives.
pub const TWICE: Tolerance = ulps(2048).of_largest();

/// Rows of functions, and of their second derivatives.
macro_rules! gradients {
    ($($name:literal, [$($x:ident),*] => $result:expr;)*) => {
        vec![$(
            Row {
                name: $name,
                tolerance: $crate::families::gradients::ROUNDED,
                op: |inputs| pulled(inputs, |xs| match *xs {
                    [$($x),*] => $result,
                    _ => xs[0],
                }),
            },
            Row {
                name: concat!($name, " twice"),
                tolerance: $crate::families::gradients::TWICE,
                op: |inputs| twice(inputs, |xs| match *xs {
                    [$($x),*] => $result,
                    _ => xs[0],
                }),
            },
        )*]
    };
}
pub(super) use gradients;

fn conv(strides: [usize; 2], low: [isize; 2], high: [isize; 2]) -> ConvDims {
    ConvDims {
        strides: PerAxis::collect(strides),
        low: PerAxis::collect(low),
        high: PerAxis::collect(high),
        ..ConvDims::new(2)
    }
}

fn pool() -> WindowDims {
    WindowDims {
        strides: PerAxis::collect([1, 2, 2]),
        low: PerAxis::collect([0, 1, 0]),
        ..WindowDims::new(PerAxis::collect([1, 3, 2]))
    }
}

fn elementwise() -> Vec<Row> {
    gradients![
            "abs", [x] => x.abs();
            "sign", [x] => x.sign();
            "exp", [x] => x.exp();
            "exp_m1", [x] => x.exp_m1();
            "sin", [x] => x.sin();
            "cos", [x] => x.cos();
            "tan", [x] => x.tan();
            "tanh", [x] => x.tanh();
            "sigmoid", [x] => x.sigmoid();
            "erf", [x] => x.erf();
            "floor", [x] => x.floor();
            "ceil", [x] => x.ceil();
            "round_even", [x] => x.round_even();
            "neg", [x] => -x;
            "gelu", [x] => x.gelu();
            "silu", [x] => x.silu();
            "maximum_of_0", [x] => x.maximum(0);
            "log", [x] => x.log();
            "log1p", [x] => x.log1p();
            "sqrt", [x] => x.sqrt();
            "rsqrt", [x] => x.rsqrt();
            "cbrt", [x] => x.cbrt();
            "complex abs", [x] => x.abs();
            "complex exp", [x] => x.exp();
            "complex log", [x] => x.log();
            "complex sin", [x] => x.sin();
            "complex tanh", [x] => x.tanh();
            "complex sqrt", [x] => x.sqrt();
            "complex mul", [x, y] => x * y;
            "complex pow", [x, y] => x.pow(y);
            "complex div", [x, y] => x / y;
            "real", [x] => x.real();
            "imag", [x] => x.imag();
            "square", [x] => x * x;
            "complex", [x, y] => x.complex(y).exp();
            "add", [x, y] => x + y;
            "sub", [x, y] => x - y;
            "mul", [x, y] => x * y;
            "div", [x, y] => x / y;
            "atan2", [x, y] => x.atan2(y);
            "rem", [x, y] => x % y;
            "maximum", [x, y] => x.maximum(y);
            "minimum", [x, y] => x.minimum(y);
            "pow", [x, y] => x.pow(y);
            "pow 3", [x] => x.pow(3);
            "pow 0", [x] => x.pow(0);
            "broadcast rows", [x, y] => x.named(["a", "b"]) * y.named(["b"]);
            "broadcast columns", [x, y] => x / y;
            "broadcast scalar", [x, y] => x.exp() * y;
            "select", [mask, x, y] => mask.select(x, y);
            "select nan", [x] => {
                let is_positive = x.gt(0);
                is_positive.select(is_positive.select(x, 1.0).sqrt(), 0.0)
            };
            "clamp", [x, low, high] => x.clamp(low, high);
            "convert", [x] => x.exp().convert(DType::I32).convert(x.dtype()) * x;
            "stop_gradient", [x] => (x * x).stop_gradient() * x;
    ]
}

fn axes() -> Vec<Row> {
    gradients![
            "reshape", [x] => x.reshape([3, 8]) * x.reshape([3, 8]);
            "transpose", [x] => x.swap_axes(0, 1);
            "slice", [x] => x.slice(0, 1..3);
            "slice step", [x] => x.slice_step(1, 1..6, 2);
            "slice none", [x] => x.slice(0, 2..2);
            "pad", [x, v] => padded(x, v, [1, 0], [2, 1], [0, 2]);
            "pad crop", [x, v] => padded(x, v, [-1, 2], [2, -3], [0, 1]);
            "concatenate", [x, y] => concatenate(&[x, y, x], 1);
            "reverse", [x] => x.reverse(0);
            "sum 0", [x] => x.named(["a", "b"]).sum("a");
            "sum", [x] => x.sum(..);
            "mean 1", [x] => x.mean(1);
            "var", [x] => x.var(1);
            "prod 1", [x] => x.prod(1);
            "prod 0 2", [x] => x.prod([0, 2]);
            "max 1", [x] => x.max(1);
            "min", [x] => x.min(..);
            "log_sum_exp", [x] => x.log_sum_exp(1);
            "softmax", [x] => x.softmax(1);
            "log_softmax", [x] => x.log_softmax(1);
            "cumsum", [x] => x.cumsum(1);
            "cumprod", [x] => x.cumprod(1);
            "cummax", [x] => x.cummax(1);
            "cummin", [x] => x.cummin(1);
            "argmax", [x] => x * x.argmax(1).convert(x.dtype()).insert_axis(1, "_");
    ]
}

/// Padding of two axes at once.
fn padded(
    x: Tensor,
    value: Tensor,
    low: [isize; 2],
    high: [isize; 2],
    interior: [usize; 2],
) -> Tensor {
    let dims = PadDims {
        low: PerAxis::collect(low),
        high: PerAxis::collect(high),
        interior: PerAxis::collect(interior),
    };
    record(dims, &[x, value])[0]
}

fn products() -> Vec<Row> {
    gradients![
            "matmul", [x, y] => x.matmul(y);
            "matmul vector", [x, y] => x.matmul(y);
            "matmul batch", [x, y] => x.matmul(y);
            "dot", [x, y] => {
                x.dot_general(y, &[(1, 2), (2, 1)], &[] as &[(usize, usize)], Default::default())
            };
            "dot batch", [x, y] => {
                x.dot_general(y, &[] as &[(usize, usize)], &[(2, 0), (0, 2)], Default::default())
            };
            "dot named", [x, y] => x.named(["a", "b", "c"]).dot(y.named(["c", "a", "b"]), "b")
                .swap_axes("a", "c");
            "conv plain", [x, k] => x.conv_general(k, ConvDims::new(2));
            "conv strides", [x, k] => x.conv_general(k, conv([2, 1], [1, 0], [2, 1]));
            "conv dilated", [x, k] => x.conv_general(k, ConvDims {
                lhs_dilation: PerAxis::collect([2, 1]),
                rhs_dilation: PerAxis::collect([1, 2]),
                ..conv([1, 1], [2, -1], [1, 3])
            });
            "conv groups", [x, k] => x.conv_general(k, ConvDims {
                feature_groups: 2,
                ..conv([1, 1], [1, 1], [1, 1])
            });
            "conv batches", [x, k] => x.conv_general(k, ConvDims {
                batch_groups: 2,
                ..ConvDims::new(2)
            });
            "conv reversed", [x, k] => x.conv_general(k, ConvDims {
                reversal: PerAxis::collect([true, false]),
                ..ConvDims::new(2)
            });
    ]
}

fn indexing() -> Vec<Row> {
    gradients![
            "take", [x, i] => x.take(i, 0);
            "take_along_axis", [x, i] => x.take_along_axis(i, 1);
            "dynamic_slice", [x, i] => x.dynamic_slice(0, i, 3);
            "dynamic_update_slice", [x, u, i] => x.dynamic_update_slice(u, 0, i);
            "at get", [x, i] => x.at(0, i).get();
            "at get_or", [x, i] => x.at(0, i).get_or(1);
            "scatter_along_add", [x, i, u] => x.scatter_along_add(i, u, 1);
            "index_set", [x, i, u] => x.index_set(i, u, 0);
            "index_add", [x, i, u] => x.index_add(i, u, 0);
            "index_max", [x, i, u] => x.index_max(i, u, 0);
            "index_min", [x, i, u] => x.index_min(i, u, 0);
            "sort", [x] => x.named(["a", "b"]).sort("b", false);
            "sort_together", [x, y] => sort_together(&[x, y], 0, false)[1] * 2;
            "top_k", [x] => x.top_k(2, 1).0;
            "window max", [x] => x.reduce_window(Reduction::Max, pool());
            "window min", [x] => x.reduce_window(Reduction::Min, pool());
            "window sum", [x] => x.reduce_window(Reduction::Sum, pool());
            "window dilated", [x] => x.reduce_window(Reduction::Sum, WindowDims {
                strides: PerAxis::collect([1, 1, 2]),
                low: PerAxis::collect([0, 1, 2]),
                high: PerAxis::collect([0, 2, 0]),
                base_dilations: PerAxis::collect([1, 2, 1]),
                window_dilations: PerAxis::collect([1, 1, 2]),
                ..WindowDims::new(PerAxis::collect([1, 2, 3]))
            });
    ]
}

fn solved(a: Tensor, b: Tensor, form: TriangularSolve) -> Tensor {
    a.triangular_solve(b, form)
}

fn matrices() -> Vec<Row> {
    const LOWER: TriangularSolve = TriangularSolve::lower();
    gradients![
            "triangular_solve", [a, b] => solved(a, b, LOWER);
            "triangular_solve upper", [a, b] => solved(a, b, TriangularSolve::upper());
            "triangular_solve transposed", [a, b] => {
                solved(a, b, TriangularSolve { transpose: TransposeA::Transpose, ..LOWER })
            };
            "triangular_solve adjoint", [a, b] => {
                solved(a, b, TriangularSolve { transpose: TransposeA::Adjoint, ..LOWER })
            };
            "triangular_solve unit", [a, b] => {
                solved(a, b, TriangularSolve { unit_diagonal: true, ..LOWER })
            };
            "triangular_solve right", [a, b] => {
                solved(a, b, TriangularSolve { left_side: false, ..LOWER })
            };
            "cholesky", [a] => a.cholesky();
            "rfft", [x] => x.rfft(1);
            "irfft 5", [x] => x.irfft(1, 5);
            "irfft 6", [x] => x.irfft(1, 6);
            "fft", [x] => x.fft(1);
            "ifft", [x] => x.ifft(1);
    ]
}

/// The squares of the absolute values of results, in one row for each matrix.
fn squared(parts: &[Tensor]) -> Tensor {
    let rows: Vec<Tensor> = parts
        .iter()
        .map(|x| {
            let square = if x.dtype().is_complex() { (*x * x.conj()).real() } else { *x * *x };
            square.reshape([2, x.shape().element_count() / 2])
        })
        .collect();
    concatenate(&rows, 1)
}

/// Rounding grows with the condition of the matrices.
fn factors() -> Vec<Row> {
    let rows = gradients![
            "solve", [a, b] => a.solve(b);
            "solve vector", [a, b] => a.solve(b);
            "inv", [a] => a.inv();
            "det", [a] => a.det();
            "slogdet", [a] => a.slogdet().1;
            "pinv", [a] => a.pinv();
            "lstsq", [a, b] => a.lstsq(b);
            "lu", [a] => a.lu_factor().0;
            "svd", [a] => {
                let (u, values, vh) = a.svd();
                squared(&[u, values, vh])
            };
            "svdvals", [a] => a.svdvals();
            "polar", [a] => {
                let (u, _, vh) = a.svd();
                u.matmul(vh)
            };
            "qr", [a] => {
                let (q, r) = a.qr();
                squared(&[q, r])
            };
            "qr of one", [a] => squared(&[a.qr().1]);
            "eigh", [a] => {
                let (values, vectors) = a.eigh();
                squared(&[values, vectors])
            };
            "eigvalsh", [a] => a.eigvalsh();
    ];
    let wider = |row: Row| {
        if row.name.ends_with(" twice") {
            row
        } else {
            Row { tolerance: ulps(512).of_largest(), ..row }
        }
    };
    rows.into_iter().map(wider).collect()
}

fn step(i: Tensor, x: Tensor, w: Tensor) -> Tensor {
    (x.matmul(w) + i.convert(x.dtype()) * 0.125).tanh()
}

fn control() -> Vec<Row> {
    let rows = gradients![
        "for_loop", [x, w] => for_loop(4, x, |i, x| step(i, x, w));
        "for_loop none", [x, w] => for_loop(0, x, |i, x| step(i, x, w));
        "scan", [x, xs, w] => {
            let (h, ys) = scan(x, xs, 0, |h, x| {
                let h = (h.matmul(w) + x).tanh();
                (h, h * x)
            });
            concatenate(&[h.insert_axis(0, "_"), ys], 0)
        };
        "scan across", [xs] => {
            let ones = Tensor::ones(xs.dtype(), [5, 4]);
            scan(ones, xs, 1, |c, x| (c * x, c + x)).1
        };
        "scan counting", [xs, w] => {
            let zeros = Tensor::zeros(xs.dtype(), [3, 4]);
            let start = (Tensor::scalar(0, DType::I32), zeros);
            let ((_, end), _) = scan(start, xs * w.sum(..), 0, |(count, c), x| {
                let is_even = (count % 2).eq(0);
                ((count + 1, is_even.select((c + x).sin(), c * x)), Vec::<Tensor>::new())
            });
            end
        };
        "nested", [x, w] => for_loop(3, x, |_, c| {
            for_loop(2, c, |i, c| c.matmul(w).sin() * (i.convert(c.dtype()) + 1)) + x
        });
        "cond", [x, w] => {
            let is_positive = x.index(0, 0).index(0, 0).gt(0);
            cond(is_positive, || x.exp().matmul(w), || x * x)
        };
        "scan cond", [xs, w] => {
            let step = |c: Tensor, x: Tensor| {
                let is_positive = x.index(0, 0).index(0, 0).gt(0);
                (cond(is_positive, || c.sin().matmul(w), || c * x), c)
            };
            scan(xs.index(0, 0), xs, 0, step).1
        };
    ];
    let wider = |row: Row| match row.name {
        // A sum that cancels, in another order over devices: 88 units.
        "scan counting" => Row { tolerance: ulps(128).of_largest(), ..row },
        _ => row,
    };
    rows.into_iter().map(wider).collect()
}

pub fn rows() -> Vec<Row> {
    [elementwise(), axes(), products(), indexing(), matrices(), factors(), control()]
        .into_iter()
        .flatten()
        .collect()
}
