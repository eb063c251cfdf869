//! The sharding of a tensor by axis names.

use crate::{
    Axis, IntoMeshAxes, MeshAxisPart, MeshShape, Name, PerAxis, ResolvedSharding, Shape,
    ShardingError,
};

/// The partition of a tensor over a mesh: the mesh axes that each of its axes is split along. It
/// refers to axes by name only, so one partition fits many tensors and meshes.
///
/// Other axes are replicated, unless they are left [`open`](Self::open) for the compiler to split.
///
/// ```
/// use hloom_graph::{MeshShape, PartitionSpec, Shape, DType};
///
/// let mesh = MeshShape::new([("data", 2), ("model", 4)])?;
/// let shape = Shape::new(DType::F32, [("batch", 8), ("heads", 12), ("dim", 64)])?;
/// let partition = PartitionSpec::shard("batch", "data").and("heads", "model");
/// let sharding = partition.resolve(&shape, &mesh)?;
/// assert_eq!(sharding.describe(&shape, &mesh), "f32[batch=8/data, heads=12/model, dim=64]");
/// assert_eq!(sharding.local(&shape, &mesh).to_string(), "f32[batch=4, heads=3, dim=64]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PartitionSpec {
    /// An axis of the tensor and a mesh axis that splits it, in order.
    splits: PerAxis<Option<(Axis, Name)>>,
    /// A mesh axis beyond the maximum mesh rank, which implies that one axis is used twice.
    excess: Option<Name>,
    open: PerAxis<Option<Axis>>,
    open_rest: bool,
    padded: bool,
}

crate::leaf!(PartitionSpec);

impl PartitionSpec {
    /// Replicated on every device.
    pub fn replicated() -> PartitionSpec {
        PartitionSpec::default()
    }

    /// An axis split along mesh axes, the first slowest.
    pub fn shard(axis: impl Into<Axis>, over: impl IntoMeshAxes) -> PartitionSpec {
        PartitionSpec::replicated().and(axis, over)
    }

    /// All axes left open for the compiler to split.
    pub fn any() -> PartitionSpec {
        PartitionSpec::replicated().open_rest()
    }

    /// Splits another axis along mesh axes, the first slowest.
    pub fn and(mut self, axis: impl Into<Axis>, over: impl IntoMeshAxes) -> PartitionSpec {
        let axis = axis.into();
        for name in over.into_mesh_axes() {
            if self.splits.push(Some((axis, name))).is_none() {
                self.excess = Some(name);
            }
        }
        self
    }

    /// The compiler may split this axis, or split it further.
    pub fn open(mut self, axis: impl Into<Axis>) -> PartitionSpec {
        if self.open.push(Some(axis.into())).is_none() {
            // The maximum rank is reached: all axes are named, or `resolve` reports the error.
            self.open_rest = true;
        }
        self
    }

    /// The compiler may split every axis, or split it further.
    pub fn open_rest(mut self) -> PartitionSpec {
        self.open_rest = true;
        self
    }

    /// Also splits an axis whose size is not divisible: the last parts are padded, which costs
    /// memory and some time but does not affect results.
    pub fn padded(mut self) -> PartitionSpec {
        self.padded = true;
        self
    }

    /// Whether the tensor is replicated on every device, with no axis left open.
    pub fn is_replicated(&self) -> bool {
        self.splits.is_empty() && self.open.is_empty() && !self.open_rest
    }

    /// The axes of the tensor that are split, each with the mesh axis, in order.
    pub fn splits(&self) -> impl Iterator<Item = (Axis, Name)> + '_ {
        self.splits.iter().flatten().copied()
    }

    /// Resolves axis names for a tensor of this shape on this mesh.
    ///
    /// # Errors
    /// An axis that the tensor or the mesh does not have, a mesh axis that is used twice, or a size
    /// that is not divisible.
    pub fn resolve(
        &self,
        shape: &Shape,
        mesh: &MeshShape,
    ) -> Result<ResolvedSharding, ShardingError> {
        let sharding = self.place(shape, mesh)?;
        sharding.check(shape, mesh)?;
        Ok(sharding)
    }

    /// As [`resolve`](Self::resolve), without the check of sizes.
    pub(crate) fn place(
        &self,
        shape: &Shape,
        mesh: &MeshShape,
    ) -> Result<ResolvedSharding, ShardingError> {
        self.check(shape)?;
        let mut sharding = ResolvedSharding::replicated(shape.rank());
        for (axis, name) in self.splits() {
            let position = mesh.position(name);
            let position = position
                .ok_or(ShardingError::NoSuchMeshAxis { axis: name, mesh: Box::new(*mesh) })?;
            sharding.add(shape.position(axis)?, MeshAxisPart::whole(position, mesh));
        }
        for axis in self.open.iter().flatten() {
            sharding.open(shape.position(*axis)?);
        }
        if self.open_rest {
            (0..shape.rank()).for_each(|axis| sharding.open(axis));
        }
        if self.padded {
            sharding.pad();
        }
        Ok(sharding)
    }

    /// Checks the partition against a tensor's shape, for any mesh.
    ///
    /// # Errors
    /// An axis that the tensor does not have, or a mesh axis that is used twice.
    pub fn check(&self, shape: &Shape) -> Result<(), ShardingError> {
        let mut seen: PerAxis<Option<Name>> = PerAxis::new();
        for (axis, name) in self.splits() {
            shape.position(axis)?;
            if seen.contains(&Some(name)) || seen.push(Some(name)).is_none() {
                let shape = Box::new(*shape);
                return Err(ShardingError::RepeatedAxis { axis: name, shape });
            }
        }
        if let Some(axis) = self.excess {
            let shape = Box::new(*shape);
            return Err(ShardingError::RepeatedAxis { axis, shape });
        }
        self.open.iter().flatten().try_for_each(|&axis| shape.position(axis).map(drop))?;
        Ok(())
    }
}

/// Pairs of an axis and a mesh axis.
impl<A: Into<Axis>, M: IntoMeshAxes, const N: usize> From<[(A, M); N]> for PartitionSpec {
    fn from(pairs: [(A, M); N]) -> PartitionSpec {
        let all = PartitionSpec::replicated();
        pairs.into_iter().fold(all, |all, (axis, over)| all.and(axis, over))
    }
}
