//! What each op becomes over a batch axis.

use super::{
    index::{shifted, with_first},
    lanes::{Lane, Lanes},
};
use crate::{
    Collective, CustomCall, Dims, Literal, Manual, Op, OpVisitor, PerAxis, ResolvedSharding,
    Tensor,
    body::Recorded,
    op::{
        ArgReduce, Argument, Binary, BitcastConvert, BroadcastInDim, Case, Cholesky, Clamp,
        Composite, Concatenate, ConvDims, Convert, Cumulative, Direction, DotDims, DynamicSlice,
        DynamicUpdateSlice, Fft, ForLoop, GatherDims, Iota, OptimizationBarrier, PadDims, Reduce,
        ReduceBy, ReducePrecision, ReduceWindow, ReduceWindowBy, Reshape, Reverse, Scan, Scatter,
        ScatterBy, Select, SliceDims, Sort, SortBy, Splat, TopK, Transpose, TriangularSolve, Unary,
        While,
    },
    trace::at,
};

type Results = Vec<Lane>;

impl Lanes {
    /// The op on operands that all have the mapped axis.
    fn spread_all(&mut self, node: &Recorded, op: impl Into<Op>) -> Results {
        let lanes = self.operands(node);
        let operands: Vec<Tensor> =
            at(node.location, || lanes.iter().map(|&lane| self.spread(lane)).collect());
        self.recorded(node, op.into(), &operands).into_iter().map(Lane::batched).collect()
    }

    /// The op on operands as they are.
    fn as_they_are(&mut self, node: &Recorded, op: impl Into<Op>) -> Results {
        let operands: Vec<Tensor> = self.operands(node).iter().map(|lane| lane.tensor).collect();
        self.recorded(node, op.into(), &operands).into_iter().map(Lane::batched).collect()
    }

    /// The op that `make` returns for the axes with the mapped one first.
    fn with_dims<O: Into<Op>>(
        &mut self,
        node: &Recorded,
        dims: &Dims,
        make: impl FnOnce(Dims) -> O,
    ) -> Results {
        match self.dims(dims) {
            Ok(dims) => self.as_they_are(node, make(dims)),
            Err(error) => self.refuse(node, &format!("has no room for the mapped axis: {error}")),
        }
    }
}

impl OpVisitor<&Recorded> for Lanes {
    type Output = Results;

    fn parameter(&mut self, node: &Recorded, _: &Argument) -> Results {
        self.operands(node)
    }

    fn constant(&mut self, node: &Recorded, op: &Literal) -> Results {
        self.as_they_are(node, op.clone())
    }

    fn splat(&mut self, node: &Recorded, op: &Splat) -> Results {
        self.as_they_are(node, *op)
    }

    fn iota(&mut self, node: &Recorded, op: &Iota) -> Results {
        self.as_they_are(node, *op)
    }

    fn convert(&mut self, node: &Recorded, op: &Convert) -> Results {
        self.as_they_are(node, *op)
    }

    fn bitcast_convert(&mut self, node: &Recorded, op: &BitcastConvert) -> Results {
        self.as_they_are(node, *op)
    }

    fn unary(&mut self, node: &Recorded, op: &Unary) -> Results {
        self.as_they_are(node, *op)
    }

    fn binary(&mut self, node: &Recorded, op: &Binary) -> Results {
        self.spread_all(node, *op)
    }

    fn compare(&mut self, node: &Recorded, op: &Direction) -> Results {
        self.spread_all(node, *op)
    }

    fn select(&mut self, node: &Recorded, op: &Select) -> Results {
        self.spread_all(node, *op)
    }

    fn clamp(&mut self, node: &Recorded, op: &Clamp) -> Results {
        self.spread_all(node, *op)
    }

    fn broadcast_in_dim(&mut self, node: &Recorded, op: &BroadcastInDim) -> Results {
        let axes = with_first(&shifted(&op.axes), 0);
        self.with_dims(node, &op.dims, |dims| BroadcastInDim { axes, dims })
    }

