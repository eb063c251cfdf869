//! Device meshes.

mod picture;
mod sharding;

pub use picture::Picture;
pub use sharding::NamedSharding;

use crate::{Error, MeshError, Platform, Result};
use hloom_graph::{MeshShape, Name, Shape};
use hloom_pjrt::{Device, LoadedExecutable};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
};

/// A grid of a platform's devices with named axes, which programs and buffers are partitioned over.
/// Cheap to clone.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// let platform = Platform::cpus(8)?;
/// let mesh = Mesh::new(&platform, [("data", 2), ("model", 4)])?;
/// let x = Spec::f32([("batch", 8), ("in", 16)]).shard("batch", "data");
/// let w = Spec::f32([("in", 16), ("out", 32)]).shard("out", "model");
/// let exe = mesh.compile(|x: Tensor, w: Tensor| x.dot(w, "in"), (x.clone(), w.clone()))?;
///
/// let x = Buffer::from_slice(&mesh.sharding(&x)?, &[1f32; 8 * 16], [("batch", 8), ("in", 16)])?;
/// let w = Buffer::from_slice(&mesh.sharding(&w)?, &[1f32; 16 * 32], [("in", 16), ("out", 32)])?;
/// let y = exe.call((&x, &w))?;
/// println!("{}", y.sharding().expect("it lies on the mesh").picture(&y.shape()));
/// # Ok(()) }
/// ```
///
/// `Debug` prints the grid of device ids.
#[derive(Clone)]
pub struct Mesh(Arc<Inner>);

struct Inner {
    platform: Platform,
    shape: MeshShape,
    devices: Box<[Device]>,
    /// Compiled programs that reshard a tensor.
    moves: Mutex<HashMap<Move, LoadedExecutable>>,
}

/// A reshard: the shape, the sharding it has and the sharding it needs.
pub(crate) type Move = (Shape, hloom_graph::ResolvedSharding, hloom_graph::ResolvedSharding);

impl Mesh {
    /// A mesh of the platform's first devices, in the platform's order; the last axis varies
    /// fastest.
    ///
    /// # Errors
    /// The axes do not form a mesh, or the platform has too few devices.
    pub fn new<N: Into<Name>>(
        platform: &Platform,
        axes: impl IntoIterator<Item = (N, usize)>,
    ) -> Result<Mesh> {
        let shape = MeshShape::new(axes)?;
        let mut devices = platform.devices();
        if devices.len() < shape.device_count() {
            return Err(Error::Mesh(MeshError::TooLarge {
                mesh: Box::new(shape),
                platform: platform.to_string(),
                found: devices.len(),
            }));
        }
        devices.truncate(shape.device_count());
        Mesh::of(platform, shape, devices)
    }

    /// A mesh of these devices of the platform, in this order; the last axis varies fastest. Any
    /// devices can be used, each once.
    ///
    /// # Errors
    /// The axes do not form a mesh, the number of devices differs from theirs, or a device is
    /// passed twice or is not one that this process can use through the platform.
    pub fn over<N: Into<Name>>(
        platform: &Platform,
        devices: impl IntoIterator<Item = Device>,
        axes: impl IntoIterator<Item = (N, usize)>,
    ) -> Result<Mesh> {
        Mesh::of(platform, MeshShape::new(axes)?, devices.into_iter().collect())
    }

    fn of(platform: &Platform, mesh: MeshShape, devices: Vec<Device>) -> Result<Mesh> {
        if devices.len() != mesh.device_count() {
            return Err(Error::Mesh(MeshError::Count {
                mesh: Box::new(mesh),
                found: devices.len(),
            }));
        }
        for (position, device) in devices.iter().enumerate() {
            if device.client().as_ptr() != platform.client().as_ptr() || !device.is_addressable() {
                return Err(Error::Mesh(MeshError::Foreign {
                    mesh: Box::new(mesh),
                    device: device.id(),
                    platform: platform.to_string(),
                }));
            }
            if devices[..position].contains(device) {
                return Err(Error::Mesh(MeshError::Twice {
                    mesh: Box::new(mesh),
                    device: device.id(),
                }));
            }
        }
        Ok(Mesh(Arc::new(Inner {
            platform: platform.clone(),
            shape: mesh,
            devices: devices.into(),
            moves: Mutex::default(),
        })))
    }

    /// The platform that the devices belong to.
    pub fn platform(&self) -> &Platform {
        &self.0.platform
    }

    /// The axes.
    pub fn shape(&self) -> MeshShape {
        self.0.shape
    }

    /// The devices, in row-major order.
    pub fn devices(&self) -> &[Device] {
        &self.0.devices
    }

    /// The size of an axis, or `None` when there is no such axis.
    pub fn size(&self, axis: impl Into<Name>) -> Option<usize> {
        self.0.shape.size(axis)
    }

    /// A mesh of one device of this mesh, with one axis.
    pub(crate) fn of_one(&self, device: usize) -> Mesh {
        let shape = MeshShape::new([("device", 1)]).expect("one axis of size 1 is a mesh");
        Mesh::of(self.platform(), shape, vec![self.0.devices[device].clone()])
            .expect("one device of a mesh is a mesh")
    }

    /// Whether both have the same devices, in any order.
    pub(crate) fn has_same_devices(&self, other: &Mesh) -> bool {
        let (ours, theirs) = (self.devices(), other.devices());
        ours.len() == theirs.len() && ours.iter().all(|device| theirs.contains(device))
    }

    pub(crate) fn moves(&self) -> &Mutex<HashMap<Move, LoadedExecutable>> {
        &self.0.moves
    }

    /// A description in one line.
    pub(crate) fn describe(&self) -> String {
        let ids: Vec<String> =
            self.devices().iter().map(|device| device.id().to_string()).collect();
        format!(
            "the mesh {} of {} devices {}",
            self.shape(),
            self.platform().name(),
            ids.join(", ")
        )
    }
}

impl PartialEq for Mesh {
    /// Whether axes and devices are the same.
    fn eq(&self, other: &Mesh) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.shape() == other.shape() && self.devices() == other.devices())
    }
}

impl Eq for Mesh {}

impl fmt::Display for Mesh {
    /// The axes, and the ids of the devices as a grid: the last axis runs to the right, the one
    /// before it downwards, and further axes make blocks one below the other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.shape();
        write!(f, "{} {}", self.platform().name(), sizes)?;
        let sizes = sizes.sizes();
        let (&columns, slower) = sizes.split_last().expect("a mesh has an axis");
        let rows = slower.last().copied().unwrap_or(1);
        let width = self.devices().iter().map(|device| device.id().to_string().len()).max();
        let width = width.expect("a mesh has a device");
        for (position, device) in self.devices().iter().enumerate() {
            if position % columns == 0 {
                let block = position % (rows * columns) == 0 && position > 0;
                f.write_str(if block { "\n\n " } else { "\n " })?;
            }
            write!(f, " {:>width$}", device.id())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}
