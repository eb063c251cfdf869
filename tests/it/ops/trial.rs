//! Trials: cases on one device, or split over a mesh; many compiled as one program.

use super::{mapped::Mapped, table::Row};
use crate::reference::{Case, Values};
use hloom::{Placement, lazy, prelude::*, runtime::ModuleForm};
use hloom_test_support::Optimization;
use std::{collections::BTreeMap, fmt};

/// A case, the sharding of its inputs, and its compilation.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    pub row: &'a Row,
    pub case: &'a Case,
    pub split: Split,
    /// Its place along an axis of `vmap`.
    pub mapped: Option<Mapped>,
    pub optimization: Optimization,
}

impl<'a> Trial<'a> {
    /// On one device, compiled as users compile.
    pub fn new(row: &'a Row, case: &'a Case) -> Trial<'a> {
        let (split, optimization) = (Split::WHOLE, Optimization::Full);
        Trial { row, case, split, mapped: None, optimization }
    }

    /// Compiled as this run compiles it: the trials of a case, which differ in their sharding or
    /// their place under `vmap`, are fully optimized in different runs.
    pub fn optimized(self, family: &str) -> Trial<'a> {
        let Trial { row, case, split, mapped, .. } = self;
        if needs_optimization(family, row, case) {
            return self;
        }
        let form = mapped.map_or("", |_| " under vmap");
        let name = format!("{family}/{}/{}{split}{form}", row.name, case.name);
        Trial { optimization: Optimization::of(&name), ..self }
    }
}

/// Rows, by family and beginning of the name, that are always fully optimized.
const FULL: [(&str, &str); 5] = [
    // Products and sums that cancel: 81 units from JAX, allowed are 64.
    ("gradients", "scan counting"),
    // Next to the smallest normal number, results are off by two hundredths of their value.
    ("special", "erfc"),
    // NaN becomes infinite in formats without a mantissa.
    ("special", "reduce_precision"),
    // A product and a sum are rounded one by one: 1 unit from JAX where none is allowed, 6 of 4.
    ("random", "uniform_between"),
    ("random", "gamma of a number"),
];

/// Whether a case holds only with full optimization: its row is one of [`FULL`], or it has floats
/// of 8 bits or fewer, whose zeros, NaN and subnormal numbers are others without the fusion
/// emitters.
fn needs_optimization(family: &str, row: &Row, case: &Case) -> bool {
    let is_narrow = |dtype: DType| dtype.is_float() && dtype.bits() <= 8;
    FULL.iter().any(|&(of, start)| of == family && row.name.starts_with(start))
        || case.inputs.iter().chain(&case.outputs).any(|x| is_narrow(x.shape.dtype()))
}

/// The sharding of a case's inputs: replicated on every device, or each split along one axis over
/// all devices, if it has that axis and the axis is divisible.
#[derive(Clone, Copy)]
pub struct Split {
    devices: usize,
    axis: Option<usize>,
}

/// The mesh axis that inputs are split along.
const DEVICES: &str = "devices";

/// The numbers of devices of the meshes.
const MESHES: [usize; 5] = [1, 2, 3, 4, 6];

/// Cases compiled as one program: enough to share the cost of a compilation, and few enough for
/// compilations to overlap.
const TOGETHER: usize = 100;

impl Split {
    /// Replicated on every device.
    pub const WHOLE: Split = Split { devices: 1, axis: None };

    fn partition(self, shape: &Shape) -> PartitionSpec {
        match self.axis {
            Some(axis)
                if axis < shape.rank() && shape.sizes()[axis].is_multiple_of(self.devices) =>
            {
                PartitionSpec::shard(axis, DEVICES)
            }
            _ => PartitionSpec::replicated(),
        }
    }

    /// All shardings that split an input of a case, and the one that splits none.
    fn of(case: &Case, devices: usize) -> Vec<Split> {
        let rank = case.inputs.iter().map(|x| x.shape.rank()).max().unwrap_or(0);
        let splits_one = |split: &Split| {
            case.inputs.iter().any(|x| split.partition(&x.shape) != PartitionSpec::replicated())
        };
        let along = (0..rank).map(|axis| Split { devices, axis: Some(axis) });
        let whole = Split { devices, axis: None };
        std::iter::once(whole).chain(along.filter(splits_one)).collect()
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.axis, self.devices) {
            (Some(axis), devices) => write!(f, " split along axis {axis} over {devices} devices"),
            (None, 1) => Ok(()),
            (None, devices) => write!(f, " whole on {devices} devices"),
        }
    }
}

