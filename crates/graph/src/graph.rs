//! The arena that a trace fills.

mod add;

use crate::{
    DType, HostCall, MeshShape, Op, Partitioning, Shape, Spec,
    ops::{Argument, Composite},
    shape_table::{ShapeId, ShapeTable},
    trace::Rule,
};
use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;
use std::{collections::HashMap, ops::Range, panic::Location};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);
        impl $name {
            /// The position in the graph's table.
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
    /// A value that a node gives.
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
    /// The bodies of composites by their content, and the manual computation around them.
    bodies: HashMap<(u128, Option<RegionId>), RegionId>,
    /// Whether a node has an effect.
    has_effects: bool,
    /// Composites whose bodies later ones share, by the hash of what they must have in common.
    shared_bodies: HashTable<(u64, Composite)>,
    hasher: DefaultHashBuilder,
}

/// An op applied to operands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The op with its attributes.
    pub op: Op,
    /// The line of the user's source that made it.
    pub location: &'static Location<'static>,
    /// The region that it stands in.
    pub region: RegionId,
    pub(crate) operands: Range<u32>,
    pub(crate) results: Range<u32>,
}

/// What a node gives.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Its shape.
    pub shape: Shape,
    /// The node that gives it.
    pub node: NodeId,
}

/// A value as the arena keeps it.
#[derive(Clone, Copy, Debug)]
struct StoredValue {
    shape: ShapeId,
    node: NodeId,
}

/// A node that others of the same op and operands are merged with.
#[derive(Clone, Copy, Debug)]
struct MergedNode {
    /// Kept, so that the table grows without a look at the nodes.
    hash: u64,
    node: NodeId,
}

/// A list of nodes in the order in which they were traced.
#[derive(Clone, Debug)]
pub struct Region {
    /// The region around it; `None` for the function itself.
    pub parent: Option<RegionId>,
    /// Its parameters.
    pub parameters: Vec<ValueId>,
    /// Its nodes, the parameters' among them.
    pub nodes: Vec<NodeId>,
    /// What it gives.
    pub results: Vec<ValueId>,
    /// What its ops may use of what is around it.
    pub kind: RegionKind,
}

/// What the ops of a region may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegionKind {
    /// Everything around it.
    Open,
    /// Its own parameters alone.
    Isolated,
    /// Its own parameters alone; it runs on each device's own parts.
    Manual,
}

/// An argument of the function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The path in the arguments' tree.
    pub name: String,
    /// What it looks like.
    pub spec: Spec,
    /// How it is split over the graph's mesh, if there is one.
    pub partitioning: Option<Partitioning>,
    /// Whether a call consumes it.
    pub donated: bool,
}

/// A result of the function.
#[derive(Clone, Debug)]
pub struct ResultInfo {
    /// The path in the result's tree.
    pub name: String,
    /// The parameter whose memory it takes over, by position.
    pub reuses: Option<usize>,
}

/// A wish that a value takes over the memory of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The value.
    pub value: ValueId,
    /// The parameter's position.
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

    /// The mesh that the program is split over; `None` for a program of one device.
    pub fn mesh(&self) -> Option<MeshShape> {
        self.mesh
    }

    /// How a result is to be split: as it was constrained to be. `None` when the compiler chooses.
    pub fn result_partitioning(&self, position: usize) -> Option<Partitioning> {
        let value = *self.root().results.get(position)?;
        match &self.node(self.value(value).node).op {
            Op::Constrain(partitioning) => Some(**partitioning),
            _ => None,
        }
    }

    /// The mesh, where there must be one.
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

    /// The functions of the host that the program calls, those that no result needs among them.
    pub fn host_calls(&self) -> &[HostCall] {
        &self.host_calls
    }

    /// The positions of functions of the host that cannot be told from this one.
    pub(crate) fn same_host_calls(&self, call: &HostCall) -> impl Iterator<Item = usize> + use<> {
        let same: SmallVec<[usize; 4]> = (0..self.host_calls.len())
            .filter(|&slot| self.host_calls[slot].is_same(call))
            .collect();
        same.into_iter()
    }

    /// The slot of one more function of the host.
    pub(crate) fn add_host_call(&mut self, call: HostCall) -> usize {
        self.host_calls.push(call);
        self.host_calls.len() - 1
    }

    /// Whether any node does something besides computing its results, those among them that no result needs.
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
        Value {
            shape: self.shapes.get(shape),
            node,
        }
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

    /// Every node, those of all regions and those that no result needs among them.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().zip(0..).map(|(node, id)| (NodeId(id), node))
    }

    /// What a node is applied to.
    pub fn operands(&self, id: NodeId) -> &[ValueId] {
        let Range { start, end } = self.node(id).operands;
        &self.operands[start as usize..end as usize]
    }

    /// What a node gives.
    pub fn node_results(&self, id: NodeId) -> impl ExactSizeIterator<Item = ValueId> + use<> {
        self.node(id).results.clone().map(ValueId)
    }

    /// How many nodes there are, those that no result needs among them.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many values there are; their ids are below.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Says that another node gives a value.
    pub(crate) fn set_giver(&mut self, value: ValueId, node: NodeId) {
        self.values[value.index()].node = node;
    }

    pub(crate) fn open_region(&mut self, parent: RegionId) -> RegionId {
        let id = RegionId(u32::try_from(self.regions.len()).expect("fewer than 2^32 regions fit in memory"));
        self.regions.push(Region {
            parent: Some(parent),
            parameters: Vec::new(),
            nodes: Vec::new(),
            results: Vec::new(),
            kind: RegionKind::Open,
        });
        id
    }

    /// Whether what stands in `outer` is visible in `inner`.
    pub(crate) fn encloses(&self, outer: RegionId, mut inner: RegionId) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            match self.region(inner) {
                Region {
                    kind: RegionKind::Open,
                    parent: Some(parent),
                    ..
                } => inner = *parent,
                _ => return false,
            }
        }
    }

    /// The innermost region around this one, or it itself, that runs on each device's own parts.
    pub(crate) fn manual_around(&self, region: RegionId) -> Option<RegionId> {
        self.around(region)
            .find(|&region| self.region(region).kind == RegionKind::Manual)
    }

    /// The innermost region around this one, or it itself, that does not see what is around it.
    pub(crate) fn isolated_around(&self, region: RegionId) -> Option<RegionId> {
        self.around(region)
            .find(|&region| self.region(region).kind != RegionKind::Open)
    }

    /// A region and all that are around it, the innermost first.
    fn around(&self, region: RegionId) -> impl Iterator<Item = RegionId> {
        std::iter::successors(Some(region), |&region| self.region(region).parent)
    }

    /// Adds a parameter to a region.
    pub(crate) fn parameter(
        &mut self,
        region: RegionId,
        shape: Shape,
        location: &'static Location<'static>,
    ) -> ValueId {
        let position = u32::try_from(self.region(region).parameters.len()).expect("parameters are counted in 32 bits");
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
