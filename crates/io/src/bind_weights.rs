//! Weights of programs by the names of their inputs.

use crate::{Checkpoint, Error, Result, Unused, npy};
use hloom_graph::{Shape, Spec};
use hloom_runtime::{BindNamed, Buffer, Input, Placement};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Binds the free inputs of a program to the tensors of their names in a file: of NumPy (`.npz`),
/// or a checkpoint in safetensors, as [`Checkpoint::open`] takes it. Inputs that the file has no
/// tensor for stay free, and tensors without an input of their name are not read.
///
/// ```no_run
/// use hloom_io::bind_weights;
/// use hloom_runtime::{Platform, StableHlo};
///
/// let platform = Platform::cpu()?;
/// let program = StableHlo::read("model.mlir")?;
/// // SAFETY: the file is this project's own export.
/// let program = unsafe { platform.load_stablehlo_trusted(&program)? };
/// let model = bind_weights(&program, "model.safetensors")?;
/// # Ok::<(), hloom_io::Error>(())
/// ```
///
/// # Errors
/// The file cannot be read, or has no tensor of such a name; or a tensor has another shape or
/// element type than its input: all of these are named.
pub fn bind_weights<P: BindNamed>(program: &P, file: impl AsRef<Path>) -> Result<P> {
    let file = file.as_ref();
    let weights = if file.extension().is_some_and(|end| end == "npz") {
        arrays(program, file)?
    } else {
        tensors(program, file)?
    };
    if weights.is_empty() {
        let inputs = program.free_inputs();
        let inputs: Vec<&str> = inputs.iter().map(|input| &*input.name).collect();
        let message = format!("no tensor is named as an input: {}", inputs.join(", "));
        return Err(Error::Weights { path: file.into(), message });
    }
    let weights: Vec<_> = weights.iter().map(|(name, buffer)| (name.as_str(), buffer)).collect();
    Ok(program.bind_named(&weights)?)
}

fn placement<'a>(program: &'a impl BindNamed, input: &'a Input) -> Placement<'a> {
    match &input.sharding {
        Some(sharding) => Placement::from(sharding),
        None => Placement::from(program.platform()),
    }
}

/// The buffers of inputs that the archive has.
fn arrays(program: &impl BindNamed, file: &Path) -> Result<BTreeMap<String, Buffer>> {
    let shapes: BTreeMap<String, Shape> = npy::shapes(file)?;
    let inputs = program.free_inputs().into_iter().filter(|input| shapes.contains_key(&input.name));
    let load = |input: &Input| {
        // Arrays of NumPy have no axis names.
        let found = npy::load_named(placement(program, input), file, &input.name)?;
        let same = found.shape().same_layout(&input.shape);
        let found = if same { found.named(input.shape.axes())? } else { found };
        Ok((input.name.clone(), found))
    };
    inputs.map(load).collect()
}

/// The buffers of inputs that the checkpoint has.
fn tensors(program: &impl BindNamed, file: &Path) -> Result<BTreeMap<String, Buffer>> {
    let checkpoint = Checkpoint::open(file)?;
    let names: BTreeSet<&str> = checkpoint.names().collect();
    let is_there = |input: &&Input| names.contains(&*input.name);
    let spec = |input: &Input| (input.name.clone(), Spec::of(input.shape));
    let loader = checkpoint.root().loader().unused(Unused::Allowed);
    let inputs = program.free_inputs().into_iter().filter(is_there);
    let (split, whole): (Vec<&Input>, Vec<&Input>) =
        inputs.partition(|input| input.sharding.is_some());
    let specs: BTreeMap<String, Spec> = whole.into_iter().map(spec).collect();
    let mut weights = loader.load(program.platform(), &specs)?;
    for input in split {
        let specs = BTreeMap::from([spec(input)]);
        weights.extend(loader.load(placement(program, input), &specs)?);
    }
    Ok(weights)
}
