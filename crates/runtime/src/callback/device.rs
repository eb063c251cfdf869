//! Registration of the device handlers, the only unsafe code of the callbacks: on devices they
//! receive addresses, not slices.

#![allow(
    unsafe_code,
    reason = "registering code for a device is a promise about what it does with its memory"
)]

use super::{
    handler::{OnCopies, OnDevice},
    targets::{HOST_TARGET, REPLAYED_TARGET, TARGET},
};
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// Registers the targets for a platform whose memory is not the host's.
pub(super) fn register(ffi: &Ffi, platform: &str) -> hloom_pjrt::Result<()> {
    // SAFETY: the first two mark their views as device memory, and such views return addresses
    // only; the last passes host copies only.
    unsafe {
        ffi.register_for(TARGET, platform, &Handlers::new::<OnDevice<false>>())?;
        ffi.register_for(REPLAYED_TARGET, platform, &Handlers::new::<OnDevice<true>>())?;
        ffi.register_for(HOST_TARGET, platform, &Handlers::new::<OnCopies>())
    }
}
