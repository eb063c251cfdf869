//! ABI versions: whether an executable compiled elsewhere can run here.

use crate::{
    Api, Client, Executable, Plugin, Result,
    extension::{Slot, SlotPlace, call, release, slot},
    sys,
};
use std::ptr::NonNull;
use sys::slice;

type Extension = sys::PJRT_AbiVersion_Extension;

macro_rules! place {
    ($field:ident, $name:literal) => {
        slot!(PJRT_Extension_Type_AbiVersion, PJRT_AbiVersion_Extension, $field, $name, 91)
    };
}

/// The binary interface that a client runs (API 0.91 and later).
pub struct RuntimeAbiVersion(Version<sys::PJRT_RuntimeAbiVersion>);

/// The binary interface that an executable was compiled for (API 0.91 and later).
pub struct ExecutableAbiVersion(Version<sys::PJRT_ExecutableAbiVersion>);

/// A version of either kind, with the slot that frees it.
struct Version<V: Copy> {
    api: &'static Api,
    raw: NonNull<V>,
    destroy: (SlotPlace, Destroy<V>),
}

type Destroy<V> = fn(&Extension) -> Slot<sys::PJRT_AbiVersion_Destroy_Args<V>>;

// SAFETY: versions are immutable.
unsafe impl<V: Copy> Send for Version<V> {}
// SAFETY: as above.
unsafe impl<V: Copy> Sync for Version<V> {}

impl<V: Copy> Version<V> {
    fn new(api: &'static Api, raw: *mut V, place: SlotPlace, destroy: Destroy<V>) -> Result<Self> {
        Ok(Self { api, raw: api.handle(raw, place.name)?, destroy: (place, destroy) })
    }

    fn message(
        &self,
        place: SlotPlace,
        slot: fn(&Extension) -> Slot<sys::PJRT_AbiVersion_ToProto_Args<V>>,
    ) -> Result<Vec<u8>> {
        let mut args: sys::PJRT_AbiVersion_ToProto_Args<V> = self.api.zeroed();
        args.abi_version = self.raw.as_ptr();
        // SAFETY: the version is alive; the bytes are copied before their owner is freed, once.
        unsafe {
            call(self.api, place, slot, &mut args)?;
            let bytes =
                slice(args.serialized_proto.cast::<u8>(), args.serialized_proto_size).to_vec();
            if let Some(deleter) = args.serialized_proto_deleter {
                deleter(args.serialized_proto_holder);
            }
            Ok(bytes)
        }
    }

    fn platform_id(
        &self,
        place: SlotPlace,
        slot: fn(&Extension) -> Slot<sys::PJRT_AbiVersion_Pair_Args<*const V, u64>>,
    ) -> Result<u64> {
        let mut args: sys::PJRT_AbiVersion_Pair_Args<*const V, u64> = self.api.zeroed();
        args.object = self.raw.as_ptr();
        // SAFETY: the version is alive.
        unsafe { call(self.api, place, slot, &mut args) }?;
        Ok(args.version)
    }
}

impl<V: Copy> Drop for Version<V> {
    fn drop(&mut self) {
        let (place, slot) = self.destroy;
        let mut args: sys::PJRT_AbiVersion_Destroy_Args<V> = self.api.zeroed();
        args.abi_version = self.raw.as_ptr();
        // SAFETY: this handle owns the version, which is not used again.
        unsafe { release(self.api, place, slot, &mut args) };
    }
}

impl Client {
    /// The binary interface that the client runs.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn runtime_abi_version(&self) -> Result<RuntimeAbiVersion> {
        let api = self.plugin().api();
        let (place, slot) = place!(client_runtime_abi_version, "PJRT_Client_RuntimeAbiVersion");
        let mut args: sys::PJRT_AbiVersion_Pair_Args<_, _> = api.zeroed();
        args.object = self.as_ptr();
        // SAFETY: the client is alive; the version is ours.
        unsafe { call(api, place, slot, &mut args) }?;
        RuntimeAbiVersion::own(api, args.version)
    }
}

impl Executable {
    /// The binary interface that the executable was compiled for.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn abi_version(&self) -> Result<ExecutableAbiVersion> {
        let (place, slot) = place!(executable_get_abi_version, "PJRT_Executable_GetAbiVersion");
        let mut args: sys::PJRT_AbiVersion_Pair_Args<_, _> = self.api.zeroed();
        args.object = self.as_ptr();
        // SAFETY: the executable is alive; the version is ours.
        unsafe { call(self.api, place, slot, &mut args) }?;
        ExecutableAbiVersion::own(self.api, args.version)
    }
}

