//! Describing a compiled program to the parent.

use crate::message::{Interface, Parameter, Tiling, Tilings};
use hloom_pjrt::LoadedExecutable;

/// Ops that exchange values with the host or another program, and wait without a limit.
const FEEDS: [&str; 6] = ["infeed", "outfeed", "send", "recv", "send-done", "recv-done"];

/// The parameters and results of a program.
///
/// # Errors
/// The plugin does not describe them, or the program waits for values of another one.
pub fn describe(program: &LoadedExecutable) -> Result<Interface, String> {
    let executable = program.executable();
    let module = executable.hlo_module().map_err(|error| error.to_string())?;
    let all = module.computations.iter().flat_map(|computation| &computation.instructions);
    if let Some(feed) = all.map(|one| &*one.opcode).find(|opcode| FEEDS.contains(opcode)) {
        return Err(format!("the program has the op `{feed}`, which waits for another program"));
    }
    let interface = executable.interface().map_err(|error| error.to_string())?;
    let parameter = |(index, parameter): (usize, hloom_pjrt::ProgramParameter)| {
        let spec = parameter.spec.ok_or_else(|| format!("parameter {index} is not an array"))?;
        Ok(Parameter { name: parameter.name, array: (&spec).into() })
    };
    let parameters = interface.parameters.into_iter().enumerate().map(parameter);
    let tiling = |one: hloom_pjrt::Tiling| Tiling { counts: one.counts, tiles: one.tiles };
    let tilings = |all: Vec<Option<_>>| all.into_iter().map(|one| one.map(tiling)).collect();
    Ok(Interface {
        name: program.name().to_owned(),
        devices: program.num_devices(),
        parameters: parameters.collect::<Result<_, String>>()?,
        donatable: interface.donatable,
        results: program.outputs().iter().map(|spec| (&**spec).into()).collect(),
        custom_calls: interface.custom_calls,
        tilings: executable.tilings(program.num_devices()).map(|both| Tilings {
            parameters: tilings(both.parameters),
            results: tilings(both.results),
        }),
        memory: executable.memory_stats().ok().map(Into::into),
    })
}
