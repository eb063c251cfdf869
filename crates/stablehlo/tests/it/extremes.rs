//! Every method of a tensor with extreme arguments: a trace records errors and never panics, and
//! what it accepts can be lowered.

mod methods;

use crate::forms::both;
use hloom_graph::{BlockKind, DType, MeshShape, Spec, Tensor, TraceScope};
use hloom_stablehlo::{Context, LowerOptions};
use methods::{collective, extreme, names, plain};
use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The arguments of a method other than tensors.
#[derive(Clone, Copy, Debug)]
pub struct Extreme {
    /// An axis, an edge, an index.
    pub at: isize,
    /// A size, a count, a step.
    pub size: usize,
    /// The name of an axis.
    pub name: &'static str,
    pub dtype: DType,
}

const SIGNED: [isize; 9] =
    [isize::MIN, isize::MIN + 1, -(1 << 40), -3, -1, 0, 1, 1 << 40, isize::MAX];
const SIZES: [usize; 10] = [0, 1, 2, 3, 300, 1 << 32, 1 << 59, 1 << 63, usize::MAX - 1, usize::MAX];
const DTYPES: [DType; 7] =
    [DType::F32, DType::Bool, DType::I2, DType::U64, DType::F8E8M0FNU, DType::C128, DType::I8];

/// The receiver of a method.
fn operands() -> Vec<Spec> {
    vec![
        Spec::scalar(DType::F32),
        Spec::f32([3]),
        Spec::f32([("a", 3)]),
        Spec::f32([("a", 2), ("b", 3), ("c", 4)]),
        Spec::f32([2, 0, 3]),
        Spec::i32([("a", 3)]),
        Spec::i32([("d", 3)]),
        Spec::scalar(DType::I32),
        Spec::new(DType::Bool, [("a", 3)]),
        Spec::scalar(DType::Bool),
        Spec::new(DType::U64, [2]),
        Spec::new(DType::C64, [("a", 2), ("b", 2)]),
        Spec::new(DType::I2, [5]),
        Spec::new(DType::F8E4M3FN, [("a", 3)]),
        Spec::new(DType::Block(BlockKind::Q8_0), [("a", 3), ("b", 64)]),
        Spec::new(DType::Block(BlockKind::IQ1_S), [256]),
        Spec::f32([1; 8]),
        Spec::new(DType::I8, [("a", 1 << 58)]),
        Spec::f32([("a", 1 << 29), ("b", 1 << 29)]),
        Spec::f32([("a", 0), ("b", 1 << 58)]),
    ]
}

fn extremes() -> Vec<Extreme> {
    let mut all = Vec::new();
    for (i, &at) in SIGNED.iter().enumerate() {
        for (j, &size) in SIZES.iter().enumerate() {
            let name = ["a", "", "_", "b", "no such axis", "\"`\n{"][(i + 5 * j) % 6];
            let dtype = DTYPES[(i + j) % DTYPES.len()];
            all.push(Extreme { at, size, name, dtype });
        }
    }
    all
}

