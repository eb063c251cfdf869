//! Comparisons of tensors for tests.
//!
//! ```no_run
//! use hloom_runtime::{Buffer, Platform, testing::assert_close};
//!
//! let platform = Platform::cpu()?;
//! let x = Buffer::array(&platform, [0.1f32, 0.2, 0.3])?;
//! assert_close(&x, &[0.1f32, 0.2, 0.3]);
//! # Ok::<(), hloom_runtime::Error>(())
//! ```

use crate::{Buffer, Result, row_major::index};
use half::{bf16, f16};
use hloom_graph::{DType, Element, Shape};
use num_complex::Complex;
use std::fmt;

/// The distance at which elements are still close: the absolute tolerance plus the relative one
/// times the magnitude of the expected element. Equal infinities are close.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// The part that grows with the expected element.
    pub relative: f64,
    /// The part that is independent of the expected element.
    pub absolute: f64,
    /// Whether NaN is close to NaN.
    pub equal_nan: bool,
}

impl Tolerance {
    /// Equal elements; NaN equals NaN.
    pub const EXACT: Tolerance = Tolerance { relative: 0.0, absolute: 0.0, equal_nan: true };

    /// A relative and an absolute tolerance; NaN is close to NaN.
    pub const fn new(relative: f64, absolute: f64) -> Tolerance {
        Tolerance { relative, absolute, equal_nan: true }
    }

    /// The usual tolerance of an element type: that of `torch.testing.assert_close`; integers,
    /// `bool` and the types below 16 bits are compared exactly.
    pub fn of(dtype: DType) -> Tolerance {
        match dtype.real() {
            DType::F16 => Tolerance::new(1e-3, 1e-5),
            DType::BF16 => Tolerance::new(1.6e-2, 1e-5),
            DType::F32 => Tolerance::new(1.3e-6, 1e-5),
            DType::F64 => Tolerance::new(1e-7, 1e-7),
            _ => Tolerance::EXACT,
        }
    }
}

/// The reference of a comparison: another tensor, or values in row-major order.
pub struct Expected {
    /// `None` for values, which take the shape of the tensor that is compared.
    shape: Option<Shape>,
    dtype: DType,
    bytes: Result<Vec<u8>>,
}

impl From<&Buffer> for Expected {
    fn from(buffer: &Buffer) -> Expected {
        let (shape, bytes) = (buffer.shape(), buffer.to_bytes());
        Expected { shape: Some(shape), dtype: shape.dtype(), bytes }
    }
}

impl<T: Element> From<&[T]> for Expected {
    fn from(values: &[T]) -> Expected {
        Expected { shape: None, dtype: T::DTYPE, bytes: Ok(bytemuck::cast_slice(values).to_vec()) }
    }
}

impl<T: Element, const N: usize> From<&[T; N]> for Expected {
    fn from(values: &[T; N]) -> Expected {
        values.as_slice().into()
    }
}

impl<T: Element> From<&Vec<T>> for Expected {
    fn from(values: &Vec<T>) -> Expected {
        values.as_slice().into()
    }
}

/// The reason why tensors are not close. `Display` is a report of several lines.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// The element types, the sizes or the numbers of elements differ.
    Shape {
        /// The shape found.
        actual: String,
        /// The shape expected.
        expected: String,
    },
    /// Elements are too far apart.
    Elements {
        /// The shape.
        shape: Shape,
        /// The tolerance.
        tolerance: Tolerance,
        /// The number of elements out of tolerance.
        count: usize,
        /// The element that exceeds the tolerance the most.
        worst: Apart,
    },
}

/// Two elements that are too far apart.
#[derive(Clone, PartialEq)]
pub struct Apart {
    /// The index of the element along each axis.
    pub index: Vec<usize>,
    /// The element found.
    pub actual: String,
    /// The element expected.
    pub expected: String,
    /// The magnitude of the difference; infinite where one is not finite.
    pub distance: f64,
}

/// Compares a tensor with another one, or with values: `None` if all elements are close. Axis names
/// are not compared.
///
/// # Errors
/// A tensor cannot be read.
pub fn difference(
    actual: &Buffer,
    expected: impl Into<Expected>,
    tolerance: Tolerance,
) -> Result<Option<Difference>> {
    let expected = expected.into();
    let shape = actual.shape();
    let (found, wanted) = (actual.to_bytes()?, expected.bytes?);
    let fits = shape.dtype() == expected.dtype
        && expected.shape.is_none_or(|other| other.sizes() == shape.sizes())
        && found.len() == wanted.len();
    if !fits {
        let expected = match expected.shape {
            Some(shape) => shape.to_string(),
            None => {
                format!("{} elements of {}", wanted.len() / expected.dtype.size(), expected.dtype)
            }
        };
        return Ok(Some(Difference::Shape { actual: shape.to_string(), expected }));
    }
    let (found, wanted) = (numbers(shape.dtype(), &found), numbers(shape.dtype(), &wanted));
    let mut count = 0;
    let mut worst: Option<(usize, f64, f64)> = None;
    for (i, (&a, &b)) in found.iter().zip(&wanted).enumerate() {
        let Some((distance, excess)) = apart(a, b, tolerance) else { continue };
        count += 1;
        if worst.is_none_or(|(_, _, most)| excess > most) {
            worst = Some((i, distance, excess));
        }
    }
    Ok(worst.map(|(i, distance, _)| Difference::Elements {
        shape,
        tolerance,
        count,
        worst: Apart {
            index: index(&shape, i),
            actual: found[i].text(shape.dtype()),
            expected: wanted[i].text(shape.dtype()),
            distance,
        },
    }))
}

