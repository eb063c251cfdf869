//! Set-up: LLVM and MLIR 22, Python's pip, the CPU plugin.

use std::path::Path;

use pjrt_plugins::{Companions, Installer, Manifest};

use crate::{
    Result,
    apt::Apt,
    toolchain::{DEFAULT_PREFIX, Missing, Toolchain, look},
};

/// Package of Debian and Ubuntu with Python's pip.
const PIP: &str = "python3-pip";

/// The steps that set-up has to take.
struct SetupState {
    toolchain: Toolchain,
    installer: Installer,
    cpu: Manifest,
    plugin_missing: bool,
}

/// Installs missing parts, and does nothing if there are none.
///
/// # Errors
/// A part is missing and cannot be installed from here; the message lists the packages.
pub fn run() -> Result {
    let mut state = SetupState::look()?;
    if !state.toolchain.missing.is_empty() {
        let packages = state.toolchain.packages();
        // Packages are not installed into a prefix that the user chose.
        let elsewhere = state.toolchain.prefix != Path::new(DEFAULT_PREFIX)
            && packages.iter().any(|package| package.contains("22"));
        let Some(apt) = Apt::find().filter(|_| !elsewhere) else {
            return Err(state.toolchain.report());
        };
        eprintln!("installing {}", packages.join(" "));
        apt.install(&packages)?;
        state = SetupState::look()?;
        if !state.toolchain.missing.is_empty() {
            return Err(state.toolchain.report());
        }
    }
    if state.plugin_missing {
        ensure(&state.cpu.name)?;
    }
    eprintln!("{}", state.summary());
    Ok(())
}

/// Installs the CPU plugin if it is missing, and no packages that only building with MLIR needs.
///
/// # Errors
/// The installer's, or pip, which fetches the plugin, is missing and cannot be installed from here.
pub fn plugin() -> Result {
    let cpu = pjrt_plugins::manifest("cpu").map_err(|error| error.to_string())?;
    let installer = Installer::new().map_err(|error| error.to_string())?;
    if installer.installed(&cpu).is_some() {
        return Ok(());
    }
    if let Err(error) = installer.check_python() {
        let Some(apt) = Apt::find() else {
            return Err(format!("{error}\non Debian and Ubuntu:\n  apt-get install {PIP}"));
        };
        eprintln!("installing {PIP}");
        apt.install(&[PIP])?;
    }
    ensure(&cpu.name)
}

/// Checks without installing.
///
/// # Errors
/// Something is missing; the message lists it.
pub fn check() -> Result {
    let state = SetupState::look()?;
    let mut report = String::new();
    if !state.toolchain.missing.is_empty() {
        report += &state.toolchain.report();
    }
    if state.plugin_missing {
        let cpu = &state.cpu.plugin;
        report += &format!("the CPU plugin is not installed ({} {})\n", cpu.package, cpu.version);
    }
    if report.is_empty() {
        eprintln!("{}", state.summary());
        return Ok(());
    }
    Err(format!("{report}`cargo xtask setup` installs what it can"))
}

/// Installs a plugin by name.
///
/// # Errors
/// The installer's, as text.
pub fn ensure(name: &str) -> Result {
    let manifest = pjrt_plugins::manifest(name).map_err(|error| error.to_string())?;
    let installed = Installer::new()
        .and_then(|installer| installer.ensure(&manifest, Companions::Auto))
        .map_err(|error| error.to_string())?;
    eprintln!("plugin `{}`: {}", installed.name, installed.library.display());
    Ok(())
}

impl SetupState {
    fn look() -> Result<Self> {
        let mut toolchain = look(&|name| std::env::var(name).ok());
        let cpu = pjrt_plugins::manifest("cpu").map_err(|error| error.to_string())?;
        let installer = Installer::new().map_err(|error| error.to_string())?;
        let plugin_missing = installer.installed(&cpu).is_none();
        // Python is only needed to fetch the plugin.
        if plugin_missing && installer.check_python().is_err() {
            toolchain.missing.push(Missing {
                what: "Python 3 with pip, which fetches plugins".to_owned(),
                package: PIP,
            });
        }
        Ok(Self { toolchain, installer, cpu, plugin_missing })
    }

    fn summary(&self) -> String {
        format!(
            "LLVM and MLIR {} in {}, plugins in {}",
            self.toolchain.version.as_deref().unwrap_or("of unknown version"),
            self.toolchain.prefix.display(),
            self.installer.folder().display()
        )
    }
}
