//! Tensors made of numbers, by pattern.

use crate::{
    DType, Dims, IntoDims, Tensor,
    trace::{OpError, emit, function_scope, shape_of},
};
use std::{f64::consts::TAU, panic::Location};

#[hloom_derive::tensor_methods(create)]
impl Tensor {
    /// A tensor of zeros (`false`) with the shape and element type of `self`.
    #[track_caller]
    pub fn zeros_like(self) -> Tensor {
        function_scope("zeros_like", || match shape_of(self) {
            Some(shape) => Tensor::zeros(shape.dtype(), shape.axes()),
            None => self,
        })
    }

    /// A tensor of ones (`true`) with the shape and element type of `self`.
    #[track_caller]
    pub fn ones_like(self) -> Tensor {
        function_scope("ones_like", || match shape_of(self) {
            Some(shape) => Tensor::ones(shape.dtype(), shape.axes()),
            None => self,
        })
    }

    /// A matrix of zeros with ones on the diagonal; `dims` has two axes.
    #[track_caller]
    #[doc(alias = "identity")]
    pub fn eye(dtype: DType, dims: impl IntoDims) -> Tensor {
        let dims = emit("eye", &[], Location::caller(), |_, _, _| {
            let dims = dims.into_dims()?;
            match dims.sizes().len() {
                2 => Ok(dims),
                rank => Err(OpError(format!("a matrix has two axes, not {rank}"))),
            }
        });
        let Some(dims) = dims else { return Tensor::poisoned() };
        function_scope("eye", || {
            let along = |axis: usize| Tensor::iota(DType::I64, dims, axis);
            along(0).eq(along(1)).convert(dtype)
        })
    }

    /// The numbers from `start` to `end`, which is excluded, at a distance of `step`, which may be
    /// negative, along an axis called `name`.
    #[track_caller]
    pub fn arange_step(dtype: DType, name: &str, start: i64, end: i64, step: i64) -> Tensor {
        let count = emit("arange_step", &[], Location::caller(), |_, _, _| {
            let span = i128::from(end) - i128::from(start);
            match step {
                0 => Err("a step of 0 goes nowhere".into()),
                step if (span > 0) != (step > 0) => Ok(0),
                step => usize::try_from(span.unsigned_abs().div_ceil(step.unsigned_abs().into()))
                    .map_err(|_| OpError(format!("{start}..{end} has too many elements"))),
            }
        });
        let Some(count) = count else { return Tensor::poisoned() };
        function_scope("arange_step", || {
            // Floats of few bits cannot represent the indices.
            let wide = if dtype.is_int() { dtype } else { DType::F64 };
            let index = Tensor::iota(DType::I64, [(name, count)], 0);
            let values = index * step + start;
            if wide.is_int() && wide.bits() == 64 {
                values.convert(dtype)
            } else {
                values.convert(wide).convert(dtype)
            }
        })
    }

    /// `count` floats at equal distances from `start` to `end`, both included, along an axis called
    /// `name`; with `count` 1, `start`.
    #[track_caller]
    pub fn linspace(dtype: DType, name: &str, start: f64, end: f64, count: usize) -> Tensor {
        function_scope("linspace", || {
            let last = count.saturating_sub(1);
            let index = Tensor::iota(DType::I64, [(name, count)], 0);
            let step = (end - start) / last.max(1) as f64;
            let inner = index.convert(DType::F64) * step + start;
            // The last step is not rounded; one element is the start.
            let is_end = index.ge(last.max(1));
            is_end.select(inner.full_like(end), inner).convert(dtype)
        })
    }

    /// A Hann window of `size` samples along an axis called `name`, `0.5 - 0.5 cos(2 pi i / n)`,
    /// where n is `size` if it is `periodic`, as for spectrograms, else `size - 1`.
    #[track_caller]
    pub fn hann_window(dtype: DType, name: &str, size: usize, periodic: bool) -> Tensor {
        function_scope("hann_window", || window(dtype, name, size, periodic, [0.5, 0.5, 0.0]))
    }

    /// A Hamming window, `0.54 - 0.46 cos(2 pi i / n)`: see [`hann_window`](Self::hann_window).
    #[track_caller]
    pub fn hamming_window(dtype: DType, name: &str, size: usize, periodic: bool) -> Tensor {
        function_scope("hamming_window", || window(dtype, name, size, periodic, [0.54, 0.46, 0.0]))
    }

    /// A Blackman window, `0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n)`: see
    /// [`hann_window`](Self::hann_window).
    #[track_caller]
    pub fn blackman_window(dtype: DType, name: &str, size: usize, periodic: bool) -> Tensor {
        function_scope("blackman_window", || window(dtype, name, size, periodic, [0.42, 0.5, 0.08]))
    }
}

/// The sum of three cosines.
#[track_caller]
fn window(dtype: DType, name: &str, size: usize, periodic: bool, parts: [f64; 3]) -> Tensor {
    if size == 1 {
        return Tensor::ones(dtype, [(name, 1)]);
    }
    let period = if periodic { size } else { size.saturating_sub(1) };
    let index = Tensor::iota(DType::I64, [(name, size)], 0).convert(DType::F64);
    let angle = index * (TAU / period.max(1) as f64);
    let sum = angle.cos() * -parts[1] + (angle * 2).cos() * parts[2] + parts[0];
    sum.convert(dtype)
}

/// Each of the vectors, broadcast over the axes of all: the coordinates of a grid. The axes have
/// the order of `vectors`; two vectors with axes of one name are an error.
#[track_caller]
pub fn meshgrid(vectors: &[Tensor]) -> Vec<Tensor> {
    let dims = emit("meshgrid", vectors, Location::caller(), |_, s, _| {
        if let Some(other) = s.iter().find(|shape| shape.rank() != 1) {
            return Err(OpError(format!("takes vectors, not {other}")));
        }
        Ok(Dims::new(s.iter().map(|shape| (shape.names()[0], shape.sizes()[0])))?)
    });
    let Some(dims) = dims else { return vec![Tensor::poisoned(); vectors.len()] };
    function_scope("meshgrid", || {
        let along = |(axis, &vector): (usize, &Tensor)| {
            let own = dims.names().iter().zip(dims.sizes()).enumerate();
            let own = own.map(|(i, (&name, &size))| (name, if i == axis { size } else { 1 }));
            match Dims::new(own) {
                Ok(own) => vector.reshape(own).broadcast_to(dims),
                Err(_) => Tensor::poisoned(),
            }
        };
        vectors.iter().enumerate().map(along).collect()
    })
}
