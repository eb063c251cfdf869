//! The walk over a graph that emits StableHLO ops.

use crate::{
    LowerOptions, Partitioner,
    attribute::{Attribute, Number},
    emit::{Emitter, Location, Operation, Region, Value, Values},
    ops,
    types::Type,
};
use hloom_graph::{
    DType, Effect, Graph, MeshShape, Node, NodeId, Op, RegionId, Scalar, Shape, ValueId,
    op::Composite,
};
use smallvec::SmallVec;
use std::{collections::HashMap, panic};

/// The state of lowering a graph to a module. Ops are added to the emitter's open region with the
/// location `line`.
pub(crate) struct Lowering<'a> {
    emitter: &'a mut dyn Emitter,
    /// The user source line being lowered.
    pub line: Option<&'static panic::Location<'static>>,
    pub partitioner: Partitioner,
    pub has_broadcast: bool,
    /// Whether a manual body, which runs per device, is being lowered.
    pub is_manual: bool,
    /// The number of collectives so far.
    pub channels: usize,
    graph: &'a Graph,
    with_locations: bool,
    live: Vec<bool>,
    values: Vec<Option<Value>>,
    /// The outside values of the parameters of inlined bodies.
    originals: HashMap<ValueId, ValueId>,
    /// Whether composites are calls of functions with their bodies, rather than inlined.
    pub keeps_composites: bool,
    /// The token that ordered calls pass on.
    pub order: Option<Value>,
    /// Whether ordered calls pass a token; not if there is only one call.
    pub hands_on: bool,
    /// Whether a manual body inside a non-manual program is being lowered.
    pub in_manual: bool,
    /// The strongest effect in each region, up to the last region with any.
    effects: Vec<Effect>,
}

/// How an op uses elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ElementUse {
    /// Moves them.
    Moved,
    /// Computes with them.
    Combined,
}

/// A node with its operands lowered.
pub(crate) struct Applied<'a> {
    pub operands: SmallVec<[Value; 4]>,
    ids: SmallVec<[ValueId; 4]>,
    graph: &'a Graph,
    node: NodeId,
    /// An element type, and the wider one that its elements are passed in.
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
        self.seen(self.graph.shape(value.expect("every node has a result")))
    }

    fn seen(&self, shape: Shape) -> Shape {
        match self.stand_in {
            Some((narrow, wide)) if shape.dtype() == narrow => shape.with_dtype(wide),
            _ => shape,
        }
    }

    /// The value of an operand if it is a known splat.
    pub fn known(&self, index: usize) -> Option<&'a Scalar> {
        let Op::Splat(splat) = &self.graph.node(self.graph.value(self.ids[index]).node).op else {
            return None;
        };
        Some(&splat.scalar)
    }

    /// The shapes of all results.
    pub fn results(&self) -> impl Iterator<Item = Shape> + use<'a> {
        let graph = self.graph;
        graph.node_results(self.node).map(|value| graph.shape(value))
    }
}

