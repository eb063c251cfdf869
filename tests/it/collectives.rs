//! Every collective over every choice of mesh axes, compared with NumPy.
//!
//! The expected results of ops that only move elements are numbers from 1: the position of the
//! source element, for every type, and 0 where no device sent one.

use crate::{
    platforms::cpus,
    reference::{Case, EXACT, Values, load},
};
use hloom::{mesh::manual, ops::Reduction, prelude::*, runtime::Partitioner};
use std::collections::BTreeMap;

/// An op on each device's own values, over one or two mesh axes; the last argument is the number of
/// devices.
type OnDevice = fn(Tensor, &[&'static str], usize) -> Tensor;

const MOVES: [(&str, OnDevice); 7] = [
    ("all_gather 0", |x, over, _| x.all_gather(0, over)),
    ("all_gather 1", |x, over, _| x.all_gather(1, over)),
    ("all_to_all 0 1", |x, over, _| x.all_to_all(0, 1, over)),
    ("all_to_all 0 0", |x, over, _| x.all_to_all(0, 0, over)),
    ("collective_permute up", |x, over, count| {
        x.collective_permute(over, (1..count).map(|target| (target - 1, target)))
    }),
    ("collective_permute round", |x, over, count| {
        x.collective_permute(over, (0..count).map(|source| (source, (source + 2) % count)))
    }),
    ("collective_broadcast last", |x, over, count| x.collective_broadcast(count - 1, over)),
];

const REDUCTIONS: [(&str, Reduction); 6] = [
    ("sum", Reduction::Sum),
    ("prod", Reduction::Prod),
    ("max", Reduction::Max),
    ("min", Reduction::Min),
    ("any", Reduction::Any),
    ("all", Reduction::All),
];

/// Trials compiled as one program.
const TOGETHER: usize = 200;

/// The axes of a mesh with up to two, and the name of its cases.
struct Axes {
    sizes: &'static [usize],
    name: String,
}

impl Axes {
    fn new(sizes: &'static [usize]) -> Axes {
        let each: Vec<String> = sizes.iter().map(usize::to_string).collect();
        Axes { sizes, name: each.join("x") }
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, usize)> {
        ["x", "y"].into_iter().zip(self.sizes.iter().copied())
    }

    fn names(&self) -> Vec<&'static str> {
        self.named().map(|(name, _)| name).collect()
    }

    /// Every choice of axes in every order, as in the cases.
    fn choices(&self) -> Vec<Vec<&'static str>> {
        match *self.names() {
            [first, second] => {
                vec![vec![first], vec![second], vec![first, second], vec![second, first]]
            }
            ref one => vec![one.to_vec()],
        }
    }

    fn count(&self, over: &[&str]) -> usize {
        let along = self.named().filter(|(name, _)| over.contains(name));
        along.map(|(_, size)| size).product()
    }
}

/// The cases by row and name.
type Cases = BTreeMap<(String, String), Case>;

/// An op on a device's own values, with its axes bound.
type BoxedOp = Box<dyn Fn(Tensor) -> Tensor>;

/// An op over a choice of axes: its input values, and the expected results of all devices.
struct Trial {
    what: String,
    input: Values,
    on_device: BoxedOp,
    expected: Values,
}

/// The elements at the positions in `numbers`, from 1 on; 0 is zero.
fn picked(elements: &[u8], dtype: DType, numbers: &Values) -> Values {
    let size = dtype.size();
    let mut bytes = vec![0; numbers.shape.element_count() * size];
    for (to, number) in bytes.chunks_exact_mut(size).zip(numbers.bytes.chunks_exact(4)) {
        let number = i32::from_le_bytes(number.try_into().expect("four bytes"));
        if let Some(at) = usize::try_from(number).expect("no number is negative").checked_sub(1) {
            to.copy_from_slice(&elements[at * size..][..size]);
        }
    }
    Values { shape: numbers.shape.with_dtype(dtype), bytes }
}

