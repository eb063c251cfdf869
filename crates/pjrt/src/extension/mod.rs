//! Extensions of plugins, beyond the function table.
//!
//! Each module wraps one extension. Plugins differ in their extensions: a missing extension or slot
//! is [`Error::Unsupported`](crate::Error::Unsupported), which names it.
//!
//! Extensions that are left raw, to be called through [`Api::extension`](crate::Api::extension) and
//! [`sys`], and why:
//!
//! | extension | why it is not wrapped |
//! |---|---|
//! | `PhaseCompile` | its phases and partial programs belong to the plugin, undocumented |
//! | `CrossHostTransfers` | needs processes on several hosts, and its C structs hold C++ integers |
//! | `RawBuffer` | experimental, and grown twice without a new type; [`read_raw`] reads ranges |
//! | `Custom_Partitioner`, first slot | see [`custom_partitioner`] |
//! | `Gpu_Custom_Call` | older registry of handlers; [`ffi`] uses it where there is no other |
//! | `Triton` | compiles to assembly that no deleter frees; current plugins leave it out |
//! | `ExecutableMetadata`, `Megascale`, `MultiSlice` | for TPU runtimes, not for compilers |
//! | `TpuExecutable`, `TpuTopology` | for TPU runtimes, not for compilers |
//! | `Callback`, `Collectives`, `XlaTransform` | hooks into the plugin's internals, in C++ terms |
//! | `HostAllocator`, `HostMemoryAllocator` | memory for staging that the plugin does by itself |
//!
//! [`read_raw`]: crate::Buffer::read_raw

pub mod abi_version;
pub mod custom_partitioner;
pub mod ffi;
pub mod layouts;
pub mod memory_descriptions;
pub mod profiler;
pub mod shardings;
pub mod stream;

use crate::{
    ExtensionType, Result,
    plugin::api::{Api, not_released},
    sys,
};
use std::{ffi::c_void, ptr::NonNull};

/// A function of an extension that returns an error.
type Slot<A> = Option<unsafe extern "C" fn(args: *mut A) -> *mut sys::PJRT_Error>;

/// The place of a slot, and its name in errors.
#[derive(Clone, Copy)]
pub(crate) struct SlotPlace {
    /// The type of the extension.
    pub(crate) number: sys::PJRT_Extension_Type,
    /// The slot's offset in the extension, in bytes.
    pub(crate) offset: usize,
    /// The slot's name.
    pub(crate) name: &'static str,
    /// The minor version of the C API that added it.
    pub(crate) since: u16,
}

impl SlotPlace {
    /// The function's address.
    pub(crate) fn address(self, api: &Api) -> Result<NonNull<c_void>> {
        let extension = api.extension(ExtensionType::from_raw(self.number));
        extension
            .and_then(|e| e.slot(self.offset))
            .ok_or_else(|| api.unsupported(self.name, self.since))
    }
}

/// Calls a slot. `_slot` only ties the type of `args` to the type of the slot at `place`.
///
/// # Safety
/// `place` is where `_slot` reads, and the fields of `args` are as the slot requires.
pub(crate) unsafe fn call<E, A>(
    api: &Api,
    place: SlotPlace,
    _slot: fn(&E) -> Slot<A>,
    args: &mut A,
) -> Result<()> {
    // SAFETY: by the contract of this function.
    unsafe { call_untyped(api, place, args) }
}

/// Calls a slot that takes another form of its struct than the one declared.
///
/// # Safety
/// The slot at `place` takes a pointer to `A`, whose fields are as the slot requires.
pub(crate) unsafe fn call_untyped<A>(api: &Api, place: SlotPlace, args: &mut A) -> Result<()> {
    api.check_process(place.name)?;
    let address = place.address(api)?;
    // SAFETY: the slot at this place takes this type; the caller answers for the fields.
    let error = unsafe {
        let function: unsafe extern "C" fn(*mut A) -> *mut sys::PJRT_Error =
            std::mem::transmute(address.as_ptr());
        function(args)
    };
    if error.is_null() {
        Ok(())
    } else {
        // SAFETY: an error that this plugin returned just now.
        Err(unsafe { api.take_error(place.name, error) })
    }
}

/// Calls a slot that frees something; an error is only logged, since nobody can act on it.
///
/// # Safety
/// As for [`call`].
pub(crate) unsafe fn release<E, A>(
    api: &Api,
    place: SlotPlace,
    slot: fn(&E) -> Slot<A>,
    args: &mut A,
) {
    // SAFETY: by the contract of this function.
    if let Err(error) = unsafe { call(api, place, slot, args) } {
        not_released(&error);
    }
}

/// The place of a slot and the closure that ties its type: `slot!(Layouts_Extension, field, 51)`.
macro_rules! slot {
    ($number:ident, $extension:ident, $field:ident, $since:literal) => {
        slot!($number, $extension, $field, stringify!($field), $since)
    };
    ($number:ident, $extension:ident, $field:ident, $name:expr, $since:literal) => {
        (
            $crate::extension::SlotPlace {
                number: $crate::sys::$number,
                offset: std::mem::offset_of!($crate::sys::$extension, $field),
                name: $name,
                since: $since,
            },
            |extension: &$crate::sys::$extension| extension.$field,
        )
    };
}
pub(crate) use slot;
