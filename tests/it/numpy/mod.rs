//! Random valid programs: each is compiled and run, and every value that it computes is compared
//! with NumPy's; so is every value that the interpreter computes, so that of two that differ the
//! wrong one is known.
//!
//! Programs are generated so that each op occurs with each element type that the graph accepts;
//! some are split over a mesh. Many are compiled as one. Every op's value is a result, so that
//! NumPy computes each from the program's own operands: errors do not accumulate, and tolerances
//! stay tight.
//!
//! `HLOOM_TEST_SEEDS=5..9` runs these seeds only, prints which programs are being compiled, and
//! prints the graph of a single one: needed when a plugin aborts the process.
//! `HLOOM_TEST_RESULTS=5.0,5.2` keeps these results only, which makes a program smaller.
//! `HLOOM_TEST_REPORT` is a file for all differences.

mod export;
mod failing;
mod generator;
mod interpreted;
mod ops;
mod oracle;
mod values;

use crate::platforms::{cpu, cpus};
use failing::Callbacks;
use generator::{Argument, BatchInputs, Generator};
use hloom::{
    AnyExe, Argument as Input, Buffer, DType, Mesh, Tensor, TraceError,
    graph::{Graph, NodeId, Op, Replay, TraceScope},
};
use ops::Template;
use oracle::{Frame, Oracle};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::Range,
    sync::{Arc, LazyLock},
};

/// Programs compiled as one.
const TOGETHER: u64 = 50;
/// The number of batches of which one is for a mesh.
const BATCHES: u64 = 5;
/// The seeds of the short form: a batch for one device and one for a mesh.
const FEW: Range<u64> = 150..250;
/// No count of pairs is a multiple of it: neighbouring seeds test ops that are far apart.
const STRIDE: u64 = 7919;

/// An op with an element type that the graph accepts: its family, its index there, the type.
type Pair = (usize, usize, DType);

/// All ops, and the pairs that the graph accepts.
struct Catalog {
    families: Vec<Vec<Template>>,
    /// The pairs of programs for one device.
    plain: Vec<Pair>,
    /// Pairs that programs over a mesh can have too.
    split: Vec<Pair>,
    /// Pairs that require a mesh.
    over_mesh: Vec<Pair>,
    on_one_device: BTreeSet<Pair>,
    on_several_devices: BTreeSet<Pair>,
}

static MESHES: LazyLock<Vec<Mesh>> = LazyLock::new(|| {
    let shapes: [&[(&str, usize)]; 4] =
        [&[("x", 2)], &[("x", 2), ("y", 2)], &[("x", 3)], &[("x", 4)]];
    let mesh = |axes: &[(&'static str, usize)]| {
        Mesh::new(cpus(), axes.iter().copied()).expect("there are six devices")
    };
    shapes.into_iter().map(mesh).collect()
});

impl Catalog {
    fn new() -> Catalog {
        let families = ops::families();
        let (mut plain, mut split, mut over_mesh) = (Vec::new(), Vec::new(), Vec::new());
        for (f, family) in families.iter().enumerate() {
            for (t, template) in family.iter().enumerate() {
                let accepted = |mesh: Option<&'static Mesh>| {
                    let accepted =
                        DType::ALL.into_iter().filter(move |&dtype| accepts(template, dtype, mesh));
                    accepted.map(move |dtype| (f, t, dtype))
                };
                if template.over_mesh {
                    over_mesh.extend(accepted(Some(&MESHES[0])));
                } else {
                    plain.extend(accepted(None));
                    split.extend(accepted(Some(&MESHES[0])));
                }
            }
        }
        let on_one_device = plain.iter().copied().collect();
        let on_several_devices = split.iter().chain(&over_mesh).copied().collect();
        Catalog { families, plain, split, over_mesh, on_one_device, on_several_devices }
    }

    /// All pairs that the graph accepts.
    fn accepted(&self) -> BTreeSet<Pair> {
        &self.on_one_device | &self.on_several_devices
    }

    fn template(&self, (family, template, _): Pair) -> &Template {
        &self.families[family][template]
    }

    /// The pair that a seed's program starts with.
    fn wanted(&self, seed: u64) -> Pair {
        let (batch, place) = (seed / TOGETHER, seed % TOGETHER);
        let (round, within) = (batch / BATCHES, batch % BATCHES);
        let of = |pairs: &[Pair], ordinal: u64| {
            pairs[(ordinal.wrapping_mul(STRIDE) % pairs.len() as u64) as usize]
        };
        if within + 1 < BATCHES {
            return of(&self.plain, (round * (BATCHES - 1) + within) * TOGETHER + place);
        }
        let ordinal = round * TOGETHER + place;
        match ordinal % 3 {
            0 => of(&self.split, ordinal / 3),
            rest => of(&self.over_mesh, ordinal / 3 * 2 + rest - 1),
        }
    }

    /// A random pair.
    fn any(&self, g: &Generator<'_>) -> Option<Pair> {
        for _ in 0..20 {
            let family = g.below(self.families.len());
            let template = g.below(self.families[family].len());
            let dtype = g
                .dtype_at_hand()
                .filter(|_| !g.once_in(4))
                .unwrap_or_else(|| g.choose(&DType::ALL));
            let pair = (family, template, dtype);
            let accepted = match g.mesh {
                Some(_) => &self.on_several_devices,
                None => &self.on_one_device,
            };
            if accepted.contains(&pair) {
                return Some(pair);
            }
        }
        None
    }
}