/// The bytes of an array's slice along its first axis.
fn part(whole: &Values, at: usize) -> Values {
    let shape =
        Shape::new(whole.shape.dtype(), whole.shape.sizes()[1..].to_vec()).expect("fewer axes");
    let size = shape.byte_size();
    Values { shape, bytes: whole.bytes[at * size..][..size].to_vec() }
}

/// As many elements of a type as there are numbers, with consecutive bit patterns.
fn elements(dtype: DType, count: usize) -> Vec<u8> {
    let mask = match dtype {
        DType::Bool => 1,
        _ if dtype.bits() < 8 => (1u8 << dtype.bits()) - 1,
        _ => 0xff,
    };
    let byte = |i: usize| (i as u8).wrapping_mul(if dtype.size() == 1 { 1 } else { 37 }) & mask;
    (0..count * dtype.size()).map(byte).collect()
}

fn trials(cases: &Cases, axes: &Axes, dtype: DType) -> Vec<Trial> {
    let mut trials = Vec::new();
    let case = |row: &str, name: String| cases.get(&(row.to_owned(), name));
    let choices = axes.choices();
    if dtype == DType::I32 {
        let case = case("axis_index", axes.name.clone()).expect("there is a case for each mesh");
        for (over, expected) in choices.iter().zip(&case.outputs) {
            let axes_over = over.clone();
            trials.push(Trial {
                what: format!("axis_index of {over:?}"),
                input: case.inputs[0].clone(),
                on_device: Box::new(move |_| hloom::mesh::axis_index(axes_over.as_slice())),
                expected: expected.clone(),
            });
        }
    }
    let moved = |row: &str| case(row, axes.name.clone()).expect("there is a case for each mesh");
    for (row, on_device) in MOVES {
        if dtype == DType::F8E8M0FNU && row == "collective_permute up" {
            // The type has no zero for devices that receive nothing.
            continue;
        }
        let case = moved(row);
        let elements = elements(dtype, case.inputs[0].shape.element_count());
        let input = picked(&elements, dtype, &case.inputs[0]);
        for (over, numbers) in choices.iter().zip(&case.outputs) {
            let (axes_over, count) = (over.clone(), axes.count(over));
            trials.push(Trial {
                what: format!("{dtype}: {row} over {over:?}"),
                input: input.clone(),
                on_device: Box::new(move |x| on_device(x, &axes_over, count)),
                expected: picked(&elements, dtype, numbers),
            });
        }
    }
    for (row, reduction) in REDUCTIONS {
        let Some(case) = case(row, format!("{dtype} {}", axes.name)) else {
            continue;
        };
        for (at, over) in choices.iter().enumerate() {
            let whole = part(&case.outputs[0], at);
            let scattered = &moved("reduce_scatter").outputs[at];
            let (a, b) = (over.clone(), over.clone());
            let both: [(&str, Values, BoxedOp); 2] = [
                (
                    "all_reduce",
                    whole.clone(),
                    Box::new(move |x| x.all_reduce(reduction, a.as_slice())),
                ),
                (
                    "reduce_scatter",
                    picked(&whole.bytes, dtype, scattered),
                    Box::new(move |x| x.reduce_scatter(reduction, 0, b.as_slice())),
                ),
            ];
            trials.extend(both.map(|(op, expected, on_device)| Trial {
                what: format!("{dtype}: {op} {row} over {over:?}"),
                input: case.inputs[0].clone(),
                on_device,
                expected,
            }));
        }
    }
    trials
}

