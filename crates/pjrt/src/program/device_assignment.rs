//! The devices that run a program.

use crate::program::proto::DeviceAssignmentProto;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::proto::ComputationDevice;

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
}
