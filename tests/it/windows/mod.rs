//! Gathers and scatters of random attributes, run and compared with a slow, obvious reference.
//!
//! Many are compiled as one program. `HLOOM_TEST_SEEDS=5..9` runs these seeds only.

mod choice;
mod reference;

use crate::platforms::cpu;
use choice::Choice;
use hloom::{Buffer, DType, Spec, Tensor, ops::scatter_by};
use std::ops::Range;

/// Choices compiled as one program.
const TOGETHER: usize = 30;
/// The seeds of the short form.
const FEW: Range<u64> = 0..60;
/// The fill value of slices that do not fit.
const FILL: i32 = -77;

/// The ops on one choice: a gather, one with a fill value, and a scatter, or two tensors scattered
/// together with a body.
fn ops(choice: &Choice, [x, indices, updates]: [Tensor; 3]) -> Vec<Tensor> {
    let dims = choice.dims.to_scatter();
    let mut results = vec![
        x.gather(indices, choice.dims.clone()),
        x.gather_or(indices, choice.dims.clone(), FILL),
    ];
    match choice.update {
        Some(update) => results.push(x.scatter(indices, updates, dims, update)),
        None => {
            let (a, b) =
                scatter_by((x, x * 3), indices, (updates, updates * 5), dims, |old, new| {
                    (old.0 ^ new.1, old.1 + new.0)
                });
            results.extend([a, b]);
        }
    }
    results
}

/// The differences from the reference.
fn problems(choice: &Choice, results: &[Vec<i32>]) -> Vec<String> {
    let slices = reference::slices(choice);
    let mut problems = Vec::new();
    let mut compare = |what: &str, found: &Vec<i32>, expected: Vec<i32>| {
        if *found != expected {
            problems.push(format!("{what}: {found:?}, expected {expected:?}"));
        }
    };
    compare("gather", &results[0], reference::gathered(choice, &slices));
    compare("gather_or", &results[1], reference::filled(choice, &slices, FILL));
    let Some(update) = choice.update else {
        let (a, b) = reference::scattered_by(choice, &slices);
        compare("exclusive or", &results[2], a);
        compare("sum", &results[3], b);
        return problems;
    };
    let candidates = reference::scattered(choice, update, &slices);
    let agree = results[2].len() == candidates.len()
        && results[2].iter().zip(&candidates).all(|(found, all)| all.contains(found));
    if !agree {
        problems.push(format!("scatter: {:?}, expected {candidates:?}", results[2]));
    }
    problems
}

/// The results of choices, from one program.
fn run(choices: &[Choice]) -> hloom::Result<Vec<Vec<Vec<i32>>>> {
    let specs = |choice: &Choice| {
        vec![
            Spec::new(DType::I32, choice.operand.clone()),
            Spec::new(choice.index_type, choice.indices.clone()),
            Spec::new(DType::I32, choice.updates.clone()),
        ]
    };
    let function = |inputs: Vec<Vec<Tensor>>| -> Vec<Vec<Tensor>> {
        let pairs = choices.iter().zip(inputs);
        pairs.map(|(choice, x)| ops(choice, [x[0], x[1], x[2]])).collect()
    };
    let specs: Vec<Vec<Spec>> = choices.iter().map(specs).collect();
    let exe = cpu().compiler().name("windows").compile(function, (specs,))?;
    let buffers = |choice: &Choice| {
        Ok(vec![
            Buffer::from_slice(cpu(), &choice.values(), choice.operand.clone())?,
            choice.index_buffer(cpu())?,
            Buffer::from_slice(cpu(), &choice.update_values(), choice.updates.clone())?,
        ])
    };
    let inputs: Vec<Vec<Buffer>> = choices.iter().map(buffers).collect::<hloom::Result<_>>()?;
    let results = exe.call((&inputs,))?;
    let read = |all: &Vec<Buffer>| all.iter().map(Buffer::to_vec::<i32>).collect();
    results.iter().map(read).collect()
}

fn compare(seeds: Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let mut wrong = Vec::new();
    for batch in seeds.chunks(TOGETHER) {
        let choices: Vec<Choice> = batch.iter().map(|&seed| Choice::new(seed)).collect();
        match run(&choices) {
            Ok(results) => {
                for ((seed, choice), results) in batch.iter().zip(&choices).zip(&results) {
                    let found = problems(choice, results).into_iter();
                    wrong.extend(found.map(|what| format!("seed {seed}: {what}\n  {choice:?}")));
                }
            }
            Err(_) => {
                for (seed, choice) in batch.iter().zip(&choices) {
                    if let Err(error) = run(std::slice::from_ref(choice)) {
                        wrong.push(format!("seed {seed}: {error}\n  {choice:?}"));
                    }
                }
            }
        }
    }
    let shown = wrong.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} problems\n{shown}", wrong.len());
}

#[test]
fn a_few_random_gathers_and_scatters_match_the_reference() {
    compare(FEW);
}

#[test]
#[ignore = "takes a minute: `cargo xtask campaign windows`"]
fn random_gathers_and_scatters_match_the_reference() {
    let seeds = std::env::var("HLOOM_TEST_SEEDS").unwrap_or_else(|_| "0..2000".into());
    let (from, to) = seeds.split_once("..").expect("seeds have the form `from..to`");
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    compare(number(from)..number(to));
}
