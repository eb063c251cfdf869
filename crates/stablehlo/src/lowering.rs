//! The walk over a graph that makes MLIR ops.

use crate::{LowerOptions, Partitioner, attribute::Number, ops, types::Types};
use hloom_graph::{Collective, DType, Effect, Graph, MeshShape, Node, NodeId, Op, RegionId, Scalar, Shape, ValueId};
use melior::{
    Context,
    ir::{
        Attribute, Block, BlockLike, BlockRef, Identifier, Location, OperationRef, Region, RegionLike, Type, Value,
        operation::{OperationBuilder, OperationLike},
    },
};
use smallvec::SmallVec;
use std::collections::HashMap;

/// A graph on its way into MLIR. Ops are put at the end of `block` and carry `location`.
pub(crate) struct Lowering<'a> {
    pub context: &'a Context,
    pub types: Types<'a>,
    pub parsed: HashMap<String, Attribute<'a>>,
    pub block: BlockRef<'a, 'a>,
    pub location: Location<'a>,
    pub partitioner: Partitioner,
    pub has_broadcast: bool,
    /// Whether what is lowered is written for each device.
    pub is_manual: bool,
    /// How many collectives there are so far.
    pub channels: usize,
    graph: &'a Graph,
    with_locations: bool,
    live: Vec<bool>,
    values: Vec<Option<Value<'a, 'a>>>,
    /// What ordered calls hand from one to the next.
    pub order: Option<Value<'a, 'a>>,
    /// Whether they do: not where there is one call alone.
    pub hands_on: bool,
    /// Whether what is lowered is written for each device, in the midst of what is not.
    pub in_manual: bool,
    /// What there is inside of each region, as far as there are regions with something.
    effects: Vec<Effect>,
}

/// A node with its operands lowered.
pub(crate) struct Applied<'a> {
    pub operands: SmallVec<[Value<'a, 'a>; 4]>,
    ids: &'a [ValueId],
    graph: &'a Graph,
    node: NodeId,
    /// An element type, and the wider one that its elements are given in.
    stand_in: Option<(DType, DType)>,
}

impl<'a> Applied<'a> {
    /// The shape of an operand.
    pub fn operand(&self, index: usize) -> Shape {
        self.seen(self.graph.shape(self.ids[index]))
    }

    /// The shape of the only result.
    pub fn result(&self) -> Shape {
        let value = self.graph.node_results(self.node).next();
        self.seen(self.graph.shape(value.expect("every node gives a value")))
    }

    fn seen(&self, shape: Shape) -> Shape {
        match self.stand_in {
            Some((narrow, wide)) if shape.dtype() == narrow => shape.with_dtype(wide),
            _ => shape,
        }
    }

    /// The number that an operand is everywhere, if it is one that is known.
    pub fn known(&self, index: usize) -> Option<&'a Scalar> {
        match &self.graph.node(self.graph.value(self.ids[index]).node).op {
            Op::Splat(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The shapes of all results.
    pub fn results(&self) -> impl Iterator<Item = Shape> + use<'a> {
        let graph = self.graph;
        graph.node_results(self.node).map(|value| graph.shape(value))
    }
}

impl<'a> Lowering<'a> {
    pub fn new(
        context: &'a Context,
        graph: &'a Graph,
        block: BlockRef<'a, 'a>,
        options: &LowerOptions,
    ) -> Lowering<'a> {
        let live = graph.live();
        Lowering {
            context,
            types: Types::new(context),
            parsed: HashMap::new(),
            block,
            location: Location::unknown(context),
            partitioner: options.partitioner,
            has_broadcast: options.has_broadcast,
            is_manual: false,
            channels: 0,
            graph,
            with_locations: options.locations,
            effects: region_effects(graph, &live),
            hands_on: !is_lone_host_call(graph, &live),
            in_manual: false,
            live,
            values: vec![None; graph.value_count()],
            order: None,
        }
    }

    /// The strongest effect inside of a region.
    pub fn effect(&self, region: RegionId) -> Effect {
        self.effects.get(region.index()).copied().unwrap_or(Effect::Pure)
    }

