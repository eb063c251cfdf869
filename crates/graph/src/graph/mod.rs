//! The graph: an arena of nodes that a trace fills.

mod add;
mod expand;
mod live;
mod nesting;
mod record;
mod replay;
mod rewrite;
mod shape_table;
mod structure_hash;
mod text;

pub use record::{record, record_region};
pub use replay::{Replace, Replay};
pub use rewrite::Rewrite;

pub(crate) use record::record_at;

use crate::{
    DType, HostCall, MeshShape, Op, ResolvedSharding, Shape, Spec,
    ops::{Argument, Composite},
    trace::Rule,
};
use hashbrown::{DefaultHashBuilder, HashTable};
use shape_table::{ShapeId, ShapeTable};
use smallvec::SmallVec;
use std::{collections::HashMap, ops::Range, panic::Location};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);
        impl $name {
            /// The index in the graph's table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(
    /// A node of a graph.
    NodeId
);
id!(
    /// A result of a node.
    ValueId
);
id!(
    /// A list of nodes: the graph's own, or the body of a control-flow op.
    RegionId
);

/// A computation: nodes in an arena, grouped in regions. Region 0 is the function itself.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) name: String,
    pub(crate) mesh: Option<MeshShape>,
    pub(crate) nodes: Vec<Node>,
    values: Vec<StoredValue>,
    shapes: ShapeTable,
    pub(crate) operands: Vec<ValueId>,
    pub(crate) regions: Vec<Region>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) results: Vec<ResultInfo>,
    pub(crate) aliases: Vec<Alias>,
    pub(crate) host_calls: Vec<HostCall>,
    merged: HashTable<MergedNode>,
    /// The bodies of composites by content, and the manual computation around them.
    bodies: HashMap<(u128, Option<RegionId>), RegionId>,
    /// Whether any node has an effect.
    has_effects: bool,
    /// Composites whose bodies later ones reuse, by the hash of everything they must have in
    /// common.
    shared_bodies: HashTable<(u64, Composite)>,
    hasher: DefaultHashBuilder,
}

/// An op applied to operands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The op with its attributes.
    pub op: Op,
    /// The user's source line that created it.
    pub location: &'static Location<'static>,
    /// The region that contains it.
    pub region: RegionId,
    pub(crate) operands: Range<u32>,
    pub(crate) results: Range<u32>,
}

/// A result of a node.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Its shape.
    pub shape: Shape,
    /// The node that defines it.
    pub node: NodeId,
}

/// A value as stored in the arena.
#[derive(Clone, Copy, Debug)]
struct StoredValue {
    shape: ShapeId,
    node: NodeId,
}

/// An entry of the table for merging identical nodes (CSE).
#[derive(Clone, Copy, Debug)]
struct MergedNode {
    /// Stored, so that the table grows without rehashing nodes.
    hash: u64,
    node: NodeId,
}

/// A list of nodes in the order of tracing.
#[derive(Clone, Debug)]
pub struct Region {
    /// The enclosing region; `None` for the function itself.
    pub parent: Option<RegionId>,
    /// Its parameters.
    pub parameters: Vec<ValueId>,
    /// Its nodes, including those of the parameters.
    pub nodes: Vec<NodeId>,
    /// Its results.
    pub results: Vec<ValueId>,
    /// The kind, which decides the outside values that its ops may use.
    pub kind: RegionKind,
}

/// The values that the ops of a region may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegionKind {
    /// Its own parameters and all values of the enclosing regions.
    Open,
    /// Only its own parameters.
    Isolated,
    /// Only its own parameters; it runs per device on local parts.
    Manual,
}

/// An argument of the function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The path in the tree of arguments.
    pub name: String,
    /// The shape and the requested partition.
    pub spec: Spec,
    /// The sharding over the graph's mesh, if there is one.
    pub sharding: Option<ResolvedSharding>,
    /// Whether a call consumes it (donation).
    pub donated: bool,
}

/// A result of the function.
#[derive(Clone, Debug)]
pub struct ResultInfo {
    /// The path in the tree of results.
    pub name: String,
    /// The index of the parameter whose memory it reuses.
    pub reuses: Option<usize>,
}

/// A request that a value reuse the memory of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The value.
    pub value: ValueId,
    /// The parameter's index.
    pub parameter: usize,
}

impl Graph {
    /// The region of the function itself.
    pub const ROOT: RegionId = RegionId(0);

