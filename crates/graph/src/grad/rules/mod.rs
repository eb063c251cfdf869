//! The rule of each op: from the cotangents of its results to those of its operands.
//!
//! Missing cotangents, also those of operands after the last one of a list, are zeros.

mod axes;
mod elementwise;
mod factorizations;
mod index;
mod linear_algebra;
mod product;
mod window;

use super::{
    CHECKPOINT, CHECKPOINT_NAME, CUSTOM_VJP, branches, checkpoint, custom_vjp, devices, loops,
    pull::Pull,
};
use crate::{
    Collective, CustomCall, Literal, Manual, OpVisitor, ResolvedSharding, Tensor,
    op::{
        ArgReduce, Argument, Binary, BitcastConvert, BroadcastInDim, Case, Cholesky, Clamp,
        Composite, Concatenate, ConvDims, Convert, Cumulative, Direction, DotDims, DynamicSlice,
        DynamicUpdateSlice, Fft, ForLoop, GatherDims, Iota, OptimizationBarrier, PadDims, Reduce,
        ReduceBy, ReducePrecision, ReduceWindow, ReduceWindowBy, Reshape, Reverse, Scan, Scatter,
        ScatterBy, Select, SliceDims, Sort, SortBy, Splat, TopK, Transpose, TriangularSolve, Unary,
        While,
    },
    ops::{RAGGED_DOT, RAGGED_OUTER},
    record,
};

/// The table of rules.
pub(super) struct Rules;

type Cotangents = Vec<Option<Tensor>>;

