//! What a function is compiled for.

use crate::{DType, IntoDims, Shape, ShapeError, TraceError};
use std::panic::Location;

/// What an argument looks like: its shape. A list of axes that makes no shape is remembered and reported by `compile`.
#[derive(Clone, Debug)]
pub struct Spec {
    shape: Shape,
    invalid: Option<(ShapeError, &'static Location<'static>)>,
}

macro_rules! spec_of {
    ($($name:ident $dtype:ident),*) => { $(
        #[doc = concat!("A tensor of `", stringify!($name), "` elements.")]
        #[track_caller]
        pub fn $name(dims: impl IntoDims) -> Spec {
            Spec::new(DType::$dtype, dims)
        }
    )* };
}

impl Spec {
    /// A tensor of `dtype` elements.
    #[track_caller]
    pub fn new(dtype: DType, dims: impl IntoDims) -> Spec {
        let location = Location::caller();
        match Shape::new(dtype, dims) {
            Ok(shape) => Spec::of(shape),
            Err(error) => Spec {
                shape: Shape::scalar(dtype),
                invalid: Some((error, location)),
            },
        }
    }

    /// A tensor of this shape.
    pub fn of(shape: Shape) -> Spec {
        Spec { shape, invalid: None }
    }

    /// One element.
    pub fn scalar(dtype: DType) -> Spec {
        Spec::of(Shape::scalar(dtype))
    }

    spec_of!(bool Bool, i32 I32, i64 I64, u8 U8, u32 U32, bf16 BF16, f16 F16, f32 F32, f64 F64);

    /// The same axes with another element type.
    pub fn with_dtype(mut self, dtype: DType) -> Spec {
        self.shape = self.shape.with_dtype(dtype);
        self
    }

    /// The shape; a scalar's when the axes made no shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The mistake made when this was written, if one was.
    pub fn error(&self) -> Option<TraceError> {
        self.invalid.as_ref().map(|(error, location)| TraceError {
            op: "Spec",
            message: error.to_string(),
            operands: Vec::new(),
            location,
            following: 0,
        })
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        self.shape == other.shape && self.invalid.is_none() && other.invalid.is_none()
    }
}
