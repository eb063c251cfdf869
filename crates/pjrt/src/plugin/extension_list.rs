//! A plugin's list of extensions.

use crate::{plugin::extension_type::ExtensionType, sys};
use std::{ffi::c_void, ptr::NonNull};

/// An entry of a plugin's list of extensions.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    raw: NonNull<sys::PJRT_Extension_Base>,
    number: u32,
    size: usize,
}

// SAFETY: extensions are as immutable and long-lived as the table they belong to.
unsafe impl Send for Extension {}
// SAFETY: as above.
unsafe impl Sync for Extension {}

impl Extension {
    /// Its type.
    pub fn kind(&self) -> ExtensionType {
        ExtensionType::from_raw(self.number)
    }

    /// Its size in bytes, which determines its version.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Its start. Read only fields that end within [`Extension::size`].
    pub fn as_ptr(&self) -> *const sys::PJRT_Extension_Base {
        self.raw.as_ptr()
    }

    /// The pointer at `offset` bytes, or `None` if the extension ends before it or holds null.
    pub fn slot(&self, offset: usize) -> Option<NonNull<c_void>> {
        if !offset.is_multiple_of(8) || offset.checked_add(8)? > self.size {
            return None;
        }
        // SAFETY: the slot lies within the size that the plugin reports, and is aligned.
        NonNull::new(unsafe { self.raw.as_ptr().byte_add(offset).cast::<*mut c_void>().read() })
    }

    /// The name of its type in the C API's headers, if it is one that this crate knows.
    pub fn name(&self) -> Option<&'static str> {
        self.kind().name()
    }

    /// Reads a list. One that is longer than any real one is cut off: it may be circular.
    ///
    /// # Safety
    /// `first` is null or the head of a list that lives as long as the process.
    pub(crate) unsafe fn list(first: *mut sys::PJRT_Extension_Base) -> Vec<Self> {
        const HEAD: usize = size_of::<sys::PJRT_Extension_Base>();
        let mut list = Vec::new();
        let mut next = first;
        while let Some(raw) = NonNull::new(next)
            && list.len() < 256
        {
            // SAFETY: every entry begins with size, type and the next entry.
            let (size, number, following) = unsafe {
                let entry = raw.as_ptr();
                (
                    (&raw const (*entry).struct_size).read(),
                    (&raw const (*entry).type_).read(),
                    (&raw const (*entry).next).read(),
                )
            };
            if size >= HEAD {
                list.push(Self { raw, number, size });
            }
            next = following;
        }
        list
    }
}
