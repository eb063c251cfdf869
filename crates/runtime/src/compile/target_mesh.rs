//! Meshes that programs are compiled for.

use crate::Mesh;
use hloom_graph::MeshShape;

/// The mesh that a program is split over.
#[derive(Clone, Debug)]
pub(crate) enum TargetMesh {
    /// Devices of a platform, which run the program.
    Platform(Mesh),
    /// Devices of a topology, for which the program is compiled ahead of time.
    Topology {
        /// The axes.
        shape: MeshShape,
        /// The ids of the devices, in row-major order.
        ids: Vec<i64>,
    },
}

impl TargetMesh {
    /// The axes.
    pub fn shape(&self) -> MeshShape {
        match self {
            TargetMesh::Platform(mesh) => mesh.shape(),
            TargetMesh::Topology { shape, .. } => *shape,
        }
    }

    /// The ids of the devices, in row-major order.
    pub fn ids(&self) -> Vec<i64> {
        match self {
            TargetMesh::Platform(mesh) => mesh.devices().iter().map(|device| device.id()).collect(),
            TargetMesh::Topology { ids, .. } => ids.clone(),
        }
    }

    /// The mesh of a platform; `None` for devices of a topology.
    pub fn of_platform(&self) -> Option<&Mesh> {
        match self {
            TargetMesh::Platform(mesh) => Some(mesh),
            TargetMesh::Topology { .. } => None,
        }
    }
}
