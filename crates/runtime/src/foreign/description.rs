//! Descriptions of compiled programs of other systems.

use super::{ForeignError, StableHlo, StableHloValue, check::refused, value::plain_path};
use crate::{
    Error, Input, Mesh, NamedSharding, Output, Result, Signature,
    compile::Settings,
    exe::resolved_of,
    pjrt_types::{dims_i64, from_pjrt},
};
use hloom_graph::{ResolvedSharding, Shape};
use hloom_pjrt::{Executable, PlatformKind, Spec, Tiling, Tilings};
use std::collections::{HashMap, HashSet};

/// The inputs and outputs of a compiled program, as it describes them.
pub(crate) struct ProgramDescription {
    parameters: Vec<Parameter>,
    /// The parameters whose memory results may reuse.
    donatable: Vec<usize>,
    results: Vec<Spec>,
    /// Whether it calls handlers.
    pub calls_handlers: bool,
}

/// A parameter: the name that the program's author gave it, and its array, if it is one.
struct Parameter {
    name: Option<String>,
    spec: Option<Spec>,
}

impl ProgramDescription {
    /// Reads a compiled program, which may only call allowed handlers.
    pub fn of(
        executable: &Executable,
        program: &StableHlo,
        platform: PlatformKind,
        settings: &Settings,
    ) -> Result<ProgramDescription> {
        let name = program.title();
        let undescribed = || format!("`{name}` is not described");
        let interface = executable.interface().map_err(Error::plugin(undescribed()))?;
        let results = executable.output_specs().map_err(Error::plugin(undescribed()))?;
        let refused = refused(platform, &interface.custom_calls, &settings.custom_calls);
        if !refused.is_empty() {
            return Err(ForeignError::CustomCalls(refused).of(name));
        }
        let parameters = interface.parameters.into_iter();
        let parameters = parameters.map(|found| Parameter { name: found.name, spec: found.spec });
        Ok(ProgramDescription {
            parameters: parameters.collect(),
            donatable: interface.donatable,
            results,
            calls_handlers: !interface.custom_calls.is_empty(),
        })
    }

    /// Reads the description of a program in a sandbox. Its arguments are copies, so that it
    /// consumes none.
    #[cfg(feature = "sandbox")]
    pub fn of_sandboxed(description: &hloom_sandbox::Description) -> ProgramDescription {
        let parameters = description.parameters.iter().map(|parameter| Parameter {
            name: parameter.name.clone(),
            spec: Some(parameter.spec.clone()),
        });
        ProgramDescription {
            parameters: parameters.collect(),
            donatable: Vec::new(),
            results: description.results.clone(),
            calls_handlers: !description.custom_calls.is_empty(),
        }
    }

    /// The signature, on a mesh if it runs on one.
    pub fn signature(
        &self,
        program: &StableHlo,
        placed: Option<(&Mesh, Option<Tilings>)>,
    ) -> Result<Signature, ForeignError> {
        let (mesh, tilings) = placed.map_or((None, None), |(mesh, tilings)| (Some(mesh), tilings));
        let tiling = |of: fn(&Tilings) -> &[Option<Tiling>], i: usize| {
            tilings.as_ref().and_then(|tilings| of(tilings).get(i)?.as_ref())
        };
        let known = |values: &Option<Vec<StableHloValue>>, i: usize| {
            values.as_ref().and_then(|values| values.get(i).cloned()).unwrap_or_default()
        };
        let mut names = Names::default();
        let mut inputs = Vec::with_capacity(self.parameters.len());
        for (i, parameter) in self.parameters.iter().enumerate() {
            let spec = parameter.spec.as_ref().ok_or(ForeignError::Undescribed)?;
            let known = known(&program.inputs, i);
            let tiling = tiling(|tilings| &tilings.parameters, i);
            let (shape, sharding) = value("input", i, spec, known.shape, mesh, tiling)?;
            let compiled = || parameter.name.as_deref().map(plain_path);
            let name = known.name.or_else(compiled).unwrap_or_else(|| format!("arg{i}"));
            let name = unique(&mut names, name);
            let donated = self.donatable.contains(&i);
            inputs.push(Input { name, shape, sharding, donated });
        }
        let mut names = Names::default();
        let mut outputs = Vec::with_capacity(self.results.len());
        for (i, spec) in self.results.iter().enumerate() {
            let known = known(&program.outputs, i);
            let tiling = tiling(|tilings| &tilings.results, i);
            let (shape, sharding) = value("output", i, spec, known.shape, mesh, tiling)?;
            let is_single = self.results.len() == 1;
            let numbered = || if is_single { "result".into() } else { format!("result{i}") };
            let name = unique(&mut names, known.name.unwrap_or_else(numbered));
            outputs.push(Output { name, shape, sharding, reuses: None });
        }
        Ok(Signature { inputs, outputs, left_out: program.left_out.clone() })
    }
}

/// The names of values so far.
#[derive(Default)]
struct Names {
    used: HashSet<String>,
    /// The last number that was appended to a name; all smaller ones are used.
    numbers: HashMap<String, usize>,
}

/// A name that no earlier value has.
fn unique(names: &mut Names, name: String) -> String {
    if names.used.insert(name.clone()) {
        return name;
    }
    let number = names.numbers.entry(name.clone()).or_insert(1);
    loop {
        *number += 1;
        let found = format!("{name}_{number}");
        if names.used.insert(found.clone()) {
            return found;
        }
    }
}

/// The shape of an input or output, and its sharding: `spec` describes the part of one device.
fn value(
    what: &'static str,
    position: usize,
    spec: &Spec,
    declared: Option<Shape>,
    mesh: Option<&Mesh>,
    tiling: Option<&Tiling>,
) -> Result<(Shape, Option<NamedSharding>), ForeignError> {
    let unsupported = || ForeignError::Value { what, position, found: spec.to_string() };
    let dtype = from_pjrt(spec.dtype()).ok_or_else(unsupported)?;
    let sizes = spec.dims().iter().map(|&size| usize::try_from(size).ok());
    let sizes: Vec<usize> = sizes.collect::<Option<_>>().ok_or_else(unsupported)?;
    let local = Shape::new(dtype, sizes.clone()).map_err(|_| unsupported())?;
    let Some(mesh) = mesh else { return Ok((local, None)) };
    let counts = tiling.map_or(&[][..], |tiling| &tiling.counts);
    let whole = sizes.iter().enumerate().map(|(axis, size)| {
        size.checked_mul(counts.get(axis).copied().unwrap_or(1)).ok_or_else(unsupported)
    });
    let whole: Vec<usize> = whole.collect::<Result<_, _>>()?;
    let whole = Shape::new(dtype, whole).map_err(|_| unsupported())?;
    let resolved = match tiling {
        Some(tiling) => resolved_of(mesh, &whole, tiling).ok_or_else(unsupported)?,
        None => ResolvedSharding::replicated(whole.rank()),
    };
    // The last part of an uneven split is padded: only the program has the size of the whole.
    let part = |whole: &Shape| dims_i64(resolved.local(whole, &mesh.shape()));
    let shape =
        declared.filter(|declared| declared.dtype() == dtype && part(declared) == spec.dims());
    Ok((shape.unwrap_or(whole), Some(NamedSharding::of(mesh.clone(), resolved))))
}