impl<'a> Lowering<'a> {
    pub fn new(
        emitter: &'a mut dyn Emitter,
        graph: &'a Graph,
        options: &LowerOptions,
    ) -> Lowering<'a> {
        let live = graph.live();
        Lowering {
            emitter,
            line: None,
            partitioner: options.partitioner,
            has_broadcast: options.has_broadcast,
            is_manual: false,
            channels: 0,
            graph,
            with_locations: options.locations,
            effects: if graph.has_effects() { region_effects(graph, &live) } else { Vec::new() },
            hands_on: graph.has_effects() && !is_lone_host_call(graph, &live),
            in_manual: false,
            live,
            values: vec![None; graph.value_count()],
            originals: HashMap::new(),
            // Partitioners do not look into other functions.
            keeps_composites: options.composites && graph.mesh().is_none(),
            order: None,
        }
    }

    /// The strongest effect in a region.
    pub fn effect(&self, region: RegionId) -> Effect {
        self.effects.get(region.index()).copied().unwrap_or(Effect::Pure)
    }

    /// The type of the token of ordered calls.
    pub fn order_type(&self) -> Type {
        Type::scalar(DType::U32)
    }

    /// The current token of ordered calls.
    pub fn last_order(&mut self) -> Value {
        match self.order {
            Some(order) => order,
            None => self.scalar(DType::U32, Number::Int(0)),
        }
    }

    /// Lowers a region of the graph into the open region, with these values for its parameters;
    /// returns its results.
    pub fn body(&mut self, id: RegionId, parameters: &[Value]) -> Vec<Value> {
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

    /// The mesh that the program is partitioned over.
    pub fn mesh(&self) -> MeshShape {
        self.graph.mesh().expect("the ops that know of devices are traced over a mesh")
    }

    /// Whether a value may be partitioned over devices; not inside `manual`, where it is local to a
    /// device.
    pub fn is_split(&self) -> bool {
        let on_several = |mesh: MeshShape| mesh.device_count() > 1;
        !self.is_manual && self.graph.mesh().is_some_and(on_several)
    }

    /// Adds the mesh to the module; attributes refer to it by name.
    pub fn mesh_operation(&mut self) {
        if let (Some(mesh), Partitioner::Shardy) = (self.graph.mesh(), self.partitioner) {
            ops::mesh(self, &mesh);
        }
    }

    /// Inlines the body of a composite.
    pub fn inlined(&mut self, n: &Applied<'_>, body: RegionId) -> Vec<Value> {
        let graph = self.graph;
        let parameters = graph.region(body).parameters.iter().copied();
        self.originals.extend(parameters.zip(n.ids.iter().copied()));
        // All of it has the composite's line: the body may have been traced for another one.
        let with_locations = std::mem::replace(&mut self.with_locations, false);
        let results = self.body(body, &n.operands);
        self.with_locations = with_locations;
        results
    }

    /// The live composites, each body once.
    pub fn composites(&self) -> Vec<&'a Composite> {
        let graph = self.graph;
        let mut found: Vec<&Composite> = Vec::new();
        for (id, node) in graph.nodes() {
            if let Op::Composite(composite) = &node.op
                && self.live[id.index()]
                && found.iter().all(|known| known.body != composite.body)
            {
                found.push(composite);
            }
        }
        found
    }

    /// The types of a region's parameters and results.
    pub fn signature(&self, region: RegionId) -> [Vec<Type>; 2] {
        let region = self.graph.region(region);
        [&region.parameters, &region.results]
            .map(|values| values.iter().map(|&value| self.graph.shape(value).into()).collect())
    }

    /// The value of an inlined body's parameter; other values are returned unchanged.
    fn original(&self, id: ValueId) -> ValueId {
        self.originals.get(&id).copied().unwrap_or(id)
    }

    fn value(&self, id: ValueId) -> Value {
        self.values[id.index()].expect("a value is lowered before its uses")
    }

    fn node(&mut self, id: NodeId) {
        let graph = self.graph;
        let node = graph.node(id);
        if let Op::Parameter(_) = node.op {
            return;
        }
        if self.with_locations {
            self.line = Some(node.location);
        }
        let ids = graph.operands(id);
        let n = &Applied {
            operands: ids.iter().map(|&operand| self.value(operand)).collect(),
            ids: ids.iter().map(|&operand| self.original(operand)).collect(),
            graph,
            node: id,
            stand_in: None,
        };
        let values = node.op.visit(self, n);
        for (id, value) in graph.node_results(id).zip(values) {
            self.values[id.index()] = Some(value);
        }
    }

    /// Lowers an op with sub-byte elements as bytes: for some ops XLA's CPU compiler has no code
    /// for them, and crashes the process.
    pub fn in_bytes(
        &mut self,
        n: &Applied<'_>,
        elements: ElementUse,
        lower: impl FnOnce(&mut Self, &Applied<'_>) -> Value,
    ) -> Value {
        let result = n.result();
        let narrow = result.dtype();
        // Floats are moved as the integers of their bits.
        let (bits, wide) = match narrow {
            DType::I2 | DType::I4 => (narrow, DType::I8),
            DType::U2 | DType::U4 => (narrow, DType::U8),
            DType::F4E2M1FN if elements == ElementUse::Moved => (DType::U4, DType::U8),
            _ => return lower(self, n),
        };
        // Without the barriers XLA would move the op across the conversions.
        let steps = |l: &mut Self, value, shape: Shape, ops: [(&'static str, DType); 3]| {
            ops.into_iter().fold(value, |value, (name, dtype)| {
                l.op(name, &[value], shape.with_dtype(dtype), &[])
            })
        };
        let (bitcast, convert) = ("stablehlo.bitcast_convert", "stablehlo.convert");
        let barrier = "stablehlo.optimization_barrier";
        let mut inner = Applied {
            operands: n.operands.clone(),
            ids: n.ids.clone(),
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
        steps(self, value, result, [(barrier, wide), (convert, bits), (bitcast, narrow)])
    }

    /// The current location.
    fn location(&self) -> Location<'static> {
        Location { line: self.line, ..Location::UNKNOWN }
    }

    /// Adds an op.
    pub fn operation(
        &mut self,
        name: &'static str,
        operands: &[Value],
        results: &[Type],
        attributes: &[(&'static str, Attribute<'_>)],
        regions: Vec<Region>,
    ) -> Values {
        let location = self.location();
        self.emitter.operation(Operation { name, operands, results, attributes, regions, location })
    }

    /// Adds an op with one result and no regions.
    pub fn op(
        &mut self,
        name: &'static str,
        operands: &[Value],
        result: impl Into<Type>,
        attributes: &[(&'static str, Attribute<'_>)],
    ) -> Value {
        self.operation(name, operands, &[result.into()], attributes, Vec::new()).at(0)
    }

    /// Adds a scalar constant.
    pub fn scalar(&mut self, dtype: DType, number: Number) -> Value {
        let value = Attribute::number(dtype, number);
        self.op("stablehlo.constant", &[], Type::scalar(dtype), &[("value", value)])
    }

    /// A region for the next op: `fill` adds its ops, given the arguments, and returns its results.
    pub fn region(
        &mut self,
        arguments: &[Type],
        fill: impl FnOnce(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Region {
        self.region_until("stablehlo.return", arguments, fill)
    }

    /// As [`region`](Self::region), with the terminator op.
    pub fn region_until(
        &mut self,
        end: &'static str,
        arguments: &[Type],
        fill: impl FnOnce(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Region {
        let location = self.location();
        let arguments: SmallVec<[_; 4]> =
            arguments.iter().map(|&r#type| (r#type, location)).collect();
        self.located_region(end, &arguments, fill)
    }

    /// As [`region_until`](Self::region_until), with the location of each argument.
    pub fn located_region(
        &mut self,
        end: &'static str,
        arguments: &[(Type, Location<'_>)],
        fill: impl FnOnce(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Region {
        let (line, order) = (self.line, self.order);
        let arguments: SmallVec<[_; 4]> = self.emitter.begin_region(arguments).iter().collect();
        let results = fill(self, &arguments);
        // A token inside a body is not visible outside.
        self.order = order;
        // The terminator has the op's line, not the last line of the body.
        self.line = line;
        self.operation(end, &results, &[], &[], Vec::new());
        self.emitter.end_region()
    }
}

/// The strongest effect in each region, up to the last region with any.
fn region_effects(graph: &Graph, live: &[bool]) -> Vec<Effect> {
    let mut found: Vec<Effect> = Vec::new();
    for (_, node) in graph.nodes().filter(|(id, _)| live[id.index()]) {
        let effect = node.op.effect();
        if effect == Effect::Pure {
            continue;
        }
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

/// Whether the program has exactly one ordered call, and it is a host call outside all bodies: it
/// needs no order, and its target works without a token.
fn is_lone_host_call(graph: &Graph, live: &[bool]) -> bool {
    let ordered =
        |(id, node): &(NodeId, &Node)| live[id.index()] && node.op.effect() == Effect::Ordered;
    let mut calls = graph.nodes().filter(ordered);
    match (calls.next(), calls.next()) {
        (Some((_, node)), None) => node.region == Graph::ROOT && node.op.host_slot().is_some(),
        _ => false,
    }
}
