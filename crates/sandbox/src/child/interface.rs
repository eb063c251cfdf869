//! Describing a compiled program to the parent.

use super::serve::text;
use crate::message::{Interface, Parameter, Tiling, Tilings};
use hloom_pjrt::Executable;

/// Ops that exchange values with the host or another program, and wait without a limit.
const FEEDS: [&str; 6] = ["infeed", "outfeed", "send", "recv", "send-done", "recv-done"];

/// The parameters and results of a program.
///
/// # Errors
/// The plugin does not describe them, or the program is run here and waits for values of another
/// one.
pub fn describe(executable: &Executable, is_run: bool) -> Result<Interface, String> {
    if is_run {
        let module = executable.hlo_module().map_err(text)?;
        let all = module.computations.iter().flat_map(|computation| &computation.instructions);
        if let Some(feed) = all.map(|one| &*one.opcode).find(|opcode| FEEDS.contains(opcode)) {
            return Err(format!(
                "the program has the op `{feed}`, which waits for another program"
            ));
        }
    }
    let interface = executable.interface().map_err(text)?;
    let devices =
        executable.num_replicas().and_then(|count| Ok((count, executable.num_partitions()?)));
    let (replicas, partitions) = devices.map_err(text)?;
    let devices = replicas.saturating_mul(partitions);
    let parameter = |(index, parameter): (usize, hloom_pjrt::ProgramParameter)| {
        let spec = parameter.spec.ok_or_else(|| format!("parameter {index} is not an array"))?;
        Ok(Parameter { name: parameter.name, array: (&spec).into() })
    };
    let parameters = interface.parameters.into_iter().enumerate().map(parameter);
    let tiling = |one: hloom_pjrt::Tiling| Tiling { counts: one.counts, tiles: one.tiles };
    let tilings = |all: Vec<Option<_>>| all.into_iter().map(|one| one.map(tiling)).collect();
    Ok(Interface {
        name: executable.name().map_err(text)?,
        devices,
        parameters: parameters.collect::<Result<_, String>>()?,
        donatable: interface.donatable,
        results: executable.output_specs().map_err(text)?.iter().map(Into::into).collect(),
        custom_calls: interface.custom_calls,
        tilings: executable.tilings(devices).map(|both| Tilings {
            parameters: tilings(both.parameters),
            results: tilings(both.results),
        }),
        memory: executable.memory_stats().ok().map(Into::into),
    })
}