    fn reshape(&mut self, node: &Recorded, op: &Reshape) -> Results {
        self.with_dims(node, &op.dims, |dims| Reshape { dims })
    }

    fn transpose(&mut self, node: &Recorded, op: &Transpose) -> Results {
        self.as_they_are(node, Transpose { order: with_first(&shifted(&op.order), 0) })
    }

    fn slice(&mut self, node: &Recorded, op: &SliceDims) -> Results {
        let op = SliceDims {
            start: with_first(&op.start, 0),
            limit: with_first(&op.limit, self.size),
            stride: with_first(&op.stride, 1),
        };
        self.as_they_are(node, op)
    }

    fn pad(&mut self, node: &Recorded, op: &PadDims) -> Results {
        let lanes = self.operands(node);
        let none = |edges: &PerAxis<isize>| {
            PerAxis::collect(std::iter::once(0).chain(edges.iter().copied()).take(crate::MAX_RANK))
        };
        if lanes[1].is_batched {
            return self.in_turn(node);
        }
        let op = PadDims {
            low: none(&op.low),
            high: none(&op.high),
            interior: with_first(&op.interior, 0),
        };
        self.as_they_are(node, op)
    }

    fn concatenate(&mut self, node: &Recorded, op: &Concatenate) -> Results {
        self.spread_all(node, Concatenate { axis: op.axis + 1 })
    }

    fn reverse(&mut self, node: &Recorded, op: &Reverse) -> Results {
        self.as_they_are(node, Reverse { axes: shifted(&op.axes) })
    }

    fn dot(&mut self, node: &Recorded, op: &DotDims) -> Results {
        let lanes = self.operands(node);
        let (left, right) = (lanes[0].is_batched, lanes[1].is_batched);
        let mut dims = *op;
        if left {
            dims.left_contracting = shifted(&op.left_contracting);
            dims.left_batch = shifted(&op.left_batch);
        }
        if right {
            dims.right_contracting = shifted(&op.right_contracting);
            dims.right_batch = shifted(&op.right_batch);
        }
        if left && right {
            dims.left_batch = with_first(&dims.left_batch, 0);
            dims.right_batch = with_first(&dims.right_batch, 0);
            return self.as_they_are(node, dims);
        }
        let product = self.as_they_are(node, dims)[0].tensor;
        // The mapped axis is the first free one of its side.
        let left_rank = lanes[0].tensor.rank();
        let place = match left {
            true => op.left_batch.len(),
            false => left_rank - op.left_contracting.len(),
        };
        vec![Lane::batched(at(node.location, || product.moveaxis(place, 0)))]
    }

    fn reduce(&mut self, node: &Recorded, op: &Reduce) -> Results {
        self.as_they_are(node, Reduce { axes: shifted(&op.axes), ..*op })
    }

    fn reduce_by(&mut self, node: &Recorded, op: &ReduceBy) -> Results {
        let lanes = self.operands(node);
        let (values, init) = lanes.split_at(lanes.len() / 2);
        if init.iter().any(|lane| lane.is_batched) {
            return self.in_turn(node);
        }
        let op = ReduceBy { axes: shifted(&op.axes), ..*op };
        let mut operands: Vec<Tensor> =
            at(node.location, || values.iter().map(|&lane| self.spread(lane)).collect());
        operands.extend(init.iter().map(|lane| lane.tensor));
        self.recorded(node, op.into(), &operands).into_iter().map(Lane::batched).collect()
    }

    fn sort_by(&mut self, node: &Recorded, op: &SortBy) -> Results {
        self.spread_all(node, SortBy { axis: op.axis + 1, ..*op })
    }

    fn arg_reduce(&mut self, node: &Recorded, op: &ArgReduce) -> Results {
        self.as_they_are(node, ArgReduce { axis: op.axis + 1, ..*op })
    }

    fn cumulative(&mut self, node: &Recorded, op: &Cumulative) -> Results {
        self.as_they_are(node, Cumulative { axis: op.axis + 1, ..*op })
    }

