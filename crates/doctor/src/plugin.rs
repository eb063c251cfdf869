//! The plugins that can be found, each probed.

use std::{collections::BTreeMap, path::PathBuf};

use hloom_pjrt::Plugin;
use serde::Serialize;

use crate::{
    Host,
    package::{self, Package},
    probe::{self, Probe},
};

/// A plugin that was found.
#[derive(Clone, Debug, Serialize)]
pub struct PluginReport {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The source by which it was found.
    pub source: String,
    /// Whether another plugin of this name comes first.
    pub shadowed: bool,
    /// Its package, where a record names it.
    pub package: Option<Package>,
    /// The result of loading it.
    pub probe: Probe,
}

/// Finds and probes every plugin.
pub fn find(host: Host) -> Vec<PluginReport> {
    Plugin::available()
        .into_iter()
        .map(|candidate| PluginReport {
            probe: match &candidate.problem {
                Some(problem) => Probe { problem: Some(problem.to_string()), ..Probe::default() },
                None => probe::run(host, &candidate.path, &environment(&candidate.name)),
            },
            package: package::of(&candidate.path),
            source: candidate.source.to_string(),
            name: candidate.name,
            path: candidate.path,
            shadowed: candidate.shadowed,
        })
        .collect()
}

/// The variables that a plugin needs to load on a machine without its device.
fn environment(name: &str) -> BTreeMap<String, String> {
    pjrt_plugins::manifest(name)
        .ok()
        .filter(|manifest| !manifest.device_present())
        .map(|manifest| manifest.probe_environment)
        .unwrap_or_default()
}
