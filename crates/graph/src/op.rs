//! The table of all ops and their attributes.
//!
//! To add an op, write a struct of its attributes with a `Definition` and a `Behavior` and the
//! recording method of [`Tensor`](crate::Tensor) in a file of `ops`, a row in the table here, and
//! one function and one method of the lowering.

use crate::{
    BackendConfig, Effect, Graph, HostCall, RegionId,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    trace::Rule,
};
pub use crate::{
    Collective, CustomCall, Literal, Manual, ResolvedSharding,
    ops::{
        ArgReduce, Argument, Binary, BitcastConvert, BroadcastInDim, Case, Cholesky, Clamp,
        Composite, Concatenate, ConvDims, Convert, Cumulative, Direction, DotDims, DynamicSlice,
        DynamicUpdateSlice, Fft, ForLoop, GatherDims, Iota, OptimizationBarrier, OwnComposite,
        PadDims, Reduce, ReduceBy, ReducePrecision, ReduceWindow, ReduceWindowBy, Reshape, Reverse,
        Scan, Scatter, ScatterBy, Select, SliceDims, Sort, SortBy, Splat, TopK, Transpose,
        TriangularSolve, Unary, While,
    },
};
use std::{borrow::Cow, fmt, hash::Hasher};

/// Generates [`Op`], its dispatch and [`OpVisitor`] from one row per op: the tag in structure
/// hashes, which never changes; the variant; the stored type; the definition; and the visitor
/// method.
macro_rules! ops {
    ($(
        $(#[$doc:meta])*
        $tag:literal $variant:ident($stored:ty) $definition:ty: $method:ident;
    )*) => {
        /// The computation of a node: its attributes. The node stores the operands; axes are
        /// indices into their shapes.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Op {
            $($(#[$doc])* $variant($stored)),*
        }

        /// One method per op, without defaults: a visitor fails to compile when an op is added.
        pub trait OpVisitor<N> {
            /// The result of visiting an op.
            type Output;
            $(
                $(#[$doc])*
                fn $method(&mut self, node: N, attributes: &$definition) -> Self::Output;
            )*
        }

        $(impl From<$definition> for Op {
            fn from(attributes: $definition) -> Op {
                Op::$variant(attributes.into())
            }
        })*

        impl Op {
            /// The name of each op's variant.
            pub const ALL: &[&str] = &[$(stringify!($variant)),*];

            /// Calls the method of a visitor for this op.
            pub fn visit<N, V>(&self, visitor: &mut V, node: N) -> V::Output
            where
                V: OpVisitor<N> + ?Sized,
            {
                match self {
                    $(Op::$variant(attributes) => visitor.$method(node, attributes)),*
                }
            }

            /// The name of the variant, one of [`ALL`](Self::ALL).
            pub fn variant(&self) -> &'static str {
                match self {
                    $(Op::$variant(_) => stringify!($variant)),*
                }
            }

            /// The op's tag in structure hashes.
            pub(crate) fn tag(&self) -> u16 {
                match self {
                    $(Op::$variant(_) => $tag),*
                }
            }

            /// The op's rules, which are in its home in `ops`.
            pub(crate) fn definition(&self) -> &dyn Definition {
                match self {
                    $(Op::$variant(attributes) => {
                        let definition: &$definition = attributes;
                        definition
                    }),*
                }
            }

            /// Replaces the ids of the regions that the op owns.
            pub(crate) fn map_regions(&mut self, map: &mut dyn FnMut(RegionId) -> RegionId) {
                match self {
                    $(Op::$variant(attributes) => Behavior::map_regions({
                        let definition: &mut $definition = attributes;
                        definition
                    }, map)),*
                }
            }
        }
    };
}

ops! {
    /// An argument of the graph or of a region.
    0 Parameter(Argument) Argument: parameter;
    /// A constant with explicit values.
    1 Constant(Literal) Literal: constant;
    /// One value for every element.
    2 Splat(Splat) Splat: splat;
    /// Indices from 0 along an axis.
    3 Iota(Box<Iota>) Iota: iota;
    /// Converts values to another element type.
    4 Convert(Convert) Convert: convert;
    /// Reinterprets the bits as another element type.
    5 BitcastConvert(BitcastConvert) BitcastConvert: bitcast_convert;
    /// Rounds floats to a format of fewer bits.
    70 ReducePrecision(ReducePrecision) ReducePrecision: reduce_precision;
    /// An elementwise function of one operand.
    6 Unary(Unary) Unary: unary;
    /// An elementwise function of two operands.
    7 Binary(Binary) Binary: binary;
    /// An elementwise comparison.
    8 Compare(Direction) Direction: compare;
    /// Selects from the second operand where the first is true, else from the third.
    9 Select(Select) Select: select;
    /// The second operand, clamped between the first and the third.
    10 Clamp(Clamp) Clamp: clamp;
    /// Repeats values along new or size-1 axes.
    11 BroadcastInDim(Box<BroadcastInDim>) BroadcastInDim: broadcast_in_dim;
    /// Changes the axes and keeps the elements in row-major order.
    12 Reshape(Reshape) Reshape: reshape;
    /// Reorders axes.
    13 Transpose(Transpose) Transpose: transpose;
    /// Takes every `stride`-th element from `start` up to `limit`.
    14 Slice(Box<SliceDims>) SliceDims: slice;
    /// Inserts copies of the second operand, a scalar, around and between the elements of the
    /// first; negative edges crop.
    15 Pad(Box<PadDims>) PadDims: pad;
    /// Concatenates operands along an axis.
    16 Concatenate(Concatenate) Concatenate: concatenate;
    /// Reverses the order along axes.
    17 Reverse(Reverse) Reverse: reverse;
    /// The dot product, with contracted and batch axes.
    18 Dot(Box<DotDims>) DotDims: dot;
    /// The convolution of the first operand with the second, the kernel.
    52 Convolution(Box<ConvDims>) ConvDims: convolution;
    /// Reduces along axes, which are removed.
    19 Reduce(Reduce) Reduce: reduce;
    /// Reduces along axes, which are removed, with a body as the combiner.
    37 ReduceBy(ReduceBy) ReduceBy: reduce_by;
    /// Reduces each window that slides along the axes.
    53 ReduceWindow(Box<ReduceWindow>) ReduceWindow: reduce_window;
    /// Reduces each window that slides along the axes, with a body as the combiner.
    54 ReduceWindowBy(Box<ReduceWindowBy>) ReduceWindowBy: reduce_window_by;
    /// Sorts all operands along an axis with a body as the comparator; stable.
    38 SortBy(SortBy) SortBy: sort_by;
    /// The index of the largest or smallest element along an axis, which is removed; the first of
    /// equal elements, or of NaNs.
    20 ArgReduce(ArgReduce) ArgReduce: arg_reduce;
    /// An inclusive prefix reduction along an axis.
    21 Cumulative(Cumulative) Cumulative: cumulative;
    /// Slices the first operand; the others are the start indices, clamped so that the slice fits.
    22 DynamicSlice(DynamicSlice) DynamicSlice: dynamic_slice;
    /// Overwrites a slice of the first operand with the second, starting at the indices given by
    /// the others, clamped so that it fits.
    23 DynamicUpdateSlice(DynamicUpdateSlice) DynamicUpdateSlice: dynamic_update_slice;
    /// Gathers slices of the first operand at the start indices in the second.
    24 Gather(Box<GatherDims>) GatherDims: gather;
    /// Combines slices of the first operand, at the start indices in the second, with the updates
    /// in the third.
    50 Scatter(Box<Scatter>) Scatter: scatter;
    /// Combines slices of operands, at common start indices, with updates by a body.
    51 ScatterBy(Box<ScatterBy>) ScatterBy: scatter_by;
    /// Sorts all operands along an axis by the first one as the key; stable.
    25 Sort(Sort) Sort: sort;
    /// The largest elements of an `f32` operand along its last axis.
    26 TopK(TopK) TopK: top_k;
    /// The Cholesky decomposition of positive definite matrices, the last two axes.
    60 Cholesky(Cholesky) Cholesky: cholesky;
    /// Solves equations with triangular matrices, the first operand, for the right sides in the
    /// second.
    61 TriangularSolve(TriangularSolve) TriangularSolve: triangular_solve;
    /// A discrete Fourier transform over the last axes.
    62 Fft(Box<Fft>) Fft: fft;
    /// Repeats a body on carried values while a condition holds.
    28 While(While) While: while_loop;
    /// Repeats a body on carried values a fixed number of times.
    35 ForLoop(ForLoop) ForLoop: for_loop;
    /// Runs a body over the elements of operands along an axis, with carried values.
    36 Scan(Box<Scan>) Scan: scan;
    /// Runs the branch selected by the index operand, an `i32` scalar; the last branch if it is out
    /// of range.
    29 Case(Case) Case: case;
    /// Returns its operands; the compiler does not move work across it.
    30 OptimizationBarrier(OptimizationBarrier) OptimizationBarrier: optimization_barrier;
    /// A named function with a body, which passes and kernels can match.
    39 Composite(Box<Composite>) Composite: composite;
    /// Calls a target registered with the plugin.
    31 CustomCall(Box<CustomCall>) CustomCall: custom_call;
    /// Constrains the sharding of a value over the mesh.
    32 Constrain(Box<ResolvedSharding>) ResolvedSharding: constrain;
    /// Runs a body per device on local parts of the operands.
    33 Manual(Box<Manual>) Manual: manual;
    /// Communication between devices.
    34 Collective(Box<Collective>) Collective: collective;
}

impl Op {
    /// The name that a graph's text form uses.
    pub fn name(&self) -> &'static str {
        self.definition().name()
    }

    /// The shapes of the results.
    pub(crate) fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        self.definition().infer(context)
    }

    /// The number of results for this many operands.
    pub(crate) fn result_count(&self, graph: &Graph, operands: usize) -> usize {
        self.definition().result_count(graph, operands)
    }

    pub(crate) fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        self.definition().write_attributes(out)
    }

    pub(crate) fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.definition().hash_attributes(hasher);
    }

    /// Whether identical nodes of this op may be merged (CSE).
    pub(crate) fn is_mergeable(&self) -> bool {
        self.definition().is_mergeable()
    }

    /// The op's side effect, not counting the regions that it owns.
    pub fn effect(&self) -> Effect {
        self.definition().effect()
    }

    /// Whether the op stays when its results are unused, not counting the regions that it owns.
    pub fn has_effect(&self) -> bool {
        self.effect() != Effect::Pure
    }

    /// The regions that the op owns.
    pub fn regions(&self) -> impl Iterator<Item = RegionId> + use<> {
        self.labelled_regions().into_iter().map(|(_, region)| region)
    }

    pub(crate) fn labelled_regions(&self) -> Vec<(Cow<'static, str>, RegionId)> {
        self.definition().regions()
    }

    /// The index in [`Graph::host_calls`] of the host function that the op calls.
    pub fn host_slot(&self) -> Option<usize> {
        let Op::CustomCall(call) = self else {
            return None;
        };
        let BackendConfig::Typed(attributes) = &call.config else {
            return None;
        };
        usize::try_from(attributes.scalar::<i64>(HostCall::SLOT)?).ok()
    }
}
