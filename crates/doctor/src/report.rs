//! The whole report, and its text.

use std::{fmt::Write, path::PathBuf};

use serde::Serialize;

use crate::{
    Host,
    cache::{self, Folder},
    plugin::{self, PluginReport},
    probe::{ClientReport, Loaded},
    toolchain,
};

/// The parts that this machine has.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// LLVM and MLIR.
    pub toolchain: ToolchainReport,
    /// The plugins that were found.
    pub plugins: Vec<PluginReport>,
    /// Names of the plugins that could be installed.
    pub not_installed: Vec<String>,
    /// The cache's folders.
    pub caches: Vec<Folder>,
    /// The XLA options of `HLOOM_XLA_OPTIONS`.
    pub xla_options: XlaOptions,
    /// The command that installs a plugin.
    #[serde(skip)]
    install: &'static str,
}

/// The XLA options that the environment sets for every program.
#[derive(Clone, Debug, Default, Serialize)]
pub struct XlaOptions {
    /// Names and values.
    pub options: Vec<(String, String)>,
    /// The reason why they cannot be read.
    pub problem: Option<String>,
}

impl XlaOptions {
    fn look() -> Self {
        match hloom_pjrt::CompileOptions::options_from_environment() {
            Ok(options) => {
                let text =
                    |(name, value): (String, hloom_pjrt::XlaOption)| (name, value.to_string());
                Self { options: options.into_iter().map(text).collect(), problem: None }
            }
            Err(error) => Self { options: Vec::new(), problem: Some(error.to_string()) },
        }
    }
}

/// LLVM and MLIR, and the libraries that linking them needs.
#[derive(Clone, Debug, Serialize)]
pub struct ToolchainReport {
    /// The folder in which they were searched for.
    pub prefix: PathBuf,
    /// The version of LLVM and MLIR.
    pub version: Option<String>,
    /// The files that were found.
    pub found: Vec<PathBuf>,
    /// The missing part, with the package that has it.
    pub missing: Vec<String>,
    /// The command that installs the missing part.
    pub advice: Option<String>,
}

impl Report {
    /// Collects the report.
    pub fn make(host: Host) -> Self {
        let toolchain = toolchain::look(&|name| std::env::var(name).ok());
        let part = |part: &toolchain::Missing| format!("{} (package {})", part.what, part.package);
        let plugins = plugin::find(host);
        let not_installed = pjrt_plugins::list()
            .iter()
            .map(|manifest| manifest.name.clone())
            .filter(|name| plugins.iter().all(|plugin| plugin.name != *name))
            .collect();
        Self {
            toolchain: ToolchainReport {
                missing: toolchain.missing.iter().map(part).collect(),
                advice: (!toolchain.missing.is_empty()).then(|| toolchain.report()),
                prefix: toolchain.prefix,
                version: toolchain.version,
                found: toolchain.found,
            },
            plugins,
            not_installed,
            caches: cache::folders(),
            xla_options: XlaOptions::look(),
            install: host.install,
        }
    }

    /// The report for a person to read.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("writing to a string does not fail");
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let version = self.toolchain.version.as_deref().unwrap_or("not found");
        writeln!(out, "LLVM and MLIR: {version}, in {}", self.toolchain.prefix.display())?;
        if let Some(advice) = &self.toolchain.advice {
            writeln!(out, "{advice}")?;
        }
        for plugin in &self.plugins {
            writeln!(out)?;
            write_plugin(out, plugin)?;
        }
        if !self.not_installed.is_empty() {
            writeln!(out, "\nnot installed: {}", self.not_installed.join(", "))?;
            writeln!(out, "  `{} NAME` installs one", self.install)?;
        }
        if let Some(problem) = &self.xla_options.problem {
            writeln!(out, "\nXLA options: {problem}")?;
        }
        if !self.xla_options.options.is_empty() {
            writeln!(out, "\nXLA options (HLOOM_XLA_OPTIONS):")?;
        }
        for (name, value) in &self.xla_options.options {
            writeln!(out, "  {name}={value}")?;
        }
        writeln!(out, "\ncaches:")?;
        for folder in &self.caches {
            let size = bytes(folder.bytes as f64);
            writeln!(out, "  {size:>9}  {}", folder.path.display())?;
        }
        let all: u64 = self.caches.iter().map(|folder| folder.bytes).sum();
        writeln!(out, "  {:>9}  together", bytes(all as f64))
    }
}

fn write_plugin(out: &mut String, plugin: &PluginReport) -> std::fmt::Result {
    write!(out, "plugin {}", plugin.name)?;
    if let Some(package) = &plugin.package {
        write!(out, ": {} {}", package.name, package.version)?;
    }
    let shadowed = if plugin.shadowed { " (another of this name comes first)" } else { "" };
    writeln!(out, "{shadowed}\n  {} [{}]", plugin.path.display(), plugin.source)?;
    if let Some(loaded) = &plugin.probe.loaded {
        write_loaded(out, loaded)?;
    }
    if let Some(client) = &plugin.probe.client {
        write_client(out, client)?;
    }
    match (&plugin.probe.problem, &plugin.probe.loaded) {
        (Some(problem), Some(_)) => writeln!(out, "  no client: {problem}"),
        (Some(problem), None) => writeln!(out, "  cannot be used: {problem}"),
        (None, _) => Ok(()),
    }
}

fn write_loaded(out: &mut String, loaded: &Loaded) -> std::fmt::Result {
    let (major, minor) = loaded.api_version;
    write!(out, "  PJRT C API {major}.{minor}")?;
    let version = |name: &str| {
        let parts: Vec<String> =
            loaded.attributes.get(name)?.as_array()?.iter().map(ToString::to_string).collect();
        Some(parts.join("."))
    };
    if let (Some(oldest), Some(newest)) =
        (version("stablehlo_minimum_version"), version("stablehlo_current_version"))
    {
        write!(out, ", StableHLO {oldest} to {newest}")?;
    }
    let extensions: Vec<String> = loaded
        .extensions
        .iter()
        .map(|extension| extension.name.clone().unwrap_or(format!("#{}", extension.number)))
        .collect();
    if extensions.is_empty() {
        writeln!(out, "\n  no extensions")
    } else {
        writeln!(out, "\n  extensions: {}", extensions.join(", "))
    }
}

fn write_client(out: &mut String, client: &ClientReport) -> std::fmt::Result {
    let count = client.devices.len();
    writeln!(out, "  client: platform {}, {count} devices", client.platform)?;
    for device in &client.devices {
        write!(out, "    {}: {}", device.id, device.kind)?;
        if !device.memories.is_empty() {
            write!(out, ", memories {}", device.memories.join(" "))?;
        }
        if let Some(limit) = device.memory_bytes {
            write!(out, ", {}", bytes(limit as f64))?;
        }
        let elsewhere = if device.addressable { "" } else { " (of another process)" };
        writeln!(out, "{elsewhere}")?;
    }
    Ok(())
}

fn bytes(count: f64) -> String {
    match count {
        count if count >= 1e9 => format!("{:.1} GB", count / 1e9),
        count if count >= 1e6 => format!("{:.1} MB", count / 1e6),
        count => format!("{:.1} kB", count / 1e3),
    }
}
