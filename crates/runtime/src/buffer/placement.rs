//! Placement of buffers.

use crate::{Mesh, NamedSharding, Platform, Result};
use hloom_graph::{PartitionSpec, Shape};
use std::sync::LazyLock;

/// Where new buffers go: to a platform's first device, over a mesh, or with a certain sharding.
///
/// Converts from a reference to a [`Platform`], a [`Mesh`] or a [`NamedSharding`].
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// The platform's first device.
    Platform(&'a Platform),
    /// A mesh: sharded according to a spec, otherwise replicated.
    Mesh(&'a Mesh),
    /// A given sharding.
    NamedSharding(&'a NamedSharding),
}

impl Placement<'_> {
    /// The platform.
    pub fn platform(&self) -> &Platform {
        match self {
            Placement::Platform(platform) => platform,
            Placement::Mesh(mesh) => mesh.platform(),
            Placement::NamedSharding(sharding) => sharding.mesh().platform(),
        }
    }

    /// The sharding of a tensor with this partition; `None` on a platform's first device.
    ///
    /// # Errors
    /// The partition does not match the mesh.
    pub fn sharding(
        &self,
        shape: &Shape,
        partition: PartitionSpec,
    ) -> Result<Option<NamedSharding>> {
        match *self {
            Placement::Platform(_) => Ok(None),
            Placement::Mesh(mesh) => NamedSharding::new(mesh, shape, partition).map(Some),
            Placement::NamedSharding(sharding) => {
                sharding.check(shape)?;
                Ok(Some(sharding.clone()))
            }
        }
    }
}

macro_rules! placement {
    ($($variant:ident),*) => { $(
        impl<'a> From<&'a $variant> for Placement<'a> {
            fn from(place: &'a $variant) -> Placement<'a> {
                Placement::$variant(place)
            }
        }
        impl<'a> From<&'a LazyLock<$variant>> for Placement<'a> {
            fn from(place: &'a LazyLock<$variant>) -> Placement<'a> {
                Placement::$variant(place)
            }
        }
    )* };
}
placement!(Platform, Mesh, NamedSharding);