/// Panics with a report unless a tensor is close to another one, or to values, within the usual
/// tolerance of its element type: [`Tolerance::of`].
///
/// # Panics
/// Elements are too far apart, shapes differ, or a tensor cannot be read.
#[track_caller]
pub fn assert_close(actual: &Buffer, expected: impl Into<Expected>) {
    assert_close_within(actual, expected, Tolerance::of(actual.dtype()));
}

/// As [`assert_close`], with a tolerance.
///
/// # Panics
/// As [`assert_close`].
#[track_caller]
pub fn assert_close_within(actual: &Buffer, expected: impl Into<Expected>, tolerance: Tolerance) {
    match difference(actual, expected, tolerance) {
        Ok(None) => {}
        Ok(Some(difference)) => panic!("{difference}"),
        Err(error) => panic!("a tensor cannot be compared: {error}"),
    }
}

/// An element: exactly, and as the parts of a complex number.
#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float([f64; 2]),
}

impl Number {
    fn text(self, dtype: DType) -> String {
        match self {
            Number::Int(value) if dtype == DType::Bool => (value != 0).to_string(),
            // The types below 16 bits have no numbers in Rust: their bits are shown.
            Number::Int(value) if !dtype.is_int() => format!("0x{value:02x}"),
            Number::Int(value) => value.to_string(),
            Number::Float([re, im]) if dtype.is_complex() => Complex::new(re, im).to_string(),
            Number::Float([value, _]) if dtype == DType::F64 => format!("{value:?}"),
            Number::Float([value, _]) => format!("{:?}", value as f32),
        }
    }
}

/// The elements of bytes in host layout.
fn numbers(dtype: DType, bytes: &[u8]) -> Vec<Number> {
    fn ints<T: Element + Into<i128>>(bytes: &[u8]) -> Vec<Number> {
        T::from_bytes(bytes).into_iter().map(|value| Number::Int(value.into())).collect()
    }
    fn floats<T: Element + Into<f64>>(bytes: &[u8]) -> Vec<Number> {
        T::from_bytes(bytes).into_iter().map(|value| Number::Float([value.into(), 0.0])).collect()
    }
    fn complex<T: Copy + Into<f64>>(values: Vec<Complex<T>>) -> Vec<Number> {
        values.into_iter().map(|value| Number::Float([value.re.into(), value.im.into()])).collect()
    }
    match dtype {
        DType::I2 | DType::I4 | DType::I8 => ints::<i8>(bytes),
        DType::I16 => ints::<i16>(bytes),
        DType::I32 => ints::<i32>(bytes),
        DType::I64 => ints::<i64>(bytes),
        DType::U16 => ints::<u16>(bytes),
        DType::U32 => ints::<u32>(bytes),
        DType::U64 => ints::<u64>(bytes),
        DType::BF16 => floats::<bf16>(bytes),
        DType::F16 => floats::<f16>(bytes),
        DType::F32 => floats::<f32>(bytes),
        DType::F64 => floats::<f64>(bytes),
        DType::C64 => complex(Complex::<f32>::from_bytes(bytes)),
        DType::C128 => complex(Complex::<f64>::from_bytes(bytes)),
        _ => ints::<u8>(bytes),
    }
}

/// The distance of two elements that are not close, and by how much it exceeds the tolerance.
fn apart(actual: Number, expected: Number, tolerance: Tolerance) -> Option<(f64, f64)> {
    let (a, b) = match (actual, expected) {
        (Number::Int(a), Number::Int(b)) => {
            // Integers are subtracted exactly, also where `f64` cannot represent adjacent ones.
            let distance = a.abs_diff(b) as f64;
            let allowed = tolerance.absolute + tolerance.relative * b.unsigned_abs() as f64;
            return (distance > allowed).then_some((distance, distance - allowed));
        }
        (Number::Float(a), Number::Float(b)) => (a, b),
        (Number::Int(_), Number::Float(_)) | (Number::Float(_), Number::Int(_)) => {
            return Some((f64::INFINITY, f64::INFINITY));
        }
    };
    let same = |(a, b): (f64, f64)| a == b || (tolerance.equal_nan && a.is_nan() && b.is_nan());
    if same((a[0], b[0])) && same((a[1], b[1])) {
        return None;
    }
    let distance = match (a, b) {
        ([a, _], [b, _]) if a.is_infinite() || b.is_infinite() => {
            if a == b {
                0.0
            } else {
                f64::INFINITY
            }
        }
        _ => (a[0] - b[0]).hypot(a[1] - b[1]),
    };
    let allowed = tolerance.absolute + tolerance.relative * b[0].hypot(b[1]);
    if distance <= allowed && (distance.is_finite() || allowed.is_finite()) {
        return None;
    }
    if distance.is_nan() {
        Some((f64::INFINITY, f64::INFINITY))
    } else {
        Some((distance, distance - if allowed.is_finite() { allowed } else { 0.0 }))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, tolerance, count, worst) = match self {
            Difference::Shape { actual, expected } => {
                return write!(f, "found {actual}, expected {expected}");
            }
            Difference::Elements { shape, tolerance, count, worst } => {
                (shape, tolerance, count, worst)
            }
        };
        let all = shape.element_count();
        let share = 100.0 * *count as f64 / all as f64;
        writeln!(f, "{count} of {all} elements of {shape} ({share:.3} %) are not close")?;
        writeln!(
            f,
            "  worst:     at {:?}: {}, expected {}, which is {:e} away",
            worst.index, worst.actual, worst.expected, worst.distance
        )?;
        let Tolerance { relative, absolute, equal_nan } = tolerance;
        write!(f, "  tolerance: {absolute:e} + {relative:e} of the expected element")?;
        if !equal_nan {
            write!(f, "; NaN is not close to NaN")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}, expected {}", self.index, self.actual, self.expected)
    }
}
