//! The messages of an optimized program that its kernels are read from, written by hand with only
//! the fields that are used. [`proto`](crate::program::proto) has what every execution needs.

use prost::Message;

/// `xla.HloModuleProtoWithConfig`: only the module.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct WithConfig {
    #[prost(message, optional, tag = "1")]
    pub module: Option<Module>,
}

/// `xla.HloModuleProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Module {
    #[prost(message, repeated, tag = "3")]
    pub computations: Vec<Computation>,
    #[prost(int64, tag = "6")]
    pub entry_computation_id: i64,
    #[prost(message, optional, tag = "17")]
    pub stack_frames: Option<StackFrames>,
}

/// `xla.HloComputationProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Computation {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub instructions: Vec<Instruction>,
    #[prost(int64, tag = "5")]
    pub id: i64,
}

/// `xla.HloInstructionProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Instruction {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub opcode: String,
    #[prost(message, optional, tag = "3")]
    pub shape: Option<Shape>,
    #[prost(message, optional, tag = "7")]
    pub metadata: Option<Metadata>,
    #[prost(string, tag = "11")]
    pub fusion_kind: String,
    #[prost(message, optional, tag = "15")]
    pub window: Option<Window>,
    #[prost(message, optional, tag = "16")]
    pub convolution: Option<Convolution>,
    #[prost(string, tag = "28")]
    pub custom_call_target: String,
    #[prost(message, optional, tag = "30")]
    pub dot: Option<Dot>,
    #[prost(int64, repeated, tag = "32")]
    pub fft_length: Vec<i64>,
    #[prost(int64, tag = "35")]
    pub id: i64,
    #[prost(int64, repeated, tag = "36")]
    pub operands: Vec<i64>,
    #[prost(int64, repeated, tag = "38")]
    pub called: Vec<i64>,
}

/// `xla.ShapeProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Shape {
    #[prost(int32, tag = "2")]
    pub element_type: i32,
    #[prost(int64, repeated, tag = "3")]
    pub dimensions: Vec<i64>,
    #[prost(message, repeated, tag = "4")]
    pub parts: Vec<Shape>,
}

/// `xla.OpMetadata`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Metadata {
    #[prost(string, tag = "2")]
    pub op_name: String,
    #[prost(string, tag = "3")]
    pub source_file: String,
    #[prost(int32, tag = "4")]
    pub source_line: i32,
    #[prost(int32, tag = "15")]
    pub stack_frame_id: i32,
}

/// `xla.Window`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Window {
    #[prost(message, repeated, tag = "1")]
    pub dimensions: Vec<WindowDimension>,
}

/// `xla.WindowDimension`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct WindowDimension {
    #[prost(int64, tag = "1")]
    pub size: i64,
}

/// `xla.ConvolutionDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Convolution {
    #[prost(int64, tag = "4")]
    pub kernel_output_feature: i64,
}

/// `xla.DotDimensionNumbers`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Dot {
    #[prost(int64, repeated, tag = "1")]
    pub lhs_contracting: Vec<i64>,
}

/// `xla.StackFrameIndexProto`: indices count from 1.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct StackFrames {
    #[prost(string, repeated, tag = "1")]
    pub files: Vec<String>,
    #[prost(message, repeated, tag = "3")]
    pub locations: Vec<FileLocation>,
    #[prost(message, repeated, tag = "4")]
    pub frames: Vec<StackFrame>,
}

/// A place in a file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct FileLocation {
    #[prost(int32, tag = "1")]
    pub file: i32,
    #[prost(int32, tag = "3")]
    pub line: i32,
}

/// A frame of a stack.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct StackFrame {
    #[prost(int32, tag = "1")]
    pub location: i32,
}
