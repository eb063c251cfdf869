//! Compiling every program of this part for a device that is not here.

use super::{
    bandwidth,
    model::{Case, decode, prefill},
    weights,
};
use crate::{Result, Settings};
use hloom::{Topology, runtime::CompiledProgram};
use std::{path::Path, time::Instant};

/// Compiles for `target`, such as `cuda:h200`, and prints the time and the memory of each program.
///
/// # Errors
/// The target is unknown, or a program does not compile.
pub fn run(target: &str, dump: Option<&Path>, settings: &Settings, case: &Case) -> Result {
    let topology = Topology::parse(target)?;
    let compiler = |name: &str| {
        let compiler = topology.compiler().name(name);
        match dump {
            Some(folder) => compiler.dump(folder),
            None => compiler,
        }
    };
    let mut clock = Instant::now();
    let mut shown = |program: CompiledProgram| -> Result {
        let seconds = clock.elapsed().as_secs_f64();
        let memory = program.memory()?;
        println!("{}: {seconds:.1} s, {memory:?}", program.name());
        match program.cost() {
            Ok(cost) => println!("  {cost:?}"),
            Err(error) => println!("  {error}"),
        }
        if let Some(folder) = dump {
            write(folder, &program)?;
        }
        clock = Instant::now();
        Ok(())
    };
    let array = bandwidth::array(settings.quick);
    shown(compiler("copy").compile(bandwidth::copy, (array,))?)?;
    for (shape, spec) in weights::shapes(&case.bound().weights) {
        let name = format!("fill {shape}");
        shown(compiler(&name).compile(weights::fill(&spec), weights::fill_arguments())?)?;
    }
    shown(compiler("prefill").compile(prefill, case.prefill_arguments())?)?;
    shown(compiler("decode").compile(decode, case.decode_arguments())?)
}

/// Writes the optimized program and the list of its kernels.
fn write(folder: &Path, program: &CompiledProgram) -> Result {
    let Some(executable) = program.as_pjrt() else { return Ok(()) };
    let optimized = executable.optimized_program()?;
    let stem = program.name().replace(|c: char| !c.is_alphanumeric(), "_");
    std::fs::write(folder.join(format!("{stem}.optimized.hlo")), optimized.code())?;
    let kernels = executable.kernels()?;
    Ok(std::fs::write(folder.join(format!("{stem}.kernels.txt")), format!("{kernels}\n"))?)
}