    fn dynamic_slice(&mut self, node: &Recorded, op: &DynamicSlice) -> Results {
        Lanes::dynamic_slice(self, node, op)
    }

    fn dynamic_update_slice(&mut self, node: &Recorded, _: &DynamicUpdateSlice) -> Results {
        Lanes::dynamic_update_slice(self, node)
    }

    fn gather(&mut self, node: &Recorded, op: &GatherDims) -> Results {
        Lanes::gather(self, node, op)
    }

    fn scatter(&mut self, node: &Recorded, op: &Scatter) -> Results {
        let update = op.update;
        Lanes::scatter(self, node, &op.dims, |dims| Scatter { update, dims }.into())
    }

    fn scatter_by(&mut self, node: &Recorded, op: &ScatterBy) -> Results {
        let body = op.body;
        Lanes::scatter(self, node, &op.dims, |dims| ScatterBy { body, dims }.into())
    }

    fn sort(&mut self, node: &Recorded, op: &Sort) -> Results {
        self.spread_all(node, Sort { axis: op.axis + 1, ..*op })
    }

    fn top_k(&mut self, node: &Recorded, op: &TopK) -> Results {
        self.as_they_are(node, *op)
    }

    fn reduce_precision(&mut self, node: &Recorded, op: &ReducePrecision) -> Results {
        self.as_they_are(node, *op)
    }

    fn while_loop(&mut self, node: &Recorded, op: &While) -> Results {
        Lanes::while_loop(self, node, *op)
    }

    fn for_loop(&mut self, node: &Recorded, op: &ForLoop) -> Results {
        Lanes::for_loop(self, node, *op)
    }

    fn scan(&mut self, node: &Recorded, op: &Scan) -> Results {
        Lanes::scan(self, node, op)
    }

    fn case(&mut self, node: &Recorded, op: &Case) -> Results {
        Lanes::case(self, node, op)
    }

    fn optimization_barrier(&mut self, node: &Recorded, op: &OptimizationBarrier) -> Results {
        let lanes = self.operands(node);
        let barred = self.as_they_are(node, *op);
        lanes.iter().zip(barred).map(|(old, new)| Lane { tensor: new.tensor, ..*old }).collect()
    }

    fn composite(&mut self, node: &Recorded, op: &Composite) -> Results {
        Lanes::composite(self, node, op)
    }

    fn custom_call(&mut self, node: &Recorded, _: &CustomCall) -> Results {
        match node.has_effect() || node.op.host_slot().is_some() {
            true => self.refuse(node, "calls a function of the host; `map` does so in turn"),
            false => self.in_turn(node),
        }
    }

    fn cholesky(&mut self, node: &Recorded, op: &Cholesky) -> Results {
        self.as_they_are(node, *op)
    }

    fn triangular_solve(&mut self, node: &Recorded, op: &TriangularSolve) -> Results {
        self.spread_all(node, *op)
    }

    fn fft(&mut self, node: &Recorded, op: &Fft) -> Results {
        self.as_they_are(node, op.clone())
    }

    fn convolution(&mut self, node: &Recorded, op: &ConvDims) -> Results {
        Lanes::convolution(self, node, op)
    }

    fn reduce_window(&mut self, node: &Recorded, op: &ReduceWindow) -> Results {
        Lanes::reduce_window(self, node, op)
    }

    fn reduce_window_by(&mut self, node: &Recorded, op: &ReduceWindowBy) -> Results {
        Lanes::reduce_window_by(self, node, op)
    }

    fn constrain(&mut self, node: &Recorded, _: &ResolvedSharding) -> Results {
        self.refuse(node, "places a value on the mesh; place the result of `vmap`")
    }

    fn manual(&mut self, node: &Recorded, _: &Manual) -> Results {
        self.refuse(node, "runs on each device; call `vmap` in its body")
    }

    fn collective(&mut self, node: &Recorded, _: &Collective) -> Results {
        self.refuse(node, "communicates between devices, which has no form over a mapped axis")
    }
}
