//! The sharding of the inputs of a case.

use crate::Case;
use hloom::prelude::*;
use std::fmt;

/// The sharding of a case's inputs: replicated on every device, or each split along one axis over
/// all devices, if it has that axis and the axis is divisible.
#[derive(Clone, Copy)]
pub struct Split {
    devices: usize,
    axis: Option<usize>,
}

impl Split {
    /// On one device.
    pub const WHOLE: Split = Split { devices: 1, axis: None };

    /// The mesh axis that inputs are split along.
    pub const AXIS: &str = "devices";

    /// The number of devices.
    pub fn devices(self) -> usize {
        self.devices
    }

    /// The partition of an input.
    pub fn partition(self, shape: &Shape) -> PartitionSpec {
        match self.axis {
            Some(axis)
                if axis < shape.rank() && shape.sizes()[axis].is_multiple_of(self.devices) =>
            {
                PartitionSpec::shard(axis, Split::AXIS)
            }
            _ => PartitionSpec::replicated(),
        }
    }

    /// All shardings that split an input of a case, and the one that splits none.
    pub fn of(case: &Case, devices: usize) -> Vec<Split> {
        let rank = case.inputs.iter().map(|x| x.shape.rank()).max().unwrap_or(0);
        let splits_one = |split: &Split| {
            case.inputs.iter().any(|x| split.partition(&x.shape) != PartitionSpec::replicated())
        };
        let along = (0..rank).map(|axis| Split { devices, axis: Some(axis) });
        let whole = Split { devices, axis: None };
        std::iter::once(whole).chain(along.filter(splits_one)).collect()
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.axis, self.devices) {
            (Some(axis), devices) => write!(f, " split along axis {axis} over {devices} devices"),
            (None, 1) => Ok(()),
            (None, devices) => write!(f, " whole on {devices} devices"),
        }
    }
}
