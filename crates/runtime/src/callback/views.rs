//! Views of a callback's inputs and outputs.

use super::CallbackError;
use hloom_graph::{DType, Element, Leaf, Path, Shape, StructureWalk, Tree};
use hloom_pjrt::extension::ffi;
use num_complex::Complex;
use std::{borrow::Cow, fmt};

/// An input of a callback: a view of the program's own memory, valid during the call.
pub struct InputView<'a> {
    raw: ffi::Input<'a>,
    shape: Shape,
    place: ViewMemory,
}

/// An output of a callback to write: a view of the program's own memory, valid during the call.
pub struct OutputView<'a> {
    raw: ffi::Output<'a>,
    shape: Shape,
    place: ViewMemory,
}

/// The inputs of a callback, in the structure of its argument tree.
pub type Inputs<'a, I> = <I as Tree>::With<InputView<'a>>;

/// The outputs of a callback, in the structure of their specs.
pub type Outputs<'a, S> = <S as Tree>::With<OutputView<'a>>;

/// The memory that holds the elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ViewMemory {
    Host,
    Device,
}

/// A Rust type for viewing elements in place: the numbers, `bool`, `bf16`, `f16` and complex
/// numbers.
pub trait ViewElement: Element + private::Sealed {
    /// The same representation, as a type of the layer below.
    #[doc(hidden)]
    type Raw: hloom_pjrt::Element;
    #[doc(hidden)]
    fn view(raw: &[Self::Raw]) -> &[Self];
    #[doc(hidden)]
    fn view_mut(raw: &mut [Self::Raw]) -> &mut [Self];
}

mod private {
    pub trait Sealed {}
}

macro_rules! view_elements {
    ($($rust:ty => $raw:ty: $raw_slice:ident $view:expr, $view_mut:expr;)*) => { $(
        impl private::Sealed for $rust {}
        impl ViewElement for $rust {
            type Raw = $raw;
            fn view($raw_slice: &[$raw]) -> &[$rust] {
                $view
            }
            fn view_mut($raw_slice: &mut [$raw]) -> &mut [$rust] {
                $view_mut
            }
        }
    )* };
}
macro_rules! same {
    ($($rust:ty),*) => { view_elements!($($rust => $rust: raw raw, raw;)*); };
}
same!(bool, i8, i16, i32, i64, u8, u16, u32, u64, half::bf16, half::f16, f32, f64);
view_elements!(
    Complex<f32> => [f32; 2]: raw bytemuck::cast_slice(raw), bytemuck::cast_slice_mut(raw);
    Complex<f64> => [f64; 2]: raw bytemuck::cast_slice(raw), bytemuck::cast_slice_mut(raw);
);

impl<'a> InputView<'a> {
    pub(super) fn new(raw: ffi::Input<'a>, shape: Shape, place: ViewMemory) -> InputView<'a> {
        InputView { raw, shape, place }
    }

    /// The shape, with the names that its axes had in the trace.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.shape.dtype()
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    /// The elements are not of type `T`; they are on a device; or an output is aliased to the
    /// input: read and write that one in place.
    pub fn as_slice<T: ViewElement>(&self) -> Result<&'a [T], CallbackError> {
        check::<T>("an input", self.shape, self.place)?;
        Ok(T::view(self.raw.as_slice::<T::Raw>()?))
    }

    /// The only element.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice), or the number of elements is not one.
    pub fn item<T: ViewElement>(&self) -> Result<T, CallbackError> {
        match self.as_slice::<T>()? {
            [value] => Ok(*value),
            _ => Err(CallbackError::invalid(format!(
                "an input of {} is not one element",
                self.shape
            ))),
        }
    }

    /// The bytes in memory: row-major, one byte per `bool`, elements smaller than a byte packed as
    /// on the platform.
    ///
    /// # Errors
    /// They are on a device, or an output is aliased to the input: read and write that one in
    /// place.
    pub fn as_bytes(&self) -> Result<&'a [u8], CallbackError> {
        check_host("an input", self.shape, self.place)?;
        Ok(self.raw.as_bytes()?)
    }

    /// The address, on the program's device.
    pub fn as_ptr(&self) -> *const u8 {
        self.raw.as_ptr()
    }

    /// The elements as an array of the same axes.
    ///
    /// # Errors
    /// As [`as_slice`](Self::as_slice).
    #[cfg(feature = "ndarray")]
    pub fn as_array<T: ViewElement>(&self) -> Result<ndarray::ArrayViewD<'a, T>, CallbackError> {
        Ok(ndarray::ArrayViewD::from_shape(self.shape.sizes(), self.as_slice()?)?)
    }
}

