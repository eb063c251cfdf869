//! Rust types of buffer elements.

use crate::DType;
use half::{bf16, f16};

/// A Rust type whose values are a buffer's elements, bit for bit.
///
/// Implemented for the integers, the floats of Rust and of the `half` crate, `bool`, `[f32; 2]` and
/// `[f64; 2]` (complex numbers: real and imaginary part), and for the bit patterns of this module
/// for the dtypes that Rust has no type for.
///
/// # Safety
/// The type has no padding, every bit pattern that [`Element::normalize`] leaves is a valid value,
/// and its size is [`DType::host_bytes`] of `DTYPE`.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The dtype of the elements.
    const DTYPE: DType;

    /// Turns bytes from a device into valid values, in place.
    ///
    /// Devices keep any byte in a `pred` and do not sign-extend narrow integers.
    #[inline]
    fn normalize(_bytes: &mut [u8]) {}
}

macro_rules! elements {
    ($($ty:ty => $dtype:ident),* $(,)?) => {$(
        // SAFETY: no padding, every bit pattern is a value, sizes are checked by the test below.
        unsafe impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}

elements! {
    i8 => S8, i16 => S16, i32 => S32, i64 => S64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    f16 => F16, bf16 => BF16, f32 => F32, f64 => F64,
    [f32; 2] => C64, [f64; 2] => C128,
}

// SAFETY: one byte; `normalize` leaves only 0 and 1.
unsafe impl Element for bool {
    const DTYPE: DType = DType::Pred;

    fn normalize(bytes: &mut [u8]) {
        normalize(DType::Pred, bytes);
    }
}

macro_rules! bit_patterns {
    ($($name:ident($inner:ty) => $dtype:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub $inner);

        // SAFETY: transparent over one byte, of which every pattern is a value.
        unsafe impl Element for $name {
            const DTYPE: DType = DType::$dtype;

            fn normalize(bytes: &mut [u8]) {
                normalize(DType::$dtype, bytes);
            }
        }
    )*};
}

bit_patterns! {
    I4(i8) => S4, "A 4-bit signed integer, -8 to 7, in one byte.";
    I2(i8) => S2, "A 2-bit signed integer, -2 to 1, in one byte.";
    I1(i8) => S1, "A 1-bit signed integer, -1 or 0, in one byte.";
    U4(u8) => U4, "A 4-bit unsigned integer, 0 to 15, in one byte.";
    U2(u8) => U2, "A 2-bit unsigned integer, 0 to 3, in one byte.";
    U1(u8) => U1, "A 1-bit unsigned integer, 0 or 1, in one byte.";
    F4E2M1FN(u8) => F4E2M1FN, "The bits of an `f4e2m1fn`, in the low half of one byte.";
    F6E2M3FN(u8) => F6E2M3FN, "The bits of an `f6e2m3fn`, in the low bits of one byte.";
    F6E3M2FN(u8) => F6E3M2FN, "The bits of an `f6e3m2fn`, in the low bits of one byte.";
    F8E3M4(u8) => F8E3M4, "The bits of an `f8e3m4`.";
    F8E4M3(u8) => F8E4M3, "The bits of an `f8e4m3`.";
    F8E4M3FN(u8) => F8E4M3FN, "The bits of an `f8e4m3fn`.";
    F8E4M3B11FNUZ(u8) => F8E4M3B11FNUZ, "The bits of an `f8e4m3b11fnuz`.";
    F8E4M3FNUZ(u8) => F8E4M3FNUZ, "The bits of an `f8e4m3fnuz`.";
    F8E5M2(u8) => F8E5M2, "The bits of an `f8e5m2`.";
    F8E5M2FNUZ(u8) => F8E5M2FNUZ, "The bits of an `f8e5m2fnuz`.";
    F8E8M0FNU(u8) => F8E8M0FNU, "The bits of an `f8e8m0fnu`.";
}

/// Makes host bytes that came from a device canonical: `pred` is 0 or 1, narrow signed integers
/// are sign-extended, narrow unsigned ones have clear high bits.
pub fn normalize(dtype: DType, bytes: &mut [u8]) {
    let shift = match dtype {
        DType::Pred => {
            bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
            return;
        }
        DType::S4 | DType::U4 | DType::F4E2M1FN => 4,
        DType::S2 | DType::U2 => 6,
        DType::S1 | DType::U1 => 7,
        DType::F6E2M3FN | DType::F6E3M2FN => 2,
        _ => return,
    };
    if matches!(dtype, DType::S4 | DType::S2 | DType::S1) {
        bytes.iter_mut().for_each(|b| *b = (((*b << shift) as i8) >> shift) as u8);
    } else {
        bytes.iter_mut().for_each(|b| *b = (*b << shift) >> shift);
    }
}

/// The bytes of a slice of elements.
pub fn as_bytes<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: `Element` has no padding, and `u8` needs no alignment.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// A container of elements seen as bytes, for the functions that take ownership of host data.
///
/// ```
/// use hloom_ffi::Elements;
/// let bytes = Elements::new(vec![1.0f32, 2.0]);
/// assert_eq!(bytes.as_ref().len(), 8);
/// ```
#[derive(Clone, Debug)]
pub struct Elements<C, T> {
    container: C,
    element: std::marker::PhantomData<T>,
}

impl<T: Element, C: AsRef<[T]>> Elements<C, T> {
    /// Wraps a container such as a `Vec<f32>` or an `Arc<[i32]>`.
    pub fn new(container: C) -> Self {
        Self { container, element: std::marker::PhantomData }
    }

    /// The container.
    pub fn into_inner(self) -> C {
        self.container
    }
}

impl<T: Element, C: AsRef<[T]>> AsRef<[u8]> for Elements<C, T> {
    fn as_ref(&self) -> &[u8] {
        as_bytes(self.container.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_dtypes() {
        fn check<T: Element>() {
            assert_eq!(Some(size_of::<T>()), T::DTYPE.host_bytes(), "{}", T::DTYPE);
        }
        check::<bool>();
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<f16>();
        check::<bf16>();
        check::<f32>();
        check::<f64>();
        check::<[f32; 2]>();
        check::<[f64; 2]>();
        check::<I4>();
        check::<F8E8M0FNU>();
    }

    #[test]
    fn narrow_integers_are_sign_extended_and_booleans_are_zero_or_one() {
        let mut bytes = [0x0e, 0x07, 0x08, 0xf1];
        normalize(DType::S4, &mut bytes);
        assert_eq!(bytes.map(|b| b as i8), [-2, 7, -8, 1]);
        let mut bytes = [0xfe, 0x03];
        normalize(DType::U4, &mut bytes);
        assert_eq!(bytes, [0x0e, 0x03]);
        let mut bytes = [0, 1, 0xfe];
        normalize(DType::Pred, &mut bytes);
        assert_eq!(bytes, [0, 1, 1]);
        let mut bytes = [0x80, 0x7f];
        normalize(DType::U8, &mut bytes);
        assert_eq!(bytes, [0x80, 0x7f]);
    }
}
