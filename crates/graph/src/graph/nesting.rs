//! The nesting of regions.

use super::{Graph, NodeId, Region, RegionId, RegionKind};

impl Graph {
    /// Whether a node computes values of one device: it is in the body of a manual computation, or
    /// the graph is for one device. Its shapes are those of the device, and no partitioner splits
    /// it.
    pub fn is_per_device(&self, node: NodeId) -> bool {
        self.mesh().is_none_or(|mesh| mesh.device_count() == 1)
            || self.manual_around(self.node(node).region).is_some()
    }

    /// Whether values of `outer` are visible in `inner`.
    pub(crate) fn encloses(&self, outer: RegionId, mut inner: RegionId) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            match self.region(inner) {
                Region { kind: RegionKind::Open, parent: Some(parent), .. } => inner = *parent,
                _ => return false,
            }
        }
    }

    /// The innermost manual region that contains this one, or this one itself.
    pub(crate) fn manual_around(&self, region: RegionId) -> Option<RegionId> {
        self.around(region).find(|&region| self.region(region).kind == RegionKind::Manual)
    }

    /// The innermost isolated region that contains this one, or this one itself.
    pub(crate) fn isolated_around(&self, region: RegionId) -> Option<RegionId> {
        self.around(region).find(|&region| self.region(region).kind != RegionKind::Open)
    }

    /// A region and its enclosing regions, innermost first.
    fn around(&self, region: RegionId) -> impl Iterator<Item = RegionId> {
        std::iter::successors(Some(region), |&region| self.region(region).parent)
    }
}
