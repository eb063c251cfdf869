//! Element types of matrices.

use crate::eigen::{Eigen, complex_eigen, real_eigen};
use bytemuck::Pod;
use faer::{
    MatRef, Par,
    traits::{ComplexField, RealField},
};
use hloom_ffi::Element;
use num_complex::Complex;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// An element type: `f32`, `f64`, or their complex numbers.
pub trait Scalar:
    ComplexField<Real = Self::RealPart>
    + Pod
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// The type of the real and the imaginary part.
    type RealPart: Scalar<RealPart = Self::RealPart, Complex = Self::Complex>
        + RealField
        + PartialOrd;
    /// The complex numbers of these parts.
    type Complex: Scalar<RealPart = Self::RealPart, Complex = Self::Complex>;
    /// The same bits as the element type of a buffer.
    type Wire: Element + Pod;
    /// The letter of LAPACK's names.
    const LETTER: char;

    /// The number with these parts; of a real type the imaginary part is dropped.
    fn of(re: Self::RealPart, im: Self::RealPart) -> Self;

    /// The real part.
    fn re(self) -> Self::RealPart;

    /// The imaginary part.
    fn im(self) -> Self::RealPart;

    /// The number as a complex one.
    fn complex(self) -> Self::Complex {
        Self::Complex::of(self.re(), self.im())
    }

    /// Eigenvalues and eigenvectors; `None` where the iteration does not converge.
    fn eigen(
        a: MatRef<'_, Self>,
        left: bool,
        right: bool,
        par: Par,
    ) -> Option<Eigen<Self::Complex>>;
}

macro_rules! scalars {
    ($($part:ident $real:literal $complex:literal),*) => { $(
        impl Scalar for $part {
            type RealPart = $part;
            type Complex = Complex<$part>;
            type Wire = $part;
            const LETTER: char = $real;

            fn of(re: $part, _: $part) -> $part {
                re
            }
            fn re(self) -> $part {
                self
            }
            fn im(self) -> $part {
                0.0
            }
            fn eigen(
                a: MatRef<'_, $part>,
                left: bool,
                right: bool,
                par: Par,
            ) -> Option<Eigen<Complex<$part>>> {
                real_eigen(a, left, right, par)
            }
        }

        impl Scalar for Complex<$part> {
            type RealPart = $part;
            type Complex = Complex<$part>;
            type Wire = [$part; 2];
            const LETTER: char = $complex;

            fn of(re: $part, im: $part) -> Complex<$part> {
                Complex::new(re, im)
            }
            fn re(self) -> $part {
                self.re
            }
            fn im(self) -> $part {
                self.im
            }
            fn eigen(
                a: MatRef<'_, Complex<$part>>,
                left: bool,
                right: bool,
                par: Par,
            ) -> Option<Eigen<Complex<$part>>> {
                complex_eigen::<$part>(a, left, right, par)
            }
        }
    )* };
}
scalars!(f32 's' 'c', f64 'd' 'z');
