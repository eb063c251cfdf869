//! Every op, with its attributes. Operands are kept by the node.

use crate::{
    BackendConfig, Collective, CustomCall, DType, Effect, HostCall, Literal, Manual, Partitioning, PerAxis, RegionId,
    Scalar, trace::Rule,
};

/// What a node computes. Axis attributes are positions in the operands' shapes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// An argument of the graph or of a region.
    Parameter(u32),
    /// Written-out values.
    Constant(Literal),
    /// One value everywhere.
    Splat(Scalar),
    /// Counts from 0 along an axis.
    Iota(usize),
    /// Converts values to the result's element type.
    Convert,
    /// Reads the same bits as the result's element type.
    BitcastConvert,
    /// An elementwise function of one operand.
    Unary(Unary),
    /// An elementwise function of two operands.
    Binary(Binary),
    /// An elementwise comparison.
    Compare(Direction),
    /// Picks from the second operand where the first is true, else from the third.
    Select,
    /// The second operand, kept between the first and the third.
    Clamp,
    /// Repeats values along new or size-1 axes; holds the result's axis for each operand axis.
    BroadcastInDim(PerAxis<usize>),
    /// The same elements in row-major order with other axes.
    Reshape,
    /// Reorders axes; holds the operand's axis for each result axis.
    Transpose(PerAxis<usize>),
    /// Takes every `stride`-th element from `start` up to `limit`.
    Slice(Box<SliceDims>),
    /// Puts copies of the second operand, a scalar, around and between the elements of the first; negative edges cut.
    Pad(Box<PadDims>),
    /// Puts operands one behind the other along an axis.
    Concatenate(usize),
    /// Reverses the order along axes.
    Reverse(PerAxis<usize>),
    /// A product that contracts and batches over pairs of axes.
    Dot(Box<DotDims>),
    /// Combines all elements along axes, which go away.
    Reduce(Reduction, PerAxis<usize>),
    /// The index of the largest or smallest element along an axis, which goes away; the first one of equals, or of NaNs.
    ArgReduce(ArgReduction, usize),
    /// Combines each element with all before it along an axis.
    Cumulative(Reduction, usize),
    /// Takes a block of the first operand; the others are its start along each axis, clamped so that it fits.
    DynamicSlice(PerAxis<usize>),
    /// The first operand with the second written over it at the start that the others give, clamped so that it fits.
    DynamicUpdateSlice,
    /// Takes blocks of the first operand at starts that the second holds.
    Gather(Box<GatherDims>),
    /// Sorts all operands along an axis by the order of the first, keeping the order of equals.
    Sort {
        /// The axis.
        axis: usize,
        /// Largest first; NaNs stand last when ascending and first when descending.
        descending: bool,
    },
    /// That many of the largest elements of an `f32` operand along its last axis, by the total order of floats, largest first and
    /// equals in their order; results: the elements and their `i32` indices.
    TopK(usize),
    /// Random bits of the result's type from a state of `u64[2]` by Threefry; results: the next state and the bits.
    RngBits,
    /// Repeats `body` on the carried operands while `cond` is true.
    While {
        /// Carried values to one `bool`.
        cond: RegionId,
        /// Carried values to carried values.
        body: RegionId,
    },
    /// Runs the branch that the operand, an `i32` scalar, counts to; the last one when it is out of range.
    Case(Vec<RegionId>),
    /// Gives its operands back and keeps the compiler from moving work across.
    OptimizationBarrier,
    /// Calls code that is not the program's.
    CustomCall(Box<CustomCall>),
    /// The same values, split over the mesh so.
    Constrain(Box<Partitioning>),
    /// Runs a body on each device's own parts of the operands.
    Manual(Box<Manual>),
    /// Moves or combines values between devices.
    Collective(Box<Collective>),
}

/// The range that a slice takes along each axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SliceDims {
    /// First element along each axis.
    pub start: PerAxis<usize>,
    /// End, exclusive, along each axis.
    pub limit: PerAxis<usize>,
    /// Step along each axis.
    pub stride: PerAxis<usize>,
}

/// How many elements a pad adds along each axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PadDims {
    /// How many before the first element along each axis.
    pub low: PerAxis<isize>,
    /// How many behind the last element along each axis.
    pub high: PerAxis<isize>,
    /// How many between two elements along each axis.
    pub interior: PerAxis<usize>,
}

/// Axes that a product contracts and batches over, as positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DotDims {
    /// Contracted axes of the left operand.
    pub left_contracting: PerAxis<usize>,
    /// Contracted axes of the right operand.
    pub right_contracting: PerAxis<usize>,
    /// Batch axes of the left operand.
    pub left_batch: PerAxis<usize>,
    /// Batch axes of the right operand.
    pub right_batch: PerAxis<usize>,
    /// How exact the product of floats is.
    pub precision: Precision,
}

