//! The protocol buffer messages of the C API, written by hand with only the fields that are used.

use prost::{Enumeration, Message, Oneof};
use std::collections::BTreeMap;

/// `xla.CompileOptionsProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CompileOptionsProto {
    #[prost(bool, tag = "2")]
    pub parameter_is_tupled_arguments: bool,
    #[prost(message, optional, tag = "3")]
    pub executable_build_options: Option<ExecutableBuildOptionsProto>,
    #[prost(bool, tag = "4")]
    pub compile_portable_executable: bool,
    #[prost(int64, tag = "5")]
    pub profile_version: i64,
    #[prost(bytes = "vec", tag = "6")]
    pub serialized_multi_slice_config: Vec<u8>,
    #[prost(btree_map = "string, message", tag = "7")]
    pub env_option_overrides: BTreeMap<String, OptionOverrideProto>,
    #[prost(bool, tag = "9")]
    pub allow_in_place_mlir_modification: bool,
    #[prost(int32, tag = "10")]
    pub matrix_unit_operand_precision: i32,
}

/// `xla.OptionOverrideProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct OptionOverrideProto {
    #[prost(oneof = "OptionValue", tags = "1, 2, 3, 4")]
    pub value: Option<OptionValue>,
}

/// The value of an option.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum OptionValue {
    #[prost(string, tag = "1")]
    String(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
}

/// `xla.ExecutableBuildOptionsProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ExecutableBuildOptionsProto {
    #[prost(int64, tag = "1")]
    pub device_ordinal: i64,
    #[prost(int64, tag = "4")]
    pub num_replicas: i64,
    #[prost(int64, tag = "5")]
    pub num_partitions: i64,
    #[prost(bool, tag = "6")]
    pub use_spmd_partitioning: bool,
    #[prost(bool, tag = "7")]
    pub use_auto_spmd_partitioning: bool,
    #[prost(bool, tag = "8")]
    pub deduplicate_hlo: bool,
    #[prost(message, optional, tag = "9")]
    pub device_assignment: Option<DeviceAssignmentProto>,
    #[prost(bool, tag = "10")]
    pub alias_passthrough_params: bool,
    #[prost(bool, tag = "11")]
    pub run_backend_only: bool,
    #[prost(bool, repeated, tag = "12")]
    pub allow_spmd_sharding_propagation_to_output: Vec<bool>,
    #[prost(bytes = "vec", tag = "14")]
    pub fdo_profile: Vec<u8>,
    #[prost(int64, tag = "15")]
    pub device_memory_size: i64,
    #[prost(int64, repeated, tag = "16")]
    pub auto_spmd_partitioning_mesh_shape: Vec<i64>,
    #[prost(int64, repeated, tag = "17")]
    pub auto_spmd_partitioning_mesh_ids: Vec<i64>,
    #[prost(bool, repeated, tag = "18")]
    pub allow_spmd_sharding_propagation_to_parameters: Vec<bool>,
    #[prost(bool, tag = "19")]
    pub use_shardy_partitioner: bool,
    #[prost(float, tag = "20")]
    pub exec_time_optimization_effort: f32,
    #[prost(float, tag = "21")]
    pub memory_fitting_effort: f32,
    #[prost(int64, tag = "22")]
    pub process_index: i64,
    #[prost(int64, tag = "23")]
    pub process_count: i64,
    #[prost(enumeration = "EffortLevel", tag = "24")]
    pub optimization_level: i32,
    #[prost(enumeration = "EffortLevel", tag = "25")]
    pub memory_fitting_level: i32,
}

/// The compiler's effort for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum EffortLevel {
    /// The compiler's default.
    Unset = 0,
    /// The least.
    O0 = 9,
    /// Some.
    O1 = 19,
    /// More.
    O2 = 29,
    /// The most.
    O3 = 39,
}

/// `xla.DeviceAssignmentProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeviceAssignmentProto {
    #[prost(int32, tag = "1")]
    pub replica_count: i32,
    #[prost(int32, tag = "2")]
    pub computation_count: i32,
    #[prost(message, repeated, tag = "3")]
    pub computation_devices: Vec<ComputationDevice>,
}

/// The devices of one partition, one for each replica.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ComputationDevice {
    #[prost(int64, repeated, tag = "1")]
    pub replica_device_ids: Vec<i64>,
}

/// `xla.HloModuleProtoWithConfig`: only the module.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloModuleProtoWithConfig {
    #[prost(message, optional, tag = "1")]
    pub hlo_module: Option<HloModuleProto>,
}

/// `xla.HloModuleProto`: only the entry's signature, its aliases, its instructions, and the
/// shardings of a partitioned program.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloModuleProto {
    #[prost(message, repeated, tag = "3")]
    pub computations: Vec<HloComputationProto>,
    #[prost(message, optional, tag = "4")]
    pub host_program_shape: Option<ProgramShapeProto>,
    #[prost(message, optional, tag = "8")]
    pub input_output_alias: Option<AliasProto>,
    #[prost(message, optional, tag = "12")]
    pub spmd_output_sharding: Option<OpShardingProto>,
    #[prost(message, repeated, tag = "14")]
    pub spmd_parameters_shardings: Vec<OpShardingProto>,
    #[prost(message, optional, tag = "18")]
    pub buffer_donor: Option<DonorProto>,
}

/// `xla.HloComputationProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloComputationProto {
    #[prost(message, repeated, tag = "2")]
    pub instructions: Vec<HloInstructionProto>,
}

/// `xla.HloInstructionProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloInstructionProto {
    #[prost(string, tag = "2")]
    pub opcode: String,
}

/// `xla.OpSharding`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpShardingProto {
    #[prost(int32, tag = "1")]
    pub r#type: i32,
    #[prost(int64, repeated, tag = "3")]
    pub tile_assignment_dimensions: Vec<i64>,
    #[prost(int64, repeated, tag = "4")]
    pub tile_assignment_devices: Vec<i64>,
    #[prost(message, repeated, tag = "5")]
    pub tuple_shardings: Vec<OpShardingProto>,
    #[prost(bool, tag = "6")]
    pub replicate_on_last_tile_dim: bool,
    #[prost(int32, repeated, tag = "8")]
    pub last_tile_dims: Vec<i32>,
    #[prost(int64, repeated, tag = "9")]
    pub iota_reshape_dims: Vec<i64>,
    #[prost(int32, repeated, tag = "10")]
    pub iota_transpose_perm: Vec<i32>,
}

/// `xla.ProgramShapeProto`: only the parameters.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProgramShapeProto {
    #[prost(message, repeated, tag = "1")]
    pub parameters: Vec<ShapeProto>,
}

/// `xla.ShapeProto`: the element type and the dimensions.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ShapeProto {
    #[prost(int32, tag = "2")]
    pub element_type: i32,
    #[prost(int64, repeated, tag = "3")]
    pub dimensions: Vec<i64>,
    #[prost(bool, repeated, tag = "6")]
    pub is_dynamic_dimension: Vec<bool>,
}

/// `xla.HloInputOutputAliasProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct AliasProto {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<AliasEntryProto>,
}

/// One aliased parameter.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct AliasEntryProto {
    #[prost(int64, tag = "2")]
    pub parameter_number: i64,
}

/// `xla.HloBufferDonorProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DonorProto {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<DonorEntryProto>,
}

/// One parameter that may be donated.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DonorEntryProto {
    #[prost(int64, tag = "1")]
    pub parameter_number: i64,
}
