//! Shardings of a compiled program's parameters and results.

use crate::{
    Executable, Result,
    extension::{Slot, SlotPlace, call, slot},
    sys,
};
use sys::slice;

impl Executable {
    /// The sharding of each parameter, as a serialized `xla.OpSharding` message (API 0.91 and
    /// later); `None` if the plugin does not report it.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn parameter_shardings(&self) -> Result<Option<Vec<Vec<u8>>>> {
        self.shardings(slot!(
            PJRT_Extension_Type_Shardings,
            PJRT_Shardings_Extension,
            PJRT_Shardings_PJRT_Executable_ParameterShardings,
            91
        ))
    }

    /// The sharding of each result, as a serialized `xla.OpSharding` message (API 0.91 and later);
    /// `None` if the plugin does not report it.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn output_shardings(&self) -> Result<Option<Vec<Vec<u8>>>> {
        self.shardings(slot!(
            PJRT_Extension_Type_Shardings,
            PJRT_Shardings_Extension,
            PJRT_Shardings_PJRT_Executable_OutputShardings,
            91
        ))
    }

    fn shardings(
        &self,
        (place, slot): (
            SlotPlace,
            fn(&sys::PJRT_Shardings_Extension) -> Slot<sys::PJRT_Shardings_Args>,
        ),
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let mut args: sys::PJRT_Shardings_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive, and owns the messages, which are copied.
        unsafe {
            call(self.api, place, slot, &mut args)?;
            if args.shardings.is_null() || args.sharding_sizes.is_null() {
                return Ok(None);
            }
            let shardings = slice(args.shardings, args.num_shardings).iter();
            let sizes = slice(args.sharding_sizes, args.num_shardings).iter();
            Ok(Some(
                shardings
                    .zip(sizes)
                    .map(|(&bytes, &size)| slice(bytes.cast::<u8>(), size).to_vec())
                    .collect(),
            ))
        }
    }
}