/// Runs trials as one program and returns the failures. A program that does not compile is bisected
/// to the failing trial.
fn failures(
    mesh: &Mesh,
    names: &[&'static str],
    trials: &[Trial],
    partitioner: Partitioner,
) -> Vec<String> {
    let split = PartitionSpec::shard(0, names);
    let function = |inputs: Vec<Tensor>| {
        let partitions = vec![split; trials.len()];
        manual(inputs, partitions.clone(), partitions, |inputs: Vec<Tensor>| {
            let each = trials.iter().zip(inputs);
            let each = each.map(|(trial, x)| (trial.on_device)(x.squeeze(0)));
            let with_device = |y: Tensor| y.reshape([&[1], y.shape().sizes()].concat());
            each.map(with_device).collect::<Vec<Tensor>>()
        })
    };
    let spec = |trial: &Trial| Spec::of(trial.input.shape).partitioned(split);
    let specs: Vec<Spec> = trials.iter().map(spec).collect();
    let compiler = mesh.compiler().name("collectives").partitioner(partitioner);
    let exe = match (compiler.compile(function, (specs,)), trials) {
        (Ok(exe), _) => exe,
        (Err(error), [trial]) => return vec![format!("{}: {error}", trial.what)],
        (Err(_), _) => {
            let (left, right) = trials.split_at(trials.len() / 2);
            let mut wrong = failures(mesh, names, left, partitioner);
            wrong.extend(failures(mesh, names, right, partitioner));
            return wrong;
        }
    };
    let buffer = |trial: &Trial| {
        let sharding =
            mesh.sharding(&spec(trial)).expect("the devices are divisible by themselves");
        Buffer::from_bytes(&sharding, trial.input.shape, &trial.input.bytes).expect("a buffer")
    };
    let inputs: Vec<Buffer> = trials.iter().map(buffer).collect();
    let results = exe.call((&inputs,)).expect("it runs");
    let complaint = |(trial, result): (&Trial, Buffer)| {
        let bytes = result.to_bytes().expect("it is read");
        let checked = EXACT.either_zero().check(&trial.expected, result.shape(), &bytes);
        checked.err().map(|wrong| format!("{}: {wrong}", trial.what))
    };
    trials.iter().zip(results).filter_map(complaint).collect()
}

fn check(
    partitioner: Partitioner,
    sizes: &'static [usize],
    dtypes: impl IntoIterator<Item = DType>,
) {
    let cases = load("collectives").into_iter();
    let cases: Cases = cases.map(|case| ((case.row.clone(), case.name.clone()), case)).collect();
    let axes = Axes::new(sizes);
    let mesh = Mesh::new(cpus(), axes.named()).expect("there are six devices");
    let trials: Vec<Trial> =
        dtypes.into_iter().flat_map(|dtype| trials(&cases, &axes, dtype)).collect();
    assert!(trials.len() > axes.choices().len() * MOVES.len());
    let programs = trials.chunks(TOGETHER);
    let wrong: Vec<String> =
        programs.flat_map(|trials| failures(&mesh, &axes.names(), trials, partitioner)).collect();
    let (count, shown) = (wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(count == 0, "{count} of {} wrong over {}:\n{shown}", trials.len(), mesh.shape());
}

/// All types with `HLOOM_TEST_MESHES=all`; otherwise one or two of each kind.
fn most_types() -> Vec<DType> {
    let all = std::env::var("HLOOM_TEST_MESHES").is_ok_and(|which| which == "all");
    let some = [
        DType::Bool,
        DType::I4,
        DType::U8,
        DType::I64,
        DType::F8E4M3FN,
        DType::BF16,
        DType::F32,
        DType::C64,
    ];
    if all { DType::ALL.to_vec() } else { some.to_vec() }
}

#[test]
fn two_devices_exchange_values_of_every_type() {
    // Programs over several devices do not support two-bit elements.
    let types = DType::ALL.into_iter().filter(|dtype| dtype.bits() != 2);
    check(Partitioner::Shardy, &[2], types);
}

#[test]
fn three_devices_exchange_values() {
    check(Partitioner::Shardy, &[3], most_types());
}

#[test]
fn a_square_of_devices_exchanges_values() {
    check(Partitioner::Shardy, &[2, 2], most_types());
}

#[test]
fn a_grid_of_devices_exchanges_values() {
    check(Partitioner::Shardy, &[2, 3], most_types());
}

#[test]
fn devices_exchange_values_under_gspmd() {
    check(Partitioner::Gspmd, &[2, 3], [DType::F32]);
}
