//! Random programs that overwrite parts of a tensor with other parts of it, among reshapes and
//! loops, compared with the host.
//!
//! `HLOOM_TEST_PROGRAMS` sets the number of programs; `HLOOM_TEST_SEEDS=5..9` runs these seeds.

mod generator;
mod step;

use crate::platforms::{cpu, platforms};
use generator::{Generated, program};
use hloom::{
    StableHlo,
    graph::{Graph, TraceScope},
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
        (format!("y{i}"), record(&program.steps, vec![start], program.is_dynamic.then_some(zero)))
    };
    let results = programs.iter().enumerate().map(result).collect();
    trace.finish(results).expect("every program is valid")
}

/// The programs whose results differ from those of the host.
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
            let given = arguments.iter().map(Argument::Borrowed).collect::<Vec<_>>();
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
        let given = arguments.iter().map(Argument::Borrowed).collect::<Vec<_>>();
        found += wrong(&programs, &exe.call(given).expect("it runs")).len();
        if found > 0 {
            return;
        }
    }
    panic!("no program shows that elements are overwritten before they are read");
}

/// Rows that each take the values of the row before, so many times.
fn moved(x: &[f32], row: usize, times: usize) -> Vec<f32> {
    let mut moved = x.to_vec();
    for _ in 0..times {
        let end = moved.len() - row;
        moved.copy_within(..end, row);
    }
    moved
}

/// Histories of frames that move by one, before another shape: as users write them.
#[test]
fn frames_that_move_keep_their_values() {
    type Case = (&'static str, &'static [(&'static str, usize)], usize, fn(Tensor) -> Tensor);
    fn next(x: Tensor) -> Tensor {
        x.at("t", 1..).set(x.slice("t", ..-1))
    }
    let cases: [Case; 7] = [
        ("with an axis of size 1", &[("t", 6)], 1, |x| next(x).insert_axis(0, "batch")),
        ("without one", &[("batch", 1), ("t", 4), ("c", 3)], 1, |x| next(x).squeeze("batch")),
        ("reshaped", &[("t", 64), ("c", 128)], 1, |x| next(x).reshape([("all", 64 * 128)])),
        ("twice", &[("t", 6)], 2, |x| next(next(x)).insert_axis(0, "batch")),
        ("by a loop of one step", &[("t", 6)], 1, |x| {
            hloom::ops::for_loop(1, x, |_, x| next(x)).insert_axis(0, "batch")
        }),
        ("at an index", &[("t", 6)], 1, |x| {
            x.dynamic_update_slice(x.slice("t", ..-1), "t", 1).insert_axis(0, "batch")
        }),
        ("reshaped before", &[("all", 12)], 1, |x| {
            next(x.reshape([("t", 4), ("c", 3)])).reshape([("rest", 12)])
        }),
    ];
    for platform in platforms() {
        for (name, dims, times, function) in cases {
            let count: usize = dims.iter().map(|(_, size)| size).product();
            let x: Vec<f32> = (0..count).map(|i| i as f32).collect();
            let row = match dims {
                [("all", _)] => 3,
                _ => {
                    dims.iter().skip_while(|(axis, _)| *axis != "t").skip(1).map(|d| d.1).product()
                }
            };
            let exe = platform.compile(function, (Spec::f32(dims),)).expect("it compiles");
            let buffer = Buffer::from_slice(platform, &x, dims).expect("it fits");
            let found = exe.call((&buffer,)).and_then(|y| y.to_vec::<f32>()).expect("it runs");
            assert_eq!(found, moved(&x, row, times), "{name}");
        }
    }
}
