//! The walk over a graph that emits StableHLO ops.

use crate::{
    LowerOptions, Partitioner,
    applied::Applied,
    attribute::{Attribute, Number},
    call_order::CallOrder,
    emit::{Emitter, Location, Operation, Region, Value, Values},
    live::live,
    lower::Lowered,
    ops,
    types::Type,
};
use hloom_graph::{DType, Graph, MeshShape, NodeId, Op, RegionId, ValueId, op::Composite};
use smallvec::SmallVec;
use std::panic;

/// The state of lowering a graph to a module. Ops are added to the emitter's open region with the
/// location `line`.
pub(crate) struct Lowering<'a> {
    emitter: &'a mut dyn Emitter,
    /// The user source line being lowered.
    pub line: Option<&'static panic::Location<'static>>,
    pub partitioner: Partitioner,
    /// The way in which the values being lowered are partitioned.
    pub partitioning: PartitioningMode,
    pub composites: CompositeForm,
    /// The order of calls with effects.
    pub order: CallOrder,
    /// The number of collectives so far.
    pub channels: usize,
    graph: &'a Graph,
    locations: Locations,
    live: Vec<bool>,
    values: Vec<Option<Value>>,
}

/// The way in which values are partitioned over the mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartitioningMode {
    /// By the partitioner; also in the region of a manual computation, which declares itself.
    Automatic,
    /// By the program, in a manual computation without a region: calls have a sharding attribute.
    Manual,
}

/// The form in which composites are lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompositeForm {
    /// As their bodies.
    Inlined,
    /// As calls of functions with their bodies.
    Calls,
}

/// The location of the nodes being lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Locations {
    /// Each node's own.
    OfNodes,
    /// The current line, if there is one.
    Kept,
}

impl<'a> Lowering<'a> {
    pub fn new(
        emitter: &'a mut dyn Emitter,
        graph: &'a Graph,
        options: &LowerOptions,
    ) -> Lowering<'a> {
        // Partitioners do not propagate shardings into other functions.
        let calls_composites = options.composites && graph.mesh().is_none();
        let live = if calls_composites { graph.live() } else { live(graph) };
        Lowering {
            emitter,
            line: None,
            partitioner: options.partitioner,
            partitioning: PartitioningMode::Automatic,
            composites: if calls_composites {
                CompositeForm::Calls
            } else {
                CompositeForm::Inlined
            },
            order: CallOrder::new(graph, &live),
            channels: 0,
            graph,
            locations: if options.locations { Locations::OfNodes } else { Locations::Kept },
            live,
            values: vec![None; graph.value_count()],
        }
    }

    /// The current token of ordered calls.
    pub fn token(&mut self) -> Value {
        match self.order.token {
            Some(token) => token,
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
        self.nodes(id);
        region.results.iter().map(|&result| self.value(result)).collect()
    }

    fn nodes(&mut self, region: RegionId) {
        for &node in &self.graph.region(region).nodes {
            if self.live[node.index()] {
                self.node(node);
            }
        }
    }

    /// The mesh that the program is partitioned over.
    pub fn mesh(&self) -> MeshShape {
        self.graph.mesh().expect("the ops that know of devices are traced over a mesh")
    }

    /// Adds the mesh to the module; attributes refer to it by name.
    pub fn mesh_operation(&mut self) {
        if let (Some(mesh), Partitioner::Shardy) = (self.graph.mesh(), self.partitioner) {
            ops::mesh(self, &mesh);
        }
    }

    /// Inlines the live nodes of the body of a composite.
    fn inlined(&mut self, id: NodeId, body: RegionId) {
        let graph = self.graph;
        let region = graph.region(body);
        // All nodes of the body get the composite's line: the body may have been traced for another
        // composite.
        let locations = std::mem::replace(&mut self.locations, Locations::Kept);
        // An operand that no live node uses, and a result that is not used, have no value.
        for (parameter, operand) in region.parameters.iter().zip(graph.operands(id)) {
            self.values[parameter.index()] = self.values[operand.index()];
        }
        self.nodes(body);
        for (value, result) in graph.node_results(id).zip(&region.results) {
            self.values[value.index()] = self.values[result.index()];
        }
        self.locations = locations;
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

    fn value(&self, id: ValueId) -> Value {
        self.values[id.index()].expect("a value is lowered before its uses")
    }

    fn node(&mut self, id: NodeId) {
        let graph = self.graph;
        let node = graph.node(id);
        if let Op::Parameter(_) = node.op {
            return;
        }
        if self.locations == Locations::OfNodes {
            self.line = Some(node.location);
        }
        if let (Op::Composite(composite), CompositeForm::Inlined) = (&node.op, self.composites) {
            return self.inlined(id, composite.body);
        }
        let operands = graph.operands(id).iter().map(|&operand| self.value(operand)).collect();
        let n = &Applied::new(graph, id, operands);
        let Lowered(values) = self.lower(&node.op, n);
        for (id, value) in graph.node_results(id).zip(values) {
            self.values[id.index()] = Some(value);
        }
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
        let module = self.line.and_then(hloom_graph::module_of);
        let path = module.map(|module| {
            let op = name.rsplit_once('.').map_or(name, |(_, op)| op);
            format!("{module}/{op}")
        });
        let location = Location { name: path.as_deref().unwrap_or(""), line: self.line };
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
        let (line, token) = (self.line, self.order.token);
        let arguments: SmallVec<[_; 4]> = self.emitter.begin_region(arguments).iter().collect();
        let results = fill(self, &arguments);
        // A token inside a body is not visible outside.
        self.order.token = token;
        // The terminator has the op's line, not the last line of the body.
        self.line = line;
        self.operation(end, &results, &[], &[], Vec::new());
        self.emitter.end_region()
    }
}
