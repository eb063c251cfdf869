//! Norms of gradients, and clipping by them.

use crate::each::{compute_type, leaves, map_each, trained};
use hloom_graph::{DType, Path, Tensor, TensorTree, called_from, function_scope};
use std::panic::Location;

/// Clamps each gradient between `-limit` and `limit`.
#[track_caller]
pub fn clip_by_value<P: TensorTree>(gradients: P, limit: f64) -> P {
    let op = "optim::clip_by_value";
    map_trained(op, gradients, |gradient| gradient.clamp(-limit, limit))
}

/// The square root of the sum of the squares of all gradients, a scalar: `f64` if any of them is,
/// else `f32`.
#[track_caller]
pub fn global_norm<P: TensorTree>(gradients: &P) -> Tensor {
    let op = "optim::global_norm";
    let sum = || {
        let (mut leaves, mut dtype) = (Vec::new(), DType::F32);
        for leaf in trained_leaves(op, gradients) {
            let wide = compute_type(leaf.dtype());
            dtype = if wide == DType::F64 { wide } else { dtype };
            leaves.push(leaf.convert(wide).square().sum(..));
        }
        let start = Tensor::scalar(0, dtype);
        leaves.into_iter().fold(start, |sum, leaf| sum + leaf.convert(dtype)).sqrt()
    };
    called_from(Location::caller(), || function_scope(op, sum))
}

/// Scales all gradients so that their [`global_norm`] is at most `max_norm`. Returns them, and the
/// norm that they had, which is worth logging. If the norm is NaN, so are all results.
#[track_caller]
pub fn clip_by_global_norm<P: TensorTree>(gradients: P, max_norm: f64) -> (P, Tensor) {
    let op = "optim::clip_by_global_norm";
    called_from(Location::caller(), || {
        let norm = global_norm(&gradients);
        let factor = function_scope(op, || {
            let one = norm.ones_like();
            norm.lt(max_norm).select(one, one * max_norm / norm)
        });
        let scale = |gradient: Tensor| gradient * factor.convert(gradient.dtype());
        (map_trained(op, gradients, scale), norm)
    })
}

/// Whether no gradient is infinite or NaN, a `bool` scalar.
#[track_caller]
pub fn all_finite<P: TensorTree>(gradients: &P) -> Tensor {
    let op = "optim::all_finite";
    let all = || {
        let mut finite = Tensor::scalar(true, DType::Bool);
        for leaf in trained_leaves(op, gradients) {
            finite = finite & leaf.is_finite().all(..);
        }
        finite
    };
    called_from(Location::caller(), || function_scope(op, all))
}

#[track_caller]
fn trained_leaves<P: TensorTree>(op: &'static str, tree: &P) -> Vec<Tensor> {
    let all = leaves(tree).into_iter().zip(trained(op, tree));
    all.filter_map(|(leaf, is_trained)| is_trained.then_some(leaf)).collect()
}

/// Applies `f` to each leaf that is trained, computed in `f32` if it is shorter.
#[track_caller]
fn map_trained<P: TensorTree>(op: &'static str, tree: P, mut f: impl FnMut(Tensor) -> Tensor) -> P {
    let map = || {
        let own = |_: &Path<'_>, leaf: Tensor| {
            f(leaf.convert(compute_type(leaf.dtype()))).convert(leaf.dtype())
        };
        map_each(op, tree, own, |leaf| leaf)
    };
    called_from(Location::caller(), || function_scope(op, map))
}
