//! The table of all ops and their attributes.
//!
//! To add an op, write its home, a file of `ops`: a struct of its attributes with a `Definition`, a
//! `Behavior`, its batching rule (`Batch`), its reverse rule (`Vjp`) and the recording method of
//! [`Tensor`](crate::Tensor). Then add a row to the table here, its lowering and its evaluation.

use crate::{
    BackendConfig, Effect, Graph, HostCall, RegionId,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    trace::Rule,
};
pub use crate::{
    Collective, CustomCall, Literal, Manual, ResolvedSharding,
    ops::{
        ArgReduce, Argument, Binary, BitcastConvert, BroadcastInDim, Case, Cholesky, Clamp,
        Composite, Concatenate, ConvDims, Convert, CumLogSumExp, Cumulative, Direction, DotDims,
        DynamicSlice, DynamicUpdateSlice, Fft, ForLoop, GatherDims, Iota, OptimizationBarrier,
        OwnComposite, PadDims, Reduce, ReduceBy, ReducePrecision, ReduceWindow, ReduceWindowBy,
        Reshape, Reverse, Scan, Scatter, ScatterBy, Select, SliceDims, Sort, SortBy, Splat, TopK,
        Transpose, TriangularSolve, Unary, While,
    },
};
use std::{borrow::Cow, fmt, hash::Hasher};

