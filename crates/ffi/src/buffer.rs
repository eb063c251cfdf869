//! Arguments and results of a call: views of the program's own memory.
//!
//! The views are for the host's memory. Handlers for devices do not have it: registering one is
//! unsafe, with the promise that it uses addresses only.

use crate::{DType, Element, HandlerError, sys};
use std::marker::PhantomData;

/// The description of an array in a program's memory: element type, dimensions and address.
#[derive(Clone, Copy)]
pub struct Array<'a> {
    dtype: DType,
    dims: &'a [i64],
    data: *mut u8,
    len: usize,
    bytes: usize,
}

// SAFETY: a description of memory; those who read or write it answer for the access.
unsafe impl Send for Array<'_> {}
// SAFETY: as above.
unsafe impl Sync for Array<'_> {}

impl<'a> Array<'a> {
    /// # Safety
    /// `raw` points to a buffer of a call frame, which with its dimensions lives for `'a`.
    pub(crate) unsafe fn read(raw: *const sys::XLA_FFI_Buffer) -> Result<Self, HandlerError> {
        // SAFETY: by the contract of this function.
        let (number, data, rank, dims) =
            unsafe { ((*raw).dtype, (*raw).data, (*raw).rank, (*raw).dims) };
        let dtype = i32::try_from(number).ok().and_then(DType::from_primitive_type);
        let dtype = dtype.unwrap_or(DType::Other(number));
        let rank = usize::try_from(rank)
            .map_err(|_| HandlerError::invalid(format!("an array of rank {rank}")))?;
        // SAFETY: as many dimensions as the rank says.
        let dims = unsafe { sys::slice(dims, rank) };
        Self::new(dtype, dims, data.cast())
    }

    /// An array of this type and these dimensions, outermost first.
    ///
    /// # Errors
    /// A dimension is negative, or the size overflows.
    pub fn new(dtype: DType, dims: &'a [i64], data: *mut u8) -> Result<Self, HandlerError> {
        let len = dims
            .iter()
            .try_fold(1usize, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?));
        let sizes = len.and_then(|len| Some((len, len.checked_mul(dtype.bits().unwrap_or(0))?)));
        let (len, bits) = sizes
            .ok_or_else(|| HandlerError::invalid(format!("an array of dimensions {dims:?}")))?;
        Ok(Self { dtype, dims, data, len, bytes: bits.div_ceil(8) })
    }

    /// The type of the elements, the dimensions and the address, on the device that the program
    /// runs on.
    pub fn parts(&self) -> (DType, &'a [i64], *mut u8) {
        (self.dtype, self.dims, self.data)
    }

    /// The number of bytes.
    pub fn byte_len(&self) -> usize {
        self.bytes
    }

    /// Whether two arrays have a byte in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.data as usize, other.data as usize);
        self.bytes > 0
            && other.bytes > 0
            && a < b.saturating_add(other.bytes)
            && b < a.saturating_add(self.bytes)
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
        Ok(self.len)
    }
}

/// An argument of a call.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    array: Array<'a>,
    index: usize,
    /// The result that shares its memory, if one does.
    aliased: Option<usize>,
}

/// A result of a call, to be written.
pub struct Output<'a> {
    array: Array<'a>,
    index: usize,
    unique: PhantomData<&'a mut u8>,
}

/// The methods that arguments and results have in common.
macro_rules! array_methods {
    ($array:ident) => {
        impl<'a> $array<'a> {
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
                self.array.len
            }

            /// Whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The number of bytes.
            pub fn byte_len(&self) -> usize {
                self.array.bytes
            }
        }
    };
}
array_methods!(Input);
array_methods!(Output);

impl<'a> Input<'a> {
    /// The argument at this index.
    ///
    /// # Safety
    /// The array's memory lives for `'a`. Nothing writes it meanwhile, unless it is that of the
    /// result `aliased`.
    pub unsafe fn new(array: Array<'a>, index: usize, aliased: Option<usize>) -> Self {
        Self { array, index, aliased }
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
        Ok(unsafe { sys::slice(self.array.data, self.array.bytes) })
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
            let bytes = unsafe { sys::slice(self.array.data, len) };
            if bytes.iter().any(|&byte| byte > 1) {
                return Err(HandlerError::invalid(format!(
                    "argument {}: a pred is neither 0 nor 1",
                    self.index
                )));
            }
        }
        // SAFETY: the frame provides memory of this type and size, aligned, which nothing writes.
        Ok(unsafe { sys::slice(self.array.data.cast::<T>(), len) })
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
    /// The result at this index.
    ///
    /// # Safety
    /// The array's memory lives for `'a`, and nothing else reads or writes it meanwhile.
    pub unsafe fn new(array: Array<'a>, index: usize) -> Self {
        Self { array, index, unique: PhantomData }
    }

    /// The address, on the device that the program runs on.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.array.data
    }

    /// The bytes. For programs on the host.
    pub fn as_mut_bytes(&mut self) -> &mut [u8] {
        // SAFETY: the frame provides memory of this size, and gives it out once.
        unsafe { sys::slice_mut(self.array.data, self.array.bytes) }
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
            let bytes = unsafe { sys::slice_mut(self.array.data, len) };
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        // SAFETY: the frame provides memory of this type and size, aligned, and gives it out once.
        Ok(unsafe { sys::slice_mut(self.array.data.cast::<T>(), len) })
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn impossible_dimensions_are_errors() {
        for dtype in [DType::F32, DType::Token, DType::Other(77)] {
            for dims in [[-1, 2], [i64::MAX, 4]] {
                let error = Array::new(dtype, &dims, null_mut()).err().expect("no such array");
                assert_eq!(error.message, format!("an array of dimensions {dims:?}"));
            }
        }
        let empty = Array::new(DType::F64, &[3, 0], null_mut()).expect("an empty array");
        assert_eq!((empty.byte_len(), empty.overlaps(&empty)), (0, false));
    }

    #[test]
    fn views_are_refused_where_elements_cannot_be_read() {
        let mut memory = [0u64; 2];
        let start = memory.as_mut_ptr().cast::<u8>();
        let input = |dtype, offset, aliased| {
            let array = Array::new(dtype, &[2], start.wrapping_add(offset)).expect("an array");
            // SAFETY: the array lies in `memory`, which nothing writes.
            unsafe { Input::new(array, 0, aliased) }
        };
        assert_eq!(input(DType::F32, 0, None).as_slice::<f32>(), Ok(&[0.0, 0.0][..]));
        let message = |outcome: Result<&[f32], HandlerError>| outcome.unwrap_err().message;
        assert_eq!(
            message(input(DType::S32, 0, None).as_slice()),
            "argument 0: expected elements of f32, found s32"
        );
        assert_eq!(
            message(input(DType::F32, 1, None).as_slice()),
            "argument 0: not aligned for f32"
        );
        let aliased = input(DType::F32, 0, Some(3));
        assert!(message(aliased.as_slice()).starts_with("argument 0 has the memory of result 3"));
        let packed = input(DType::S4, 0, None);
        let error = packed.as_slice::<crate::I4>().unwrap_err();
        assert!(error.message.contains("packed"), "{error}");
        assert_eq!(packed.as_bytes(), Ok(&[0u8][..]));
    }
}
