//! Dispatches ops to their lowering functions.

use crate::{applied::Applied, emit::Value, lowering::Lowering, ops};
use hloom_graph::{
    OpVisitor,
    op::{
        ArgReduce, Argument, Binary, BitcastConvert, BroadcastInDim, Case, Cholesky, Clamp,
        Collective, Composite, Concatenate, ConvDims, Convert, Cumulative, CustomCall, Direction,
        DotDims, DynamicSlice, DynamicUpdateSlice, Fft, ForLoop, GatherDims, Iota, Literal, Manual,
        OptimizationBarrier, PadDims, Reduce, ReduceBy, ReducePrecision, ReduceWindow,
        ReduceWindowBy, Reshape, ResolvedSharding, Reverse, Scan, Scatter, ScatterBy, Select,
        SliceDims, Sort, SortBy, Splat, TopK, Transpose, TriangularSolve, Unary, While,
    },
};
use smallvec::{SmallVec, smallvec};

/// The values of a node's results.
pub(crate) type Lowered = SmallVec<[Value; 2]>;

type Node<'n, 'a> = &'n Applied<'a>;

impl<'n, 'a> OpVisitor<Node<'n, 'a>> for Lowering<'a> {
    type Output = Lowered;

    fn parameter(&mut self, _: Node<'n, 'a>, _: &Argument) -> Lowered {
        unreachable!("the values of arguments are there before the nodes are lowered")
    }
    fn constant(&mut self, _: Node<'n, 'a>, literal: &Literal) -> Lowered {
        smallvec![ops::constant(self, literal)]
    }
    fn splat(&mut self, n: Node<'n, 'a>, splat: &Splat) -> Lowered {
        smallvec![ops::splat(self, n, &splat.scalar)]
    }
    fn iota(&mut self, n: Node<'n, 'a>, iota: &Iota) -> Lowered {
        smallvec![ops::iota(self, n, iota.axis)]
    }
    fn convert(&mut self, n: Node<'n, 'a>, _: &Convert) -> Lowered {
        smallvec![ops::convert(self, n)]
    }
    fn bitcast_convert(&mut self, n: Node<'n, 'a>, _: &BitcastConvert) -> Lowered {
        smallvec![ops::bitcast_convert(self, n)]
    }
    fn reduce_precision(&mut self, n: Node<'n, 'a>, precision: &ReducePrecision) -> Lowered {
        smallvec![ops::reduce_precision(self, n, precision)]
    }
    fn unary(&mut self, n: Node<'n, 'a>, function: &Unary) -> Lowered {
        smallvec![ops::unary(self, n, *function)]
    }
    fn binary(&mut self, n: Node<'n, 'a>, function: &Binary) -> Lowered {
        smallvec![ops::binary(self, n, *function)]
    }
    fn compare(&mut self, n: Node<'n, 'a>, direction: &Direction) -> Lowered {
        smallvec![ops::compare(self, n, *direction)]
    }
    fn select(&mut self, n: Node<'n, 'a>, _: &Select) -> Lowered {
        smallvec![ops::select(self, n)]
    }
    fn clamp(&mut self, n: Node<'n, 'a>, _: &Clamp) -> Lowered {
        smallvec![ops::clamp(self, n)]
    }
    fn broadcast_in_dim(&mut self, n: Node<'n, 'a>, broadcast: &BroadcastInDim) -> Lowered {
        smallvec![ops::broadcast_in_dim(self, n, &broadcast.axes)]
    }
    fn reshape(&mut self, n: Node<'n, 'a>, _: &Reshape) -> Lowered {
        smallvec![ops::reshape(self, n)]
    }
    fn transpose(&mut self, n: Node<'n, 'a>, transpose: &Transpose) -> Lowered {
        smallvec![ops::transpose(self, n, &transpose.order)]
    }
    fn slice(&mut self, n: Node<'n, 'a>, dims: &SliceDims) -> Lowered {
        smallvec![ops::slice(self, n, dims)]
    }
    fn pad(&mut self, n: Node<'n, 'a>, dims: &PadDims) -> Lowered {
        smallvec![ops::pad(self, n, dims)]
    }
    fn concatenate(&mut self, n: Node<'n, 'a>, concatenate: &Concatenate) -> Lowered {
        smallvec![ops::concatenate(self, n, concatenate.axis)]
    }
    fn reverse(&mut self, n: Node<'n, 'a>, reverse: &Reverse) -> Lowered {
        smallvec![ops::reverse(self, n, &reverse.axes)]
    }
    fn dot(&mut self, n: Node<'n, 'a>, dims: &DotDims) -> Lowered {
        smallvec![ops::dot(self, n, dims)]
    }
    fn convolution(&mut self, n: Node<'n, 'a>, dims: &ConvDims) -> Lowered {
        smallvec![ops::convolution(self, n, dims)]
    }
    fn reduce(&mut self, n: Node<'n, 'a>, reduce: &Reduce) -> Lowered {
        smallvec![ops::reduce(self, n, reduce.reduction, &reduce.axes)]
    }
    fn reduce_by(&mut self, n: Node<'n, 'a>, reduce: &ReduceBy) -> Lowered {
        ops::reduce_by(self, n, reduce.body, &reduce.axes).into()
    }
    fn reduce_window(&mut self, n: Node<'n, 'a>, reduce: &ReduceWindow) -> Lowered {
        smallvec![ops::reduce_window(self, n, reduce)]
    }
    fn reduce_window_by(&mut self, n: Node<'n, 'a>, reduce: &ReduceWindowBy) -> Lowered {
        ops::reduce_window_by(self, n, reduce).into()
    }
    fn sort_by(&mut self, n: Node<'n, 'a>, sort: &SortBy) -> Lowered {
        ops::sort_by(self, n, sort.body, sort.axis).into()
    }
    fn arg_reduce(&mut self, n: Node<'n, 'a>, reduce: &ArgReduce) -> Lowered {
        smallvec![ops::arg_reduce(self, n, reduce.reduction, reduce.axis)]
    }
    fn cumulative(&mut self, n: Node<'n, 'a>, cumulative: &Cumulative) -> Lowered {
        smallvec![ops::cumulative(self, n, cumulative.reduction, cumulative.axis)]
    }
    fn dynamic_slice(&mut self, n: Node<'n, 'a>, slice: &DynamicSlice) -> Lowered {
        smallvec![ops::dynamic_slice(self, n, &slice.sizes)]
    }
    fn dynamic_update_slice(&mut self, n: Node<'n, 'a>, _: &DynamicUpdateSlice) -> Lowered {
        smallvec![ops::dynamic_update_slice(self, n)]
    }
    fn gather(&mut self, n: Node<'n, 'a>, dims: &GatherDims) -> Lowered {
        smallvec![ops::gather(self, n, dims)]
    }
    fn scatter(&mut self, n: Node<'n, 'a>, scatter: &Scatter) -> Lowered {
        smallvec![ops::scatter(self, n, scatter)]
    }
    fn scatter_by(&mut self, n: Node<'n, 'a>, scatter: &ScatterBy) -> Lowered {
        ops::scatter_by(self, n, scatter).into()
    }
    fn sort(&mut self, n: Node<'n, 'a>, sort: &Sort) -> Lowered {
        ops::sort(self, n, sort.axis, sort.descending).into()
    }
    fn top_k(&mut self, n: Node<'n, 'a>, top_k: &TopK) -> Lowered {
        ops::top_k(self, n, top_k.k).into()
    }
    fn cholesky(&mut self, n: Node<'n, 'a>, cholesky: &Cholesky) -> Lowered {
        smallvec![ops::cholesky(self, n, cholesky.lower)]
    }
    fn triangular_solve(&mut self, n: Node<'n, 'a>, form: &TriangularSolve) -> Lowered {
        smallvec![ops::triangular_solve(self, n, *form)]
    }
    fn fft(&mut self, n: Node<'n, 'a>, fft: &Fft) -> Lowered {
        smallvec![ops::fft(self, n, fft)]
    }
    fn while_loop(&mut self, n: Node<'n, 'a>, repeat: &While) -> Lowered {
        ops::while_loop(self, n, repeat.cond, repeat.body).into()
    }
    fn for_loop(&mut self, _: Node<'n, 'a>, _: &ForLoop) -> Lowered {
        unreachable!("loops are expanded before the nodes are lowered")
    }
    fn scan(&mut self, _: Node<'n, 'a>, _: &Scan) -> Lowered {
        unreachable!("loops are expanded before the nodes are lowered")
    }
    fn case(&mut self, n: Node<'n, 'a>, case: &Case) -> Lowered {
        ops::case(self, n, &case.branches).into()
    }
    fn optimization_barrier(&mut self, n: Node<'n, 'a>, _: &OptimizationBarrier) -> Lowered {
        ops::optimization_barrier(self, n).into()
    }
    fn composite(&mut self, n: Node<'n, 'a>, composite: &Composite) -> Lowered {
        ops::composite(self, n, composite).into()
    }
    fn custom_call(&mut self, n: Node<'n, 'a>, call: &CustomCall) -> Lowered {
        ops::custom_call(self, n, call).into()
    }
    fn constrain(&mut self, n: Node<'n, 'a>, sharding: &ResolvedSharding) -> Lowered {
        smallvec![ops::constrain(self, n, sharding)]
    }
    fn manual(&mut self, n: Node<'n, 'a>, manual: &Manual) -> Lowered {
        ops::manual(self, n, manual).into()
    }
    fn collective(&mut self, n: Node<'n, 'a>, collective: &Collective) -> Lowered {
        smallvec![ops::collective(self, n, collective)]
    }
}
