//! The subcommands of `pjrt-plugins`, for any command to embed.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::{Companions, Error, Installer, Manifest, Result, list, manifest};

/// List, install and find PJRT plugins.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Show the known plugins and which are installed
    List {
        /// One JSON array instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Install missing plugins, and print the paths of their libraries
    Install {
        /// Names or aliases, as `list` shows them
        #[arg(required_unless_present = "manifest")]
        names: Vec<String>,
        /// Which companions to install
        #[command(flatten)]
        group: Group,
        /// A manifest file of your own, in place of a name
        #[arg(long, value_name = "FILE", conflicts_with = "names")]
        manifest: Option<PathBuf>,
        /// Report no progress
        #[arg(long, short)]
        quiet: bool,
    },
    /// Print the path of an installed plugin's library
    Path {
        /// Name or alias, as `list` shows them
        #[arg(required_unless_present = "manifest")]
        name: Option<String>,
        /// A manifest file of your own, in place of a name
        #[arg(long, value_name = "FILE", conflicts_with = "name")]
        manifest: Option<PathBuf>,
    },
}

/// The companions to install; without either flag, those for running where a device exists.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub struct Group {
    /// Only the companions that compiling needs
    #[arg(long)]
    pub compile: bool,
    /// Also the companions that running needs
    #[arg(long)]
    pub run: bool,
}

impl Group {
    fn companions(self) -> Companions {
        match self {
            Self { compile: true, .. } => Companions::Compile,
            Self { run: true, .. } => Companions::Run,
            _ => Companions::Auto,
        }
    }
}

impl Command {
    /// Runs the subcommand, which prints its results on standard output; returns false if a
    /// requested plugin is not installed. A reader that stops early, such as `head`, is not an error.
    ///
    /// # Errors
    /// Those of [`Installer::ensure`] and of reading manifests.
    pub fn run(self) -> Result<bool> {
        match self.run_to(&mut io::stdout().lock()) {
            Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
            done => done,
        }
    }

    /// As [`run`](Self::run), with the results written to `out`.
    ///
    /// # Errors
    /// As for [`run`](Self::run), and those of `out`: [`Error::Output`].
    pub fn run_to(self, out: &mut dyn Write) -> Result<bool> {
        match self {
            Self::List { json } => {
                write_list(out, json)?;
                Ok(true)
            }
            Self::Install { names, group, manifest: file, quiet } => {
                let manifests: Vec<Manifest> = match file {
                    Some(file) => vec![Manifest::from_file(file)?],
                    None => names.iter().map(|name| manifest(name)).collect::<Result<_>>()?,
                };
                let mut installer = Installer::new()?;
                if quiet {
                    installer = installer.quiet();
                }
                for manifest in &manifests {
                    let installation = installer.ensure(manifest, group.companions())?;
                    writeln!(out, "{}", installation.library.display())?;
                }
                Ok(true)
            }
            Self::Path { name, manifest: file } => {
                let manifest = match file {
                    Some(file) => Manifest::from_file(file)?,
                    None => manifest(name.as_deref().unwrap_or_default())?,
                };
                match Installer::new()?.installed(&manifest) {
                    Some(found) => writeln!(out, "{}", found.library.display())?,
                    None => {
                        eprintln!("error: plugin `{}` is not installed", manifest.name);
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

fn write_list(out: &mut dyn Write, as_json: bool) -> Result<()> {
    let installer = Installer::new()?;
    if as_json {
        let plugins: Vec<_> = list()
            .iter()
            .map(|manifest| {
                json!({ "manifest": manifest, "installed": installer.installed(manifest) })
            })
            .collect();
        writeln!(out, "{:#}", serde_json::Value::from(plugins))?;
        return Ok(());
    }
    for manifest in list() {
        let size = match megabytes(manifest, Companions::Compile) {
            Ok(small) => {
                if manifest.companions.run.is_empty() {
                    format!("{small:.0} MB")
                } else {
                    format!(
                        "{small:.0} MB, with run companions {:.0} MB",
                        megabytes(manifest, Companions::Run)?
                    )
                }
            }
            Err(_) => "not for this machine".to_owned(),
        };
        writeln!(
            out,
            "{:10} {:38} {} {} ({size}; {})",
            manifest.name,
            manifest.description,
            manifest.plugin.package,
            manifest.plugin.version,
            manifest.verified
        )?;
        match installer.installed(manifest) {
            Some(found) => writeln!(out, "{:10} installed: {}", "", found.library.display())?,
            None => writeln!(out, "{:10} not installed", "")?,
        }
    }
    Ok(())
}

/// The size of the downloads of a group.
fn megabytes(manifest: &Manifest, group: Companions) -> std::result::Result<f64, Error> {
    let mut bytes = 0;
    for package in manifest.packages(group) {
        bytes += package.wheel(&manifest.name)?.bytes;
    }
    Ok(bytes as f64 / 1e6)
}
