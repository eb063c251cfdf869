//! The shardings of the inputs and outputs of a compiled program.

use crate::{Error, Mesh, NamedSharding, Result, Signature};
use hloom_graph::{Graph, ResolvedSharding, Shape};
use hloom_pjrt::{LoadedExecutable, Tiling};

/// Writes the shardings that a function requests into its signature; the compiler chooses the
/// remaining ones.
pub(crate) fn set_requested_shardings(signature: &mut Signature, graph: &Graph, mesh: &Mesh) {
    let asked = |resolved: Option<ResolvedSharding>| {
        let resolved = resolved.filter(|resolved| !resolved.has_open());
        resolved.map(|resolved| NamedSharding::of(mesh.clone(), resolved))
    };
    for (input, parameter) in signature.inputs.iter_mut().zip(graph.parameters()) {
        input.sharding = asked(parameter.sharding);
    }
    for (i, output) in signature.outputs.iter_mut().enumerate() {
        output.sharding = asked(graph.result_sharding(i));
    }
}

/// Writes the shardings that the compiler chose, in addition to those of
/// [`set_requested_shardings`].
///
/// # Errors
/// The compiler chose a sharding, and the plugin does not report it.
pub(crate) fn set_compiled_shardings(
    signature: &mut Signature,
    mesh: &Mesh,
    loaded: &LoadedExecutable,
) -> Result<()> {
    let devices = mesh.devices().len();
    // Reading the program takes time, and is not needed where every sharding was requested.
    let chosen = signature.inputs.iter().any(|input| input.sharding.is_none())
        || signature.outputs.iter().any(|output| output.sharding.is_none());
    let tilings = (chosen && devices > 1).then(|| loaded.executable().tilings(devices)).flatten();
    let (parameters, results) =
        tilings.map_or_else(Default::default, |found| (found.parameters, found.results));

    let found =
        |asked: &Option<NamedSharding>, tiling: Option<&Option<Tiling>>, shape: &Shape| match asked
        {
            Some(asked) => Some(*asked.resolved()),
            None if devices == 1 => Some(ResolvedSharding::replicated(shape.rank())),
            None => tiling?.as_ref().and_then(|tiling| resolved_of(mesh, shape, tiling)),
        };
    for (i, input) in signature.inputs.iter_mut().enumerate() {
        let resolved = found(&input.sharding, parameters.get(i), &input.shape)
            .ok_or_else(|| Error::UnknownSharding { name: input.name.clone(), what: "argument" })?;
        input.sharding = Some(NamedSharding::of(mesh.clone(), resolved));
    }
    for (i, output) in signature.outputs.iter_mut().enumerate() {
        let resolved = found(&output.sharding, results.get(i), &output.shape).filter(|p| {
            let local = p.local(&output.shape, &mesh.shape());
            let given = loaded.outputs().get(i).map(|spec| spec.dims().to_vec());
            given.is_none_or(|given| given == crate::pjrt_types::dims_i64(local))
        });
        let resolved = resolved
            .ok_or_else(|| Error::UnknownSharding { name: output.name.clone(), what: "result" })?;
        output.sharding = Some(NamedSharding::of(mesh.clone(), resolved));
    }
    Ok(())
}

/// The sharding over a mesh that has the tiling reported by the plugin.
pub(crate) fn resolved_of(mesh: &Mesh, shape: &Shape, tiling: &Tiling) -> Option<ResolvedSharding> {
    match tiling.counts.len() {
        0 => Some(ResolvedSharding::replicated(shape.rank())),
        rank if rank == shape.rank() => {
            ResolvedSharding::from_parts(&mesh.shape(), &tiling.counts, &tiling.tiles)
        }
        _ => None,
    }
}