/// Whether the graph accepts an op on an element type.
fn accepts(template: &Template, dtype: DType, mesh: Option<&Mesh>) -> bool {
    (0..3).any(|seed| {
        let trace = begin(mesh);
        let given = BatchInputs::default();
        let results = (template.make)(&Generator::new(seed, &trace, &given, mesh), dtype);
        trace.finish(named(results, "y")).is_ok()
    })
}

fn begin(mesh: Option<&Mesh>) -> TraceScope {
    match mesh {
        Some(mesh) => TraceScope::begin_over("numpy", mesh.shape()),
        None => TraceScope::begin("numpy"),
    }
}

fn named(results: Vec<Tensor>, prefix: &str) -> Vec<(String, Tensor)> {
    let name = |(i, tensor)| (format!("{prefix}.{i}"), tensor);
    results.into_iter().enumerate().map(name).collect()
}

/// Several programs traced as one.
struct Batch {
    graph: Graph,
    arguments: Vec<Argument>,
    callbacks: Arc<Callbacks>,
    pairs: BTreeSet<Pair>,
}

/// The mesh that a seed's program is split over.
fn mesh_of(seed: u64) -> Option<&'static Mesh> {
    let batch = seed / TOGETHER;
    let round = (batch / BATCHES) as usize;
    (batch % BATCHES == BATCHES - 1).then(|| &MESHES[round % MESHES.len()])
}

fn batch(catalog: &Catalog, seeds: Range<u64>) -> Result<Batch, TraceError> {
    let mesh = mesh_of(seeds.start);
    let trace = begin(mesh);
    let given = BatchInputs::default();
    let mut results = Vec::new();
    let mut pairs = BTreeSet::new();
    for seed in seeds {
        let g = Generator::new(seed, &trace, &given, mesh);
        let mut run = |pair: Pair| {
            g.add(&(catalog.template(pair).make)(&g, pair.2));
            pairs.insert(pair);
        };
        run(catalog.wanted(seed));
        for _ in 0..2 + g.below(5) {
            if let Some(pair) = catalog.any(&g) {
                run(pair);
            }
        }
        results.extend(named(g.into_results(), &seed.to_string()));
    }
    if let Ok(wanted) = std::env::var("HLOOM_TEST_RESULTS") {
        results.retain(|(name, _)| wanted.split(',').any(|wanted| wanted == name));
    }
    let graph = trace.finish(results)?;
    Ok(Batch { graph, arguments: given.arguments.into_inner(), callbacks: given.callbacks, pairs })
}

/// A compiled batch with its inputs.
struct Run {
    exe: AnyExe,
    inputs: Vec<Buffer>,
}