/// The meshes of 1, 2, 3, 4 and 6 devices with the trials over each: every case over one of them,
/// with one sharding.
///
/// With `HLOOM_TEST_MESHES=all`, every case over every mesh, with every sharding.
pub fn meshes<'a>(
    platform: &Platform,
    pairs: &[(&'a Row, &'a Case)],
) -> Vec<(Mesh, Vec<Trial<'a>>)> {
    let all = std::env::var("HLOOM_TEST_MESHES").is_ok_and(|which| which == "all");
    let over = |(place, devices): (usize, usize)| {
        let mut trials = Vec::new();
        for (i, &(row, case)) in pairs.iter().enumerate() {
            if devices > 1 && has_two_bits(case) {
                continue;
            }
            let splits = Split::of(case, devices);
            let turn = (i / MESHES.len()) % splits.len();
            let tried = splits.into_iter().enumerate();
            let tried = tried.filter(|&(way, _)| all || (i % MESHES.len() == place && way == turn));
            trials.extend(tried.map(|(_, split)| Trial { split, ..Trial::new(row, case) }));
        }
        let mesh = Mesh::new(platform, [(DEVICES, devices)]).expect("there are six devices");
        (mesh, trials)
    };
    MESHES.into_iter().enumerate().map(over).collect()
}

/// Whether a case has two-bit elements, which are refused over several devices.
fn has_two_bits(case: &Case) -> bool {
    let mut values = case.inputs.iter().chain(&case.outputs);
    values.any(|values| values.shape.dtype().bits() == 2)
}

/// The outcome of trials.
#[derive(Default)]
pub struct Report {
    failures: Vec<String>,
    /// The largest distance of each row, in units in the last place.
    worst: BTreeMap<&'static str, (f64, String)>,
}

impl Report {
    pub fn finish(self, what: &str) {
        if std::env::var_os("HLOOM_TEST_REPORT").is_some() {
            for (row, (distance, case)) in &self.worst {
                eprintln!("{what}: {row}: {distance:.2} units at {case}");
            }
        }
        let count = self.failures.len();
        let shown = self.failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
        assert!(count == 0, "{what}: {count} cases failed\n{shown}");
    }

    /// The failures.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    pub fn fail(&mut self, trial: &Trial<'_>, why: impl fmt::Display) {
        let Trial { row, case, split, .. } = trial;
        self.failures.push(format!("{}/{}{split}: {why}", row.name, case.name));
    }
}

/// The form in which a program is passed to the plugin: text for every second one, and for all with
/// `HLOOM_TEST_FORM=text`.
fn form(number: usize) -> ModuleForm {
    let all = std::env::var("HLOOM_TEST_FORM").is_ok_and(|form| form == "text");
    match all || number.is_multiple_of(2) {
        true => ModuleForm::Text,
        false => ModuleForm::default(),
    }
}

/// Compiles trials as a few programs, and compares their results.
///
/// Dot products of `f32` are compiled with a different option than those of narrower floats: there,
/// a program has one element type.
pub fn run(place: Placement<'_>, family: &str, trials: &[Trial<'_>], report: &mut Report) {
    let dtype = |trial: &Trial<'_>| trial.case.inputs[0].shape.dtype();
    let devices = trials.first().map_or(0, |trial| trial.split.devices);
    let mut number = devices;
    for optimization in [Optimization::Full, Optimization::Reduced] {
        let alike = trials.iter().filter(|trial| trial.optimization == optimization);
        let alike: Vec<Trial> = alike.copied().collect();
        let programs = alike.chunk_by(|a, b| family != "dot" || dtype(a) == dtype(b));
        for program in programs.flat_map(|program| program.chunks(TOGETHER)) {
            run_together(place, form(number), family, program, report);
            number += 1;
        }
    }
}

