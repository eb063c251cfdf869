//! Gradients of functions composed of ops, at points where a branch or a tie has none, against
//! `jax.vjp`: rows and cases are those of [`gradients`](super::gradients).

use super::gradients::{gradients, pulled, twice};
use crate::{Row, ulps};
use hloom::{
    nn::loss::bce_with_logits,
    ops::{
        GatherDims, PerAxis, ScatterDims, ScatterUpdate, associative_scan, case, einsum, map,
        optimization_barrier,
    },
    prelude::*,
    transforms::{hessian, jacobian},
};

fn elementwise() -> Vec<Row> {
    gradients![
        "erfc", [x] => x.erfc();
        "erf_inv", [x] => x.erf_inv();
        "lgamma", [x] => x.lgamma();
        "digamma", [x] => x.digamma();
        "bessel_i0e", [x] => x.bessel_i0e();
        "bessel_i1e", [x] => x.bessel_i1e();
        "asin", [x] => x.asin();
        "acos", [x] => x.acos();
        "atan", [x] => x.atan();
        "sinh", [x] => x.sinh();
        "cosh", [x] => x.cosh();
        "asinh", [x] => x.asinh();
        "acosh", [x] => x.acosh();
        "atanh", [x] => x.atanh();
        "exp2", [x] => x.exp2();
        "log2", [x] => x.log2();
        "log10", [x] => x.log10();
        "softplus", [x] => x.softplus();
        "log_sigmoid", [x] => x.log_sigmoid();
        "mish", [x] => x.mish();
        "gelu_tanh", [x] => x.gelu_tanh();
        "relu", [x] => x.relu();
        "leaky_relu", [x] => x.leaky_relu(0.1);
        "relu6", [x] => x.relu6();
        "hard_tanh", [x] => x.hard_tanh();
        "hard_sigmoid", [x] => x.hard_sigmoid();
        "hard_swish", [x] => x.hard_swish();
        "elu", [x] => x.elu(0.7);
        "celu", [x] => x.celu(0.7);
        "selu", [x] => x.selu();
        "softsign", [x] => x.softsign();
        "select of roots", [x] => x.gt(0).select(x.sqrt(), 0);
        "logaddexp", [x, y] => x.logaddexp(y);
        "bce_with_logits", [x, t] => bce_with_logits(x, t);
        "subnormal", [x] => x + x;
        "subnormal product", [x] => x * 0.5;
        "quick_gelu", [x] => x.quick_gelu();
        "softcap", [x] => x.softcap(5.0);
    ]
}

fn structures() -> Vec<Row> {
    gradients![
        "std", [x] => x.std(1);
        "norm", [x] => x.norm(1);
        "normalize", [x] => x.normalize(1, 1e-6);
        "einsum", [x, w] => einsum("ij,jk->k", &[x, w]);
        "einsum diagonal", [x] => einsum("ii->i", &[x]);
        "reduce_precision", [x] => x.sin().reduce_precision(8, 7);
        "optimization_barrier", [x] => optimization_barrier(x.sin()) * x;
        "map", [x] => map(x, 0, |x: Tensor| x.tanh());
        "associative_scan", [x] => associative_scan(x, 1, |a: Tensor, b: Tensor| a * b);
        "case", [x, i] => {
            let square: Box<dyn FnOnce() -> Tensor> = Box::new(|| x * x);
            let last: Box<dyn FnOnce() -> Tensor> = Box::new(|| x.exp());
            case(i, || x.sin(), [square, last])
        };
        "glu", [x] => x.glu(1);
        "swiglu", [x] => x.swiglu(1);
        "prelu", [x, slope] => x.prelu(slope);
        "cummax", [x] => x.cummax(1);
        "max_pool", [x] => x.max_pool([1, 2], 2);
        "avg_pool", [x] => x.avg_pool([1, 2], 2);
        "fft2", [x] => {
            let y = x.fft2();
            y.real() * y.real() + y.imag() * y.imag()
        };
        "rfftn", [x] => x.rfftn([1, 2]);
        "rfftn of 5", [x] => x.rfftn([0, 2]);
        "power of rfftn", [x] => {
            let y = x.rfftn([1, 2]);
            y.real() * y.real() + y.imag() * y.imag()
        };
        "irfftn 6", [x] => x.irfftn([1, 2], 6);
        "irfftn 7", [x] => x.irfftn([1, 2], 7);
        "conv_transpose1d", [x, k] => x.conv_transpose1d(k, hloom::ops::ConvOptions::new().strides(2));
    ]
}

fn blocks() -> GatherDims {
    GatherDims {
        offset_dims: PerAxis::collect([1, 2]),
        start_index_map: PerAxis::collect([1, 0]),
        index_vector_dim: 1,
        slice_sizes: PerAxis::collect([2, 2]),
        ..GatherDims::default()
    }
}

fn indexing() -> Vec<Row> {
    gradients![
        "gather", [x, at] => x.gather(at, blocks());
        "gather_or", [x, at] => x.gather_or(at, blocks(), 1);
        "scatter add", [x, at, u] => {
            x.scatter(at, u, blocks().to_scatter(), ScatterUpdate::Add)
        };
        "scatter mul", [x, at, u] => {
            let dims = ScatterDims { unique_indices: true, ..blocks().to_scatter() };
            x.scatter(at, u, dims, ScatterUpdate::Mul)
        };
        "index_set", [x, i, u] => x.index_set(i, u, 0);
        "top_k", [x] => x.top_k(3, 1).0;
        "ragged_dot", [x, w, sizes] => x.ragged_dot(w, sizes, (1, 1));
        "index_max", [x, i, u] => x.index_max(i, u, 0);
        "index_min", [x, i, u] => x.index_min(i, u, 0);
    ]
}

/// Slopes of every element of a result by every element of the input.
fn matrices() -> Vec<Row> {
    fn vector(x: Tensor, w: Tensor) -> Tensor {
        w.matmul(x).tanh() * (x * x).sum(..)
    }
    let of = |name, op| Row { name, tolerance: ulps(256).of_largest(), op };
    vec![
        of("jacobian", |xs| vec![jacobian(xs[0], |x| vector(x, xs[1]))]),
        of("hessian", |xs| vec![hessian(xs[0], |x| vector(x, xs[1]).sum(..))]),
    ]
}

pub fn rows() -> Vec<Row> {
    [elementwise(), structures(), indexing(), matrices()].into_iter().flatten().collect()
}