impl Run {
    fn new(batch: &Batch, mesh: Option<&Mesh>) -> hloom::Result<Run> {
        let compiler = match mesh {
            Some(mesh) => mesh.compiler(),
            None => cpu().compiler(),
        };
        // Otherwise a value may be used before it is rounded to its narrow type.
        let exe =
            compiler.xla_option("xla_allow_excess_precision", false).compile_graph(&batch.graph)?;
        let buffer = |argument: &Argument| match mesh {
            Some(mesh) => Buffer::from_bytes(
                &mesh.sharding(&argument.spec)?,
                argument.spec.shape(),
                &argument.bytes,
            ),
            None => Buffer::from_bytes(cpu(), argument.spec.shape(), &argument.bytes),
        };
        let inputs = batch.arguments.iter().map(buffer).collect::<Result<_, _>>()?;
        Ok(Run { exe, inputs })
    }

    /// The bytes of the results.
    fn call(&self) -> hloom::Result<Vec<Vec<u8>>> {
        let outputs = self.exe.call(self.inputs.iter().map(Input::Borrowed).collect())?;
        outputs.iter().map(Buffer::to_bytes).collect()
    }
}

/// The bodies of composites in their place.
fn inline(replay: &mut Replay<'_>, id: NodeId) -> Option<Vec<Tensor>> {
    let from = replay.from();
    let Op::Composite(composite) = &from.node(id).op else { return None };
    let operands = from.operands(id).iter().map(|&value| replay.get(value));
    let operands = operands.collect::<Option<Vec<Tensor>>>()?;
    Some(replay.region(composite.body, &operands, &mut inline))
}

/// A batch and its results in the oracle's format.
fn frame(batch: &Batch, results: &[Vec<u8>]) -> Frame {
    let mut payload = Vec::new();
    let mut place = |bytes: &[u8]| {
        payload.extend_from_slice(bytes);
        payload.len() - bytes.len()
    };
    // The oracle implements the ops that are lowered.
    let graph = batch.graph.transform(&mut inline).expect("composites have bodies");
    let graph = &*graph.expand().expect("a traced graph expands");
    let root = graph.root();
    let inputs: Vec<_> = (root.parameters.iter().zip(&batch.arguments))
        .map(|(value, argument)| (value.index(), place(&argument.bytes), argument.bytes.len()))
        .collect();
    let names = graph.results().iter().map(|result| result.name.clone());
    let outputs: Vec<_> = (names.zip(&root.results).zip(results))
        .map(|((name, value), bytes)| (name, value.index(), place(bytes), bytes.len()))
        .collect();
    let mut all = export::exported(graph);
    all.insert("inputs".into(), serde_json::json!(inputs));
    all.insert("results".into(), serde_json::json!(outputs));
    all.insert("bytes".into(), payload.len().into());
    let line = serde_json::Value::Object(all).to_string();
    Frame { line, payload }
}

/// The evaluator of the values of a frame.
#[derive(Clone, Copy)]
enum Evaluator {
    Plugin,
    Interpreter,
}

/// Runs programs of some seeds, and collects failures.
struct Campaign<'a> {
    catalog: &'a Catalog,
    oracle: Oracle,
    /// Batches that the oracle has not answered yet.
    waiting: VecDeque<Evaluator>,
    run: BTreeSet<Pair>,
    programs: u64,
    problems: Vec<String>,
    /// Whether it prints each graph before it is compiled.
    shows: bool,
}

