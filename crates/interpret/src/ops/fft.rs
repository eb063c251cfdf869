//! Discrete Fourier transforms, as sums over all points, computed in `f64`.

use crate::{
    array::{Array, each_position, flat_index},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::{Complex, Number},
};
use hloom_graph::{FftKind, NodeId, Shape, op::Fft};
use std::f64::consts::TAU;

/// Complex numbers with sizes.
struct Points {
    sizes: Vec<usize>,
    numbers: Vec<Complex>,
}

fn fft(result: Shape, fft: &Fft, x: &Array) -> Array {
    let mut points =
        Points { sizes: x.sizes().to_vec(), numbers: x.numbers().map(Number::complex).collect() };
    let rank = points.sizes.len();
    let first = rank - fft.lengths.len();
    let last = rank - 1;
    if fft.kind == FftKind::Irfft {
        // The axis that holds half of the points comes last, after the others are transformed.
        for axis in first..last {
            points = transformed(&points, axis, true);
        }
        let length = fft.lengths[fft.lengths.len() - 1];
        points = transformed(&completed(&points, last, length), last, true);
        let elements = points.numbers.iter();
        return Array::of(
            result,
            elements.map(|z| Number::Float(z.re).encode(result.dtype())).collect(),
        );
    }
    let is_inverse = fft.kind == FftKind::Ifft;
    for axis in (first..rank).rev() {
        points = transformed(&points, axis, is_inverse);
        if fft.kind == FftKind::Rfft && axis == last {
            make_real(&mut points, last);
        }
    }
    // A transform of real numbers keeps the first half of the last axis.
    Array::from_fn(result, |position| {
        let from = flat_index(&points.sizes, position);
        Number::Complex(points.numbers[from]).encode(result.dtype())
    })
}

/// All points of an axis, from its first half and middle: the others are their conjugates. The
/// imaginary parts of the first point, and of the middle one, are not used.
fn completed(points: &Points, axis: usize, length: usize) -> Points {
    let mut sizes = points.sizes.clone();
    sizes[axis] = length;
    let mut numbers = Vec::new();
    each_position(&sizes, |position| {
        let mut from = position.to_vec();
        let at = from[axis];
        let is_mirrored = at > length / 2;
        if is_mirrored {
            from[axis] = length - at;
        }
        let z = points.numbers[flat_index(&points.sizes, &from)];
        let is_real = at == 0 || 2 * at == length;
        numbers.push(match (is_mirrored, is_real) {
            (true, _) => z.conjugate(),
            (false, true) => Complex::new(z.re, 0.0),
            (false, false) => z,
        });
    });
    Points { sizes, numbers }
}

/// Sets the imaginary parts of the first point of an axis, and of its middle one, to 0: those of a
/// transform of real numbers, also of NaN.
fn make_real(points: &mut Points, axis: usize) {
    let length = points.sizes[axis];
    let mut index = 0;
    each_position(&points.sizes, |position| {
        if position[axis] == 0 || 2 * position[axis] == length {
            points.numbers[index].im = 0.0;
        }
        index += 1;
    });
}

fn transformed(points: &Points, axis: usize, is_inverse: bool) -> Points {
    let count = points.sizes[axis];
    let turn = if is_inverse { TAU } else { -TAU };
    let unit = |k: usize| {
        let (sin, cos) = (turn * k as f64 / count as f64).sin_cos();
        Complex::new(cos, sin)
    };
    let units: Vec<Complex> = (0..count).map(unit).collect();
    let mut numbers = Vec::with_capacity(points.numbers.len());
    each_position(&points.sizes, |position| {
        let mut from = position.to_vec();
        let mut sum = Complex::new(0.0, 0.0);
        for i in 0..count {
            from[axis] = i;
            let point = points.numbers[flat_index(&points.sizes, &from)];
            sum = sum
                + match i * position[axis] % count {
                    // A product with 0 would be NaN for NaN and infinities.
                    0 => point,
                    k if 2 * k == count => -point,
                    k => point * units[k],
                };
        }
        numbers.push(if is_inverse { sum.scale(1.0 / count as f64) } else { sum });
    });
    Points { sizes: points.sizes.clone(), numbers }
}

/// The number of products of a transform.
fn products(fft: &Fft, result: Shape) -> usize {
    let lengths: usize = fft.lengths.iter().sum();
    result.element_count().saturating_mul(2).saturating_mul(lengths)
}

impl Evaluate for Fft {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_products(n, |_, shape| products(self, shape))?;
        m.one(n, |x, shape| fft(shape, self, x[0]))
    }
}
