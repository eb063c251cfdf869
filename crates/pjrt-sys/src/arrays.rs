//! Arrays and texts of the C API as Rust slices and strings.

use std::ffi::c_char;

/// An array of the C API, which may be null when it is empty.
///
/// # Safety
/// `array` points to `len` values that live for `'a`, or is null.
pub unsafe fn slice<'a, T>(array: *const T, len: usize) -> &'a [T] {
    if array.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts(array, len) }
}

/// An array of the C API that may be written, which may be null when it is empty.
///
/// # Safety
/// `array` points to `len` values that nothing else uses for `'a`, or is null.
pub unsafe fn slice_mut<'a, T>(array: *mut T, len: usize) -> &'a mut [T] {
    if array.is_null() || len == 0 {
        return &mut [];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts_mut(array, len) }
}

/// Copies text of the C API; bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `text` points to `len` bytes, or is null.
pub unsafe fn string(text: *const c_char, len: usize) -> String {
    // SAFETY: by the contract of this function.
    String::from_utf8_lossy(unsafe { slice(text.cast::<u8>(), len) }).into_owned()
}
