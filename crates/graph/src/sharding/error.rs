//! Errors of sharding.

use crate::{MAX_RANK, MeshShape, Name, Shape, ShapeError};

/// An invalid mesh, or a partition that does not fit a tensor or a mesh.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardingError {
    /// No axes, or too many.
    #[error("a mesh has one to {MAX_RANK} axes")]
    MeshRank,
    /// A mesh axis with an invalid name.
    #[error(
        "`{0}` is not a valid name of a mesh axis: allowed are letters, digits, `_`, `-` and `.`"
    )]
    MeshAxisName(Name),
    /// Two mesh axes with the same name.
    #[error("duplicate mesh axis `{0}`")]
    DuplicateMeshAxis(Name),
    /// A mesh axis of size 0.
    #[error("mesh axis `{0}` has size 0")]
    EmptyMeshAxis(Name),
    /// More devices than can be counted.
    #[error("a mesh of sizes {0:?} has more devices than can be counted")]
    TooManyDevices(Vec<usize>),
    /// The mesh has no such axis.
    #[error("there is no axis `{axis}` in the mesh {mesh}")]
    NoSuchMeshAxis {
        /// The requested axis.
        axis: Name,
        /// The mesh.
        mesh: Box<MeshShape>,
    },
    /// A mesh axis used twice.
    #[error("mesh axis `{0}` is used twice")]
    RepeatedMeshAxis(Name),
    /// A mesh axis that splits two axes of a tensor, or one axis twice.
    #[error("mesh axis `{axis}` splits {shape} twice; it can split one axis of a tensor")]
    RepeatedAxis {
        /// The mesh axis.
        axis: Name,
        /// The tensor.
        shape: Box<Shape>,
    },
    /// An axis whose size is not divisible.
    #[error(
        "axis {axis} of {shape} has size {size}, which is not divisible by {parts}, the size of \
         {over} in the mesh {mesh}"
    )]
    Indivisible {
        /// The axis, by name or index.
        axis: String,
        /// The tensor.
        shape: Box<Shape>,
        /// The size of the axis.
        size: usize,
        /// The number of parts.
        parts: usize,
        /// The mesh axes, in words.
        over: String,
        /// The mesh.
        mesh: Box<MeshShape>,
    },
    /// The tensor has no such axis.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

crate::debug_as_display!(ShardingError);
