//! Constants and other tensors without operands.

use crate::{
    DType, Dims, Element, IntoDims, Literal, Nested, Scalar, Shape, ShapeError, Tensor,
    definition::{
        AttributeText, Definition, InferContext, Shapes, hash_shape, hash_sizes, one, plain,
    },
    flattened,
    grad::zero_derivative,
    tensor::Number,
    trace::{OpError, Rule, emit, function_scope},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
};

/// One value for every element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Splat {
    /// The value.
    pub scalar: Scalar,
    /// The axes of the result.
    pub dims: Dims,
}

/// Indices from 0 along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Iota {
    /// The shape of the result.
    pub shape: Shape,
    /// The axis.
    pub axis: usize,
}

impl Definition for Literal {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        context.operands::<0>()?;
        one(self.shape())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {self}")
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_shape(hasher, &self.shape());
        hasher.write(self.bytes());
    }
}

impl Definition for Splat {
    fn name(&self) -> &'static str {
        "splat"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        context.operands::<0>()?;
        one(Shape::scalar(self.scalar.dtype()).with_dims(self.dims))
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {}", self.scalar)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.scalar.dtype().hash(&mut &mut *hasher);
        hasher.write(self.scalar.bytes());
        hash_sizes(hasher, self.dims.sizes());
    }
}

impl Definition for Iota {
    fn name(&self) -> &'static str {
        "iota"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        context.operands::<0>()?;
        let Iota { shape, axis } = *self;
        if shape.dtype() == DType::Bool {
            return Err("takes integers, floats or complex numbers, not bool".into());
        }
        let size = *shape
            .sizes()
            .get(axis)
            .ok_or_else(|| format!("there is no axis {axis} in {shape}"))?;
        if let Some(last) = size.checked_sub(1) {
            Number::from(last).scalar(shape.dtype())?;
        }
        one(shape)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_shape(hasher, &self.shape);
        hasher.write_usize(self.axis);
    }
}

plain!(Literal, Splat, Iota);
zero_derivative!(Literal, Splat, Iota);
as_it_is!(Literal, Splat, Iota);

/// A Rust number or `bool` from which a constant can be made.
pub trait ScalarValue: Into<ScalarNumber> {}

/// A number to be converted to a constant.
#[derive(Clone, Copy)]
pub struct ScalarNumber(pub(super) Number);

impl<T: Into<Number>> From<T> for ScalarNumber {
    fn from(value: T) -> ScalarNumber {
        ScalarNumber(value.into())
    }
}

impl<T: Into<ScalarNumber>> ScalarValue for T {}

#[hloom_derive::tensor_methods(constant)]
impl Tensor {
    /// A constant of the given values, in row-major order.
    #[doc(alias = "tensor")]
    #[doc(alias = "constantTensor")]
    #[track_caller]
    pub fn constant<T: Element>(values: &[T], dims: impl IntoDims) -> Tensor {
        let value = emit("constant", &[], Location::caller(), |builder, _, _| {
            let shape = Shape::new(T::DTYPE, dims)?;
            let literal = Literal::new(values, shape).ok_or_else(|| {
                OpError(format!(
                    "{} values for {} elements of {shape}",
                    values.len(),
                    shape.element_count()
                ))
            })?;
            builder.add(literal, &[])
        });
        Tensor::or_poisoned(value)
    }

    /// A constant of the numbers of nested arrays, with an axis for each level, without names.
    ///
    /// ```
    /// # use hloom_graph::{Tensor, TraceScope};
    /// # let trace = TraceScope::begin("example");
    /// let matrix = Tensor::array([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(matrix.shape().to_string(), "f32[2, 3]");
    /// ```
    #[lazy(by_hand)]
    #[track_caller]
    pub fn array<A: Nested>(numbers: A) -> Tensor {
        match flattened(&numbers) {
            Ok((numbers, dims)) => Tensor::constant(&numbers, dims),
            Err(error) => Tensor::constant::<A::Element>(&[], Err(error)),
        }
    }

    /// One value for every element. An integer out of the type's range and a finite number that
    /// overflows it are errors.
    #[track_caller]
    pub fn full(value: impl ScalarValue, dtype: DType, dims: impl IntoDims) -> Tensor {
        let ScalarNumber(number) = value.into();
        filled(number, dtype, dims.into_dims())
    }

    /// A scalar.
    #[lazy(by_hand)]
    #[track_caller]
    pub fn scalar(value: impl ScalarValue, dtype: DType) -> Tensor {
        let ScalarNumber(number) = value.into();
        number.splat("scalar", &[], Shape::scalar(dtype))
    }

    /// Zeros (`false` for `bool`).
    #[track_caller]
    pub fn zeros(dtype: DType, dims: impl IntoDims) -> Tensor {
        let dims = dims.into_dims();
        function_scope("zeros", || match dtype {
            DType::Bool => Tensor::full(false, dtype, dims),
            _ => Tensor::full(0, dtype, dims),
        })
    }

    /// Ones (`true` for `bool`).
    #[track_caller]
    pub fn ones(dtype: DType, dims: impl IntoDims) -> Tensor {
        let dims = dims.into_dims();
        function_scope("ones", || match dtype {
            DType::Bool => Tensor::full(true, dtype, dims),
            _ => Tensor::full(1, dtype, dims),
        })
    }

    /// A tensor of one value with the same axes and element type.
    #[track_caller]
    pub fn full_like(self, value: impl ScalarValue) -> Tensor {
        let ScalarNumber(number) = value.into();
        match crate::trace::shape_of(self) {
            Some(shape) => number.splat("full_like", &[self], shape),
            None => self,
        }
    }

    /// The indices 0, 1, 2... along `axis`, the same at all positions of the other axes. Float
    /// types that cannot represent all of these integers (`bf16` from 257 on, `f16` from 2049 on)
    /// use the nearest value. An axis whose last index is out of the range of the type is an error.
    #[track_caller]
    pub fn iota(dtype: DType, dims: impl IntoDims, axis: impl Into<crate::Axis>) -> Tensor {
        let (dims, axis) = (dims.into_dims(), axis.into());
        let value = emit("iota", &[], Location::caller(), |builder, _, _| {
            let shape = Shape::new(dtype, dims)?;
            let axis = shape.position(axis)?;
            builder.add(Iota { shape, axis }, &[])
        });
        Tensor::or_poisoned(value)
    }

    /// The indices from 0 to `size`, exclusive, along an axis called `name` (`_` for none).
    #[track_caller]
    pub fn arange(dtype: DType, name: &str, size: usize) -> Tensor {
        function_scope("arange", || Tensor::iota(dtype, [(name, size)], 0))
    }
}

#[track_caller]
fn filled(number: Number, dtype: DType, dims: Result<Dims, ShapeError>) -> Tensor {
    let shape = emit("full", &[], Location::caller(), |_, _, _| Ok(Shape::new(dtype, dims)?));
    match shape {
        // Not a closure: that would hide the caller's line.
        Some(shape) => number.splat("full", &[], shape),
        None => Tensor::poisoned(),
    }
}