/// A program that does not compile is bisected to the failing case.
fn run_together(
    place: Placement<'_>,
    form: ModuleForm,
    family: &str,
    trials: &[Trial<'_>],
    report: &mut Report,
) {
    let results = match (results(place, form, family, trials), trials) {
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

/// Applies the ops of trials to lazy tensors, many as one program, and compares their results.
pub fn run_lazily(platform: &Platform, trials: &[Trial<'_>], report: &mut Report) {
    for together in trials.chunks(TOGETHER) {
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
fn lazy_results(platform: &Platform, trials: &[Trial<'_>]) -> hloom::Result<Vec<Found>> {
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

/// Compares the results of trials with their cases.
pub fn compare(trials: &[Trial<'_>], results: Vec<Found>, report: &mut Report) {
    for (trial, results) in trials.iter().zip(results) {
        let Trial { row, case, .. } = trial;
        if results.len() != case.outputs.len() {
            let (given, found, expected) = (case.inputs.len(), results.len(), case.outputs.len());
            report.fail(
                trial,
                format!("{given} operands return {found} results, expected {expected}"),
            );
            continue;
        }
        for (i, (expected, (shape, bytes))) in case.outputs.iter().zip(results).enumerate() {
            match row.tolerance.check(expected, shape, &bytes) {
                Ok(distance) => {
                    let worst = report.worst.entry(row.name).or_default();
                    if distance > worst.0 {
                        *worst = (distance, case.name.clone());
                    }
                }
                Err(wrong) => report.fail(trial, format!("result {i}: {wrong}")),
            }
        }
    }
}

/// The results of a case: shapes and bytes in host layout.
pub type Found = Vec<(Shape, Vec<u8>)>;

/// The results of each trial, from one program for all.
fn results(
    place: Placement<'_>,
    form: ModuleForm,
    family: &str,
    trials: &[Trial<'_>],
) -> hloom::Result<Vec<Found>> {
    let spec = |trial: &Trial<'_>, x: &Values| {
        Spec::of(x.shape).partitioned(trial.split.partition(&x.shape))
    };
    let buffer = |trial: &Trial<'_>, x: &Values| match place
        .sharding(&x.shape, trial.split.partition(&x.shape))?
    {
        Some(sharding) => Buffer::from_bytes(&sharding, x.shape, &x.bytes),
        None => Buffer::from_bytes(place, x.shape, &x.bytes),
    };
    let values: Vec<Vec<Values>> = trials
        .iter()
        .map(|trial| match trial.mapped {
            Some(mapped) => mapped.inputs(trial.case),
            None => trial.case.inputs.clone(),
        })
        .collect();
    let pairs = || trials.iter().zip(&values);
    let each = |(trial, inputs): (&Trial<'_>, &Vec<Values>)| {
        inputs.iter().map(|x| spec(trial, x)).collect()
    };
    let specs: Vec<Vec<Spec>> = pairs().map(each).collect();
    let function = |inputs: Vec<Vec<Tensor>>| -> Vec<Vec<Tensor>> {
        let pairs = trials.iter().zip(inputs);
        let apply = |(trial, inputs): (&Trial<'_>, Vec<Tensor>)| match trial.mapped {
            Some(mapped) => mapped.apply(trial.row, &inputs),
            None => (trial.row.op)(&inputs),
        };
        pairs.map(apply).collect()
    };
    let compiler = match place {
        Placement::Mesh(mesh) => mesh.compiler(),
        _ => place.platform().compiler(),
    };
    let compiler =
        trials.first().map_or(Optimization::Full, |trial| trial.optimization).set(compiler);
    let exe = compiler.name(family).form(form).compile(function, (specs,))?;
    let each = |(trial, inputs): (&Trial<'_>, &Vec<Values>)| {
        inputs.iter().map(|x| buffer(trial, x)).collect()
    };
    let inputs: Vec<Vec<Buffer>> = pairs().map(each).collect::<hloom::Result<_>>()?;
    let results = exe.call((&inputs,))?.into_iter().zip(trials);
    let read = |(results, trial): (Vec<Buffer>, &Trial<'_>)| {
        let each = |b: Buffer| {
            let whole = (b.shape(), b.to_bytes()?);
            Ok(trial.mapped.map_or(whole.clone(), |mapped| mapped.own(whole)))
        };
        results.into_iter().map(each).collect()
    };
    results.map(read).collect()
}
