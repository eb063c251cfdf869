//! The messages of an optimized program that its kernels are read from, written by hand with only
//! the fields that are used. [`proto`](crate::program::proto) has what every execution needs.

use crate::program::proto::{AliasProto, DonorProto, donatable};
use crate::{Error, Executable, Result};
use prost::Message;

impl Executable {
    /// The module of the optimized program.
    ///
    /// # Errors
    /// The plugin does not return the optimized program, or not in the form of HLO.
    pub(crate) fn hlo_module(&self) -> Result<Module> {
        let program = self.optimized_program()?;
        let module = match program.format() {
            "hlo" => Module::decode(program.code()),
            "hlo_with_config" => {
                WithConfig::decode(program.code()).map(|all| all.module.unwrap_or_default())
            }
            other => {
                return Err(Error::argument(format!(
                    "the optimized program is in the format `{other}`, expected HLO"
                )));
            }
        };
        module.map_err(|error| Error::argument(format!("the optimized program: {error}")))
    }
}

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
    #[prost(message, optional, tag = "8")]
    pub input_output_alias: Option<AliasProto>,
    #[prost(message, optional, tag = "18")]
    pub buffer_donor: Option<DonorProto>,
    #[prost(message, optional, tag = "17")]
    pub stack_frames: Option<StackFrames>,
}

impl Module {
    /// The parameters that the program takes over if it may, in order.
    pub(crate) fn donatable(&self) -> Vec<usize> {
        let numbers = donatable(self.input_output_alias.as_ref(), self.buffer_donor.as_ref());
        numbers.into_iter().filter_map(|number| usize::try_from(number).ok()).collect()
    }
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
    #[prost(int64, tag = "9")]
    pub parameter_number: i64,
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
