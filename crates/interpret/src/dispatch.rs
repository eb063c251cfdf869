//! The evaluator of each op: an op without one does not compile.

use crate::{
    machine::{Evaluated, Machine},
    ops,
};
use hloom_graph::{
    Binary, Collective, ConvDims, CustomCall, Direction, DotDims, GatherDims, Literal, Manual,
    NodeId, OpVisitor, PadDims, ResolvedSharding, SliceDims, TriangularSolve, Unary,
    op::{
        ArgReduce, Argument, BitcastConvert, BroadcastInDim, Case, Cholesky, Clamp, Composite,
        Concatenate, Convert, Cumulative, DynamicSlice, DynamicUpdateSlice, Fft, ForLoop, Iota,
        OptimizationBarrier, Reduce, ReduceBy, ReducePrecision, ReduceWindow, ReduceWindowBy,
        Reshape, Reverse, Scan, Scatter, ScatterBy, Select, Sort, SortBy, Splat, TopK, Transpose,
        While,
    },
};
use std::rc::Rc;

impl OpVisitor<NodeId> for Machine<'_, '_> {
    type Output = Evaluated<()>;

    /// Arguments are set before the nodes of their region are evaluated.
    fn parameter(&mut self, _: NodeId, _: &Argument) -> Evaluated<()> {
        Ok(())
    }
    fn constant(&mut self, n: NodeId, literal: &Literal) -> Evaluated<()> {
        self.each(n, |_, _| Ok(vec![ops::constant(literal)?]))
    }
    fn splat(&mut self, n: NodeId, splat: &Splat) -> Evaluated<()> {
        self.each(n, |_, shapes| Ok(vec![ops::splat(shapes[0], splat)?]))
    }
    fn iota(&mut self, n: NodeId, iota: &Iota) -> Evaluated<()> {
        self.one(n, |_, _| ops::iota(iota))
    }
    fn convert(&mut self, n: NodeId, _: &Convert) -> Evaluated<()> {
        self.one(n, |x, shape| ops::convert(shape, x[0]))
    }
    fn bitcast_convert(&mut self, n: NodeId, _: &BitcastConvert) -> Evaluated<()> {
        self.one(n, |x, shape| ops::bitcast(shape, x[0]))
    }
    fn reduce_precision(&mut self, n: NodeId, format: &ReducePrecision) -> Evaluated<()> {
        self.one(n, |x, shape| ops::reduce_precision(shape, format, x[0]))
    }
    fn unary(&mut self, n: NodeId, &function: &Unary) -> Evaluated<()> {
        self.one(n, |x, shape| ops::unary(shape, function, x[0]))
    }
    fn binary(&mut self, n: NodeId, &function: &Binary) -> Evaluated<()> {
        self.one(n, |x, shape| ops::binary(shape, function, x[0], x[1]))
    }
    fn compare(&mut self, n: NodeId, &direction: &Direction) -> Evaluated<()> {
        self.one(n, |x, shape| ops::compare(shape, direction, x[0], x[1]))
    }
    fn select(&mut self, n: NodeId, _: &Select) -> Evaluated<()> {
        self.one(n, |x, shape| ops::select(shape, x[0], x[1], x[2]))
    }
    fn clamp(&mut self, n: NodeId, _: &Clamp) -> Evaluated<()> {
        self.one(n, |x, shape| ops::clamp(shape, x[0], x[1], x[2]))
    }
    fn broadcast_in_dim(&mut self, n: NodeId, to: &BroadcastInDim) -> Evaluated<()> {
        self.one(n, |x, shape| ops::broadcast(shape, to, x[0]))
    }
    fn reshape(&mut self, n: NodeId, _: &Reshape) -> Evaluated<()> {
        self.one(n, |x, shape| x[0].reshaped(shape))
    }
    fn transpose(&mut self, n: NodeId, transpose: &Transpose) -> Evaluated<()> {
        self.one(n, |x, shape| ops::transpose(shape, &transpose.order, x[0]))
    }
    fn slice(&mut self, n: NodeId, dims: &SliceDims) -> Evaluated<()> {
        self.one(n, |x, shape| ops::slice(shape, dims, x[0]))
    }
    fn pad(&mut self, n: NodeId, dims: &PadDims) -> Evaluated<()> {
        self.one(n, |x, shape| ops::pad(shape, dims, x[0], x[1]))
    }
    fn concatenate(&mut self, n: NodeId, concatenate: &Concatenate) -> Evaluated<()> {
        self.one(n, |x, shape| ops::concatenate(shape, concatenate.axis, x))
    }
    fn reverse(&mut self, n: NodeId, reverse: &Reverse) -> Evaluated<()> {
        self.one(n, |x, shape| ops::reverse(shape, &reverse.axes, x[0]))
    }
    fn dot(&mut self, n: NodeId, dims: &DotDims) -> Evaluated<()> {
        self.charge_products(n, |x, shape| ops::dot_products(dims, x[0], shape))?;
        self.one(n, |x, shape| ops::dot(shape, dims, x[0], x[1]))
    }
    fn convolution(&mut self, n: NodeId, dims: &ConvDims) -> Evaluated<()> {
        self.charge_products(n, |x, shape| ops::convolution_products(dims, x[1], shape))?;
        self.one(n, |x, shape| ops::convolution(shape, dims, x[0], x[1]))
    }
    fn reduce(&mut self, n: NodeId, reduce: &Reduce) -> Evaluated<()> {
        self.charge_operands(n)?;
        self.one(n, |x, shape| ops::reduce(shape, reduce.reduction, &reduce.axes, x[0]))
    }
    fn reduce_by(&mut self, n: NodeId, reduce: &ReduceBy) -> Evaluated<()> {
        ops::reduce_by(self, n, reduce)
    }
    fn reduce_window(&mut self, n: NodeId, reduce: &ReduceWindow) -> Evaluated<()> {
        self.charge_products(n, |_, shape| ops::window_elements(&reduce.window, shape))?;
        self.one(n, |x, shape| ops::reduce_window(shape, reduce, x[0]))
    }
    fn reduce_window_by(&mut self, n: NodeId, reduce: &ReduceWindowBy) -> Evaluated<()> {
        ops::reduce_window_by(self, n, reduce)
    }
    fn sort_by(&mut self, n: NodeId, sort: &SortBy) -> Evaluated<()> {
        ops::sort_by(self, n, sort)
    }
    fn arg_reduce(&mut self, n: NodeId, reduce: &ArgReduce) -> Evaluated<()> {
        self.charge_operands(n)?;
        self.one(n, |x, shape| ops::arg_reduce(shape, reduce.reduction, reduce.axis, x[0]))
    }
    fn cumulative(&mut self, n: NodeId, cumulative: &Cumulative) -> Evaluated<()> {
        self.one(n, |x, shape| ops::cumulative(shape, cumulative.reduction, cumulative.axis, x[0]))
    }
    fn dynamic_slice(&mut self, n: NodeId, _: &DynamicSlice) -> Evaluated<()> {
        self.one(n, |x, shape| ops::dynamic_slice(shape, x[0], &x[1..]))
    }
    fn dynamic_update_slice(&mut self, n: NodeId, _: &DynamicUpdateSlice) -> Evaluated<()> {
        self.one(n, |x, shape| ops::dynamic_update_slice(shape, x[0], x[1], &x[2..]))
    }
    fn gather(&mut self, n: NodeId, dims: &GatherDims) -> Evaluated<()> {
        self.one(n, |x, shape| ops::gather(shape, dims, x[0], x[1]))
    }
    fn scatter(&mut self, n: NodeId, scatter: &Scatter) -> Evaluated<()> {
        self.charge_operands(n)?;
        self.one(n, |x, shape| ops::scatter(shape, scatter, x[0], x[1], x[2]))
    }
    fn scatter_by(&mut self, n: NodeId, scatter: &ScatterBy) -> Evaluated<()> {
        ops::scatter_by(self, n, scatter)
    }
    fn sort(&mut self, n: NodeId, sort: &Sort) -> Evaluated<()> {
        self.each(n, |x, shapes| Ok(ops::sort(shapes, sort, x)))
    }
    fn top_k(&mut self, n: NodeId, top_k: &TopK) -> Evaluated<()> {
        self.charge_operands(n)?;
        self.each(n, |x, shapes| Ok(ops::top_k(shapes, top_k.k, x[0])))
    }
    fn cholesky(&mut self, n: NodeId, cholesky: &Cholesky) -> Evaluated<()> {
        self.charge_products(n, |x, shape| ops::matrix_products(x[0], shape))?;
        self.one(n, |x, shape| ops::cholesky(shape, cholesky.lower, x[0]))
    }
    fn triangular_solve(&mut self, n: NodeId, form: &TriangularSolve) -> Evaluated<()> {
        self.charge_products(n, |x, shape| ops::matrix_products(x[0], shape))?;
        self.one(n, |x, shape| ops::triangular_solve(shape, form, x[0], x[1]))
    }
    fn fft(&mut self, n: NodeId, fft: &Fft) -> Evaluated<()> {
        self.charge_products(n, |_, shape| ops::fft_products(fft, shape))?;
        self.one(n, |x, shape| ops::fft(shape, fft, x[0]))
    }
    fn while_loop(&mut self, n: NodeId, repeat: &While) -> Evaluated<()> {
        ops::while_loop(self, n, repeat)
    }
    fn for_loop(&mut self, n: NodeId, repeat: &ForLoop) -> Evaluated<()> {
        ops::for_loop(self, n, repeat)
    }
    fn scan(&mut self, n: NodeId, scan: &Scan) -> Evaluated<()> {
        ops::scan(self, n, scan)
    }
    fn case(&mut self, n: NodeId, case: &Case) -> Evaluated<()> {
        ops::case(self, n, case)
    }
    fn optimization_barrier(&mut self, n: NodeId, _: &OptimizationBarrier) -> Evaluated<()> {
        for device in self.devices.clone() {
            let operands = self.operands(n, device);
            self.set(n, device, operands);
        }
        Ok(())
    }
    fn composite(&mut self, n: NodeId, composite: &Composite) -> Evaluated<()> {
        let devices = self.devices.clone();
        let arguments = devices.iter().map(|&device| self.operands(n, device)).collect();
        let results = self.region(composite.body, &devices, arguments)?;
        for (device, results) in devices.into_iter().zip(results) {
            self.set(n, device, results);
        }
        Ok(())
    }
    fn custom_call(&mut self, n: NodeId, call: &CustomCall) -> Evaluated<()> {
        ops::custom_call(self, n, call)
    }
    /// Constraints are about where values are, not which.
    fn constrain(&mut self, n: NodeId, _: &ResolvedSharding) -> Evaluated<()> {
        for device in self.devices.clone() {
            let operand = Rc::clone(&self.operands(n, device)[0]);
            self.set(n, device, [operand]);
        }
        Ok(())
    }
    fn manual(&mut self, n: NodeId, manual: &Manual) -> Evaluated<()> {
        ops::manual(self, n, manual)
    }
    fn collective(&mut self, n: NodeId, collective: &Collective) -> Evaluated<()> {
        ops::collective(self, n, collective)
    }
}
