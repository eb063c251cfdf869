//! The compiler's options.

use crate::proto::{
    CompileOptionsProto, ComputationDevice, DeviceAssignmentProto, ExecutableBuildOptionsProto,
    OptionOverrideProto, OptionValue,
};
use crate::{Error, Result};
use prost::Message;
use std::collections::BTreeMap;

pub use crate::proto::EffortLevel;

/// How to compile a program.
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

/// The value of an XLA option.
///
/// A string is parsed into whatever type the option has, booleans as `True` and `False`, lists
/// separated by commas.
#[derive(Clone, Debug, PartialEq)]
pub enum XlaOption {
    /// Text, or any type as text.
    String(String),
    /// A boolean.
    Bool(bool),
    /// An integer, or the number of an enumeration's value.
    Int(i64),
    /// A float.
    Float(f64),
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

    /// The bytes of the `CompileOptionsProto`.
    ///
    /// # Errors
    /// A count of replicas or partitions is 0 (which would abort the process), the device
    /// assignment has another length or names a device twice, or a portable executable is to run
    /// on several devices.
    pub fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.to_proto()?.encode_to_vec())
    }

    /// Reads options from the bytes of a `CompileOptionsProto`.
    ///
    /// # Errors
    /// The bytes are not such a message.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let proto = CompileOptionsProto::decode(bytes)
            .map_err(|e| Error::argument(format!("not serialized compile options: {e}")))?;
        Ok(Self::from_proto(proto))
    }

    /// The same for the devices of a client or topology.
    ///
    /// # Errors
    /// As for [`CompileOptions::encode`], or the program needs more devices than there are: plugins
    /// allocate tables of that size before they check.
    pub(crate) fn encode_for(&self, devices: usize) -> Result<Vec<u8>> {
        let bytes = self.encode()?;
        let needed = self.num_replicas.saturating_mul(self.num_partitions);
        match needed <= devices {
            true => Ok(bytes),
            false => Err(Error::argument(format!(
                "{} replicas of {} partitions need {needed} devices, there are {devices}",
                self.num_replicas, self.num_partitions
            ))),
        }
    }

    fn to_proto(&self) -> Result<CompileOptionsProto> {
        for (what, count) in
            [("num_replicas", self.num_replicas), ("num_partitions", self.num_partitions)]
        {
            if count == 0 || i32::try_from(count).is_err() {
                return Err(Error::argument(format!("{what} is {count}, expected at least 1")));
            }
        }
        let devices = self.num_replicas.checked_mul(self.num_partitions);
        let devices = devices.ok_or_else(|| Error::argument("too many devices"))?;
        if self.portable && devices != 1 {
            return Err(Error::argument(format!(
                "a portable executable runs on one device, not on {devices}"
            )));
        }
        let assignment = self.device_assignment.as_deref();
        let assignment = assignment.map(|ids| self.assignment_proto(ids, devices)).transpose()?;
        let build = ExecutableBuildOptionsProto {
            device_ordinal: -1,
            num_replicas: self.num_replicas as i64,
            num_partitions: self.num_partitions as i64,
            use_spmd_partitioning: self.use_spmd_partitioning,
            use_auto_spmd_partitioning: self.use_auto_spmd_partitioning,
            deduplicate_hlo: self.deduplicate_hlo,
            device_assignment: assignment,
            alias_passthrough_params: self.alias_passthrough_params,
            run_backend_only: self.run_backend_only,
            allow_spmd_sharding_propagation_to_output: self
                .allow_spmd_sharding_propagation_to_output
                .clone(),
            fdo_profile: self.fdo_profile.clone(),
            device_memory_size: self.device_memory_size,
            auto_spmd_partitioning_mesh_shape: self.auto_spmd_partitioning_mesh_shape.clone(),
            auto_spmd_partitioning_mesh_ids: self.auto_spmd_partitioning_mesh_ids.clone(),
            allow_spmd_sharding_propagation_to_parameters: self
                .allow_spmd_sharding_propagation_to_parameters
                .clone(),
            use_shardy_partitioner: self.use_shardy_partitioner,
            exec_time_optimization_effort: self.exec_time_optimization_effort,
            memory_fitting_effort: self.memory_fitting_effort,
            process_index: self.process_index,
            process_count: self.process_count,
            optimization_level: self.optimization_level.into(),
            memory_fitting_level: self.memory_fitting_level.into(),
        };
        let overrides = self.options.iter().map(|(name, value)| {
            let value = Some(value.clone().into());
            (name.clone(), OptionOverrideProto { value })
        });
        Ok(CompileOptionsProto {
            parameter_is_tupled_arguments: self.parameter_is_tupled_arguments,
            executable_build_options: Some(build),
            compile_portable_executable: self.portable,
            profile_version: self.profile_version,
            serialized_multi_slice_config: self.multi_slice_config.clone(),
            env_option_overrides: overrides.collect(),
            allow_in_place_mlir_modification: self.allow_in_place_mlir_modification,
            matrix_unit_operand_precision: 0,
        })
    }

    fn assignment_proto(&self, ids: &[i64], devices: usize) -> Result<DeviceAssignmentProto> {
        if ids.len() != devices {
            return Err(Error::size("devices in the device assignment", devices, ids.len()));
        }
        // The plugin truncates longer ids, and then uses another device.
        if let Some(id) = ids.iter().find(|&&id| i32::try_from(id).is_err()) {
            return Err(Error::argument(format!(
                "device assignment {ids:?}: there is no device {id}"
            )));
        }
        let unique: std::collections::BTreeSet<_> = ids.iter().collect();
        if unique.len() != ids.len() {
            return Err(Error::argument(format!("device assignment {ids:?} names a device twice")));
        }
        let partition = |p| ComputationDevice {
            replica_device_ids: ids.iter().skip(p).step_by(self.num_partitions).copied().collect(),
        };
        Ok(DeviceAssignmentProto {
            replica_count: self.num_replicas as i32,
            computation_count: self.num_partitions as i32,
            computation_devices: (0..self.num_partitions).map(partition).collect(),
        })
    }

    fn from_proto(proto: CompileOptionsProto) -> Self {
        let build = proto.executable_build_options.unwrap_or_default();
        let effort = |number| EffortLevel::try_from(number).unwrap_or(EffortLevel::Unset);
        let options = proto.env_option_overrides.into_iter();
        Self {
            num_replicas: build.num_replicas.max(1) as usize,
            num_partitions: build.num_partitions.max(1) as usize,
            device_assignment: build.device_assignment.map(|a| a.ids()),
            portable: proto.compile_portable_executable,
            use_spmd_partitioning: build.use_spmd_partitioning,
            use_shardy_partitioner: build.use_shardy_partitioner,
            use_auto_spmd_partitioning: build.use_auto_spmd_partitioning,
            auto_spmd_partitioning_mesh_shape: build.auto_spmd_partitioning_mesh_shape,
            auto_spmd_partitioning_mesh_ids: build.auto_spmd_partitioning_mesh_ids,
            allow_spmd_sharding_propagation_to_output: build
                .allow_spmd_sharding_propagation_to_output,
            allow_spmd_sharding_propagation_to_parameters: build
                .allow_spmd_sharding_propagation_to_parameters,
            deduplicate_hlo: build.deduplicate_hlo,
            alias_passthrough_params: build.alias_passthrough_params,
            run_backend_only: build.run_backend_only,
            parameter_is_tupled_arguments: proto.parameter_is_tupled_arguments,
            allow_in_place_mlir_modification: proto.allow_in_place_mlir_modification,
            profile_version: proto.profile_version,
            fdo_profile: build.fdo_profile,
            device_memory_size: build.device_memory_size,
            exec_time_optimization_effort: build.exec_time_optimization_effort,
            memory_fitting_effort: build.memory_fitting_effort,
            optimization_level: effort(build.optimization_level),
            memory_fitting_level: effort(build.memory_fitting_level),
            process_index: build.process_index,
            process_count: build.process_count,
            multi_slice_config: proto.serialized_multi_slice_config,
            options: options.filter_map(|(k, v)| Some((k, v.value?.into()))).collect(),
        }
    }
}