    /// The type of what ordered calls hand on.
    pub fn order_type(&self) -> Type<'a> {
        self.types.scalar(DType::U32)
    }

    /// What the ordered call before this place handed on.
    pub fn last_order(&mut self) -> Value<'a, 'a> {
        match self.order {
            Some(order) => order,
            None => self.scalar(DType::U32, Number::Int(0)),
        }
    }

    /// Lowers what stands in a region into the current block; gives the region's results.
    pub fn region(&mut self, id: RegionId) -> Vec<Value<'a, 'a>> {
        let parameters = 0..self.graph.region(id).parameters.len();
        let parameters: Vec<_> = parameters.map(|position| self.argument(position)).collect();
        self.region_of(id, &parameters)
    }

    /// Lowers what stands in a region into the current block, with these values for its parameters; gives the region's results.
    pub fn region_of(&mut self, id: RegionId, parameters: &[Value<'a, 'a>]) -> Vec<Value<'a, 'a>> {
        let region = self.graph.region(id);
        for (parameter, &value) in region.parameters.iter().zip(parameters) {
            self.values[parameter.index()] = Some(value);
        }
        for &node in &region.nodes {
            if self.live[node.index()] {
                self.node(node);
            }
        }
        region.results.iter().map(|&result| self.value(result)).collect()
    }

    /// The mesh that the program is split over.
    pub fn mesh(&self) -> MeshShape {
        self.graph
            .mesh()
            .expect("the ops that know of devices are traced over a mesh")
    }

    /// Whether the program is for a mesh, of whatever size.
    pub fn has_mesh(&self) -> bool {
        self.graph.mesh().is_some()
    }

    /// Whether a value may have parts on several devices: not inside of `manual`, where it is a device's own.
    pub fn is_split(&self) -> bool {
        let on_several = |mesh: MeshShape| mesh.device_count() > 1;
        !self.is_manual && self.graph.mesh().is_some_and(on_several)
    }

    /// Adds the mesh, by whose name attributes mean it, to the module.
    pub fn mesh_operation(&self) {
        if let (Some(mesh), Partitioner::Shardy) = (self.graph.mesh(), self.partitioner) {
            ops::mesh(self, &mesh);
        }
    }

    fn value(&self, id: ValueId) -> Value<'a, 'a> {
        self.values[id.index()].expect("a value is lowered before its uses")
    }

    fn node(&mut self, id: NodeId) {
        let graph = self.graph;
        let node = graph.node(id);
        if self.with_locations {
            self.location = self.location_of(node.location);
        }
        let ids = graph.operands(id);
        let n = &Applied {
            operands: ids.iter().map(|&operand| self.value(operand)).collect(),
            ids,
            graph,
            node: id,
            stand_in: None,
        };
        let value = match &node.op {
            Op::Parameter(_) => return,
            Op::Constant(literal) => ops::constant(self, literal),
            Op::Splat(scalar) => ops::splat(self, n, scalar),
            Op::Iota(axis) => ops::iota(self, n, *axis),
            Op::Convert => ops::convert(self, n),
            Op::BitcastConvert => ops::bitcast_convert(self, n),
            Op::Unary(function) => ops::unary(self, n, *function),
            Op::Binary(function) => ops::binary(self, n, *function),
            Op::Compare(direction) => ops::compare(self, n, *direction),
            Op::Select => ops::select(self, n),
            Op::Clamp => ops::clamp(self, n),
            Op::BroadcastInDim(axes) => ops::broadcast_in_dim(self, n, axes),
            Op::Reshape => ops::reshape(self, n),
            Op::Transpose(order) => self.in_bytes(n, |l, n| ops::transpose(l, n, order)),
            Op::Slice(dims) => ops::slice(self, n, dims),
            Op::Pad(dims) => ops::pad(self, n, dims),
            Op::Concatenate(axis) => self.in_bytes(n, |l, n| ops::concatenate(l, n, *axis)),
            Op::Reverse(axes) => ops::reverse(self, n, axes),
            Op::Dot(dims) => ops::dot(self, n, dims),
            Op::Reduce(reduction, axes) => ops::reduce(self, n, *reduction, axes),
            Op::ArgReduce(reduction, axis) => ops::arg_reduce(self, n, *reduction, *axis),
            Op::Cumulative(reduction, axis) => self.in_bytes(n, |l, n| ops::cumulative(l, n, *reduction, *axis)),
            Op::DynamicSlice(sizes) => ops::dynamic_slice(self, n, sizes),
            Op::DynamicUpdateSlice => ops::dynamic_update_slice(self, n),
            Op::Gather(dims) => self.in_bytes(n, |l, n| ops::gather(l, n, dims)),
            Op::Sort { axis, descending } => return bind(ops::sort(self, n, *axis, *descending), self, id),
            Op::TopK(k) => return bind(ops::top_k(self, n, *k), self, id),
            Op::RngBits => return bind(ops::rng_bits(self, n), self, id),
            Op::While { cond, body } => return bind(ops::while_loop(self, n, *cond, *body), self, id),
            Op::Case(branches) => return bind(ops::case(self, n, branches), self, id),
            Op::OptimizationBarrier => return bind(ops::optimization_barrier(self, n), self, id),
            Op::CustomCall(call) => return bind(ops::custom_call(self, n, call), self, id),
            Op::Constrain(partitioning) => ops::constrain(self, n, partitioning),
            Op::Manual(manual) => return bind(ops::manual(self, n, manual), self, id),
            Op::Collective(collective) => self.in_bytes(n, |l, n| ops::collective(l, n, collective)),
        };
        let result = graph.node_results(id).next().expect("every node gives a value");
        self.values[result.index()] = Some(value);
    }

    /// Lowers an op with elements of less than a byte as bytes: XLA's CPU compiler has no code for them in some ops, and ends
    /// the process.
    pub fn in_bytes(
        &mut self,
        n: &Applied<'a>,
        lower: impl FnOnce(&mut Self, &Applied<'a>) -> Value<'a, 'a>,
    ) -> Value<'a, 'a> {
        let result = n.result();
        let narrow = result.dtype();
        // Floats are moved as the integers that their bits are.
        let (bits, wide) = match narrow {
            DType::I2 | DType::I4 => (narrow, DType::I8),
            DType::U2 | DType::U4 => (narrow, DType::U8),
            DType::F4E2M1FN if !combines(&self.graph.node(n.node).op) => (DType::U4, DType::U8),
            _ => return lower(self, n),
        };
        // Without the barriers XLA would move the op before or behind the conversions again.
        let steps = |l: &Self, value, shape: Shape, ops: [(&str, DType); 3]| {
            ops.into_iter().fold(value, |value, (name, dtype)| {
                l.op(name, &[value], l.types.tensor(&shape.with_dtype(dtype)), &[])
            })
        };
        let (bitcast, convert) = ("stablehlo.bitcast_convert", "stablehlo.convert");
        let barrier = "stablehlo.optimization_barrier";
        let mut inner = Applied {
            operands: n.operands.clone(),
            ids: n.ids,
            graph: n.graph,
            node: n.node,
            stand_in: Some((narrow, wide)),
        };
        for (position, operand) in inner.operands.iter_mut().enumerate() {
            let shape = n.operand(position);
            if shape.dtype() == narrow {
                *operand = steps(
                    self,
                    *operand,
                    shape,
                    [(bitcast, bits), (convert, wide), (barrier, wide)],
                );
            }
        }
        let value = lower(self, &inner);
        steps(
            self,
            value,
            result,
            [(barrier, wide), (convert, bits), (bitcast, narrow)],
        )
    }

    fn location_of(&self, caller: &std::panic::Location<'_>) -> Location<'a> {
        Location::new(
            self.context,
            caller.file(),
            caller.line() as usize,
            caller.column() as usize,
        )
    }

    /// Adds an op.
    pub fn operation(
        &self,
        name: &str,
        operands: &[Value<'a, 'a>],
        results: &[Type<'a>],
        attributes: &[(&str, Attribute<'a>)],
        regions: Vec<Region<'a>>,
    ) -> OperationRef<'a, 'a> {
        let attributes: SmallVec<[_; 8]> = attributes
            .iter()
            .map(|&(name, attribute)| (Identifier::new(self.context, name), attribute))
            .collect();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build();
        self.block
            .append_operation(operation.expect("an op whose result types are given is built"))
    }

    /// Adds an op with one result and no regions.
    pub fn op(
        &self,
        name: &str,
        operands: &[Value<'a, 'a>],
        r#type: Type<'a>,
        attributes: &[(&str, Attribute<'a>)],
    ) -> Value<'a, 'a> {
        result(self.operation(name, operands, &[r#type], attributes, Vec::new()), 0)
    }

    /// Adds a scalar constant.
    pub fn scalar(&self, dtype: DType, number: Number) -> Value<'a, 'a> {
        let value = self.number(dtype, number);
        self.op("stablehlo.constant", &[], self.types.scalar(dtype), &[("value", value)])
    }

    /// Fills a region of an op with what `fill` adds to its block, and ends it with what `fill` gives.
    pub fn fill(
        &mut self,
        operation: OperationRef<'a, 'a>,
        region: usize,
        fill: impl FnOnce(&mut Self) -> Vec<Value<'a, 'a>>,
    ) {
        self.fill_until("stablehlo.return", operation, region, fill);
    }

    /// As [`fill`](Self::fill), with the op that ends the region.
    pub fn fill_until(
        &mut self,
        end: &str,
        operation: OperationRef<'a, 'a>,
        region: usize,
        fill: impl FnOnce(&mut Self) -> Vec<Value<'a, 'a>>,
    ) {
        let region = operation.region(region).expect("the op was made with its regions");
        let block = region.first_block().expect("the region was made with its block");
        let (outer, location, order) = (std::mem::replace(&mut self.block, block), self.location, self.order);
        let results = fill(self);
        // What is handed on inside of a body is not seen outside.
        self.order = order;
        // The end of a body belongs to the op, not to the last line in it.
        self.location = location;
        self.operation(end, &results, &[], &[], Vec::new());
        self.block = outer;
    }

    /// A region with a block of these parameters, to be filled when its op stands.
    pub fn empty_region(&self, parameters: &[Type<'a>]) -> Region<'a> {
        let parameters: SmallVec<[_; 4]> = parameters.iter().map(|&r#type| (r#type, self.location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&parameters));
        region
    }

    /// A parameter of the current block.
    pub fn argument(&self, position: usize) -> Value<'a, 'a> {
        self.block
            .argument(position)
            .expect("the block was made with its parameters")
            .into()
    }
}

/// The strongest effect inside of each region, up to the last one that has any.
fn region_effects(graph: &Graph, live: &[bool]) -> Vec<Effect> {
    let mut found: Vec<Effect> = Vec::new();
    for (_, node) in graph.nodes().filter(|(id, _)| live[id.index()]) {
        let effect = match &node.op {
            Op::CustomCall(call) if call.effect != Effect::Pure => call.effect,
            _ => continue,
        };
        let mut around = Some(node.region);
        while let Some(region) = around {
            if found.len() <= region.index() {
                found.resize(region.index() + 1, Effect::Pure);
            }
            found[region.index()] = found[region.index()].max(effect);
            around = graph.region(region).parent;
        }
    }
    found
}

/// Whether the program has one ordered call, a function of the host's outside of all bodies: it has nothing to be ordered with,
/// and what it is called by does not care.
fn is_lone_host_call(graph: &Graph, live: &[bool]) -> bool {
    let ordered = |(id, node): &(NodeId, &Node)| match &node.op {
        Op::CustomCall(call) => live[id.index()] && call.effect == Effect::Ordered,
        _ => false,
    };
    let mut calls = graph.nodes().filter(ordered);
    match (calls.next(), calls.next()) {
        (Some((_, node)), None) => node.region == Graph::ROOT && node.op.host_slot().is_some(),
        _ => false,
    }
}

/// Whether an op computes with elements rather than moving them.
fn combines(op: &Op) -> bool {
    match op {
        Op::Cumulative(..) => true,
        Op::Collective(collective) => matches!(
            **collective,
            Collective::AllReduce { .. } | Collective::ReduceScatter { .. }
        ),
        _ => false,
    }
}

/// A result of an op.
pub(crate) fn result<'a>(operation: OperationRef<'a, 'a>, position: usize) -> Value<'a, 'a> {
    operation
        .result(position)
        .expect("the op was made with its results")
        .into()
}

/// The results of an op.
pub(crate) fn results<'a>(operation: OperationRef<'a, 'a>) -> Vec<Value<'a, 'a>> {
    operation.results().map(Value::from).collect()
}

/// Notes the values of a node with several results.
fn bind<'a>(values: Vec<Value<'a, 'a>>, l: &mut Lowering<'a>, id: NodeId) {
    for (id, value) in l.graph.node_results(id).zip(values) {
        l.values[id.index()] = Some(value);
    }
}