/// How exact a product of floats is; what each step means is the platform's choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Precision {
    /// The platform's fastest.
    #[default]
    Default,
    /// Better, slower.
    High,
    /// As exact as the element type allows.
    Highest,
}

/// The dimension numbers of a gather, named as in the
/// [StableHLO specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md#gather).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GatherDims {
    /// Result axes that run over a block.
    pub offset_dims: PerAxis<usize>,
    /// Operand axes that a block has one element of and the result leaves out.
    pub collapsed_slice_dims: PerAxis<usize>,
    /// Operand axes that go in step with axes of the indices.
    pub operand_batching_dims: PerAxis<usize>,
    /// Index axes that go in step with axes of the operand.
    pub start_indices_batching_dims: PerAxis<usize>,
    /// Operand axis of each element of an index vector.
    pub start_index_map: PerAxis<usize>,
    /// Index axis that holds the index vectors; the indices' rank when every index is a scalar.
    pub index_vector_dim: usize,
    /// Sizes of a block along each operand axis.
    pub slice_sizes: PerAxis<usize>,
}

/// How elements are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// Addition, from 0.
    Sum,
    /// Multiplication, from 1.
    Prod,
    /// The largest, from the type's lowest value; NaN wins.
    Max,
    /// The smallest, from the type's highest value; NaN wins.
    Min,
    /// Whether any is true.
    Any,
    /// Whether all are true.
    All,
}

/// Which element's index is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgReduction {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// An elementwise comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the variants' names say the comparison")]
pub enum Direction {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Element types that an op takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Takes {
    /// Every type but `bool`.
    Number,
    /// Every integer and `bool`.
    Logic,
    /// Integers.
    Int,
    /// Floats.
    Float,
    /// Floats and complex numbers.
    FloatOrComplex,
    /// Signed integers, floats and complex numbers.
    Signed,
    /// Integers and floats.
    Real,
    /// Integers, floats and `bool`.
    Ordered,
    /// Every type.
    Any,
}

impl Takes {
    pub(crate) fn accepts(self, dtype: DType) -> bool {
        match self {
            Takes::Number => dtype != DType::Bool,
            Takes::Logic => dtype.is_int() || dtype == DType::Bool,
            Takes::Int => dtype.is_int(),
            Takes::Float => dtype.is_float(),
            Takes::FloatOrComplex => dtype.is_float() || dtype.is_complex(),
            Takes::Signed => dtype.is_signed_int() || dtype.is_float() || dtype.is_complex(),
            Takes::Real => dtype.is_int() || dtype.is_float(),
            Takes::Ordered => !dtype.is_complex(),
            Takes::Any => true,
        }
    }

    /// An error where the type is not among them; `instead` is what to use for `bool`.
    pub(crate) fn check(self, dtype: DType, instead: &str) -> Rule<()> {
        match (self.accepts(dtype), dtype) {
            (true, _) => Ok(()),
            (false, DType::Bool) => Err(format!("takes {}, not bool; use {instead}", self.description()).into()),
            (false, _) => Err(format!("takes {}, not {dtype}", self.description()).into()),
        }
    }

    fn description(self) -> &'static str {
        match self {
            Takes::Number => "numbers",
            Takes::Logic => "integers or bool",
            Takes::Int => "integers",
            Takes::Float => "floats",
            Takes::FloatOrComplex => "floats or complex numbers",
            Takes::Signed => "signed integers, floats or complex numbers",
            Takes::Real => "integers or floats",
            Takes::Ordered => "integers, floats or bool",
            Takes::Any => "any elements",
        }
    }
}

macro_rules! elementwise {
    ($(#[$doc:meta])* $kind:ident: $($variant:ident $method:literal $takes:ident),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the methods of `Tensor` of the same names say what each does")]
        pub enum $kind {
            $($variant),*
        }
        impl $kind {
            /// Every function of this kind.
            pub const ALL: &[$kind] = &[$($kind::$variant),*];

            /// The name of the method of `Tensor`.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $method),*
                }
            }

            pub(crate) const fn takes(self) -> Takes {
                match self {
                    $($kind::$variant => Takes::$takes),*
                }
            }
        }
    };
}

elementwise!(
    /// An elementwise function of one operand.
    Unary:
    Abs "abs" Signed,
    Neg "neg" Number,
    Sign "sign" Signed,
    Exp "exp" FloatOrComplex,
    ExpM1 "exp_m1" FloatOrComplex,
    Log "log" FloatOrComplex,
    Log1p "log1p" FloatOrComplex,
    Sqrt "sqrt" FloatOrComplex,
    Rsqrt "rsqrt" FloatOrComplex,
    Cbrt "cbrt" Float,
    Sin "sin" FloatOrComplex,
    Cos "cos" FloatOrComplex,
    Tan "tan" FloatOrComplex,
    Tanh "tanh" FloatOrComplex,
    Logistic "sigmoid" FloatOrComplex,
    Erf "erf" Float,
    Floor "floor" Float,
    Ceil "ceil" Float,
    Round "round" Float,
    RoundEven "round_even" Float,
    IsFinite "is_finite" Float,
    Not "not" Logic,
    CountLeadingZeros "count_leading_zeros" Int,
    PopulationCount "population_count" Int,
    Real "real" FloatOrComplex,
    Imag "imag" FloatOrComplex,
);