impl Campaign<'_> {
    /// Runs the seeds' programs as one; on failure, bisects to the failing program.
    fn run(&mut self, seeds: Range<u64>) {
        let count = seeds.end - seeds.start;
        let done =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| -> Result<_, String> {
                let batch = batch(self.catalog, seeds.clone())
                    .map_err(|error| format!("does not trace: {error}"))?;
                if self.shows {
                    eprintln!("{:#}", batch.graph);
                }
                let described = |error: hloom::Error| match count {
                    1 => format!("{error}\n{}", batch.graph),
                    _ => String::new(),
                };
                let run = Run::new(&batch, mesh_of(seeds.start)).map_err(described)?;
                let results = run.call().map_err(described)?;
                let failures = failing::problems(&batch, &run, &results, seeds.start as usize);
                let second = interpreted::results(&batch)
                    .map_err(|error| format!("the interpreter: {error}"))?;
                let frames = [(Evaluator::Plugin, &results), (Evaluator::Interpreter, &second)];
                let frames = frames.map(|(by, results)| (by, frame(&batch, results)));
                Ok((frames, batch.pairs, failures))
            }));
        match done.unwrap_or_else(|_| Err("panics".into())) {
            Ok((frames, pairs, failures)) => {
                let problems =
                    failures.into_iter().map(|failure| format!("seeds {seeds:?}: {failure}"));
                self.problems.extend(problems);
                for (by, frame) in frames {
                    self.oracle.send(frame);
                    self.waiting.push_back(by);
                }
                self.run.extend(pairs);
                self.programs += count;
            }
            Err(message) if count == 1 => {
                let pair = self.catalog.wanted(seeds.start);
                let name = &self.catalog.template(pair).name;
                self.problems
                    .push(format!("seed {} ({name} of {}): {message}", seeds.start, pair.2));
            }
            Err(_) => {
                let middle = seeds.start + count / 2;
                self.run(seeds.start..middle);
                self.run(middle..seeds.end);
            }
        }
        while self.waiting.len() > 4 {
            self.collect();
        }
    }

    fn collect(&mut self) {
        let Some(by) = self.waiting.pop_front() else { return };
        let by = match by {
            Evaluator::Plugin => "the plugin",
            Evaluator::Interpreter => "the interpreter",
        };
        for problem in self.oracle.answer() {
            let text = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
            self.problems.push(format!(
                "{by}, {} of result {}: {}",
                text("op"),
                text("result"),
                text("message")
            ));
        }
    }
}

/// Runs the programs of seeds and compares them; returns the campaign with its findings.
fn compared(catalog: &Catalog, seeds: Range<u64>, aloud: bool) -> Campaign<'_> {
    let mut campaign = Campaign {
        catalog,
        oracle: Oracle::start(),
        waiting: VecDeque::new(),
        run: BTreeSet::new(),
        programs: 0,
        problems: Vec::new(),
        shows: aloud && seeds.end - seeds.start <= 1,
    };
    let mut start = seeds.start;
    while start < seeds.end {
        let end = (start / TOGETHER * TOGETHER + TOGETHER).min(seeds.end);
        if aloud {
            eprintln!("programs {start}..{end}; {} problems so far", campaign.problems.len());
        }
        campaign.run(start..end);
        start = end;
    }
    while !campaign.waiting.is_empty() {
        campaign.collect();
    }
    campaign
}

fn fail_with(problems: &[String]) {
    if let Some(path) = std::env::var_os("HLOOM_TEST_REPORT") {
        std::fs::write(&path, problems.join("\n\n")).expect("the report can be written");
    }
    let shown = problems.iter().take(20).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(problems.is_empty(), "{} problems\n{shown}", problems.len());
}

#[test]
fn a_few_random_programs_compute_what_numpy_computes() {
    let catalog = Catalog::new();
    let campaign = compared(&catalog, FEW, false);
    fail_with(&campaign.problems);
    assert_eq!(campaign.programs, FEW.end - FEW.start);
}

#[test]
#[ignore = "takes half an hour: `cargo xtask campaign random`"]
fn random_programs_compute_what_numpy_computes() {
    let seeds = std::env::var("HLOOM_TEST_SEEDS").unwrap_or_else(|_| "0..20000".into());
    let (from, to) = seeds.split_once("..").expect("seeds have the form `from..to`");
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    let catalog = Catalog::new();
    let campaign = compared(&catalog, number(from)..number(to), true);
    let mut missing = BTreeMap::<&str, Vec<DType>>::new();
    let accepted = catalog.accepted();
    for &pair in accepted.difference(&campaign.run) {
        missing.entry(&catalog.template(pair).name).or_default().push(pair.2);
    }
    let (run, all) = (campaign.run.len(), accepted.len());
    eprintln!(
        "{} programs, {run} of {all} ops by element type; never run: {missing:?}",
        campaign.programs
    );
    fail_with(&campaign.problems);
    let expected = 4 * all as u64;
    assert!(campaign.programs < expected || missing.is_empty(), "never run: {missing:?}");
}
