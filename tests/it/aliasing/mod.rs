//! Random programs that overwrite parts of a tensor with other parts of it, among reshapes and
//! loops, compared with the host.
//!
//! `HLOOM_TEST_PROGRAMS` sets the number of programs; `HLOOM_TEST_SEEDS=5..9` runs these seeds.

mod generator;
mod step;

use crate::platforms::{cpu, platforms};
use generator::{Generated, program};
use hloom::{
    Graph, StableHlo, TraceScope,
    interpret::{Array, interpret},
    prelude::*,
};
use hloom_stablehlo::{Context, LowerOptions, lower};
use hloom_test_support::LoadOwn;
use std::ops::Range;
use step::record;

const PROGRAMS: u64 = 200;
/// Programs compiled as one.
const TOGETHER: usize = 10;

/// The seeds that the environment asks for.
fn seeds() -> Range<u64> {
    let text = |name| std::env::var(name).ok();
    match text("HLOOM_TEST_SEEDS") {
        Some(range) => {
            let (from, to) = range.split_once("..").expect("seeds have the form `from..to`");
            from.parse().expect("a seed is a number")..to.parse().expect("a seed is a number")
        }
        None => {
            let count = text("HLOOM_TEST_PROGRAMS").and_then(|count| count.parse().ok());
            0..count.unwrap_or(PROGRAMS)
        }
    }
}

/// Several programs as one graph, of their starts and a zero.
fn graph(programs: &[Generated]) -> Graph {
    let trace = TraceScope::begin("aliasing");
    let zero = trace.parameter("zero", &Spec::scalar(DType::I32), false);
    let result = |(i, program): (usize, &Generated)| {
        let sizes = Spec::f32(&program.start.sizes[..]);
        let start = trace.parameter(format!("x{i}"), &sizes, false);
        (format!("y{i}"), record(&program.steps, start, program.is_dynamic.then_some(zero)))
    };
    let results = programs.iter().enumerate().map(result).collect();
    trace.finish(results).expect("every program is valid")
}

/// Which of the programs have another result than the host.
fn wrong(programs: &[Generated], results: &[Buffer]) -> Vec<usize> {
    let is_wrong = |&i: &usize| {
        let expected = programs[i].start.clone().apply(&programs[i].steps);
        let shape = results[i].shape();
        assert_eq!(shape.sizes(), expected.sizes);
        results[i].to_vec::<f32>().expect("it is f32") != expected.values
    };
    (0..programs.len()).filter(is_wrong).collect()
}

/// The arguments of a graph of programs.
fn arguments(platform: &Platform, programs: &[Generated]) -> Vec<Buffer> {
    let start = |program: &Generated| {
        let Generated { start, .. } = program;
        Buffer::from_slice(platform, &start.values, &start.sizes[..]).expect("it fits")
    };
    let zero = Buffer::scalar(platform, 0i32).expect("it fits");
    std::iter::once(zero).chain(programs.iter().map(start)).collect()
}

/// All programs, in groups.
fn groups() -> impl Iterator<Item = (Vec<u64>, Vec<Generated>)> {
    let seeds: Vec<u64> = seeds().collect();
    let groups: Vec<Vec<u64>> = seeds.chunks(TOGETHER).map(<[u64]>::to_vec).collect();
    groups.into_iter().map(|seeds| {
        let programs = seeds.iter().map(|&seed| program(seed)).collect();
        (seeds, programs)
    })
}

#[test]
fn parts_are_read_before_they_are_overwritten() {
    for platform in platforms() {
        for (seeds, programs) in groups() {
            let exe = platform.compiler().compile_graph(&graph(&programs)).expect("it compiles");
            let arguments = arguments(platform, &programs);
            let given = arguments.iter().map(Given::Borrowed).collect::<Vec<_>>();
            let results = exe.call(given).expect("it runs");
            if let Some(&i) = wrong(&programs, &results).first() {
                panic!("seed {}: {:?} {:?}", seeds[i], programs[i].start.sizes, programs[i].steps);
            }
        }
    }
}

#[test]
fn the_interpreter_computes_what_the_host_does() {
    for (seeds, programs) in groups() {
        let start = |program: &Generated| {
            let Generated { start, .. } = program;
            let shape = Shape::new(DType::F32, &start.sizes[..]).expect("it is small");
            Array::new(shape, &start.values).expect("it is f32")
        };
        let zero = Array::new(Shape::scalar(DType::I32), &[0i32]).expect("it is i32");
        let inputs: Vec<Array> = std::iter::once(zero).chain(programs.iter().map(start)).collect();
        let results = interpret(&graph(&programs), &inputs).expect("it is evaluated");
        for ((seed, program), result) in seeds.into_iter().zip(&programs).zip(results) {
            let expected = program.start.clone().apply(&program.steps);
            assert_eq!(result.to_vec::<f32>(), Some(expected.values), "seed {seed}");
        }
    }
}

/// Without the passes of the runtime the plugin's defect is found, so the programs show it.
#[test]
fn the_programs_find_the_defect_that_is_worked_around() {
    let context = Context::new();
    let mut found = 0;
    for (_, programs) in groups() {
        let module = lower(&context, &graph(&programs), &LowerOptions::default());
        let text = module.expect("it lowers").text();
        let exe = cpu().compiler().load_own(&StableHlo::from_text(&text)).expect("it compiles");
        let arguments = arguments(cpu(), &programs);
        let given = arguments.iter().map(Given::Borrowed).collect::<Vec<_>>();
        found += wrong(&programs, &exe.call(given).expect("it runs")).len();
        if found > 0 {
            return;
        }
    }
    panic!("no program shows that elements are overwritten before they are read");
}
