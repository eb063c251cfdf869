//! Nested arrays of numbers.

use crate::{Dims, Element, IntoDims, ShapeError};
use half::{bf16, f16};
use num_complex::Complex;

/// A number, or an array of arrays of numbers of one type: `[[1.0, 2.0], [3.0, 4.0]]`.
pub trait Nested: private::Sealed {
    /// The type of the numbers.
    type Element: Element;

    /// Appends the sizes of the axes, outermost first.
    fn sizes(into: &mut Vec<usize>);

    /// Appends the numbers in row-major order.
    fn numbers(&self, into: &mut Vec<Self::Element>);
}

mod private {
    pub trait Sealed {}
}

impl<A: Nested, const N: usize> private::Sealed for [A; N] {}
impl<A: Nested, const N: usize> Nested for [A; N] {
    type Element = A::Element;

    fn sizes(into: &mut Vec<usize>) {
        into.push(N);
        A::sizes(into);
    }

    fn numbers(&self, into: &mut Vec<Self::Element>) {
        self.iter().for_each(|part| part.numbers(into));
    }
}

macro_rules! number {
    ($($rust:ty),*) => { $(
        impl private::Sealed for $rust {}
        impl Nested for $rust {
            type Element = $rust;
            fn sizes(_: &mut Vec<usize>) {}
            fn numbers(&self, into: &mut Vec<$rust>) {
                into.push(*self);
            }
        }
    )* };
}
number!(
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    bf16,
    f16,
    f32,
    f64,
    Complex<f32>,
    Complex<f64>
);

/// The numbers of nested arrays and their axes.
///
/// # Errors
/// More axes than a tensor has.
pub fn flattened<A: Nested>(array: &A) -> Result<(Vec<A::Element>, Dims), ShapeError> {
    let mut sizes = Vec::new();
    A::sizes(&mut sizes);
    let mut numbers = Vec::new();
    array.numbers(&mut numbers);
    Ok((numbers, sizes.into_dims()?))
}
