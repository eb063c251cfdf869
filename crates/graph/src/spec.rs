//! Specs: the abstract arguments that a function is compiled for.

use crate::{
    Axis, DType, Dims, IntoDims, IntoMeshAxes, PartitionSpec, Shape, ShapeError, ShardingError,
    TraceError,
};
use std::panic::Location;

/// The abstract value of an argument: its shape, and its partition over a mesh. An invalid shape or
/// partition is stored and reported by `compile`.
///
/// ```
/// use hloom_graph::Spec;
///
/// let weight = Spec::bf16([("heads", 32), ("dim", 64), ("in", 2048)]).shard("heads", "model");
/// let tokens = Spec::i32([("batch", 8), ("seq", 128)]);
/// let tokens = tokens.shard("batch", ["data", "fsdp"]).open("seq");
/// ```
///
/// Axes that are not split are replicated. A single-device program ignores partitions.
#[derive(Clone, Debug)]
pub struct Spec {
    shape: Shape,
    partition: PartitionSpec,
    invalid: Option<(ShapeError, &'static Location<'static>)>,
    /// The location of the last change of the partition.
    sharded_at: &'static Location<'static>,
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
            Err(error) => {
                Spec { invalid: Some((error, location)), ..Spec::of(Shape::scalar(dtype)) }
            }
        }
    }

    /// A tensor of this shape.
    #[track_caller]
    pub fn of(shape: Shape) -> Spec {
        Spec {
            shape,
            partition: PartitionSpec::replicated(),
            invalid: None,
            sharded_at: Location::caller(),
        }
    }

    /// A scalar.
    #[track_caller]
    pub fn scalar(dtype: DType) -> Spec {
        Spec::of(Shape::scalar(dtype))
    }

    spec_of!(bool Bool, i32 I32, i64 I64, u8 U8, u32 U32, bf16 BF16, f16 F16, f32 F32, f64 F64);

    /// The same axes with another element type.
    #[track_caller]
    pub fn with_dtype(mut self, dtype: DType) -> Spec {
        self.shape = self.shape.with_dtype(dtype);
        if let Err(error) = self.shape.check_blocks() {
            self.invalid.get_or_insert((error, Location::caller()));
        }
        self
    }

    /// Splits an axis along a mesh axis, or several, the first slowest.
    #[track_caller]
    pub fn shard(self, axis: impl Into<Axis>, over: impl IntoMeshAxes) -> Spec {
        let partition = self.partition.and(axis, over);
        self.sharded_at(partition, Location::caller())
    }

    /// Leaves an axis open: the compiler may split it, or split it further.
    #[track_caller]
    pub fn open(self, axis: impl Into<Axis>) -> Spec {
        let partition = self.partition.open(axis);
        self.sharded_at(partition, Location::caller())
    }

    /// Also splits axes whose sizes are not divisible: see [`PartitionSpec::padded`].
    #[track_caller]
    pub fn padded(self) -> Spec {
        let partition = self.partition.padded();
        self.sharded_at(partition, Location::caller())
    }

    /// Replicated on every device, which is the default.
    #[track_caller]
    pub fn replicated(self) -> Spec {
        self.sharded_at(PartitionSpec::replicated(), Location::caller())
    }

    /// Replaces the partition.
    #[track_caller]
    pub fn partitioned(self, partition: impl Into<PartitionSpec>) -> Spec {
        self.sharded_at(partition.into(), Location::caller())
    }

    pub(crate) fn sharded_at(
        self,
        partition: PartitionSpec,
        location: &'static Location<'static>,
    ) -> Spec {
        Spec { partition, sharded_at: location, ..self }
    }

    /// The partition over a mesh.
    pub fn partition_spec(&self) -> PartitionSpec {
        self.partition
    }

    /// The shape; that of a scalar if the axes are invalid.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The axes, or the error recorded while building the spec.
    pub(crate) fn checked_dims(&self) -> Result<Dims, ShapeError> {
        match &self.invalid {
            Some((error, _)) => Err(error.clone()),
            None => Ok(self.shape.axes()),
        }
    }

    /// The error recorded while building the spec, if any.
    pub fn error(&self) -> Option<TraceError> {
        let (error, location) = self.invalid.as_ref()?;
        Some(TraceError::new("Spec", error.to_string(), location))
    }

    /// The error for an invalid partition.
    pub(crate) fn sharding_error(&self, name: &str, error: &ShardingError) -> TraceError {
        let argument = crate::OperandInfo {
            label: "argument".into(),
            shape: self.shape,
            name: Some(name.into()),
        };
        TraceError {
            operands: vec![argument],
            ..TraceError::new("shard", error.to_string(), self.sharded_at)
        }
    }
}

impl From<Shape> for Spec {
    #[track_caller]
    fn from(shape: Shape) -> Spec {
        Spec::of(shape)
    }
}

impl From<&Spec> for Spec {
    fn from(spec: &Spec) -> Spec {
        spec.clone()
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        self.shape == other.shape
            && self.partition == other.partition
            && self.invalid.is_none()
            && other.invalid.is_none()
    }
}
