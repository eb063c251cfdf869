//! The shardings of the inputs and outputs of a compiled program.

use crate::{Error, Mesh, NamedSharding, Result, Signature};
use hloom_graph::{Graph, ResolvedSharding, Shape};
use hloom_pjrt::{LoadedExecutable, Tiling};

/// Writes the sharding of each input and output into the signature: as requested, or as the
/// compiler chose.
///
/// # Errors
/// The compiler chose a sharding, and the plugin does not report it.
pub(crate) fn set_compiled_shardings(
    signature: &mut Signature,
    graph: &Graph,
    mesh: &Mesh,
    loaded: &LoadedExecutable,
) -> Result<()> {
    let devices = mesh.devices().len();
    let asked = |resolved: Option<ResolvedSharding>| resolved.filter(|p| !p.has_open());
    let inputs: Vec<_> = graph.parameters().iter().map(|p| asked(p.sharding)).collect();
    let outputs: Vec<_> =
        (0..signature.outputs.len()).map(|i| asked(graph.result_sharding(i))).collect();
    // Reading the program takes time, and is not needed where every sharding was requested.
    let chosen = inputs.iter().chain(&outputs).any(Option::is_none);
    let told = (chosen && devices > 1).then(|| loaded.executable().tilings(devices)).flatten();
    let (told_in, told_out) =
        told.map_or_else(Default::default, |told| (told.parameters, told.results));

    let found =
        |asked: Option<ResolvedSharding>, told: Option<&Option<Tiling>>, shape: &Shape| match asked
        {
            Some(resolved) => Some(resolved),
            None if devices == 1 => Some(ResolvedSharding::replicated(shape.rank())),
            None => told?.as_ref().and_then(|tiling| resolved_of(mesh, shape, tiling)),
        };
    for (i, (input, asked)) in signature.inputs.iter_mut().zip(inputs).enumerate() {
        let resolved = found(asked, told_in.get(i), &input.shape)
            .ok_or_else(|| Error::UnknownSharding { name: input.name.clone(), what: "argument" })?;
        input.sharding = Some(NamedSharding::of(mesh.clone(), resolved));
    }
    for (i, (output, asked)) in signature.outputs.iter_mut().zip(outputs).enumerate() {
        let resolved = found(asked, told_out.get(i), &output.shape).filter(|p| {
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

/// The sharding over a mesh that splits as the plugin tells.
pub(crate) fn resolved_of(mesh: &Mesh, shape: &Shape, tiling: &Tiling) -> Option<ResolvedSharding> {
    match tiling.counts.len() {
        0 => Some(ResolvedSharding::replicated(shape.rank())),
        rank if rank == shape.rank() => {
            ResolvedSharding::from_parts(&mesh.shape(), &tiling.counts, &tiling.tiles)
        }
        _ => None,
    }
}
