//! Checks of the proof on a GPU that need no GPU.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::{
    bundle::{self, Profile},
    plugin, program,
    run::{Run, Runs},
};
use crate::{Result, cargo, steps::Steps};

/// How much is checked.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    /// As much as fits into a minute.
    Fast,
    /// Also every program, compiled for CUDA, and every part on the CPU plugin.
    Whole,
}

/// The device file of a GPU of NVIDIA.
const GPU: &str = "/dev/nvidia0";

/// The parts that [`Extent::Whole`] compiles for a GPU that is not there.
const COMPILED: [&str; 5] = ["platform", "llama", "callbacks", "train", "ops"];

/// That GPU.
const TARGET: &str = "cuda:h200";

/// Checks the bundle in a folder apart from the repository.
///
/// # Errors
/// The first check's that fails.
pub fn run(extent: Extent) -> Result {
    let mut steps = Steps::default();
    let outcome = each(extent, &mut steps);
    print!("\n{}", steps.table());
    outcome
}

fn each(extent: Extent, steps: &mut Steps) -> Result {
    let root = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let folder = root.path().join("bundle");
    let runs = |name: &str| Runs { bundle: &folder, out: root.path().join(name) };
    let write = |profile| {
        bundle::write(&folder, &bundle::build(profile)?)?;
        program::check(&folder.join("hloom-gpu"))
    };
    steps.begin("program");
    write(Profile::Dev)?;
    steps.begin("faults");
    faults(&runs("faults"), root.path())?;
    steps.begin("no device");
    without_device(&runs("no-device"), root.path())?;
    steps.begin("rehearsal");
    rehearsal(&runs("rehearsal"), extent)?;
    if extent == Extent::Whole {
        steps.begin("measured program");
        write(Profile::Release)?;
        steps.begin("saved");
        bundle::compile(&folder, plugin::CUDNN)?;
        for part in COMPILED {
            steps.begin(part);
            compiled(&runs(part), part)?;
        }
        steps.begin("packed");
        bundle::pack(&folder)?;
        let bytes = bundle::check_size(&folder)?;
        println!("the bundle has {:.1} MB", bytes as f64 / 1e6);
        rehearsal(&runs("packed"), Extent::Fast)?;
    }
    Ok(())
}

/// Runs parts on plugins that violate the C API, end the process, or never return: each part leaves
/// a line with the reason, and earlier lines stay.
fn faults(runs: &Runs<'_>, root: &Path) -> Result {
    cargo::run(cargo::command(&["build", "--quiet", "--package", "fake-plugin"]))?;
    let name =
        format!("{}fake_plugin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = cargo::target().join("debug").join(name);
    let mut lines = 0;
    for (file, limit, expected) in [
        ("fake,abort=PJRT_Client_Create.so", 20, "ended by signal 6"),
        ("fake,hang=PJRT_Client_Create.so", 2, "limit of 2 s"),
        ("fake,fail=PJRT_Client_Create@13.so", 20, "PJRT_Client_Create fails as configured"),
        ("fake,no_client.so", 20, "null"),
        ("fake,table_size=16.so", 20, "16"),
    ] {
        let plugin = root.join(file);
        fs::copy(&built, &plugin).map_err(|error| format!("{}: {error}", built.display()))?;
        let parts = format!("platform:{limit} calls:{limit}");
        let plugin = plugin.to_string_lossy();
        let run = runs.run(&["--quick", "--platform", &plugin, "--parts", &parts], &[])?;
        let fail = |why: &str| Err(format!("{file}: {why}\n{}", run.output));
        if run.is_complete {
            return fail("`run.sh` reports success");
        }
        for part in ["gpu/platform", "gpu/calls"] {
            match run.reasons(part).last() {
                Some(why) if why.contains(expected) => {}
                Some(why) => return fail(&format!("{part}: {why}, expected {expected}")),
                None => return fail(&format!("there is no line of {part}")),
            }
        }
        if run.lines.len() < lines + 2 {
            return fail("lines of earlier runs are lost");
        }
        lines = run.lines.len();
    }
    Ok(())
}

/// Where there is no GPU, the CUDA plugin of a Python's packages is found and returns so: it is
/// an error of the part, not the end of its process.
fn without_device(runs: &Runs<'_>, root: &Path) -> Result {
    if Path::new(GPU).exists() {
        println!("skipped: this machine has a GPU");
        return Ok(());
    }
    let Some(library) = installed() else {
        println!(
            "skipped: the CUDA plugin is not installed (`cargo xtask plugins install cuda13`)"
        );
        return Ok(());
    };
    let site = root.join("packages");
    let package = site.join("jax_plugins/xla_cuda13");
    let failed = |error| format!("cannot link {}: {error}", library.display());
    fs::create_dir_all(&package).map_err(failed)?;
    symlink(&library, package.join("xla_cuda_plugin.so")).map_err(failed)?;
    let run = runs.run(&["--quick", "--parts", "platform"], &[("PYTHONPATH", &site)])?;
    let why = run.reasons("gpu/platform");
    if run.is_complete || !why.iter().any(|why| why.contains("No visible GPU devices")) {
        return Err(format!("no visible device is expected, found {why:?}\n{}", run.output));
    }
    Ok(())
}

/// A CUDA plugin that is installed, of any version.
fn installed() -> Option<PathBuf> {
    pjrt_plugins::path("cuda13").or_else(plugin::installed)
}

/// Runs parts on the CPU plugin.
fn rehearsal(runs: &Runs<'_>, extent: Extent) -> Result {
    let cpu = pjrt_plugins::ensure("cpu").map_err(|error| error.to_string())?;
    let mut arguments = vec!["--platform", "cpu", "--quick"];
    if extent == Extent::Fast {
        arguments.extend(["--parts", "platform calls callbacks"]);
    }
    let python = std::env::var_os("HLOOM_PYTHON").filter(|python| !python.is_empty());
    let python = python.map(PathBuf::from);
    let mut variables = vec![("HLOOM_PLUGIN_CPU", cpu.as_path())];
    variables.extend(python.as_deref().map(|python| ("HLOOM_PYTHON", python)));
    let run = runs.run(&arguments, &variables)?;
    if run.lines.is_empty() {
        return Err(format!("no part left a result\n{}", run.output));
    }
    verdict(&run, &run.output)
}

/// Compiles the programs of a part for a GPU.
fn compiled(runs: &Runs<'_>, part: &str) -> Result {
    let library = plugin::library()?;
    let mut command = runs.command(&runs.bundle.join("hloom-gpu"))?;
    command.env("HLOOM_PLUGIN_CUDA", &library).args(["--results", "results.jsonl"]);
    command.args([part, "--compile", TARGET]);
    let outcome = cargo::run(command);
    // The results name the programs that failed.
    let Ok(run) = runs.results(outcome.is_ok(), String::new()) else { return outcome };
    verdict(&run, &outcome.err().unwrap_or_default())
}

/// An error unless a run came to its end, and all of its checks passed.
fn verdict(run: &Run, output: &str) -> Result {
    let failed = run.failed();
    if !run.is_complete {
        return Err(format!("a part did not run to its end\n{output}"));
    }
    if !failed.is_empty() {
        return Err(format!("{} checks failed: {}\n{output}", failed.len(), failed.join(", ")));
    }
    println!("{} results", run.lines.len());
    Ok(())
}
