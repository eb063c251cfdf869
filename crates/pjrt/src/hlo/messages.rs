//! The messages of a module, written by hand with only the fields that are used.
//! [`proto`](crate::program::proto) has what every execution needs.

use prost::Message;
use std::collections::BTreeMap;

/// `xla.HloModuleProtoWithConfig`: only the module.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct WithConfig {
    #[prost(message, optional, tag = "1")]
    pub module: Option<Module>,
}

/// `xla.HloModuleProto`: a program of XLA.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Module {
    /// The program's name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Computations, callees before their callers.
    #[prost(message, repeated, tag = "3")]
    pub computations: Vec<Computation>,
    /// The computation that a run begins with.
    #[prost(int64, tag = "6")]
    pub entry_computation_id: i64,
    /// The order of execution, where the compiler has fixed it.
    #[prost(message, optional, tag = "7")]
    pub schedule: Option<Schedule>,
    /// Results that reuse the memory of donated parameters.
    #[prost(message, optional, tag = "8")]
    pub aliases: Option<InputOutputAliases>,
    /// Donated parameters whose memory any result may have.
    #[prost(message, optional, tag = "18")]
    pub donors: Option<BufferDonors>,
    /// The table of source locations of newer plugins.
    #[prost(message, optional, tag = "17")]
    pub stack_frames: Option<StackFrames>,
}

/// `xla.HloScheduleProto`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Schedule {
    /// The order of the instructions of each computation that is not fused, by its id.
    #[prost(btree_map = "int64, message", tag = "1")]
    pub sequences: BTreeMap<i64, Sequence>,
}

/// `xla.HloScheduleProto.InstructionSequence`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Sequence {
    /// Ids of instructions, in the order of execution.
    #[prost(int64, repeated, tag = "1")]
    pub instructions: Vec<i64>,
}

/// `xla.HloInputOutputAliasProto`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct InputOutputAliases {
    /// One entry for each result in the memory of a parameter.
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<InputOutputAlias>,
}

/// `xla.HloInputOutputAliasProto.AliasEntryProto`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct InputOutputAlias {
    /// The path of the result in the tuple of results.
    #[prost(int64, repeated, tag = "1")]
    pub output: Vec<i64>,
    /// The number of the parameter.
    #[prost(int64, tag = "2")]
    pub parameter: i64,
    /// The path in the parameter, if it is a tuple.
    #[prost(int64, repeated, tag = "3")]
    pub parameter_index: Vec<i64>,
}

/// `xla.HloBufferDonorProto`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct BufferDonors {
    /// One entry for each donated parameter.
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<BufferDonor>,
}

/// `xla.HloBufferDonorProto.BufferDonorEntryProto`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct BufferDonor {
    /// The number of the parameter.
    #[prost(int64, tag = "1")]
    pub parameter: i64,
}

/// `xla.HloComputationProto`: a function of a program.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Computation {
    /// Its name, unique in the module.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Instructions, operands before their users.
    #[prost(message, repeated, tag = "2")]
    pub instructions: Vec<Instruction>,
    /// Its id.
    #[prost(int64, tag = "5")]
    pub id: i64,
    /// The id of the instruction whose value is the result.
    #[prost(int64, tag = "6")]
    pub root_id: i64,
}

