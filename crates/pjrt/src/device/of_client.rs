//! The devices and memories of a client.

use crate::{Client, Device, Error, Memory, Result, sys};
use std::sync::Arc;

impl Client {
    /// All devices of the job, those of other processes included.
    pub fn devices(&self) -> Vec<Device> {
        (0..self.inner.devices.len()).map(|index| self.device_at(index)).collect()
    }

    /// The devices that this process can use.
    pub fn addressable_devices(&self) -> Vec<Device> {
        self.inner.addressable.iter().map(|&index| self.device_at(index)).collect()
    }

    /// The addressable device at this index.
    ///
    /// # Errors
    /// The index is out of range.
    pub fn addressable_device(&self, ordinal: usize) -> Result<Device> {
        match self.inner.addressable.get(ordinal) {
            Some(&index) => Ok(self.device_at(index)),
            None => Err(Error::argument(format!(
                "there is no addressable device {ordinal}: {} has {}",
                self.platform_name(),
                self.inner.addressable.len()
            ))),
        }
    }

    /// The device with this id.
    pub fn device_with_id(&self, id: i64) -> Option<Device> {
        let index = self.inner.devices.iter().position(|d| d.description.id() == id)?;
        Some(self.device_at(index))
    }

    /// The addressable device with this local hardware id.
    pub fn device_with_local_hardware_id(&self, id: i64) -> Option<Device> {
        self.addressable_devices().into_iter().find(|d| d.local_hardware_id() == Some(id))
    }

    /// The memories that this process can use.
    pub fn memories(&self) -> Vec<Memory> {
        let memory = |index| Memory { client: Arc::clone(&self.inner), index };
        (0..self.inner.memories.len()).map(memory).collect()
    }

    /// The ids of the devices that a program runs on if its options name none, replica by replica.
    ///
    /// # Errors
    /// The plugin's error, for instance that there are too few devices; or a count of 0.
    pub fn default_device_assignment(
        &self,
        replicas: usize,
        partitions: usize,
    ) -> Result<Vec<i64>> {
        let count = |n: usize| i32::try_from(n).ok().filter(|&n| n > 0);
        let counts = (count(replicas), count(partitions), replicas.checked_mul(partitions));
        let (Some(num_replicas), Some(num_partitions), Some(len)) = counts else {
            let message = format!("cannot assign {replicas} replicas of {partitions} partitions");
            return Err(Error::argument(message));
        };
        if len > self.inner.devices.len() {
            return Err(Error::argument(format!(
                "{replicas} replicas of {partitions} partitions need {len} devices, {} has {}",
                self.platform_name(),
                self.inner.devices.len()
            )));
        }
        let mut ids = vec![0i32; len];
        let mut args: sys::PJRT_Client_DefaultDeviceAssignment_Args = self.inner.api.zeroed();
        args.client = self.inner.raw.as_ptr();
        args.num_replicas = num_replicas;
        args.num_partitions = num_partitions;
        args.default_assignment_size = len;
        args.default_assignment = ids.as_mut_ptr();
        // SAFETY: the plugin writes as many ids as there is room for.
        unsafe { self.inner.api.call(&mut args) }?;
        Ok(ids.into_iter().map(i64::from).collect())
    }

    fn device_at(&self, index: usize) -> Device {
        Device { client: Arc::clone(&self.inner), index }
    }
}

impl Memory {
    /// The devices that use it.
    pub fn devices(&self) -> Vec<Device> {
        let device = |&index: &usize| Device { client: Arc::clone(&self.client), index };
        self.data().devices.iter().map(device).collect()
    }
}
