//! The objects of handles.

use std::ffi::c_void;
use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::failure::Failure;
use super::happening::Happening;
use super::program::{Program, Shape};
use super::storage::Storage;

/// A type of handle, and the type of its object.
pub(crate) trait Handle: 'static {
    type Object: Send + 'static;
    const NAME: &'static str;
}

macro_rules! handles {
    ($($handle:ty => $object:ty, $name:literal;)*) => {$(
        impl Handle for $handle {
            type Object = $object;
            const NAME: &'static str = $name;
        }
    )*};
}

handles! {
    sys::PJRT_Error => Failure, "error";
    sys::PJRT_Client => Client, "client";
    sys::PJRT_Device => Device, "device";
    sys::PJRT_DeviceDescription => Description, "device description";
    sys::PJRT_Memory => Memory, "memory";
    sys::PJRT_TopologyDescription => Topology, "topology";
    sys::PJRT_Event => Arc<Happening>, "event";
    sys::PJRT_Buffer => Buffer, "buffer";
    sys::PJRT_Executable => Arc<Program>, "executable";
    sys::PJRT_LoadedExecutable => Loaded, "loaded executable";
    sys::PJRT_ExecuteContext => (), "execute context";
    sys::PJRT_AsyncHostToDeviceTransferManager => Manager, "transfer manager";
    sys::PJRT_SerializedExecutable => Vec<u8>, "serialized executable";
    sys::PJRT_SerializedTopology => Vec<u8>, "serialized topology";
    sys::PJRT_FulfillAliasBufferCallback => AliasPromise, "alias promise";
    sys::PJRT_AsyncTrackingEvent => (), "tracking event";
    Dependency => Arc<Happening>, "control dependency";
}

/// The handle of a control dependency, which the C API passes as plain data.
pub(crate) struct Dependency;

/// Handles as an array of the C API.
pub(crate) struct Handles<H>(pub(crate) Box<[*mut H]>);

// SAFETY: handles are numbers.
unsafe impl<H> Send for Handles<H> {}

pub(crate) struct Client {
    pub(crate) devices: Handles<sys::PJRT_Device>,
    pub(crate) memories: Handles<sys::PJRT_Memory>,
    pub(crate) descriptions: Handles<sys::PJRT_DeviceDescription>,
    pub(crate) topology: usize,
    /// Host memory that was mapped.
    pub(crate) mapped: Vec<usize>,
}

pub(crate) struct Device {
    pub(crate) ordinal: i32,
    pub(crate) description: usize,
    /// The default one first.
    pub(crate) memories: Handles<sys::PJRT_Memory>,
}

pub(crate) struct Description {
    pub(crate) id: i32,
    pub(crate) text: String,
}

pub(crate) struct Memory {
    pub(crate) id: i32,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) devices: Handles<sys::PJRT_Device>,
}

pub(crate) struct Topology {
    pub(crate) descriptions: Handles<sys::PJRT_DeviceDescription>,
}

pub(crate) struct Buffer {
    pub(crate) client: usize,
    pub(crate) device: usize,
    pub(crate) memory: usize,
    pub(crate) shape: Shape,
    pub(crate) minor_to_major: Vec<i64>,
    /// `None` once deleted or donated.
    pub(crate) storage: Option<Arc<Storage>>,
    pub(crate) ready: Arc<Happening>,
    pub(crate) references: usize,
}

pub(crate) struct Loaded {
    pub(crate) client: usize,
    pub(crate) program: Arc<Program>,
    pub(crate) devices: Handles<sys::PJRT_Device>,
    pub(crate) is_deleted: bool,
}

/// A buffer that a transfer manager fills.
pub(crate) struct Filled {
    pub(crate) shape: Shape,
    pub(crate) storage: Arc<Storage>,
    pub(crate) ready: Arc<Happening>,
    pub(crate) is_taken: bool,
    pub(crate) is_over: bool,
}

pub(crate) struct Manager {
    pub(crate) client: usize,
    pub(crate) device: usize,
    pub(crate) memory: usize,
    pub(crate) buffers: Vec<Filled>,
}

/// A promise of an aliased buffer: the buffer that fulfils it is copied to the alias.
pub(crate) struct AliasPromise {
    pub(crate) storage: Arc<Storage>,
    pub(crate) ready: Arc<Happening>,
}

/// A handle as a number.
pub(crate) fn id<H>(handle: *const H) -> usize {
    handle.addr()
}

/// A number as a handle.
pub(crate) fn handle<H>(id: usize) -> *mut H {
    std::ptr::without_provenance_mut(id)
}

/// The untyped form of a handle.
pub(crate) fn data(id: usize) -> *mut c_void {
    handle(id)
}