/// `xla.HloInstructionProto`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Instruction {
    /// Its name, unique in the module.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The operation: `add`, `fusion`, `custom-call` and so on.
    #[prost(string, tag = "2")]
    pub opcode: String,
    /// The shape of the result.
    #[prost(message, optional, tag = "3")]
    pub shape: Option<Shape>,
    /// Where it comes from.
    #[prost(message, optional, tag = "7")]
    pub metadata: Option<Metadata>,
    /// The value of a constant.
    #[prost(message, optional, tag = "8")]
    pub literal: Option<Literal>,
    /// The number of a parameter.
    #[prost(int64, tag = "9")]
    pub parameter_number: i64,
    /// The kind of a fusion, such as `kLoop`.
    #[prost(string, tag = "11")]
    pub fusion_kind: String,
    /// The index of `get-tuple-element`.
    #[prost(int64, tag = "13")]
    pub tuple_index: i64,
    /// Dimensions of a broadcast, reduction, transpose, concatenation and so on.
    #[prost(int64, repeated, tag = "14")]
    pub dimensions: Vec<i64>,
    /// The window of a convolution or a `reduce-window`.
    #[prost(message, optional, tag = "15")]
    pub window: Option<Window>,
    /// The dimensions of a convolution.
    #[prost(message, optional, tag = "16")]
    pub convolution: Option<Convolution>,
    /// The ranges of a `slice`.
    #[prost(message, repeated, tag = "17")]
    pub slices: Vec<SliceDimension>,
    /// The sizes of a `dynamic-slice`.
    #[prost(int64, repeated, tag = "20")]
    pub dynamic_slice_sizes: Vec<i64>,
    /// The name that a custom call is registered under.
    #[prost(string, tag = "28")]
    pub custom_call_target: String,
    /// The dimensions of a dot product.
    #[prost(message, optional, tag = "30")]
    pub dot: Option<Dot>,
    /// The lengths of a Fourier transform.
    #[prost(int64, repeated, tag = "32")]
    pub fft_length: Vec<i64>,
    /// Its id, unique in the module.
    #[prost(int64, tag = "35")]
    pub id: i64,
    /// Ids of the operands.
    #[prost(int64, repeated, tag = "36")]
    pub operands: Vec<i64>,
    /// Ids of the computations that it calls.
    #[prost(int64, repeated, tag = "38")]
    pub called: Vec<i64>,
    /// Settings of the platform's compiler, as JSON or in a form of its own.
    #[prost(bytes = "vec", tag = "43")]
    pub backend_config: Vec<u8>,
    /// The direction of a comparison, such as `LT`.
    #[prost(string, tag = "63")]
    pub comparison_direction: String,
    /// Results of a custom call or a fusion that are written over an operand.
    #[prost(message, repeated, tag = "74")]
    pub aliases: Vec<OutputOperandAlias>,
}

/// `xla.OutputOperandAliasing`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct OutputOperandAlias {
    /// The path of the result, if there are several.
    #[prost(int64, repeated, tag = "1")]
    pub output: Vec<i64>,
    /// The number of the operand.
    #[prost(int64, tag = "2")]
    pub operand: i64,
    /// The path in the operand, if it is a tuple.
    #[prost(int64, repeated, tag = "3")]
    pub operand_index: Vec<i64>,
}

/// `xla.HloInstructionProto.SliceDimensions`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct SliceDimension {
    /// The first index.
    #[prost(int64, tag = "1")]
    pub start: i64,
    /// The index after the last one.
    #[prost(int64, tag = "2")]
    pub limit: i64,
    /// The step.
    #[prost(int64, tag = "3")]
    pub stride: i64,
}

/// `xla.LiteralProto`: the elements of some types.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Literal {
    /// Elements of type `pred`.
    #[prost(bool, repeated, tag = "2")]
    pub preds: Vec<bool>,
    /// Elements of type `s32`.
    #[prost(int32, repeated, tag = "4")]
    pub s32s: Vec<i32>,
    /// Elements of type `s64`.
    #[prost(int64, repeated, tag = "5")]
    pub s64s: Vec<i64>,
    /// Elements of type `u32`.
    #[prost(uint32, repeated, tag = "6")]
    pub u32s: Vec<u32>,
    /// Elements of type `u64`.
    #[prost(uint64, repeated, tag = "7")]
    pub u64s: Vec<u64>,
    /// Elements of type `f32`.
    #[prost(float, repeated, tag = "8")]
    pub f32s: Vec<f32>,
    /// Elements of type `f64`.
    #[prost(double, repeated, tag = "9")]
    pub f64s: Vec<f64>,
    /// Elements of type `f16`, in little-endian order.
    #[prost(bytes = "vec", tag = "11")]
    pub f16s: Vec<u8>,
    /// Elements of type `bf16`, in little-endian order.
    #[prost(bytes = "vec", tag = "13")]
    pub bf16s: Vec<u8>,
}

