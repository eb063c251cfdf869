//! Arguments and results of a call: views of the program's own memory.
//!
//! The views are for the host's memory. Handlers for devices do not have it: registering one is
//! unsafe, with the promise that it uses addresses only.

use super::HandlerError;
use crate::{DType, Element, sys};
use std::marker::PhantomData;

/// An array in the program's memory.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    dtype: DType,
    dims: &'a [i64],
    data: *mut u8,
    bytes: usize,
}

// SAFETY: a description of memory; those who read or write it answer for the access.
unsafe impl Send for Array<'_> {}
// SAFETY: as above.
unsafe impl Sync for Array<'_> {}

impl<'a> Array<'a> {
    /// # Safety
    /// `raw` points to a buffer of a call frame, which with its dimensions lives for `'a`.
    pub(super) unsafe fn read(raw: *const sys::XLA_FFI_Buffer) -> Result<Self, HandlerError> {
        // SAFETY: by the contract of this function.
        let (number, data, rank, dims) =
            unsafe { ((*raw).dtype, (*raw).data, (*raw).rank, (*raw).dims) };
        let dtype = i32::try_from(number).ok().and_then(DType::from_primitive_type);
        let dtype = dtype.unwrap_or(DType::Other(number));
        let rank = usize::try_from(rank)
            .map_err(|_| HandlerError::invalid(format!("an array of rank {rank}")))?;
        // SAFETY: as many dimensions as the rank says.
        let dims = unsafe { crate::plugin::api::slice(dims, rank) };
        Self::new(dtype, dims, data.cast())
    }

    pub(super) fn new(dtype: DType, dims: &'a [i64], data: *mut u8) -> Result<Self, HandlerError> {
        let bits = dims.iter().try_fold(dtype.bits().unwrap_or(0), |product, &dim| {
            product.checked_mul(usize::try_from(dim).ok()?)
        });
        let bits =
            bits.ok_or_else(|| HandlerError::invalid(format!("an array of dimensions {dims:?}")))?;
        Ok(Self { dtype, dims, data, bytes: bits.div_ceil(8) })
    }

    pub(super) fn parts(&self) -> (DType, &'a [i64], *mut u8) {
        (self.dtype, self.dims, self.data)
    }

    pub(super) fn byte_len(&self) -> usize {
        self.bytes
    }

    /// Whether two arrays have a byte in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.data as usize, other.data as usize);
        self.bytes > 0 && other.bytes > 0 && a < b + other.bytes && b < a + self.bytes
    }

    fn len(&self) -> usize {
        // The product fits: times the bits of an element it did.
        self.dims.iter().product::<i64>() as usize
    }

    /// The number of elements, if they are of type `T` and the memory is aligned for it.
    fn check<T: Element>(&self, what: &str, index: usize) -> Result<usize, HandlerError> {
        if T::DTYPE != self.dtype {
            let message =
                format!("{what} {index}: expected elements of {}, found {}", T::DTYPE, self.dtype);
            return Err(HandlerError::invalid(message));
        }
        if self.dtype.bits().is_none_or(|bits| bits < 8) {
            let message = format!(
                "{what} {index}: {} is packed in the program's memory: use its bytes",
                self.dtype
            );
            return Err(HandlerError::invalid(message));
        }
        if !(self.data as usize).is_multiple_of(align_of::<T>()) {
            let message = format!("{what} {index}: not aligned for {}", self.dtype);
            return Err(HandlerError::invalid(message));
        }
        Ok(self.len())
    }
}

/// An argument of a call.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub(super) array: Array<'a>,
    pub(super) index: usize,
    /// The result that shares its memory, if one does.
    pub(super) aliased: Option<usize>,
}

/// A result of a call, to be written.
pub struct Output<'a> {
    pub(super) array: Array<'a>,
    pub(super) index: usize,
    pub(super) unique: PhantomData<&'a mut u8>,
}

impl<'a> Input<'a> {
    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.array.dtype
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &'a [i64] {
        self.array.dims
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bytes.
    pub fn byte_len(&self) -> usize {
        self.array.bytes
    }

    /// The address, on the device that the program runs on.
    pub fn as_ptr(&self) -> *const u8 {
        self.array.data
    }

    /// The bytes. For programs on the host.
    ///
    /// # Errors
    /// A result has the same memory: read and write that one in place.
    pub fn as_bytes(&self) -> Result<&'a [u8], HandlerError> {
        self.check_alias()?;
        // SAFETY: the frame provides memory of this size, which nothing writes during the call.
        Ok(unsafe { crate::plugin::api::slice(self.array.data, self.array.bytes) })
    }

    /// The elements. For programs on the host.
    ///
    /// # Errors
    /// The elements are of another type, or of fewer than 8 bits; a `pred` holds another value
    /// than 0 and 1; or a result has the same memory: read and write that one in place.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T], HandlerError> {
        let len = self.array.check::<T>("argument", self.index)?;
        self.check_alias()?;
        if T::DTYPE == DType::Pred {
            // SAFETY: one byte for each element.
            let bytes = unsafe { crate::plugin::api::slice(self.array.data, len) };
            if bytes.iter().any(|&byte| byte > 1) {
                return Err(HandlerError::invalid(format!(
                    "argument {}: a pred is neither 0 nor 1",
                    self.index
                )));
            }
        }
        // SAFETY: the frame provides memory of this type and size, aligned, which nothing writes.
        Ok(unsafe { crate::plugin::api::slice(self.array.data.cast::<T>(), len) })
    }

    fn check_alias(&self) -> Result<(), HandlerError> {
        match self.aliased {
            None => Ok(()),
            Some(result) => {
                let index = self.index;
                Err(HandlerError::invalid(format!(
                    "argument {index} has the memory of result {result}: read and write the \
                     result in place"
                )))
            }
        }
    }

    /// The result that shares this argument's memory: it holds the argument's values at first.
    pub fn aliased(&self) -> Option<usize> {
        self.aliased
    }
}

impl<'a> Output<'a> {
    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.array.dtype
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &'a [i64] {
        self.array.dims
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bytes.
    pub fn byte_len(&self) -> usize {
        self.array.bytes
    }

    /// The address, on the device that the program runs on.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.array.data
    }

    /// The bytes. For programs on the host.
    pub fn as_mut_bytes(&mut self) -> &mut [u8] {
        // SAFETY: the frame provides memory of this size, and gives it out once.
        unsafe { slice_mut(self.array.data, self.array.bytes) }
    }

    /// The elements, which are arbitrary at first (an aliased argument's values, if there is one).
    /// For programs on the host.
    ///
    /// # Errors
    /// The elements are of another type, or of fewer than 8 bits.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], HandlerError> {
        let len = self.array.check::<T>("result", self.index)?;
        if T::DTYPE == DType::Pred {
            // SAFETY: one byte for each element; makes each a valid value.
            let bytes = unsafe { slice_mut(self.array.data, len) };
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        // SAFETY: the frame provides memory of this type and size, aligned, and gives it out once.
        Ok(unsafe { slice_mut(self.array.data.cast::<T>(), len) })
    }
}

/// # Safety
/// `data` points to `len` values that nothing else uses for `'a`, or `len` is 0.
unsafe fn slice_mut<'a, T>(data: *mut T, len: usize) -> &'a mut [T] {
    if data.is_null() || len == 0 {
        return &mut [];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts_mut(data, len) }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "argument {}: {}{:?}", self.index, self.array.dtype, self.array.dims)
    }
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "result {}: {}{:?}", self.index, self.array.dtype, self.array.dims)
    }
}
