//! Attributes of the multi-device ops. Mesh axes are indices into the graph's mesh.

use crate::{MeshShape, PerAxis, Reduction, RegionId, ResolvedSharding};

/// A body that runs per device on local parts of the operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Manual {
    /// Maps parts of the operands to parts of the results.
    pub body: RegionId,
    /// The sharding of each operand.
    pub inputs: Vec<ResolvedSharding>,
    /// The sharding of each result, by which its parts are joined.
    pub outputs: Vec<ResolvedSharding>,
}

/// Communication within groups of devices that differ only along some mesh axes. Devices of a group
/// are numbered along those axes, the first slowest.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Collective {
    /// Reduces elementwise across a group; each device gets the result.
    AllReduce {
        /// The function that combines elements.
        reduction: Reduction,
        /// The mesh axes.
        over: PerAxis<usize>,
    },
    /// Concatenates the parts of a group; each device gets them all.
    AllGather {
        /// The axis of the tensor that grows.
        axis: usize,
        /// The mesh axes.
        over: PerAxis<usize>,
    },
    /// Reduces as [`AllReduce`](Self::AllReduce); each device gets its part of the result.
    ReduceScatter {
        /// The function that combines elements.
        reduction: Reduction,
        /// The axis of the tensor that shrinks.
        axis: usize,
        /// The mesh axes.
        over: PerAxis<usize>,
    },
    /// Each device splits its values along one axis, sends one part to each device of its group,
    /// and concatenates the parts that it receives along another axis.
    AllToAll {
        /// The axis that shrinks.
        split: usize,
        /// The axis that grows.
        concat: usize,
        /// The mesh axes.
        over: PerAxis<usize>,
    },
    /// Sends values between devices of a group; a device that receives nothing gets zeros.
    Permute {
        /// Pairs of source and target.
        pairs: Vec<(usize, usize)>,
        /// The mesh axes.
        over: PerAxis<usize>,
    },
    /// Sends the values of one device to its whole group.
    Broadcast {
        /// The source device.
        source: usize,
        /// The mesh axes.
        over: PerAxis<usize>,
    },
    /// The index of the device in its group.
    AxisIndex(PerAxis<usize>),
}

impl Collective {
    /// The name of the method of `Tensor`, or of the function.
    pub const fn name(&self) -> &'static str {
        match self {
            Collective::AllReduce { .. } => "all_reduce",
            Collective::AllGather { .. } => "all_gather",
            Collective::ReduceScatter { .. } => "reduce_scatter",
            Collective::AllToAll { .. } => "all_to_all",
            Collective::Permute { .. } => "collective_permute",
            Collective::Broadcast { .. } => "collective_broadcast",
            Collective::AxisIndex(_) => "axis_index",
        }
    }

    /// The mesh axes along which the devices of a group differ.
    pub fn over(&self) -> &[usize] {
        match self {
            Collective::AllReduce { over, .. }
            | Collective::AllGather { over, .. }
            | Collective::ReduceScatter { over, .. }
            | Collective::AllToAll { over, .. }
            | Collective::Permute { over, .. }
            | Collective::Broadcast { over, .. }
            | Collective::AxisIndex(over) => over,
        }
    }

    /// Formats the attributes for the text form of a graph.
    pub(crate) fn describe(&self, mesh: &MeshShape) -> String {
        let names: Vec<&str> = self.over().iter().map(|&axis| mesh.name(axis).as_str()).collect();
        let over = format!("over [{}]", names.join(", "));
        match self {
            Collective::AllReduce { reduction, .. } => format!("{} {over}", reduction.name()),
            Collective::AllGather { axis, .. } => format!("along {axis} {over}"),
            Collective::ReduceScatter { reduction, axis, .. } => {
                format!("{} along {axis} {over}", reduction.name())
            }
            Collective::AllToAll { split, concat, .. } => {
                format!("split {split} concat {concat} {over}")
            }
            Collective::Permute { pairs, .. } => format!("{pairs:?} {over}"),
            Collective::Broadcast { source, .. } => format!("from {source} {over}"),
            Collective::AxisIndex(_) => over,
        }
    }
}
