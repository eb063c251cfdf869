//! Trials on a platform or a mesh.

use crate::{Program, Report, Trial, case_dtype, compare};
use hloom::{Placement, runtime::ModuleForm};

/// Cases compiled as one program: enough to share the cost of a compilation, and few enough for
/// compilations to overlap.
pub const MAX_TOGETHER: usize = 100;

/// Compiles trials as a few programs, and compares their results. `form` is the form in which the
/// program of a number is passed to the plugin.
pub fn run(
    place: Placement<'_>,
    family: &str,
    trials: &[Trial<'_>],
    form: impl Fn(usize) -> ModuleForm,
    report: &mut Report,
) {
    let first = trials.first().map_or(0, |trial| trial.split.devices());
    let mut options: Vec<_> = trials.iter().map(|trial| trial.options).collect();
    options.sort_unstable();
    options.dedup();
    let mut number = first;
    for options in options {
        let alike = trials.iter().filter(|trial| trial.options == options);
        let alike: Vec<Trial> = alike.copied().collect();
        for program in programs(family, &alike, MAX_TOGETHER) {
            run_together(place, form(number), family, program, report);
            number += 1;
        }
    }
}

/// The trials of each program, at most so many.
///
/// Dot products of `f32` are compiled with a different option than those of narrower floats: there,
/// a program has one element type.
pub fn programs<'t, 'a>(
    family: &str,
    trials: &'t [Trial<'a>],
    together: usize,
) -> impl Iterator<Item = &'t [Trial<'a>]> {
    let is_dot = family == "dot";
    let alike =
        move |a: &Trial<'_>, b: &Trial<'_>| !is_dot || case_dtype(a.case) == case_dtype(b.case);
    trials.chunk_by(alike).flat_map(move |program| program.chunks(together))
}

/// A program that does not compile is bisected to the failing case.
fn run_together(
    place: Placement<'_>,
    form: ModuleForm,
    family: &str,
    trials: &[Trial<'_>],
    report: &mut Report,
) {
    let program = Program::compile(place, form, family, trials);
    let results = match (program.and_then(|program| program.call(place)), trials) {
        (Ok(results), _) => results,
        (Err(error), [trial]) => return report.fail(trial, error),
        (Err(_), _) => {
            let (left, right) = trials.split_at(trials.len() / 2);
            run_together(place, form, family, left, report);
            return run_together(place, form, family, right, report);
        }
    };
    compare(trials, results, report);
}
