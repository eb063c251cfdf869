//! Trials compiled as one program.

use crate::{Trial, Values};
use hloom::{
    Compiler, Placement, Topology,
    prelude::*,
    runtime::{CompiledProgram, ModuleForm},
};

/// A result: its shape, and its bytes in host layout.
pub type Found = (Shape, Vec<u8>);

/// Trials compiled as one program: the results of each are those of the op on its own.
pub struct Program<'a> {
    trials: &'a [Trial<'a>],
    exe: Exe<(Vec<Vec<Spec>>,), Vec<Vec<Tensor>>>,
}

impl<'a> Program<'a> {
    /// Compiles trials with the options of the first one.
    ///
    /// # Errors
    /// The error of one of the ops, or the plugin's.
    pub fn compile(
        place: Placement<'_>,
        form: ModuleForm,
        name: &str,
        trials: &'a [Trial<'a>],
    ) -> hloom::Result<Program<'a>> {
        let compiler = match place {
            Placement::Mesh(mesh) => mesh.compiler(),
            _ => place.platform().compiler(),
        };
        let compiler: Compiler = with_options(compiler, trials).name(name).form(form);
        let exe = compiler.compile(|inputs| apply(trials, inputs), (specs(trials),))?;
        Ok(Program { trials, exe })
    }

    /// The results of each trial.
    ///
    /// # Errors
    /// An input does not fit into the memory of the devices, or the program fails.
    pub fn call(&self, place: Placement<'_>) -> hloom::Result<Vec<Vec<Found>>> {
        let buffer = |trial: &Trial<'_>, x: &Values| match place
            .sharding(&x.shape, trial.split.partition(&x.shape))?
        {
            Some(sharding) => Buffer::from_bytes(&sharding, x.shape, &x.bytes),
            None => Buffer::from_bytes(place, x.shape, &x.bytes),
        };
        let each = |trial: &Trial<'_>| trial.inputs().iter().map(|x| buffer(trial, x)).collect();
        let inputs: Vec<Vec<Buffer>> =
            self.trials.iter().map(each).collect::<hloom::Result<_>>()?;
        let results = self.exe.call((&inputs,))?.into_iter().zip(self.trials);
        let read = |(results, trial): (Vec<Buffer>, &Trial<'_>)| {
            let each = |b: Buffer| {
                let whole = (b.shape(), b.to_bytes()?);
                Ok(trial.mapped.map_or(whole.clone(), |mapped| mapped.own(whole)))
            };
            results.into_iter().map(each).collect()
        };
        results.map(read).collect()
    }
}

/// Compiles trials as one program for a device that need not be here.
///
/// # Errors
/// The error of one of the ops, or the plugin's.
pub fn compile_for(
    topology: &Topology,
    name: &str,
    trials: &[Trial<'_>],
) -> hloom::Result<CompiledProgram> {
    let compiler: Compiler<'_, Topology> = with_options(topology.compiler(), trials).name(name);
    compiler.compile(|inputs| apply(trials, inputs), (specs(trials),))
}

fn with_options<'c, On>(compiler: Compiler<'c, On>, trials: &[Trial<'_>]) -> Compiler<'c, On> {
    let options = trials.first().map_or(&[][..], |trial| trial.options);
    options.iter().fold(compiler, |compiler, &(name, value)| compiler.xla_option(name, value))
}

fn specs(trials: &[Trial<'_>]) -> Vec<Vec<Spec>> {
    let spec = |trial: &Trial<'_>, x: &Values| {
        Spec::of(x.shape).partitioned(trial.split.partition(&x.shape))
    };
    let each = |trial: &Trial<'_>| trial.inputs().iter().map(|x| spec(trial, x)).collect();
    trials.iter().map(each).collect()
}

fn apply(trials: &[Trial<'_>], inputs: Vec<Vec<Tensor>>) -> Vec<Vec<Tensor>> {
    trials.iter().zip(inputs).map(|(trial, inputs)| trial.apply(&inputs)).collect()
}
