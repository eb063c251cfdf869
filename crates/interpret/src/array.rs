//! Tensors of the interpreter.

use crate::{InterpretError, number::Number};
use hloom_graph::{DType, Element, Literal, Shape};
use std::fmt;

/// The maximum number of elements of an interpreted tensor: 2 GiB of memory.
pub const MAX_ELEMENTS: usize = 1 << 27;

/// A tensor: its shape and the bits of its elements in row-major order.
///
/// ```
/// use hloom_graph::{DType, Shape};
/// use hloom_interpret::Array;
///
/// let shape = Shape::new(DType::F32, [2])?;
/// let array = Array::from_bytes(shape, &[0, 0, 128, 63, 0, 0, 0, 64])?;
/// assert_eq!(array.to_vec::<f32>(), Some(vec![1.0, 2.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Array {
    shape: Shape,
    /// For quantised blocks the bytes of their rows.
    elements: Vec<u128>,
}

impl Array {
    /// A tensor with the elements of a slice, in row-major order.
    ///
    /// # Errors
    /// The number of elements or their type is not that of the shape.
    pub fn new<T: Element>(shape: Shape, values: &[T]) -> Result<Array, InterpretError> {
        let literal = Literal::new(values, shape);
        match literal {
            Some(literal) => Array::from_bytes(shape, literal.bytes()),
            None => Err(InterpretError::Bytes { shape: shape.into(), found: size_of_val(values) }),
        }
    }

    /// A tensor from its bytes in host layout, where `bool` and types below a byte take a byte.
    ///
    /// # Errors
    /// The number of bytes is not that of the shape, or there are more than [`MAX_ELEMENTS`]
    /// elements.
    pub fn from_bytes(shape: Shape, bytes: &[u8]) -> Result<Array, InterpretError> {
        check_size(shape)?;
        if bytes.len() != shape.byte_size() {
            return Err(InterpretError::Bytes { shape: shape.into(), found: bytes.len() });
        }
        if let DType::Block(_) = shape.dtype() {
            let elements = bytes.iter().map(|&byte| byte.into()).collect();
            return Ok(Array { shape, elements });
        }
        let dtype = shape.dtype();
        let element = |chunk: &[u8]| {
            let mut all = [0; 16];
            all[..chunk.len()].copy_from_slice(chunk);
            let bits = u128::from_le_bytes(all);
            match dtype {
                DType::Bool => (bits != 0).into(),
                dtype => bits & crate::number::mask(dtype.bits()),
            }
        };
        Ok(Array { shape, elements: bytes.chunks_exact(dtype.size()).map(element).collect() })
    }

    /// The bytes in host layout. Signed integers below a byte are extended by their sign.
    pub fn to_bytes(&self) -> Vec<u8> {
        let dtype = self.shape.stored().dtype();
        let bytes = |&bits: &u128| {
            let bits = if dtype.is_signed_int() {
                Number::decode(dtype, bits).int() as u128
            } else {
                bits
            };
            bits.to_le_bytes().into_iter().take(dtype.size())
        };
        self.elements.iter().flat_map(bytes).collect()
    }

    /// The elements in row-major order; `None` if they are of another type.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        (T::DTYPE == self.dtype()).then(|| T::from_bytes(&self.to_bytes()))
    }

    /// The shape, with the names of the graph's axes.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn dtype(&self) -> DType {
        self.shape.dtype()
    }

    pub(crate) fn sizes(&self) -> &[usize] {
        self.shape.sizes()
    }

    /// A tensor of elements by their bits, as many as the shape has.
    pub(crate) fn of(shape: Shape, elements: Vec<u128>) -> Array {
        debug_assert_eq!(elements.len(), shape.stored().element_count(), "{shape}");
        Array { shape, elements }
    }

    /// The bits of all elements.
    pub(crate) fn elements(&self) -> &[u128] {
        &self.elements
    }

    /// The same elements with another shape of the same size.
    pub(crate) fn reshaped(&self, shape: Shape) -> Array {
        Array::of(shape, self.elements.clone())
    }

    /// The tensor whose element at each position is `bits` of the position.
    pub(crate) fn from_fn(shape: Shape, mut bits: impl FnMut(&[usize]) -> u128) -> Array {
        let mut elements = Vec::with_capacity(shape.element_count());
        each_position(shape.sizes(), |position| elements.push(bits(position)));
        Array::of(shape, elements)
    }

    /// The bits of the element at a position.
    pub(crate) fn at(&self, position: &[usize]) -> u128 {
        self.elements[flat_index(self.sizes(), position)]
    }

    pub(crate) fn set(&mut self, position: &[usize], bits: u128) {
        let index = flat_index(self.shape.sizes(), position);
        self.elements[index] = bits;
    }

    /// The number at a position.
    pub(crate) fn number(&self, position: &[usize]) -> Number {
        Number::decode(self.dtype(), self.at(position))
    }

    /// All elements as numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Number> + '_ {
        self.elements.iter().map(|&bits| Number::decode(self.dtype(), bits))
    }

    /// The only element of a scalar, as a number.
    pub(crate) fn scalar(&self) -> Number {
        self.number(&[])
    }

    /// A scalar of the element at a position.
    pub(crate) fn scalar_at(&self, position: &[usize]) -> Array {
        Array::of(Shape::scalar(self.dtype()), vec![self.at(position)])
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.shape)?;
        let bytes = self.to_bytes();
        let shown = self.elements.len().min(8);
        let words = bytes.chunks_exact(self.dtype().size()).take(shown);
        f.debug_list().entries(words).finish()
    }
}

pub(crate) fn check_size(shape: Shape) -> Result<(), InterpretError> {
    if shape.element_count() > MAX_ELEMENTS {
        Err(InterpretError::TooLarge { shape: shape.into() })
    } else {
        Ok(())
    }
}

/// The index in row-major order of a position.
pub(crate) fn flat_index(sizes: &[usize], position: &[usize]) -> usize {
    sizes.iter().zip(position).fold(0, |index, (size, at)| index * size + at)
}

/// Calls `visit` with each position in row-major order.
pub(crate) fn each_position(sizes: &[usize], mut visit: impl FnMut(&[usize])) {
    let count: usize = sizes.iter().product();
    let mut position = vec![0; sizes.len()];
    for _ in 0..count {
        visit(&position);
        for (at, &size) in position.iter_mut().zip(sizes).rev() {
            *at += 1;
            if *at < size {
                break;
            }
            *at = 0;
        }
    }
}

/// All positions in row-major order.
pub(crate) fn positions(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    each_position(sizes, |position| all.push(position.to_vec()));
    all
}
