//! The tensor graph: named shapes, trees of tensors, tracing, and every op with its shape rule.
//!
//! A trace runs a plain Rust function over [`Tensor`] handles and records a [`Graph`]: a flat,
//! hash-consed arena of nodes, with regions for control flow and the user's source location on
//! every node. Nothing here depends on MLIR or a plugin.
//!
//! # Design
//! - **Ops never return `Result` and never panic.** The first error of a trace is recorded with the
//!   op, its operands' shapes and the caller's location; the op returns a poisoned tensor, and so
//!   does everything computed from it. Finishing the trace returns the error.
//! - **`Tensor` is a `Copy` handle** of a value in the thread's current trace. Use of a handle of
//!   another trace is a recorded error.
//! - **Axes have names.** Elementwise ops align fully named operands by name, where one of the
//!   operands must have the axes of all others ([`outer`] broadcasts operands without this
//!   property). They align other operands by position from the right, as NumPy does.
//! - **Effects stay.** A custom call with an effect is never merged, and it is live, together with
//!   every region around it.
//! - **Shardings are symbolic until a mesh is known.** A [`PartitionSpec`] names axes; with a shape
//!   and a [`MeshShape`] it becomes a [`ResolvedSharding`], which all lower layers read.
//! - **An op has one home**: a struct of its attributes with its shape rule, text form, regions,
//!   effect, hash, batching rule and reverse rule, next to the method of [`Tensor`] that records
//!   it. One table, [`for_each_op`], lists every op; [`Op`] and the dispatch of lowerings are
//!   generated from it.

#![forbid(unsafe_code)]

// Derived code refers to this crate by its external path, also in this crate's own tests.
extern crate self as hloom_graph;

mod arity;
mod attribute;
mod axis;
mod block_kind;
mod body;
mod brief_shapes;
mod comparison;
mod custom_call;
mod definition;
mod derive;
mod dims;
mod dtype;
mod element;
mod error;
mod grad;
mod graph;
mod host;
mod iq_grid;
mod literal;
mod name;
mod nested;
pub mod op;
mod ops;
mod per_axis;
mod shape;
mod shape_order;
mod sharding;
mod spec;
mod takes;
mod tensor;
mod trace;
mod tree;
mod vmap;

pub use attribute::{Attribute, Attributes};
pub use axis::{Axis, IntoAxes};
pub use block_kind::BlockKind;
pub use brief_shapes::BriefShapes;
pub use custom_call::{BackendConfig, CustomCall, Effect, OutputAlias};
#[doc(inline)]
pub use derive::Tree;
pub use dims::{Dims, IntoDims};
pub use dtype::DType;
pub use element::Element;
pub use error::{OperandInfo, ShapeError, TraceError};
pub use grad::{
    CheckpointPolicy, Pullback, checkpoint, checkpoint_name, custom_vjp, grad, hessian, jacobian,
    jvp, value_and_grad, value_and_grad_aux, vjp,
};
pub use graph::{
    Alias, Graph, Node, NodeId, Parameter, Region, RegionId, RegionKind, Replace, Replay,
    ResultInfo, Rewrite, Value, ValueId, record, record_region,
};
pub use host::{FunctionId, HostCall, HostStep};
#[doc(hidden)]
pub use iq_grid::IqGrid;
pub use literal::{Literal, Scalar};
pub use name::Name;
pub use nested::{Nested, flattened};
pub use op::Op;
pub use ops::{
    ArgReduction, At, Binary, ChoiceOptions, ConvDims, ConvOptions, CustomCallBuilder, Direction,
    DotDims, DotOptions, EachAxis, FftKind, GatherDims, Key, MatrixNorm, PadDims, PadMode, Padding,
    PoolOptions, Precision, Reduction, ScalarNumber, ScalarValue, ScanOutput, ScatterDims,
    ScatterUpdate, Selection, SliceDims, StartIndex, TensorTree, TransposeA, TriangularSolve,
    Unary, WindowDims, associative_scan, axis_index, axis_size, case, composite, concatenate, cond,
    custom_call, einsum, einsum_with, for_loop, linear_algebra_name, manual, manual_unchecked, map,
    meshgrid, optimization_barrier, outer, reduce_by, reduce_window_by, scan, scatter_by,
    shared_composite, sort_by, sort_together, stack, while_loop,
};
pub use per_axis::{MAX_RANK, PerAxis};
pub use shape::Shape;
pub use sharding::{
    Collective, IntoMeshAxes, Manual, MeshAxisPart, MeshShape, PartitionSpec, ResolvedSharding,
    ShardingError, Unmatched, shard_tree,
};
pub use spec::Spec;
pub use tensor::{Operand, Tensor};
pub use trace::{
    GraphBuilder, GraphError, MAX_NESTING, TraceScope, called_from, function_scope, module_of,
    named_scope, record_error, trace_mesh,
};
#[doc(hidden)]
pub use tree::{
    Carried, CarriedBorrowingFunction, CarriedCompared, CarriedFunction, CarriedOpaque,
    CarriedPlain, CarriedShown, SameCompared, SamePlain,
};
pub use tree::{
    FieldValue, Leaf, LeafProblem, Mirror, Mismatch, Path, Segment, SpecReader, SpecSource,
    SpecTree, Structure, StructureMismatch, StructureWalk, Tree, nearest_name, path_matches,
};
pub use vmap::vmap;