elementwise!(
    /// An elementwise function of two operands.
    Binary:
    Add "add" Any,
    Sub "sub" Number,
    Mul "mul" Any,
    Div "div" Number,
    Rem "rem" Real,
    Pow "pow" Number,
    Maximum "maximum" Any,
    Minimum "minimum" Any,
    Atan2 "atan2" FloatOrComplex,
    And "and" Logic,
    Or "or" Logic,
    Xor "xor" Logic,
    ShiftLeft "shift_left" Int,
    ShiftRightArithmetic "shift_right_arithmetic" Int,
    ShiftRightLogical "shift_right_logical" Int,
    Complex "complex" Float,
);

impl Op {
    /// The name that a graph's text form uses.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Parameter(_) => "parameter",
            Op::Constant(_) => "constant",
            Op::Splat(_) => "splat",
            Op::Iota(_) => "iota",
            Op::Convert => "convert",
            Op::BitcastConvert => "bitcast",
            Op::Unary(unary) => unary.name(),
            Op::Binary(binary) => binary.name(),
            Op::Compare(direction) => direction.name(),
            Op::Select => "select",
            Op::Clamp => "clamp",
            Op::BroadcastInDim(_) => "broadcast",
            Op::Reshape => "reshape",
            Op::Transpose(_) => "transpose",
            Op::Slice(_) => "slice",
            Op::Pad(_) => "pad",
            Op::Concatenate(_) => "concatenate",
            Op::Reverse(_) => "reverse",
            Op::Dot(_) => "dot",
            Op::Reduce(reduction, _) => reduction.name(),
            Op::ArgReduce(ArgReduction::Max, _) => "argmax",
            Op::ArgReduce(ArgReduction::Min, _) => "argmin",
            Op::Cumulative(..) => "cumulative",
            Op::DynamicSlice(_) => "dynamic_slice",
            Op::DynamicUpdateSlice => "dynamic_update_slice",
            Op::Gather(_) => "gather",
            Op::Sort { .. } => "sort",
            Op::TopK(_) => "top_k",
            Op::RngBits => "rng_bits",
            Op::While { .. } => "while",
            Op::Case(_) => "case",
            Op::OptimizationBarrier => "optimization_barrier",
            Op::CustomCall(_) => "custom_call",
            Op::Constrain(_) => "constrain",
            Op::Manual(_) => "manual",
            Op::Collective(collective) => collective.name(),
        }
    }

    /// Whether two nodes of this op, its attributes and its operands are one: not so for those that own regions or have an effect.
    pub(crate) fn is_shareable(&self) -> bool {
        !matches!(
            self,
            Op::Parameter(_) | Op::While { .. } | Op::Case(_) | Op::OptimizationBarrier | Op::Manual(_)
        ) && !self.has_effect()
    }

    /// Whether the op does more than giving its results, so that it stays when nothing needs them. The regions that it owns do
    /// not count.
    pub fn has_effect(&self) -> bool {
        matches!(self, Op::CustomCall(call) if call.effect != Effect::Pure)
    }

    /// The position in [`Graph::host_calls`](crate::Graph::host_calls) of the function of the host that the op calls.
    pub fn host_slot(&self) -> Option<usize> {
        let Op::CustomCall(call) = self else {
            return None;
        };
        let BackendConfig::Typed(attributes) = &call.config else {
            return None;
        };
        usize::try_from(attributes.scalar::<i64>(HostCall::SLOT)?).ok()
    }

    /// The regions that the op owns.
    pub fn regions(&self) -> Vec<RegionId> {
        match self {
            Op::While { cond, body } => vec![*cond, *body],
            Op::Case(branches) => branches.clone(),
            Op::Manual(manual) => vec![manual.body],
            _ => Vec::new(),
        }
    }
}

impl Direction {
    /// The name of the method of `Tensor`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Eq => "eq",
            Direction::Ne => "ne",
            Direction::Lt => "lt",
            Direction::Le => "le",
            Direction::Gt => "gt",
            Direction::Ge => "ge",
        }
    }
}

impl Reduction {
    /// The name of the method of `Tensor`.
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "prod",
            Reduction::Max => "max",
            Reduction::Min => "min",
            Reduction::Any => "any",
            Reduction::All => "all",
        }
    }
}
