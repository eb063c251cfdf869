//! The bundle: a folder that is copied to the machine with the GPU.
//!
//! | file | contents |
//! |---|---|
//! | `run.sh` | runs the parts, each with a limit |
//! | `hloom-gpu.gz` | the parts, which `run.sh` unpacks |
//! | `data/` | cases of the op suite and their expected results |
//! | `story/` | the model of the examples |
//! | `peers/`, `kernels/` | programs of JAX and PyTorch; CUDA kernels |
//! | `saved/`, `plugin.sha256` | programs compiled ahead of time, and the plugin that compiled them |
//! | `autotune.textproto` | the choices that an earlier run measured |

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use pjrt_plugins::wheel::sha256;

use super::plugin;
use crate::{Result, cargo, files};

/// The size that a machine with a GPU takes.
const MAX_BYTES: u64 = 24_000_000;

/// The GPUs that programs are compiled for.
const TARGETS: [&str; 2] = ["cuda:h100", "cuda:h200"];

/// The files of `tests/it/data` that are not of the op suite.
const OTHER_DATA: [&str; 3] = ["collectives", "exported", "sweep"];

/// How the program is built.
#[derive(Clone, Copy, PartialEq)]
pub enum Profile {
    /// As tests are, and for rehearsals on a CPU.
    Dev,
    /// As it is measured on a GPU: without linear algebra of CPUs, a quarter of the program.
    Release,
}

/// Builds `hloom-gpu` alone, since together with other packages it would contain MLIR.
///
/// # Errors
/// Cargo's.
pub fn build(profile: Profile) -> Result<PathBuf> {
    let mut command = cargo::command(&["build", "--quiet", "--package", "hloom-gpu"]);
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            command.args(["--release", "--no-default-features"]);
            "release"
        }
    };
    cargo::run(command)?;
    Ok(cargo::target().join(folder).join("hloom-gpu"))
}

/// Writes the bundle without programs compiled ahead of time in place of what `folder` was.
///
/// # Errors
/// A file cannot be read or written.
pub fn write(folder: &Path, program: &Path) -> Result {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed("remove", folder))?;
    }
    create(folder)?;
    copy(program, &folder.join("hloom-gpu"))?;
    let root = cargo::workspace();
    let sources = root.join("crates/gpu");
    copy(&sources.join("run.sh"), &folder.join("run.sh"))?;
    let is_of_suite = |path: &Path| {
        let name = path.file_stem().unwrap_or_default();
        has_extension(path, "safetensors") && !OTHER_DATA.iter().any(|other| name == *other)
    };
    copy_files(&root.join("tests/it/data"), &folder.join("data"), &is_of_suite)?;
    let is_python = |path: &Path| has_extension(path, "py");
    for (name, is_part) in
        [("peers", &is_python as &dyn Fn(&Path) -> bool), ("kernels", &|_: &Path| true)]
    {
        if sources.join(name).exists() {
            copy_files(&sources.join(name), &folder.join(name), is_part)?;
        } else {
            eprintln!("no {name}: crates/gpu/{name} does not exist");
        }
    }
    copy_files(&root.join("examples/llama/story"), &folder.join("story"), &|_: &Path| true)?;
    let autotune = sources.join("autotune.textproto");
    if autotune.exists() {
        copy(&autotune, &folder.join("autotune.textproto"))?;
    }
    Ok(())
}

