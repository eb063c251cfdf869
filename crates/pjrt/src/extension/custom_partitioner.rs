//! Partitioning rules for custom calls.
//!
//! Only the simple rule is wrapped. The other slot of the extension takes a table of C callbacks
//! that see shardings of the older partitioner; with Shardy, `sdy.sharding_rule` on the custom call
//! expresses the same in the program.

use crate::{
    Plugin, Result,
    extension::{call, slot},
    sys,
};

impl Plugin {
    /// Declares that a custom call may be split along leading dimensions like an elementwise
    /// operation (API 0.47 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn register_batch_partitionable(&self, target: &str) -> Result<()> {
        let api = self.api();
        let (place, slot) = slot!(
            PJRT_Extension_Type_Custom_Partitioner,
            PJRT_Custom_Partitioner_Extension,
            register_batch_partitionable,
            "PJRT_Register_Batch_Partitionable",
            47
        );
        let mut args: sys::PJRT_Register_Batch_Partitionable_Args = api.zeroed();
        args.name = target.as_ptr().cast();
        args.name_size = target.len();
        // SAFETY: the name outlives the call.
        unsafe { call(api, place, slot, &mut args) }
    }
}