/// The table of all ops. It calls a macro with one row per op: the tag in structure hashes, which
/// never changes; the variant; the stored type; and the definition, by its name in
/// [`op`](crate::op). All code that lists every op is generated from it, in other crates too.
///
/// ```
/// macro_rules! names {
///     ($($(#[$doc:meta])* $tag:literal $variant:ident($stored:ty) $definition:ident;)*) => {
///         const NAMES: &[&str] = &[$(stringify!($variant)),*];
///     };
/// }
/// hloom_graph::for_each_op!(names);
/// assert_eq!(NAMES, hloom_graph::Op::ALL);
/// ```
#[macro_export]
macro_rules! for_each_op {
    ($then:ident) => {
        $then! {
            /// An argument of the graph or of a region.
            0 Parameter(Argument) Argument;
            /// A constant with explicit values.
            1 Constant(Literal) Literal;
            /// One value for every element.
            2 Splat(Splat) Splat;
            /// Indices from 0 along an axis.
            3 Iota(Box<Iota>) Iota;
            /// Converts values to another element type.
            4 Convert(Convert) Convert;
            /// Reinterprets the bits as another element type.
            5 BitcastConvert(BitcastConvert) BitcastConvert;
            /// Rounds floats to a format of fewer bits.
            70 ReducePrecision(ReducePrecision) ReducePrecision;
            /// An elementwise function of one operand.
            6 Unary(Unary) Unary;
            /// An elementwise function of two operands.
            7 Binary(Binary) Binary;
            /// An elementwise comparison.
            8 Compare(Direction) Direction;
            /// Selects from the second operand where the first is true, else from the third.
            9 Select(Select) Select;
            /// The second operand, clamped between the first and the third.
            10 Clamp(Clamp) Clamp;
            /// Repeats values along new or size-1 axes.
            11 BroadcastInDim(Box<BroadcastInDim>) BroadcastInDim;
            /// Changes the axes and keeps the elements in row-major order.
            12 Reshape(Reshape) Reshape;
            /// Reorders axes.
            13 Transpose(Transpose) Transpose;
            /// Takes every `stride`-th element from `start` up to `limit`.
            14 Slice(Box<SliceDims>) SliceDims;
            /// Inserts copies of the second operand, a scalar, around and between the elements of
            /// the first; negative edges crop.
            15 Pad(Box<PadDims>) PadDims;
            /// Concatenates operands along an axis.
            16 Concatenate(Concatenate) Concatenate;
            /// Reverses the order along axes.
            17 Reverse(Reverse) Reverse;
            /// The dot product, with contracted and batch axes.
            18 Dot(Box<DotDims>) DotDims;
            /// The convolution of the first operand with the second, the kernel.
            52 Convolution(Box<ConvDims>) ConvDims;
            /// Reduces along axes, which are removed.
            19 Reduce(Reduce) Reduce;
            /// Reduces along axes, which are removed, with a body as the combiner.
            37 ReduceBy(ReduceBy) ReduceBy;
            /// Reduces each window that slides along the axes.
            53 ReduceWindow(Box<ReduceWindow>) ReduceWindow;
            /// Reduces each window that slides along the axes, with a body as the combiner.
            54 ReduceWindowBy(Box<ReduceWindowBy>) ReduceWindowBy;
            /// Sorts all operands along an axis with a body as the comparator; stable.
            38 SortBy(SortBy) SortBy;
            /// The index of the largest or smallest element along an axis, which is removed; the
            /// first of equal elements, or of NaNs.
            20 ArgReduce(ArgReduce) ArgReduce;
            /// An inclusive prefix reduction along an axis.
            21 Cumulative(Cumulative) Cumulative;
            /// The logarithms of inclusive prefix sums of exponentials along an axis.
            71 CumLogSumExp(CumLogSumExp) CumLogSumExp;
            /// Slices the first operand; the others are the start indices, clamped so that the
            /// slice fits.
            22 DynamicSlice(DynamicSlice) DynamicSlice;
            /// Overwrites a slice of the first operand with the second, starting at the indices
            /// given by the others, clamped so that it fits.
            23 DynamicUpdateSlice(DynamicUpdateSlice) DynamicUpdateSlice;
            /// Gathers slices of the first operand at the start indices in the second.
            24 Gather(Box<GatherDims>) GatherDims;
            /// Combines slices of the first operand, at the start indices in the second, with the
            /// updates in the third.
            50 Scatter(Box<Scatter>) Scatter;
            /// Combines slices of operands, at common start indices, with updates by a body.
            51 ScatterBy(Box<ScatterBy>) ScatterBy;
            /// Sorts all operands along an axis by the first one as the key; stable.
            25 Sort(Sort) Sort;
            /// The largest elements of an `f32` operand along its last axis.
            26 TopK(TopK) TopK;
            /// The Cholesky decomposition of positive definite matrices, the last two axes.
            60 Cholesky(Cholesky) Cholesky;
            /// Solves equations with triangular matrices, the first operand, for the right sides in
            /// the second.
            61 TriangularSolve(TriangularSolve) TriangularSolve;
            /// A discrete Fourier transform over the last axes.
            62 Fft(Box<Fft>) Fft;
            /// Repeats a body on carried values while a condition holds.
            28 While(While) While;
            /// Repeats a body on carried values a fixed number of times.
            35 ForLoop(ForLoop) ForLoop;
            /// Runs a body over the elements of operands along an axis, with carried values.
            36 Scan(Box<Scan>) Scan;
            /// Runs the branch selected by the index operand, an `i32` scalar; the last branch if
            /// it is out of range.
            29 Case(Case) Case;
            /// Returns its operands; the compiler does not move work across it.
            30 OptimizationBarrier(OptimizationBarrier) OptimizationBarrier;
            /// A named function with a body, which passes and kernels can match.
            39 Composite(Box<Composite>) Composite;
            /// Calls a target registered with the plugin.
            31 CustomCall(Box<CustomCall>) CustomCall;
            /// Constrains the sharding of a value over the mesh.
            32 Constrain(Box<ResolvedSharding>) ResolvedSharding;
            /// Runs a body per device on local parts of the operands.
            33 Manual(Box<Manual>) Manual;
            /// Communication between devices.
            34 Collective(Box<Collective>) Collective;
        }
    };
}

/// Generates [`Op`] and its dispatch.
macro_rules! ops {
    ($(
        $(#[$doc:meta])*
        $tag:literal $variant:ident($stored:ty) $definition:ty;
    )*) => {
        /// The computation of a node: its attributes. The node stores the operands; axes are
        /// indices into their shapes.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Op {
            $($(#[$doc])* $variant($stored)),*
        }

        $(impl From<$definition> for Op {
            fn from(attributes: $definition) -> Op {
                Op::$variant(attributes.into())
            }
        })*

        impl Op {
            /// The name of each op's variant.
            pub const ALL: &[&str] = &[$(stringify!($variant)),*];

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

for_each_op!(ops);

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
