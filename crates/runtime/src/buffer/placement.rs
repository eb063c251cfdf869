//! Placement of buffers.

use crate::{Mesh, Platform, Result, Sharding};
use hloom_graph::{Partition, Shape};
use std::sync::LazyLock;

/// Where new buffers go: to a platform's first device, over a mesh, or with a certain sharding.
///
/// Converts from a reference to a [`Platform`], a [`Mesh`] or a [`Sharding`].
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// The platform's first device.
    Platform(&'a Platform),
    /// A mesh: sharded according to a spec, otherwise replicated.
    Mesh(&'a Mesh),
    /// A given sharding.
    Sharding(&'a Sharding),
}

impl Placement<'_> {
    /// The platform.
    pub fn platform(&self) -> &Platform {
        match self {
            Placement::Platform(platform) => platform,
            Placement::Mesh(mesh) => mesh.platform(),
            Placement::Sharding(sharding) => sharding.mesh().platform(),
        }
    }

    /// The sharding of a tensor with this partition; `None` on a platform's first device.
    ///
    /// # Errors
    /// The partition does not match the mesh.
    pub fn sharding(&self, shape: &Shape, partition: Partition) -> Result<Option<Sharding>> {
        match *self {
            Placement::Platform(_) => Ok(None),
            Placement::Mesh(mesh) => Sharding::new(mesh, shape, partition).map(Some),
            Placement::Sharding(sharding) => {
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
placement!(Platform, Mesh, Sharding);