impl RuntimeAbiVersion {
    fn own(api: &'static Api, raw: *mut sys::PJRT_RuntimeAbiVersion) -> Result<Self> {
        let (place, slot) = place!(runtime_abi_version_destroy, "PJRT_RuntimeAbiVersion_Destroy");
        Version::new(api, raw, place, slot).map(Self)
    }

    /// Deserializes the bytes of [`RuntimeAbiVersion::to_bytes`].
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn from_bytes(plugin: Plugin, bytes: &[u8]) -> Result<Self> {
        let api = plugin.api();
        let (place, slot) =
            place!(runtime_abi_version_from_proto, "PJRT_RuntimeAbiVersion_FromProto");
        let mut args: sys::PJRT_AbiVersion_FromProto_Args<_> = api.zeroed();
        args.serialized_proto = bytes.as_ptr().cast();
        args.serialized_proto_size = bytes.len();
        // SAFETY: the bytes outlive the call; the version is ours.
        unsafe { call(api, place, slot, &mut args) }?;
        Self::own(api, args.abi_version)
    }

    /// Serializes the version, to be kept with what depends on it.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (place, slot) = place!(runtime_abi_version_to_proto, "PJRT_RuntimeAbiVersion_ToProto");
        self.0.message(place, slot)
    }

    /// The id of the platform.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn platform_id(&self) -> Result<u64> {
        let (place, slot) =
            place!(runtime_abi_version_platform_id, "PJRT_RuntimeAbiVersion_PlatformId");
        self.0.platform_id(place, slot)
    }

    /// Whether executables for this runtime run on another.
    ///
    /// # Errors
    /// They do not; the plugin's error has the reason.
    pub fn check_runtime(&self, other: &Self) -> Result<()> {
        let (place, slot) = place!(
            runtime_abi_version_is_compatible_with_runtime,
            "PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime"
        );
        let mut args: sys::PJRT_AbiVersion_Pair_Args<*const _, *const _> = self.0.api.zeroed();
        args.object = self.0.raw.as_ptr();
        args.version = other.0.raw.as_ptr();
        // SAFETY: both versions are alive.
        unsafe { call(self.0.api, place, slot, &mut args) }
    }

    /// Whether an executable runs on this runtime.
    ///
    /// # Errors
    /// It does not; the plugin's error has the reason.
    pub fn check_executable(&self, executable: &ExecutableAbiVersion) -> Result<()> {
        let (place, slot) = place!(
            runtime_abi_version_is_compatible_with_executable,
            "PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable"
        );
        let mut args: sys::PJRT_AbiVersion_Pair_Args<*const _, *const _> = self.0.api.zeroed();
        args.object = self.0.raw.as_ptr();
        args.version = executable.0.raw.as_ptr();
        // SAFETY: both versions are alive.
        unsafe { call(self.0.api, place, slot, &mut args) }
    }
}

impl ExecutableAbiVersion {
    fn own(api: &'static Api, raw: *mut sys::PJRT_ExecutableAbiVersion) -> Result<Self> {
        let (place, slot) =
            place!(executable_abi_version_destroy, "PJRT_ExecutableAbiVersion_Destroy");
        Version::new(api, raw, place, slot).map(Self)
    }

    /// Deserializes the bytes of [`ExecutableAbiVersion::to_bytes`].
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn from_bytes(plugin: Plugin, bytes: &[u8]) -> Result<Self> {
        let api = plugin.api();
        let (place, slot) =
            place!(executable_abi_version_from_proto, "PJRT_ExecutableAbiVersion_FromProto");
        let mut args: sys::PJRT_AbiVersion_FromProto_Args<_> = api.zeroed();
        args.serialized_proto = bytes.as_ptr().cast();
        args.serialized_proto_size = bytes.len();
        // SAFETY: the bytes outlive the call; the version is ours.
        unsafe { call(api, place, slot, &mut args) }?;
        Self::own(api, args.abi_version)
    }

    /// Serializes the version, to be kept with the executable.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (place, slot) =
            place!(executable_abi_version_to_proto, "PJRT_ExecutableAbiVersion_ToProto");
        self.0.message(place, slot)
    }

    /// The id of the platform.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn platform_id(&self) -> Result<u64> {
        let (place, slot) =
            place!(executable_abi_version_platform_id, "PJRT_ExecutableAbiVersion_PlatformId");
        self.0.platform_id(place, slot)
    }
}
