//! The compiler's options.

mod encoding;
mod environment;
pub(crate) mod xla_option;

use crate::XlaOption;
use std::collections::BTreeMap;

pub use crate::program::proto::EffortLevel;

/// The options of a compilation.
///
/// The default is one device: one replica, one partition, on the client's first device.
///
/// ```
/// use hloom_pjrt::CompileOptions;
/// let mut options = CompileOptions::default();
/// options.num_partitions = 4;
/// options.use_spmd_partitioning = true;
/// options.use_shardy_partitioner = true;
/// options.set_option("xla_cpu_enable_fast_math", false);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompileOptions {
    /// Copies of the program with different data; at least 1.
    pub num_replicas: usize,
    /// Devices that share one copy; at least 1.
    pub num_partitions: usize,
    /// The devices, by id, replica by replica: `num_replicas * num_partitions` of them. It defines
    /// the order of devices in an execution's arguments and results. Default: the plugin chooses.
    pub device_assignment: Option<Vec<i64>>,
    /// Compiles for any device of a kind; the device is then chosen for each execution. One
    /// replica and one partition only.
    pub portable: bool,
    /// Splits the program by its shardings.
    pub use_spmd_partitioning: bool,
    /// Reads shardings of the Shardy dialect.
    pub use_shardy_partitioner: bool,
    /// Lets the compiler choose shardings.
    pub use_auto_spmd_partitioning: bool,
    /// The mesh for `use_auto_spmd_partitioning`.
    pub auto_spmd_partitioning_mesh_shape: Vec<i64>,
    /// The device ids of that mesh.
    pub auto_spmd_partitioning_mesh_ids: Vec<i64>,
    /// For each result (or one for all): whether the compiler may choose its sharding.
    pub allow_spmd_sharding_propagation_to_output: Vec<bool>,
    /// For each parameter (or one for all): whether the compiler may choose its sharding.
    pub allow_spmd_sharding_propagation_to_parameters: Vec<bool>,
    /// Merges equal computations.
    pub deduplicate_hlo: bool,
    /// Lets results share the memory of parameters that are returned unchanged.
    pub alias_passthrough_params: bool,
    /// Skips the optimizer's passes.
    pub run_backend_only: bool,
    /// The program takes one tuple of all its parameters.
    pub parameter_is_tupled_arguments: bool,
    /// Lets the plugin change the program's MLIR in place.
    pub allow_in_place_mlir_modification: bool,
    /// A version of a profile to optimize by; -1 for none.
    pub profile_version: i64,
    /// A profile for profile-guided optimization.
    pub fdo_profile: Vec<u8>,
    /// Bytes of device memory to plan with; 0 for all.
    pub device_memory_size: i64,
    /// Effort for speed of execution, -1.0 to 1.0; 0.0 is the default.
    pub exec_time_optimization_effort: f32,
    /// Effort to fit into memory, -1.0 to 1.0; 0.0 is the default.
    pub memory_fitting_effort: f32,
    /// Effort for speed of execution, in steps.
    pub optimization_level: EffortLevel,
    /// Effort to fit into memory, in steps.
    pub memory_fitting_level: EffortLevel,
    /// This process, of `process_count`.
    pub process_index: i64,
    /// Processes that compile together; 0 for one.
    pub process_count: i64,
    /// A serialized configuration of several TPU slices.
    pub multi_slice_config: Vec<u8>,
    /// Any option of XLA by its name, as in `XLA_FLAGS` without the dashes. Unlike there, an
    /// unknown name is an ordinary error; but XLA aborts the process on some invalid values, such
    /// as a negative number of parts.
    pub options: BTreeMap<String, XlaOption>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            num_replicas: 1,
            num_partitions: 1,
            device_assignment: None,
            portable: false,
            use_spmd_partitioning: false,
            use_shardy_partitioner: false,
            use_auto_spmd_partitioning: false,
            auto_spmd_partitioning_mesh_shape: Vec::new(),
            auto_spmd_partitioning_mesh_ids: Vec::new(),
            allow_spmd_sharding_propagation_to_output: Vec::new(),
            allow_spmd_sharding_propagation_to_parameters: Vec::new(),
            deduplicate_hlo: false,
            alias_passthrough_params: false,
            run_backend_only: false,
            parameter_is_tupled_arguments: false,
            allow_in_place_mlir_modification: false,
            profile_version: -1,
            fdo_profile: Vec::new(),
            device_memory_size: 0,
            exec_time_optimization_effort: 0.0,
            memory_fitting_effort: 0.0,
            optimization_level: EffortLevel::Unset,
            memory_fitting_level: EffortLevel::Unset,
            process_index: 0,
            process_count: 0,
            multi_slice_config: Vec::new(),
            options: BTreeMap::new(),
        }
    }
}

impl CompileOptions {
    /// The default options: one device.
    pub fn new() -> Self {
        Self::default()
    }

    /// Options for an executable that runs on whichever device an execution names.
    pub fn portable() -> Self {
        Self { portable: true, ..Self::default() }
    }

    /// Options for a program split by its shardings over `devices` devices.
    pub fn partitioned(devices: usize) -> Self {
        Self {
            num_partitions: devices,
            use_spmd_partitioning: true,
            use_shardy_partitioner: true,
            ..Self::default()
        }
    }

    /// Options for `devices` copies of a program.
    pub fn replicated(devices: usize) -> Self {
        Self { num_replicas: devices, ..Self::default() }
    }

    /// Sets an XLA option by its name.
    pub fn set_option(
        &mut self,
        name: impl Into<String>,
        value: impl Into<XlaOption>,
    ) -> &mut Self {
        self.options.insert(name.into(), value.into());
        self
    }
}
