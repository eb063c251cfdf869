//! The ids by which a plugin knows Rust types.

use crate::{
    HandlerError, callback, sys,
    table::{Table, entry, span},
};
use std::{
    any::TypeId,
    ffi::c_void,
    ptr::null_mut,
    sync::{PoisonError, RwLock},
};

/// The types that were registered: table, type, id.
static TYPES: RwLock<Vec<(Table, TypeId, i64)>> = RwLock::new(Vec::new());

impl Table {
    /// The id of a type, if it was registered.
    pub(crate) fn known_type_id<T: 'static>(self) -> Option<i64> {
        find::<T>(&TYPES.read().unwrap_or_else(PoisonError::into_inner), self)
    }

    /// The id of a type, registered if it is new: that of user data in
    /// [`CallFrame::user_data`](crate::CallFrame::user_data).
    ///
    /// # Errors
    /// The plugin's error, or the table has no registry of types.
    pub fn type_id<T: Send + Sync + 'static>(self) -> Result<i64, HandlerError> {
        if let Some(id) = self.known_type_id::<T>() {
            return Ok(id);
        }
        let mut types = TYPES.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = find::<T>(&types, self) {
            return Ok(id);
        }
        // Two types of one name, of two versions of a crate, differ in their `TypeId`.
        let name = format!("{}#{:?}", std::any::type_name::<T>(), TypeId::of::<T>());
        let mut type_id = sys::XLA_FFI_TypeId { type_id: 0 };
        // Never freed, since plugins may keep the pointer.
        let info = Box::leak(Box::new(sys::XLA_FFI_TypeInfo {
            struct_size: sys::XLA_FFI_TypeInfo_STRUCT_SIZE,
            extension_start: null_mut(),
            deleter: Some(drop_box::<T>),
        }));
        let mut args = sys::XLA_FFI_Type_Register_Args {
            // The header's own constant leaves out the last field.
            struct_size: size_of::<sys::XLA_FFI_Type_Register_Args>(),
            extension_start: null_mut(),
            name: span(&name),
            type_id: &mut type_id,
            type_info: info,
        };
        // SAFETY: the name lives during the call, the information is never freed.
        unsafe { self.call(entry!(XLA_FFI_Type_Register), &mut args) }?;
        types.push((self, TypeId::of::<T>(), type_id.type_id));
        Ok(type_id.type_id)
    }
}

fn find<T: 'static>(types: &[(Table, TypeId, i64)], table: Table) -> Option<i64> {
    types.iter().find(|(t, ty, _)| *t == table && *ty == TypeId::of::<T>()).map(|(.., id)| *id)
}

/// Frees a state: the deleter of the types with an id.
pub(crate) unsafe extern "C" fn drop_box<T>(state: *mut c_void) {
    callback::run("a deleter", || {
        // SAFETY: states of this type are boxes that were given away.
        drop(unsafe { Box::from_raw(state.cast::<T>()) });
    });
}
