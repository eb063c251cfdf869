//! Errors of device meshes.

use hloom_graph::MeshShape;

/// Devices that cannot form a mesh.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The platform has too few devices.
    #[error("a mesh {mesh} has {} devices, and {platform} has {found}", mesh.device_count())]
    TooLarge {
        /// The axes.
        mesh: Box<MeshShape>,
        /// The platform, as text.
        platform: String,
        /// The number of devices that it has.
        found: usize,
    },
    /// More or fewer devices than the axes require.
    #[error("a mesh {mesh} has {} devices, and {found} are given", mesh.device_count())]
    Count {
        /// The axes.
        mesh: Box<MeshShape>,
        /// The number of devices passed.
        found: usize,
    },
    /// A device that was passed twice.
    #[error("device {device} is in the mesh {mesh} twice")]
    Twice {
        /// The axes.
        mesh: Box<MeshShape>,
        /// The id of the device.
        device: i64,
    },
    /// A device of another platform or process.
    #[error("device {device} of the mesh {mesh} is not addressable by {platform}")]
    Foreign {
        /// The axes.
        mesh: Box<MeshShape>,
        /// The id of the device.
        device: i64,
        /// The platform, as text.
        platform: String,
    },
    /// A graph that was traced over another mesh, or over none.
    #[error("the graph is for {found}, and is compiled for {expected}")]
    Graph {
        /// The mesh that it is compiled for, as text.
        expected: String,
        /// The mesh that it was traced for, as text.
        found: String,
    },
}

hloom_graph::debug_as_display!(MeshError);