impl<'a> OutputView<'a> {
    pub(super) fn new(raw: ffi::Output<'a>, shape: Shape, place: ViewMemory) -> OutputView<'a> {
        OutputView { raw, shape, place }
    }

    /// The shape, with the names of its spec.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.shape.dtype()
    }

    /// The elements, in row-major order. At first they are zeros, or those of the aliased input.
    ///
    /// # Errors
    /// The elements are not of type `T`, or they are on a device.
    pub fn as_slice_mut<T: ViewElement>(&mut self) -> Result<&mut [T], CallbackError> {
        check::<T>("an output", self.shape, self.place)?;
        Ok(T::view_mut(self.raw.as_mut_slice::<T::Raw>()?))
    }

    /// The bytes in memory: row-major, one byte per `bool`, elements smaller than a byte packed as
    /// on the platform.
    ///
    /// # Errors
    /// They are on a device.
    pub fn as_bytes_mut(&mut self) -> Result<&mut [u8], CallbackError> {
        check_host("an output", self.shape, self.place)?;
        Ok(self.raw.as_mut_bytes())
    }

    /// The address, on the program's device.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.raw.as_mut_ptr()
    }

    /// The elements as an array of the same axes.
    ///
    /// # Errors
    /// As [`as_slice_mut`](Self::as_slice_mut).
    #[cfg(feature = "ndarray")]
    pub fn as_array_mut<T: ViewElement>(
        &mut self,
    ) -> Result<ndarray::ArrayViewMutD<'_, T>, CallbackError> {
        let shape = self.shape;
        Ok(ndarray::ArrayViewMutD::from_shape(shape.sizes(), self.as_slice_mut()?)?)
    }
}

fn check<T: ViewElement>(what: &str, shape: Shape, place: ViewMemory) -> Result<(), CallbackError> {
    if shape.dtype() != T::DTYPE {
        let message = format!("{what} of {shape} has no elements of type {}", T::DTYPE);
        return Err(CallbackError::invalid(message));
    }
    check_host(what, shape, place)
}

fn check_host(what: &str, shape: Shape, place: ViewMemory) -> Result<(), CallbackError> {
    match place {
        ViewMemory::Host => Ok(()),
        ViewMemory::Device => Err(CallbackError::invalid(format!(
            "{what} of {shape} is on a device: use its address and the stream"
        ))),
    }
}

macro_rules! leaf_of_a_call {
    ($($view:ident)*) => { $(
        impl Leaf for $view<'_> {}
        impl<'v> Tree for $view<'v> {
            type Leaf = $view<'v>;
            type With<L: Leaf> = L;
            fn map_at<L: Leaf>(
                self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, $view<'v>) -> L,
            ) -> L {
                f(path, self)
            }
            fn visit_at<'a>(
                &'a self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, &'a $view<'v>),
            ) {
                f(path, self)
            }
            fn visit_mut_at<'a>(
                &'a mut self,
                path: &Path<'_>,
                f: &mut dyn FnMut(&Path<'_>, &'a mut $view<'v>),
            ) {
                f(path, self)
            }
            fn structure_at(&self, _: &Path<'_>, _: &mut StructureWalk<'_>) {}
        }
    )* };
}
leaf_of_a_call!(InputView OutputView);

impl fmt::Debug for InputView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InputView({})", self.shape)
    }
}

impl fmt::Debug for OutputView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputView({})", self.shape)
    }
}

/// Unpacks elements smaller than a byte, which programs pack, to one byte each, as on the host.
pub(crate) fn unpacked(dtype: DType, count: usize, bytes: &[u8]) -> Cow<'_, [u8]> {
    let bits = dtype.bits();
    if bits >= 8 || dtype == DType::Bool {
        return bytes.into();
    }
    let (each, mask) = (8 / bits, u8::MAX >> (8 - bits));
    let element = |i: usize| {
        let value = bytes[i / each] >> (i % each * bits) & mask;
        if dtype.is_signed_int() && value >> (bits - 1) == 1 { value | !mask } else { value }
    };
    (0..count).map(element).collect()
}

/// Packs elements smaller than a byte, as in programs.
pub(super) fn packed(dtype: DType, bytes: &[u8]) -> Cow<'_, [u8]> {
    let bits = dtype.bits();
    if bits >= 8 || dtype == DType::Bool {
        return bytes.into();
    }
    let mask = u8::MAX >> (8 - bits);
    let pack = |part: &[u8]| {
        let elements = part.iter().enumerate();
        elements.fold(0, |byte, (i, value)| byte | (value & mask) << (i * bits))
    };
    bytes.chunks(8 / bits).map(pack).collect()
}
