//! Tensors from nothing.

use crate::{
    DType, Element, IntoDims, Literal, Op, Shape, Tensor,
    tensor::Number,
    trace::{Mistake, emit},
};
use std::panic::Location;

/// Any Rust number or `bool` that a constant can be made of.
pub trait ScalarValue: Into<ScalarNumber> {}

/// A number on its way into a constant.
#[derive(Clone, Copy)]
pub struct ScalarNumber(pub(super) Number);

impl<T: Into<Number>> From<T> for ScalarNumber {
    fn from(value: T) -> ScalarNumber {
        ScalarNumber(value.into())
    }
}

impl<T: Into<ScalarNumber>> ScalarValue for T {}

impl Tensor {
    /// A constant of the given values, in row-major order.
    #[track_caller]
    pub fn constant<T: Element>(values: &[T], dims: impl IntoDims) -> Tensor {
        let value = emit("constant", &[], Location::caller(), |builder, _, _| {
            let shape = Shape::new(T::DTYPE, dims)?;
            let literal = Literal::new(values, shape).ok_or_else(|| {
                Mistake(format!(
                    "{} values for {} elements of {shape}",
                    values.len(),
                    shape.element_count()
                ))
            })?;
            Ok(builder.node(Op::Constant(literal), &[], shape))
        });
        Tensor::or_poisoned(value)
    }

    /// One value everywhere. An integer out of the type's range and a finite number that overflows it are errors.
    #[track_caller]
    pub fn full(value: impl ScalarValue, dtype: DType, dims: impl IntoDims) -> Tensor {
        let ScalarNumber(number) = value.into();
        let shape = emit("full", &[], Location::caller(), |_, _, _| Ok(Shape::new(dtype, dims)?));
        match shape {
            // Not a closure: one would hide the caller's line.
            Some(shape) => number.splat("full", &[], shape),
            None => Tensor::poisoned(),
        }
    }

    /// A scalar.
    #[track_caller]
    pub fn scalar(value: impl ScalarValue, dtype: DType) -> Tensor {
        let ScalarNumber(number) = value.into();
        number.splat("scalar", &[], Shape::scalar(dtype))
    }

    /// Zeros (`false` for `bool`).
    #[track_caller]
    pub fn zeros(dtype: DType, dims: impl IntoDims) -> Tensor {
        match dtype {
            DType::Bool => Tensor::full(false, dtype, dims),
            _ => Tensor::full(0, dtype, dims),
        }
    }

    /// Ones (`true` for `bool`).
    #[track_caller]
    pub fn ones(dtype: DType, dims: impl IntoDims) -> Tensor {
        match dtype {
            DType::Bool => Tensor::full(true, dtype, dims),
            _ => Tensor::full(1, dtype, dims),
        }
    }

    /// A tensor with the same axes and element type, of one value.
    #[track_caller]
    pub fn full_like(self, value: impl ScalarValue) -> Tensor {
        let ScalarNumber(number) = value.into();
        match crate::trace::shape_of(self) {
            Some(shape) => number.splat("full_like", &[self], shape),
            None => self,
        }
    }

    /// Counts 0, 1, 2... along `axis`, the same for all positions of the other axes. Floats that have not all of these integers
    /// (`bf16` from 257 on, `f16` from 2049 on) count in the nearest that they have. An axis whose last position is out of the
    /// range of the type is an error.
    #[track_caller]
    pub fn iota(dtype: DType, dims: impl IntoDims, axis: impl Into<crate::Axis>) -> Tensor {
        let axis = axis.into();
        let value = emit("iota", &[], Location::caller(), |builder, _, _| {
            let shape = Shape::new(dtype, dims)?;
            if dtype == DType::Bool {
                return Err("bool does not count".into());
            }
            let axis = shape.position(axis)?;
            if let Some(last) = shape.sizes()[axis].checked_sub(1) {
                Number::from(last).scalar(dtype)?;
            }
            Ok(builder.node(Op::Iota(axis), &[], shape))
        });
        Tensor::or_poisoned(value)
    }

    /// Counts from 0 to `size`, exclusive, along an axis called `name` (`_` for none).
    #[track_caller]
    pub fn arange(dtype: DType, name: &str, size: usize) -> Tensor {
        Tensor::iota(dtype, [(name, size)], 0)
    }
}