impl DeviceAssignmentProto {
    /// The device ids, replica by replica.
    pub(crate) fn ids(&self) -> Vec<i64> {
        // The decoded count may be any number.
        let longest = self.computation_devices.iter().map(|c| c.replica_device_ids.len()).max();
        let replicas = 0..(self.replica_count.max(0) as usize).min(longest.unwrap_or(0));
        let devices = |r: usize| {
            self.computation_devices
                .iter()
                .filter_map(move |c| c.replica_device_ids.get(r).copied())
        };
        replicas.flat_map(devices).collect()
    }
}

impl From<XlaOption> for OptionValue {
    fn from(value: XlaOption) -> Self {
        match value {
            XlaOption::String(value) => Self::String(value),
            XlaOption::Bool(value) => Self::Bool(value),
            XlaOption::Int(value) => Self::Int(value),
            // Float options given as doubles refuse zero and negative values; as text they do not.
            XlaOption::Float(value) if value <= 0.0 => Self::String(value.to_string()),
            XlaOption::Float(value) => Self::Double(value),
        }
    }
}

impl From<OptionValue> for XlaOption {
    fn from(value: OptionValue) -> Self {
        match value {
            OptionValue::String(value) => Self::String(value),
            OptionValue::Bool(value) => Self::Bool(value),
            OptionValue::Int(value) => Self::Int(value),
            OptionValue::Double(value) => Self::Float(value),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident),* $(,)?) => {$(
        impl From<$ty> for XlaOption {
            fn from(value: $ty) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    &str => String, String => String, bool => Bool,
    i64 => Int, i32 => Int, f64 => Float, f32 => Float
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_options_have_the_known_bytes() {
        let mut expected = vec![0x1a, 0x0f, 0x08];
        expected.extend([0xff; 9]);
        expected.extend([0x01, 0x20, 0x01, 0x28, 0x01, 0x20, 0x01]);
        let mut options = CompileOptions::portable();
        options.profile_version = 0;
        assert_eq!(options.encode().unwrap(), expected);
    }

    #[test]
    fn options_make_the_round_trip() {
        let mut options = CompileOptions::partitioned(2);
        options.num_replicas = 2;
        options.device_assignment = Some(vec![3, 1, 0, 2]);
        options.optimization_level = EffortLevel::O2;
        options.set_option("a", "text").set_option("b", true).set_option("c", 7i64);
        options.set_option("d", 0.5);
        let copy = CompileOptions::decode(&options.encode().unwrap()).unwrap();
        assert_eq!(copy, options);
    }

    #[test]
    fn assignment_is_stored_partition_by_partition() {
        let mut options = CompileOptions::partitioned(2);
        options.num_replicas = 2;
        options.device_assignment = Some(vec![10, 11, 20, 21]);
        let proto = options.to_proto().unwrap().executable_build_options.unwrap();
        let assignment = proto.device_assignment.unwrap();
        assert_eq!(assignment.computation_devices[0].replica_device_ids, [10, 20]);
        assert_eq!(assignment.computation_devices[1].replica_device_ids, [11, 21]);
        assert_eq!(assignment.ids(), [10, 11, 20, 21]);
    }

    #[test]
    fn what_would_abort_the_process_is_an_error() {
        let wrong = |f: fn(&mut CompileOptions)| {
            let mut options = CompileOptions::default();
            f(&mut options);
            options.encode().unwrap_err().to_string()
        };
        assert!(wrong(|o| o.num_replicas = 0).contains("num_replicas is 0"));
        assert!(wrong(|o| o.num_partitions = 0).contains("num_partitions is 0"));
        assert!(wrong(|o| o.device_assignment = Some(vec![0, 1])).contains("expected 1, found 2"));
        let twice = wrong(|o| {
            o.num_replicas = 2;
            o.device_assignment = Some(vec![1, 1]);
        });
        assert!(twice.contains("twice"));
        let portable = wrong(|o| {
            o.portable = true;
            o.num_partitions = 2;
        });
        assert!(portable.contains("portable"));
    }

    #[test]
    fn a_count_without_devices_costs_no_time() {
        let proto = DeviceAssignmentProto {
            replica_count: i32::MAX,
            computation_count: i32::MAX,
            computation_devices: vec![ComputationDevice::default(); 100_000],
        };
        let begun = std::time::Instant::now();
        assert!(proto.ids().is_empty());
        assert!(begun.elapsed() < std::time::Duration::from_secs(5));
    }

    #[test]
    fn floats_that_the_plugin_refuses_go_as_text() {
        let value: OptionValue = XlaOption::Float(-0.5).into();
        assert_eq!(value, OptionValue::String("-0.5".into()));
    }
}
