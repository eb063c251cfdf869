//! The table of all ops, and the attributes of each.
//!
//! To add an op: a struct of its attributes with a `Definition` and a `Behavior`, and the method of [`Tensor`](crate::Tensor)
//! that records it, in a file of `ops`; a line in the table here; and one function and one method of the lowering.

use crate::{
    BackendConfig, Effect, Graph, HostCall, RegionId,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    trace::Rule,
};
pub use crate::{
    Collective, CustomCall, Literal, Manual, Partitioning,
    ops::{
        ArgReduce, Argument, Binary, BitcastConvert, BroadcastInDim, Case, Clamp, Composite, Concatenate, Convert,
        Cumulative, Direction, DotDims, DynamicSlice, DynamicUpdateSlice, ForLoop, GatherDims, Iota,
        OptimizationBarrier, PadDims, Reduce, ReduceBy, Reshape, Reverse, RngBits, Scan, Select, SliceDims, Sort,
        SortBy, Splat, TopK, Transpose, Unary, While,
    },
};
use std::{borrow::Cow, fmt, hash::Hasher};

/// Makes [`Op`], its dispatch and [`OpVisitor`] of one line per op: the tag in structure hashes, which stays for ever; the
/// variant; what it stores; its definition; and the method of a visitor.
macro_rules! ops {
    ($($(#[$doc:meta])* $tag:literal $variant:ident($stored:ty) $definition:ty: $method:ident;)*) => {
        /// What a node computes: its attributes. Operands are kept by the node, and axes are positions in their shapes.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Op {
            $($(#[$doc])* $variant($stored)),*
        }

        /// One method for each op, none of which has a default: what does something for every op is one of these, and fails to
        /// compile when an op is added.
        pub trait OpVisitor<N> {
            /// What comes of an op.
            type Output;
            $($(#[$doc])* fn $method(&mut self, node: N, attributes: &$definition) -> Self::Output;)*
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
            pub fn visit<N, V: OpVisitor<N> + ?Sized>(&self, visitor: &mut V, node: N) -> V::Output {
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

            fn definition(&self) -> &dyn Definition {
                match self {
                    $(Op::$variant(attributes) => {
                        let definition: &$definition = attributes;
                        definition
                    }),*
                }
            }

            /// Exchanges the ids of the regions that the op owns.
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
    /// Written-out values.
    1 Constant(Literal) Literal: constant;
    /// One value everywhere.
    2 Splat(Splat) Splat: splat;
    /// Counts from 0 along an axis.
    3 Iota(Box<Iota>) Iota: iota;
    /// Converts values to another element type.
    4 Convert(Convert) Convert: convert;
    /// Reads the same bits as another element type.
    5 BitcastConvert(BitcastConvert) BitcastConvert: bitcast_convert;
    /// An elementwise function of one operand.
    6 Unary(Unary) Unary: unary;
    /// An elementwise function of two operands.
    7 Binary(Binary) Binary: binary;
    /// An elementwise comparison.
    8 Compare(Direction) Direction: compare;
    /// Picks from the second operand where the first is true, else from the third.
    9 Select(Select) Select: select;
    /// The second operand, kept between the first and the third.
    10 Clamp(Clamp) Clamp: clamp;
    /// Repeats values along new or size-1 axes.
    11 BroadcastInDim(Box<BroadcastInDim>) BroadcastInDim: broadcast_in_dim;
    /// The same elements in row-major order with other axes.
    12 Reshape(Reshape) Reshape: reshape;
    /// Reorders axes.
    13 Transpose(Transpose) Transpose: transpose;
    /// Takes every `stride`-th element from `start` up to `limit`.
    14 Slice(Box<SliceDims>) SliceDims: slice;
    /// Puts copies of the second operand, a scalar, around and between the elements of the first; negative edges cut.
    15 Pad(Box<PadDims>) PadDims: pad;
    /// Concatenates operands along an axis.
    16 Concatenate(Concatenate) Concatenate: concatenate;
    /// Reverses the order along axes.
    17 Reverse(Reverse) Reverse: reverse;
    /// A product that contracts and batches over pairs of axes.
    18 Dot(Box<DotDims>) DotDims: dot;
    /// Combines all elements along axes, which go away.
    19 Reduce(Reduce) Reduce: reduce;
    /// Combines all elements along axes, which go away, as a body says.
    37 ReduceBy(ReduceBy) ReduceBy: reduce_by;
    /// Sorts all operands along an axis by an order that a body says, keeping the order of equals.
    38 SortBy(SortBy) SortBy: sort_by;
    /// The index of the largest or smallest element along an axis, which goes away; the first one of equals, or of NaNs.
    20 ArgReduce(ArgReduce) ArgReduce: arg_reduce;
    /// Combines each element with all before it along an axis.
    21 Cumulative(Cumulative) Cumulative: cumulative;
    /// Takes a block of the first operand; the others are its start along each axis, clamped so that it fits.
    22 DynamicSlice(DynamicSlice) DynamicSlice: dynamic_slice;
    /// The first operand with the second written over it at the start that the others give, clamped so that it fits.
    23 DynamicUpdateSlice(DynamicUpdateSlice) DynamicUpdateSlice: dynamic_update_slice;
    /// Takes blocks of the first operand at starts that the second holds.
    24 Gather(Box<GatherDims>) GatherDims: gather;
    /// Sorts all operands along an axis by the order of the first, keeping the order of equals.
    25 Sort(Sort) Sort: sort;
    /// The largest elements of an `f32` operand along its last axis.
    26 TopK(TopK) TopK: top_k;
    /// Random bits from a state of `u64[2]` by Threefry; results: the next state and the bits.
    27 RngBits(Box<RngBits>) RngBits: rng_bits;
    /// Repeats a body on the carried operands while a condition is true.
    28 While(While) While: while_loop;
    /// Repeats a body on the carried operands that many times.
    35 ForLoop(ForLoop) ForLoop: for_loop;
    /// Runs a body over the elements of operands along an axis.
    36 Scan(Box<Scan>) Scan: scan;
    /// Runs the branch whose position the operand, an `i32` scalar, is; the last one when it is out of range.
    29 Case(Case) Case: case;
    /// Returns its operands and keeps the compiler from moving work across.
    30 OptimizationBarrier(OptimizationBarrier) OptimizationBarrier: optimization_barrier;
    /// Computes a body that passes and kernels can match by name.
    39 Composite(Box<Composite>) Composite: composite;
    /// Calls code that is not the program's.
    31 CustomCall(Box<CustomCall>) CustomCall: custom_call;
    /// The same values, split over the mesh so.
    32 Constrain(Box<Partitioning>) Partitioning: constrain;
    /// Runs a body on each device's own parts of the operands.
    33 Manual(Box<Manual>) Manual: manual;
    /// Moves or combines values between devices.
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

    /// How many results the op has on that many operands.
    pub(crate) fn result_count(&self, graph: &Graph, operands: usize) -> usize {
        self.definition().result_count(graph, operands)
    }

    pub(crate) fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        self.definition().write_attributes(out)
    }

    pub(crate) fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.definition().hash_attributes(hasher);
    }

    /// Whether two nodes of this op, its attributes and its operands are merged.
    pub(crate) fn is_mergeable(&self) -> bool {
        self.definition().is_mergeable()
    }

    /// What the op does besides computing its results. The regions that it owns do not count.
    pub fn effect(&self) -> Effect {
        self.definition().effect()
    }

    /// Whether the op stays when nothing needs its results. The regions that it owns do not count.
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

    /// The position in [`Graph::host_calls`] of the function of the host that the op calls.
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
