//! Cases through lazy tensors.

use crate::reference::Values;
use hloom::{lazy, prelude::*};
use hloom_op_suite::{Found, MAX_TOGETHER, Report, Trial, compare};

/// Applies the ops of trials to lazy tensors, many as one program, and compares their results.
pub fn run_lazily(platform: &Platform, trials: &[Trial<'_>], report: &mut Report) {
    for together in trials.chunks(MAX_TOGETHER) {
        run_lazily_together(platform, together, report);
    }
    lazy::clear_programs(platform);
}

fn run_lazily_together(platform: &Platform, trials: &[Trial<'_>], report: &mut Report) {
    match (lazy_results(platform, trials), trials) {
        (Ok(results), _) => compare(trials, results, report),
        (Err(error), [trial]) => report.fail(trial, error),
        (Err(_), _) => {
            let (left, right) = trials.split_at(trials.len() / 2);
            run_lazily_together(platform, left, report);
            run_lazily_together(platform, right, report);
        }
    }
}

/// The results of each trial through lazy tensors, from one program for all.
fn lazy_results(platform: &Platform, trials: &[Trial<'_>]) -> hloom::Result<Vec<Vec<Found>>> {
    let apply = |trial: &Trial<'_>| -> hloom::Result<Vec<Lazy>> {
        let input = |x: &Values| {
            Ok(Lazy::from_buffer(platform, Buffer::from_bytes(platform, x.shape, &x.bytes)?))
        };
        let inputs = trial.case.inputs.iter().map(input).collect::<hloom::Result<Vec<Lazy>>>()?;
        // An op without operands has no other platform.
        let anywhere = Lazy::zeros(platform, DType::F32, [0usize; 0]);
        let op = |(inputs, _): (Vec<Tensor>, Tensor)| (trial.row.op)(&inputs);
        Ok(lazy::call(op, (inputs, anywhere)))
    };
    let all = trials.iter().map(apply).collect::<hloom::Result<Vec<Vec<Lazy>>>>()?;
    lazy::realize_all(all.iter().flatten())?;
    let read = |lazy: &Lazy| Ok((lazy.shape(), lazy.realize()?.to_bytes()?));
    all.iter().map(|results| results.iter().map(read).collect()).collect()
}
