//! User data of an execution for the handlers of its program.

use crate::{
    ExecuteContext, Result,
    extension::{SlotPlace, call_untyped, slot},
    sys,
};
use std::{any::Any, sync::Arc};

impl ExecuteContext {
    /// Adds a value for handlers that ask for a `T`: one value of each type.
    ///
    /// The context, and the executions that use it, keep the value.
    ///
    /// # Errors
    /// The context has a `T`, or the plugin has no FFI.
    pub fn insert<T: Any + Send + Sync>(&self, value: Arc<T>) -> Result<()> {
        let client = self.client();
        let ffi = client.plugin().ffi()?;
        let api = client.plugin().api();
        // The longer, older form with a null deleter is valid for both.
        let mut args: sys::PJRT_FFI_UserData_Add_Args_V2 = api.zeroed();
        args.context = self.as_ptr();
        args.type_id = ffi.type_id::<T>()?;
        args.data = Arc::as_ptr(&value).cast_mut().cast();
        // Kept before the plugin has the pointer, whatever happens in between.
        self.keep(Box::new(value));
        // SAFETY: the context lives; it keeps the value as long as the plugin may use it.
        unsafe { call_untyped(api, user_data_place(), &mut args) }
    }
}

/// Where user data is added to an execute context.
fn user_data_place() -> SlotPlace {
    slot!(PJRT_Extension_Type_FFI, PJRT_FFI_Extension, user_data_add, "PJRT_FFI_UserData_Add", 53).0
}