/// Counts accepted and rejected calls, and collects failures.
struct Trials {
    context: Context,
    accepted: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Trials {
    fn new() -> Trials {
        Trials { context: Context::new(), accepted: 0, refused: 0, wrong: Vec::new() }
    }

    fn run(
        &mut self,
        what: &dyn Fn() -> String,
        trace: TraceScope,
        function: impl FnOnce(&TraceScope) -> Vec<Tensor>,
    ) {
        let traced = catch_unwind(AssertUnwindSafe(|| {
            let results = function(&trace).into_iter().take(4).enumerate();
            let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
            trace.finish(results)
        }));
        let lowered = match traced {
            Ok(Err(error)) => {
                self.refused += 1;
                if error.to_string().is_empty() {
                    Err("an error without words".into())
                } else {
                    Ok(())
                }
            }
            Ok(Ok(graph)) => {
                self.accepted += 1;
                let lower = || both(&self.context, &graph, &LowerOptions::default());
                match catch_unwind(AssertUnwindSafe(lower)) {
                    Ok(Ok([built, read])) if built == read => Ok(()),
                    Ok(Ok([built, read])) => Err(format!("not the same as text\n{built}\n{read}")),
                    Ok(Err(error)) => Err(format!("not lowered: {error}\n{graph}")),
                    Err(_) => Err(format!("a panic of lowering\n{graph}")),
                }
            }
            Err(_) => Err("a panic of tracing".into()),
        };
        if let Err(wrong) = lowered {
            self.wrong.push(format!("{}: {wrong}", what()));
        }
    }

    #[track_caller]
    fn finish(self) {
        let count = self.wrong.len();
        let first = self.wrong.into_iter().take(30).collect::<Vec<_>>().join("\n");
        assert!(count == 0, "{count} are wrong, such as\n{first}");
        assert!(
            self.accepted > 100 && self.refused > 100,
            "{} are accepted and {} refused: they test little",
            self.accepted,
            self.refused
        );
    }
}

#[test]
fn operands_of_every_kind_are_taken_or_refused() {
    let mut trials = Trials::new();
    for (name, method) in plain() {
        for left in operands() {
            for right in operands() {
                let what = || format!("{name} of {} and {}", left.shape(), right.shape());
                trials.run(&what, TraceScope::begin("test"), |trace| {
                    let [x, y] = [("x", &left), ("y", &right)]
                        .map(|(name, spec)| trace.parameter(name, spec, false));
                    method(x, y)
                });
            }
        }
    }
    trials.finish();
}

#[test]
fn extreme_arguments_are_taken_or_refused() {
    let mut trials = Trials::new();
    for (name, method) in extreme() {
        for spec in operands() {
            for extreme in extremes() {
                let what = || format!("{name} of {} with {extreme:?}", spec.shape());
                trials.run(&what, TraceScope::begin("test"), |trace| {
                    method(trace.parameter("x", &spec, false), extreme)
                });
            }
        }
    }
    trials.finish();
}

#[test]
fn extreme_collectives_are_taken_or_refused() {
    let mesh = MeshShape::new([("data", 2), ("model", 3)]).expect("the mesh is sound");
    let mut trials = Trials::new();
    for (name, method) in collective() {
        for spec in operands() {
            for extreme in extremes() {
                let what = || format!("{name} of {} with {extreme:?}", spec.shape());
                trials.run(&what, TraceScope::begin_over("test", mesh), |trace| {
                    method(trace.parameter("x", &spec, false), extreme)
                });
            }
        }
    }
    trials.finish();
}

/// Methods that only read, or compute without a trace.
const APART: [&str; 6] = ["is_poisoned", "shape", "dtype", "rank", "known_int", "words"];

/// The functions and methods that have a row.
fn tried() -> BTreeSet<&'static str> {
    let with_arguments = extreme().into_iter().chain(collective()).map(|(name, _)| name);
    plain().into_iter().map(|(name, _)| name).chain(with_arguments).collect()
}

#[test]
fn every_method_of_a_tensor_is_tried() {
    let (all, tried) = (names(), tried());
    assert!(all.len() > 350, "only {} methods are listed", all.len());
    let is_missing = |name: &&&str| !APART.contains(*name) && !tried.contains(**name);
    let missing: Vec<&&str> = all.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "without a row in `extremes/methods.rs`: {missing:?}");
}

/// The files in a folder and those inside of it.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the ops are there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_function_of_a_trace_is_tried() {
    let ops = concat!(env!("CARGO_MANIFEST_DIR"), "/../graph/src/ops");
    let ops = files(ops.as_ref()).into_iter();
    // Builders and free functions that take bodies are not methods of a tensor.
    let apart = ["custom_call/mod.rs", "custom_call/own.rs", "composite/own.rs", "manual/mod.rs"];
    let ops = ops.filter(|path| !apart.iter().any(|apart| path.ends_with(apart)));
    let ops = ops.map(|path| std::fs::read_to_string(path).expect("a source"));
    let sources: Vec<String> = ops.collect();
    let functions = sources.iter().flat_map(|source| source.lines());
    let functions = functions.filter_map(|line| line.strip_prefix("pub fn "));
    let all: BTreeSet<&str> = functions
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(rest))
        .collect();
    assert!(all.len() > 20, "the sources are read wrongly: {all:?}");
    let tried = tried();
    let missing: Vec<&&str> = all.difference(&tried).collect();
    assert!(missing.is_empty(), "without a row in `extremes/methods.rs`: {missing:?}");
}
