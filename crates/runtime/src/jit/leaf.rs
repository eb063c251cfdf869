//! The properties of a buffer that a program depends on.

use crate::{Buffer, NamedSharding};
use hloom_graph::{Mirror, PartitionSpec, Shape, Spec};

/// The key of a leaf of a jitted function's arguments: the shape and sharding of its buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct JitLeaf {
    shape: Shape,
    sharding: Option<NamedSharding>,
}

hloom_graph::leaf!(JitLeaf);

impl JitLeaf {
    /// The spec of buffers with this shape and sharding. No spec expresses a sharding along parts
    /// of mesh axes, which only a compiler chooses; the axes are then replicated.
    pub(super) fn spec(&self) -> Spec {
        let spec = Spec::of(self.shape);
        let Some(sharding) = &self.sharding else {
            return spec;
        };
        let (mesh, resolved) = (sharding.mesh().shape(), sharding.resolved());
        let mut partition = PartitionSpec::replicated();
        for axis in 0..resolved.rank() {
            for split in resolved.splits(axis).filter(|split| split.is_whole(&mesh)) {
                partition = partition.and(axis, mesh.name(split.mesh_axis.into()));
            }
        }
        // A sharding does not determine whether the last parts are padded; the sizes do.
        let sizes = self.shape.sizes().iter().enumerate();
        if sizes.into_iter().any(|(axis, size)| size % resolved.parts(axis) != 0) {
            partition = partition.padded();
        }
        spec.partitioned(partition)
    }
}

impl Mirror<Buffer> for JitLeaf {
    fn mirror(buffer: &Buffer) -> JitLeaf {
        JitLeaf { shape: buffer.shape(), sharding: buffer.sharding().cloned() }
    }

    fn is_mirror_of(&self, buffer: &Buffer) -> bool {
        self.shape == buffer.shape() && self.sharding.as_ref() == buffer.sharding()
    }
}
