//! Compile options as the messages that plugins read.

use crate::{
    CompileOptions, EffortLevel, Error, Result,
    program::proto::{
        CompileOptionsProto, ComputationDevice, DeviceAssignmentProto, ExecutableBuildOptionsProto,
        OptionOverrideProto,
    },
};
use prost::Message;

impl CompileOptions {
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
        if needed <= devices {
            Ok(bytes)
        } else {
            Err(Error::argument(format!(
                "{} replicas of {} partitions need {needed} devices, there are {devices}",
                self.num_replicas, self.num_partitions
            )))
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
}