    pub(crate) fn new(name: String) -> Graph {
        let root = Region {
            parent: None,
            parameters: Vec::new(),
            nodes: Vec::new(),
            results: Vec::new(),
            kind: RegionKind::Open,
        };
        Graph {
            name,
            mesh: None,
            nodes: Vec::new(),
            values: Vec::new(),
            shapes: ShapeTable::default(),
            operands: Vec::new(),
            regions: vec![root],
            parameters: Vec::new(),
            results: Vec::new(),
            aliases: Vec::new(),
            host_calls: Vec::new(),
            merged: HashTable::new(),
            bodies: HashMap::new(),
            has_effects: false,
            shared_bodies: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// The name of the function.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mesh that the program is partitioned over; `None` for a single-device program.
    pub fn mesh(&self) -> Option<MeshShape> {
        self.mesh
    }

    /// The sharding of a result, if it was constrained; `None` lets the compiler choose.
    pub fn result_sharding(&self, position: usize) -> Option<ResolvedSharding> {
        let value = *self.root().results.get(position)?;
        let Op::Constrain(sharding) = &self.node(self.value(value).node).op else {
            return None;
        };
        Some(**sharding)
    }

    /// The mesh, or an error if there is none.
    pub(crate) fn required_mesh(&self) -> Rule<MeshShape> {
        self.mesh
            .ok_or_else(|| "there is no mesh; compile the function with `Mesh::compile`".into())
    }

    /// The arguments, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The results, in order; their values are the root region's results.
    pub fn results(&self) -> &[ResultInfo] {
        &self.results
    }

    /// The host functions that the program calls, including calls that no result needs.
    pub fn host_calls(&self) -> &[HostCall] {
        &self.host_calls
    }

    /// The slots of host functions identical to this one.
    pub(crate) fn same_host_calls(&self, call: &HostCall) -> impl Iterator<Item = usize> + use<> {
        let same: SmallVec<[usize; 4]> = (0..self.host_calls.len())
            .filter(|&slot| self.host_calls[slot].is_same(call))
            .collect();
        same.into_iter()
    }

    /// Adds a host function and returns its slot.
    pub(crate) fn add_host_call(&mut self, call: HostCall) -> usize {
        self.host_calls.push(call);
        self.host_calls.len() - 1
    }

    /// Whether any node has a side effect, including nodes that no result needs.
    pub fn has_effects(&self) -> bool {
        self.has_effects
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> Value {
        let StoredValue { shape, node } = self.values[id.index()];
        Value { shape: self.shapes.get(shape), node }
    }

    /// The shape of a value.
    pub fn shape(&self, id: ValueId) -> Shape {
        self.shapes.get(self.values[id.index()].shape)
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.index()]
    }

    /// The function itself.
    pub fn root(&self) -> &Region {
        &self.regions[0]
    }

    /// Every node of all regions, including dead ones.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().zip(0..).map(|(node, id)| (NodeId(id), node))
    }

    /// The operands of a node.
    pub fn operands(&self, id: NodeId) -> &[ValueId] {
        let Range { start, end } = self.node(id).operands;
        &self.operands[start as usize..end as usize]
    }

    /// The results of a node.
    pub fn node_results(&self, id: NodeId) -> impl ExactSizeIterator<Item = ValueId> + use<> {
        self.node(id).results.clone().map(ValueId)
    }

    /// The number of nodes, including dead ones.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of values; all ids are below it.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Changes the node that defines a value.
    pub(crate) fn set_giver(&mut self, value: ValueId, node: NodeId) {
        self.values[value.index()].node = node;
    }

    pub(crate) fn open_region(&mut self, parent: RegionId) -> RegionId {
        let id = RegionId(
            u32::try_from(self.regions.len()).expect("fewer than 2^32 regions fit in memory"),
        );
        self.regions.push(Region {
            parent: Some(parent),
            parameters: Vec::new(),
            nodes: Vec::new(),
            results: Vec::new(),
            kind: RegionKind::Open,
        });
        id
    }

    /// Adds a parameter to a region.
    pub(crate) fn parameter(
        &mut self,
        region: RegionId,
        shape: Shape,
        location: &'static Location<'static>,
    ) -> ValueId {
        let position = u32::try_from(self.region(region).parameters.len())
            .expect("parameters are counted in 32 bits");
        let node = self.push(Argument(position).into(), &[], &[shape], region, location);
        let value = ValueId(self.node(node).results.start);
        self.regions[region.index()].parameters.push(value);
        value
    }

    /// The shapes of values.
    pub(crate) fn shapes(&self, values: &[ValueId]) -> SmallVec<[Shape; 4]> {
        values.iter().map(|&value| self.shape(value)).collect()
    }

    /// The element type of a value.
    pub fn dtype(&self, id: ValueId) -> DType {
        self.shape(id).dtype()
    }
}
