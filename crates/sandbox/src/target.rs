//! Devices to compile for that this machine need not have.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// Devices to compile for that this machine need not have, as a plugin describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The name of the topology, such as `v5e:2x2x1`; empty where the options describe it.
    pub name: String,
    /// Options of the topology, such as `target_config`.
    pub options: BTreeMap<String, String>,
    /// The number of devices.
    pub devices: usize,
    /// The variables of the environment that the plugin needs.
    pub environment: BTreeMap<String, String>,
    /// Folders next to that of the plugin whose files it reads, and whose programs it starts, such
    /// as `ptxas`.
    pub companions: Vec<PathBuf>,
}
