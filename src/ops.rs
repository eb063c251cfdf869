//! Ops that are functions, and the arguments of ops: axes, sizes, options.
//!
//! Most ops are methods of [`Tensor`](crate::Tensor).

// Control flow.
#[doc(inline)]
pub use hloom_graph::{ScanOutput, associative_scan, case, cond, for_loop, map, scan, while_loop};

// Several tensors.
#[doc(inline)]
pub use hloom_graph::{
    concatenate, einsum, einsum_with, meshgrid, optimization_barrier, outer, sort_together, stack,
};

// Ops with a function as their combiner or comparator.
#[doc(inline)]
pub use hloom_graph::{reduce_by, reduce_window_by, scatter_by, sort_by};

// Calls of code that is not traced, and named functions.
#[doc(inline)]
pub use hloom_graph::{
    Attribute, Attributes, BackendConfig, CustomCallBuilder, Effect, OutputAlias, composite,
    custom_call, shared_composite,
};

// Options.
#[doc(inline)]
pub use hloom_graph::{
    ArgReduction, ChoiceOptions, ConvDims, ConvOptions, Direction, DotDims, DotOptions, EachAxis,
    FftKind, GatherDims, MatrixNorm, PadDims, PadMode, Padding, PoolOptions, Precision, Reduction,
    ScatterDims, ScatterUpdate, SliceDims, TransposeA, TriangularSolve, WindowDims,
};

// Axes, sizes and values.
#[doc(inline)]
pub use hloom_graph::{
    At, Dims, IntoAxes, IntoDims, Literal, MAX_RANK, Operand, PerAxis, Scalar, ScalarNumber,
    ScalarValue, Selection, ShapeError, StartIndex,
};
