//! Attributes of a custom call: the `backend_config` dictionary.

use crate::{DType, Element, HandlerError, sys};
use std::fmt;

/// A dictionary of attributes, in the order of their names.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    raw: &'a sys::XLA_FFI_Attrs,
}

// SAFETY: attributes are immutable.
unsafe impl Send for Attributes<'_> {}
// SAFETY: as above.
unsafe impl Sync for Attributes<'_> {}

/// The value of an attribute.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Attribute<'a> {
    /// A number or boolean: its dtype and its bytes.
    Scalar(DType, &'a [u8]),
    /// An array of numbers: their dtype and their bytes.
    Array(DType, &'a [u8]),
    /// A string.
    String(&'a [u8]),
    /// A dictionary.
    Dictionary(Attributes<'a>),
}

impl<'a> Attributes<'a> {
    /// # Safety
    /// `raw` and all that it points to live for `'a`.
    pub(crate) unsafe fn new(raw: &'a sys::XLA_FFI_Attrs) -> Self {
        Self { raw }
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        usize::try_from(self.raw.size).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names and values. An attribute of a kind that this crate does not know is left out.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Attribute<'a>)> + use<'a> {
        let this = *self;
        (0..self.len()).filter_map(move |index| {
            Some((std::str::from_utf8(this.name(index)).ok()?, this.value(index)?))
        })
    }

    fn name(&self, index: usize) -> &'a [u8] {
        // SAFETY: the array has as many entries as the dictionary reports, of which this is one.
        unsafe {
            let name = *self.raw.names.add(index);
            sys::slice((*name).ptr.cast::<u8>(), (*name).len)
        }
    }

    fn value(&self, index: usize) -> Option<Attribute<'a>> {
        // SAFETY: as above.
        unsafe { Attribute::read(*self.raw.types.add(index), *self.raw.attrs.add(index)) }
    }

    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<Attribute<'a>> {
        let found = (0..self.len()).find(|&index| self.name(index) == name.as_bytes());
        found.and_then(|index| self.value(index))
    }

    /// The scalar of this name.
    ///
    /// # Errors
    /// There is none, or it is of another type.
    pub fn scalar<T: Element>(&self, name: &str) -> Result<T, HandlerError> {
        match self.expect(name)? {
            Attribute::Scalar(dtype, bytes) if dtype == T::DTYPE => Ok(read(bytes)),
            other => Err(mismatch(name, &format!("a scalar of {}", T::DTYPE), other)),
        }
    }

    /// The array of this name, copied.
    ///
    /// # Errors
    /// There is none, or it is of another type.
    pub fn array<T: Element>(&self, name: &str) -> Result<Vec<T>, HandlerError> {
        match self.expect(name)? {
            Attribute::Array(dtype, bytes) if dtype == T::DTYPE => {
                Ok(bytes.chunks_exact(size_of::<T>()).map(read).collect())
            }
            // An empty array has no element type to check.
            Attribute::Array(_, []) => Ok(Vec::new()),
            other => Err(mismatch(name, &format!("an array of {}", T::DTYPE), other)),
        }
    }

    /// The string of this name.
    ///
    /// # Errors
    /// There is none, it is not a string, or not UTF-8.
    pub fn string(&self, name: &str) -> Result<&'a str, HandlerError> {
        match self.expect(name)? {
            Attribute::String(bytes) => std::str::from_utf8(bytes)
                .map_err(|_| HandlerError::invalid(format!("attribute `{name}` is not UTF-8"))),
            other => Err(mismatch(name, "a string", other)),
        }
    }

    /// The dictionary of this name.
    ///
    /// # Errors
    /// There is none, or it is not a dictionary.
    pub fn dictionary(&self, name: &str) -> Result<Attributes<'a>, HandlerError> {
        match self.expect(name)? {
            Attribute::Dictionary(attributes) => Ok(attributes),
            other => Err(mismatch(name, "a dictionary", other)),
        }
    }

    fn expect(&self, name: &str) -> Result<Attribute<'a>, HandlerError> {
        self.get(name).ok_or_else(|| {
            let names: Vec<_> = self.iter().map(|(name, _)| name).collect();
            HandlerError::invalid(format!("no attribute `{name}` among {names:?}"))
        })
    }
}

impl<'a> Attribute<'a> {
    /// # Safety
    /// `value` is an attribute of this kind that lives for `'a`.
    unsafe fn read(kind: sys::XLA_FFI_AttrType, value: *const std::ffi::c_void) -> Option<Self> {
        let dtype = |number| i32::try_from(number).ok().and_then(DType::from_primitive_type);
        // SAFETY: the kind determines the type of the value; sizes belong to pointers.
        unsafe {
            match kind {
                sys::XLA_FFI_AttrType_SCALAR => {
                    let scalar = &*value.cast::<sys::XLA_FFI_Scalar>();
                    let dtype = dtype(scalar.dtype)?;
                    Some(Self::Scalar(dtype, sys::slice(scalar.value.cast(), dtype.host_bytes()?)))
                }
                sys::XLA_FFI_AttrType_ARRAY => {
                    let array = &*value.cast::<sys::XLA_FFI_Array>();
                    let dtype = dtype(array.dtype)?;
                    let bytes = array.size.checked_mul(dtype.host_bytes()?)?;
                    Some(Self::Array(dtype, sys::slice(array.data.cast(), bytes)))
                }
                sys::XLA_FFI_AttrType_STRING => {
                    let span = &*value.cast::<sys::XLA_FFI_ByteSpan>();
                    Some(Self::String(sys::slice(span.ptr.cast(), span.len)))
                }
                sys::XLA_FFI_AttrType_DICTIONARY => {
                    Some(Self::Dictionary(Attributes::new(&*value.cast::<sys::XLA_FFI_Attrs>())))
                }
                _ => None,
            }
        }
    }
}

/// A value out of its bytes, which need not be aligned.
fn read<T: Element>(bytes: &[u8]) -> T {
    let mut copy = [0; 16];
    let size = size_of::<T>();
    copy[..size].copy_from_slice(&bytes[..size]);
    T::normalize(&mut copy[..size]);
    // SAFETY: as many bytes as the type has, made valid; no element is larger than 16 bytes.
    unsafe { copy.as_ptr().cast::<T>().read_unaligned() }
}

fn mismatch(name: &str, expected: &str, found: Attribute<'_>) -> HandlerError {
    HandlerError::invalid(format!("attribute `{name}`: expected {expected}, found {found:?}"))
}

impl fmt::Debug for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(dtype, bytes) => write!(f, "a scalar of {dtype} {bytes:02x?}"),
            Self::Array(dtype, bytes) => {
                write!(f, "an array of {} {dtype}", bytes.len() / dtype.host_bytes().unwrap_or(1))
            }
            Self::String(bytes) => write!(f, "the string {:?}", String::from_utf8_lossy(bytes)),
            Self::Dictionary(attributes) => write!(f, "the dictionary {attributes:?}"),
        }
    }
}

impl fmt::Debug for Attributes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