impl<'a> OpVisitor<&'a Pull<'a>> for Rules {
    type Output = Cotangents;

    fn parameter(&mut self, _: &Pull<'_>, _: &Argument) -> Cotangents {
        Vec::new()
    }

    fn constant(&mut self, _: &Pull<'_>, _: &Literal) -> Cotangents {
        Vec::new()
    }

    fn splat(&mut self, _: &Pull<'_>, _: &Splat) -> Cotangents {
        Vec::new()
    }

    fn iota(&mut self, _: &Pull<'_>, _: &Iota) -> Cotangents {
        Vec::new()
    }

    fn convert(&mut self, pull: &Pull<'_>, op: &Convert) -> Cotangents {
        elementwise::convert(pull, *op)
    }

    /// Bits have no derivative; as in JAX it is 0.
    fn bitcast_convert(&mut self, _: &Pull<'_>, _: &BitcastConvert) -> Cotangents {
        Vec::new()
    }

    fn unary(&mut self, pull: &Pull<'_>, op: &Unary) -> Cotangents {
        elementwise::unary(pull, *op)
    }

    fn binary(&mut self, pull: &Pull<'_>, op: &Binary) -> Cotangents {
        elementwise::binary(pull, *op)
    }

    fn compare(&mut self, _: &Pull<'_>, _: &Direction) -> Cotangents {
        Vec::new()
    }

    fn select(&mut self, pull: &Pull<'_>, op: &Select) -> Cotangents {
        elementwise::select(pull, *op)
    }

    fn clamp(&mut self, pull: &Pull<'_>, op: &Clamp) -> Cotangents {
        elementwise::clamp(pull, *op)
    }

    fn broadcast_in_dim(&mut self, pull: &Pull<'_>, op: &BroadcastInDim) -> Cotangents {
        axes::broadcast(pull, op)
    }

    fn reshape(&mut self, pull: &Pull<'_>, _: &Reshape) -> Cotangents {
        axes::reshape(pull)
    }

    fn transpose(&mut self, pull: &Pull<'_>, op: &Transpose) -> Cotangents {
        axes::transpose(pull, op)
    }

    fn slice(&mut self, pull: &Pull<'_>, op: &SliceDims) -> Cotangents {
        axes::slice(pull, op)
    }

    fn pad(&mut self, pull: &Pull<'_>, op: &PadDims) -> Cotangents {
        axes::pad(pull, op)
    }

    fn concatenate(&mut self, pull: &Pull<'_>, op: &Concatenate) -> Cotangents {
        axes::concatenate(pull, op)
    }

    fn reverse(&mut self, pull: &Pull<'_>, op: &Reverse) -> Cotangents {
        axes::reverse(pull, op)
    }

    fn dot(&mut self, pull: &Pull<'_>, op: &DotDims) -> Cotangents {
        product::dot(pull, op)
    }

    fn convolution(&mut self, pull: &Pull<'_>, op: &ConvDims) -> Cotangents {
        product::convolution(pull, op)
    }

    fn reduce(&mut self, pull: &Pull<'_>, op: &Reduce) -> Cotangents {
        axes::reduce(pull, op)
    }

    fn reduce_by(&mut self, pull: &Pull<'_>, _: &ReduceBy) -> Cotangents {
        pull.refuse("has no derivative; use `sum`, `max` or `scan`")
    }

    fn reduce_window(&mut self, pull: &Pull<'_>, op: &ReduceWindow) -> Cotangents {
        window::reduce_window(pull, op)
    }

    fn reduce_window_by(&mut self, pull: &Pull<'_>, _: &ReduceWindowBy) -> Cotangents {
        pull.refuse("has no derivative; use `reduce_window`")
    }

    fn sort_by(&mut self, pull: &Pull<'_>, _: &SortBy) -> Cotangents {
        pull.refuse("has no derivative; use `sort_together`")
    }

    fn arg_reduce(&mut self, _: &Pull<'_>, _: &ArgReduce) -> Cotangents {
        Vec::new()
    }

    fn cumulative(&mut self, pull: &Pull<'_>, op: &Cumulative) -> Cotangents {
        index::cumulative(pull, *op)
    }

    fn dynamic_slice(&mut self, pull: &Pull<'_>, op: &DynamicSlice) -> Cotangents {
        index::dynamic_slice(pull, *op)
    }

    fn dynamic_update_slice(&mut self, pull: &Pull<'_>, _: &DynamicUpdateSlice) -> Cotangents {
        index::dynamic_update_slice(pull)
    }

    fn gather(&mut self, pull: &Pull<'_>, op: &GatherDims) -> Cotangents {
        index::gather(pull, op)
    }

    fn scatter(&mut self, pull: &Pull<'_>, op: &Scatter) -> Cotangents {
        index::scatter(pull, op)
    }

    fn scatter_by(&mut self, pull: &Pull<'_>, _: &ScatterBy) -> Cotangents {
        pull.refuse("has no derivative; use `scatter`")
    }

    fn sort(&mut self, pull: &Pull<'_>, op: &Sort) -> Cotangents {
        index::sort(pull, op)
    }

    fn top_k(&mut self, pull: &Pull<'_>, _: &TopK) -> Cotangents {
        index::top_k(pull)
    }

    fn reduce_precision(&mut self, pull: &Pull<'_>, op: &ReducePrecision) -> Cotangents {
        elementwise::reduce_precision(pull, *op)
    }

    fn while_loop(&mut self, pull: &Pull<'_>, _: &While) -> Cotangents {
        pull.refuse(
            "has no derivative, since the number of its steps is not known; use `for_loop` or \
             `scan`",
        )
    }

    fn for_loop(&mut self, pull: &Pull<'_>, _: &ForLoop) -> Cotangents {
        loops::reversed(pull)
    }

    fn scan(&mut self, pull: &Pull<'_>, _: &Scan) -> Cotangents {
        loops::reversed(pull)
    }

    fn case(&mut self, pull: &Pull<'_>, op: &Case) -> Cotangents {
        branches::case(pull, op)
    }

    fn optimization_barrier(&mut self, pull: &Pull<'_>, op: &OptimizationBarrier) -> Cotangents {
        let present: Vec<usize> =
            (0..pull.step.results.len()).filter(|&i| pull.given(i).is_some()).collect();
        let given: Vec<Tensor> = present.iter().map(|&i| pull.cotangent(i)).collect();
        let barred = record(*op, &given);
        let place = |i: usize| present.iter().position(|&own| own == i);
        (0..pull.step.results.len()).map(|i| place(i).map(|at| barred[at])).collect()
    }

    /// Other composites are expanded in the forward pass.
    fn composite(&mut self, pull: &Pull<'_>, op: &Composite) -> Cotangents {
        match &*op.name {
            CHECKPOINT => checkpoint::pulled(pull, op),
            CHECKPOINT_NAME => pull.one(pull.g()),
            CUSTOM_VJP => custom_vjp::pulled(pull, op),
            RAGGED_DOT => product::ragged_dot(pull, op),
            RAGGED_OUTER => product::ragged_outer(pull),
            _ => Vec::new(),
        }
    }

    fn custom_call(&mut self, pull: &Pull<'_>, op: &CustomCall) -> Cotangents {
        factorizations::pulled(pull, op).unwrap_or_else(|| {
            pull.refuse(
                "calls a function whose derivative is not known; use `custom_vjp`, or stop the \
                 gradient before it",
            )
        })
    }

    fn cholesky(&mut self, pull: &Pull<'_>, op: &Cholesky) -> Cotangents {
        linear_algebra::cholesky(pull, *op)
    }

    fn triangular_solve(&mut self, pull: &Pull<'_>, op: &TriangularSolve) -> Cotangents {
        linear_algebra::triangular_solve(pull, op)
    }

    fn fft(&mut self, pull: &Pull<'_>, op: &Fft) -> Cotangents {
        linear_algebra::fft(pull, op)
    }

    /// The cotangent has the sharding of the value.
    fn constrain(&mut self, pull: &Pull<'_>, op: &ResolvedSharding) -> Cotangents {
        pull.one(record(*op, &[pull.g()])[0])
    }

    fn manual(&mut self, pull: &Pull<'_>, op: &Manual) -> Cotangents {
        devices::manual(pull, op)
    }

    fn collective(&mut self, pull: &Pull<'_>, op: &Collective) -> Cotangents {
        devices::collective(pull, op)
    }
}