/// `xla.ShapeProto`: the type of an array or a tuple.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Shape {
    /// `xla.PrimitiveType`.
    #[prost(int32, tag = "2")]
    pub element_type: i32,
    /// The sizes of an array.
    #[prost(int64, repeated, tag = "3")]
    pub dimensions: Vec<i64>,
    /// The elements of a tuple.
    #[prost(message, repeated, tag = "4")]
    pub parts: Vec<Shape>,
}

/// `xla.OpMetadata`: where an instruction comes from.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Metadata {
    /// The name of the op, often a path of scopes separated by `/`; the name of a parameter.
    #[prost(string, tag = "2")]
    pub op_name: String,
    /// The source file; empty where [`stack_frame_id`](Self::stack_frame_id) is set.
    #[prost(string, tag = "3")]
    pub source_file: String,
    /// The line in the file.
    #[prost(int32, tag = "4")]
    pub source_line: i32,
    /// A frame of [`Module::stack_frames`], counted from 1; else 0.
    #[prost(int32, tag = "15")]
    pub stack_frame_id: i32,
}

/// `xla.Window`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Window {
    /// One entry per dimension.
    #[prost(message, repeated, tag = "1")]
    pub dimensions: Vec<WindowDimension>,
}

/// `xla.WindowDimension`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct WindowDimension {
    /// The elements that the window covers.
    #[prost(int64, tag = "1")]
    pub size: i64,
    /// The step between windows.
    #[prost(int64, tag = "2")]
    pub stride: i64,
    /// Padding before the first element.
    #[prost(int64, tag = "3")]
    pub padding_low: i64,
    /// Padding after the last element.
    #[prost(int64, tag = "4")]
    pub padding_high: i64,
}

/// `xla.ConvolutionDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Convolution {
    /// The dimension of the kernel's output features.
    #[prost(int64, tag = "4")]
    pub kernel_output_feature: i64,
}

/// `xla.DotDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct Dot {
    /// Contracting dimensions of the left operand.
    #[prost(int64, repeated, tag = "1")]
    pub lhs_contracting: Vec<i64>,
    /// Contracting dimensions of the right operand.
    #[prost(int64, repeated, tag = "2")]
    pub rhs_contracting: Vec<i64>,
    /// Batch dimensions of the left operand.
    #[prost(int64, repeated, tag = "3")]
    pub lhs_batch: Vec<i64>,
    /// Batch dimensions of the right operand.
    #[prost(int64, repeated, tag = "4")]
    pub rhs_batch: Vec<i64>,
}

/// `xla.StackFrameIndexProto`: indices count from 1.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct StackFrames {
    /// Source files.
    #[prost(string, repeated, tag = "1")]
    pub files: Vec<String>,
    /// Places in the files.
    #[prost(message, repeated, tag = "3")]
    pub locations: Vec<FileLocation>,
    /// Frames of stacks.
    #[prost(message, repeated, tag = "4")]
    pub frames: Vec<StackFrame>,
}

/// `xla.StackFrameIndexProto.FileLocation`: a place in a file.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct FileLocation {
    /// An index of [`StackFrames::files`].
    #[prost(int32, tag = "1")]
    pub file: i32,
    /// The line.
    #[prost(int32, tag = "3")]
    pub line: i32,
}

/// `xla.StackFrameIndexProto.StackFrame`: a frame of a stack.
#[derive(Clone, PartialEq, Message)]
#[non_exhaustive]
pub struct StackFrame {
    /// An index of [`StackFrames::locations`].
    #[prost(int32, tag = "1")]
    pub location: i32,
}