/// Compiles programs for each target into the bundle and its kernels, and writes which plugin did.
///
/// # Errors
/// The plugin cannot be installed, or a program not be compiled.
pub fn compile(folder: &Path, cudnn: &str) -> Result {
    let library = plugin::library()?;
    for target in TARGETS {
        let mut command = Command::new(folder.join("hloom-gpu"));
        command.env("HLOOM_PLUGIN_CUDA", &library).arg("--bundle").arg(folder);
        command.arg("--results").arg(cargo::target().join("gpu-bundle.jsonl"));
        command.args(["--cudnn", cudnn, "saved", "--compile", target]);
        cargo::run(command)?;
        let saved = folder.join("saved").join(target.replace(':', "-"));
        if size(&saved)? == 0 {
            return Err(format!("`saved --compile {target}` wrote nothing"));
        }
    }
    compile_kernels(&folder.join("kernels"), plugin::nvcc(&library).as_deref())?;
    let hash = sha256(&library).map_err(|error| error.to_string())?;
    let name = library.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.join("plugin.sha256");
    fs::write(&path, format!("{hash}  {name}\n")).map_err(failed("write", &path))
}

/// Compiles each `NAME.cu` of a folder to `NAME.cubin`, for GPUs of compute capability 9.0.
fn compile_kernels(folder: &Path, nvcc: Option<&Path>) -> Result {
    if !folder.exists() {
        return Ok(());
    }
    let Some(nvcc) = nvcc else {
        eprintln!("no kernels are compiled: there is no nvcc with its headers next to the plugin");
        return Ok(());
    };
    for name in files::below(folder, "cu")? {
        let source = folder.join(name);
        let mut command = Command::new(nvcc);
        command.args(["-cubin", "-arch=sm_90", "-o"]).arg(source.with_extension("cubin"));
        command.arg(source);
        cargo::run(command)?;
    }
    Ok(())
}

/// Compresses the program, which `run.sh` unpacks.
///
/// # Errors
/// gzip's.
pub fn pack(folder: &Path) -> Result {
    let mut command = Command::new("gzip");
    command.args(["-9", "--force"]).arg(folder.join("hloom-gpu"));
    cargo::run(command)
}

/// The size of a bundle in bytes.
///
/// # Errors
/// It is larger than it may be, or cannot be read.
pub fn check_size(folder: &Path) -> Result<u64> {
    let bytes = size(folder)?;
    if bytes > MAX_BYTES {
        return Err(format!("{}: {bytes} bytes, at most {MAX_BYTES} fit", folder.display()));
    }
    Ok(bytes)
}

fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(failed("read", folder))? {
        let path = entry.map_err(failed("read", folder))?.path();
        let data = path.symlink_metadata().map_err(failed("read", &path))?;
        bytes += if data.is_dir() { size(&path)? } else { data.len() };
    }
    Ok(bytes)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Copies the files of a folder that `is_part` selects.
fn copy_files(from: &Path, to: &Path, is_part: &dyn Fn(&Path) -> bool) -> Result {
    create(to)?;
    for entry in fs::read_dir(from).map_err(failed("read", from))? {
        let path = entry.map_err(failed("read", from))?.path();
        if let Some(name) = path.file_name()
            && path.is_file()
            && is_part(&path)
        {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::copy(from, to).map(drop).map_err(failed("copy", from))
}

fn create(folder: &Path) -> Result {
    fs::create_dir_all(folder).map_err(failed("create", folder))
}

fn failed(action: &str, path: &Path) -> impl Fn(std::io::Error) -> String + use<> {
    let what = format!("cannot {action} {}", path.display());
    move |error| format!("{what}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_has_what_its_program_reads_and_no_more() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("bundle");
        let program = root.path().join("program");
        fs::write(&program, "x").unwrap();
        create(&folder).unwrap();
        fs::write(folder.join("old"), "").unwrap();
        write(&folder, &program).unwrap();
        for file in ["run.sh", "hloom-gpu", "data/unary.safetensors"] {
            assert!(folder.join(file).exists(), "{file}");
        }
        for file in ["old", "data/sweep.safetensors", "saved"] {
            assert!(!folder.join(file).exists(), "{file}");
        }
        let bytes = check_size(&folder).unwrap();
        assert!(bytes > 1_000_000, "{bytes}");
        let large = fs::File::create(folder.join("data/large")).unwrap();
        large.set_len(MAX_BYTES).unwrap();
        assert!(check_size(&folder).unwrap_err().contains("at most 24000000"));
    }
}
