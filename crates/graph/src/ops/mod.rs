//! The ops by family: attributes, shape rules, methods of `Tensor` and free functions of a trace.

mod activation;
mod adaptive_pool;
mod arg_reduce;
mod argument;
mod arithmetic;
mod associative_scan;
mod at;
mod binary;
mod blocks;
mod broadcast;
mod cholesky;
mod collective;
mod compare;
mod composite;
mod concatenate;
mod constant;
mod constrain;
mod control;
mod conv;
mod conv_transpose;
mod convert;
mod convolution;
mod counting;
mod create;
mod cumlogsumexp;
mod cumulative;
mod custom_call;
mod dot;
mod dynamic_slice;
mod einsum;
mod elementwise;
mod equations;
mod factorize;
mod fft;
mod from_end;
mod gather;
mod index_update;
mod known_int;
mod logarithm;
mod loops;
mod manual;
mod masked;
mod matrices;
mod mulhi;
mod optimization_barrier;
mod outer;
mod pool;
mod pseudoinverse;
mod ragged_dot;
mod random;
mod rearrange;
mod reduce;
mod reduce_by;
mod reduce_precision;
mod reduce_window;
mod replication;
mod reshape;
mod scan_output;
mod scatter;
mod search;
mod select;
mod select_and_scatter;
mod selection;
mod slice;
mod sliding;
mod sort;
mod sort_by;
mod special;
mod split;
mod statistics;
mod take;
mod triangle;
mod triangular_solve;
mod trigonometric;
mod unary;
mod windows;

pub use arg_reduce::{ArgReduce, ArgReduction};
pub use argument::Argument;
pub use associative_scan::associative_scan;
pub use at::At;
pub use binary::Binary;
pub(crate) use blocks::by_rows;
pub use broadcast::BroadcastInDim;
pub(crate) use broadcast::rename;
pub use cholesky::Cholesky;
pub use compare::Direction;
pub use composite::{Composite, OwnComposite, composite, shared_composite};
pub(crate) use composite::{CompositeRules, EXPANDED, expanded_lanes};
pub use concatenate::{Concatenate, concatenate, stack};
pub use constant::{Iota, ScalarNumber, ScalarValue, Splat};
pub use constrain::{axis_index, axis_size};
pub use control::{Case, TensorTree, While, case, cond, while_loop};
pub(crate) use control::{handles, leaves, rebuild};
pub use conv::ConvOptions;
pub use convert::{BitcastConvert, Convert};
pub use convolution::ConvDims;
pub use create::meshgrid;
pub use cumlogsumexp::CumLogSumExp;
pub use cumulative::Cumulative;
pub use custom_call::{CustomCallBuilder, custom_call, linear_algebra_name};
pub use dot::{DotDims, DotOptions, Precision};
pub use dynamic_slice::{DynamicSlice, DynamicUpdateSlice, StartIndex};
pub use einsum::{einsum, einsum_with};
pub use equations::MatrixNorm;
pub use fft::{Fft, FftKind};
pub use gather::GatherDims;
pub(crate) use loops::axis_of;
pub use loops::{ForLoop, Scan, for_loop, map, scan};
pub(crate) use manual::ReverseManual;
pub use manual::{manual, manual_unchecked};
pub use optimization_barrier::{OptimizationBarrier, optimization_barrier};
pub use outer::outer;
pub use pool::PoolOptions;
pub use random::{ChoiceOptions, Key};
pub use rearrange::PadMode;
pub use reduce::{Reduce, Reduction};
pub use reduce_by::{ReduceBy, reduce_by};
pub use reduce_precision::ReducePrecision;
pub use reduce_window::{ReduceWindow, ReduceWindowBy, WindowDims, reduce_window_by};
pub use reshape::{Reshape, Reverse, Transpose};
pub use scan_output::ScanOutput;
pub use scatter::{Scatter, ScatterBy, ScatterDims, ScatterUpdate, scatter_by};
pub use select::{Clamp, Select};
pub use selection::Selection;
pub use slice::{PadDims, SliceDims};
pub use sliding::{EachAxis, Padding};
pub use sort::{Sort, TopK, sort_together};
pub use sort_by::{SortBy, sort_by};
pub(crate) use special::erfc_scaled;
pub use triangular_solve::{TransposeA, TriangularSolve};
pub use unary::Unary;

use crate::{
    Axis, Shape,
    trace::{OpError, Rule},
};

/// The indices of axes, each at most once.
fn positions(shape: &Shape, axes: &[Axis]) -> Rule<Vec<usize>> {
    let mut positions = Vec::with_capacity(axes.len());
    for &axis in axes {
        let position = shape.position(axis)?;
        if positions.contains(&position) {
            return Err(OpError(format!("axis {axis} is given twice")));
        }
        positions.push(position);
    }
    Ok(positions)
}

// The blocks of methods that have the attribute `tensor_methods`.
hloom_derive::tensor_method_blocks! {
    activation, adaptive_pool, arg_reduce, arithmetic, at, at_selections, at_updates, bessel,
    binary, bit_reductions, blocks, broadcast, choice, cholesky, collective, compare, comparisons, constant,
    constrain, constrain_to, conv, conv_dims, conv_options, conv_transpose, convert, convolution,
    counting, create, cumlogsumexp, cumulative, distribution, dot, dynamic_slice, equations, error_function,
    factorize, fft, gamma, gather, gather_dims, grad, index_updates, integer, key, key_gamma,
    known_int, logarithm, masked, mulhi, pool, pool_options, pseudoinverse, ragged_dot, rearrange,
    reduce, reduce_precision, reduce_window, reductions, reshape, scatter, scatter_dims, search,
    select, select_and_scatter, slice, sort, split, statistics, take, tensor, triangle,
    triangular_solve, trigonometric, truncated, unary, uniform, updates_along, window_dims, zeta,
}
