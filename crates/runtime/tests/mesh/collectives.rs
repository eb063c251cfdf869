//! Every collective over every choice of mesh axes, against what it means written out for each device.

use super::CPUS;
use hloom_graph::{DType, MeshShape, Partition, Reduction, Spec, Tensor, manual};
use hloom_runtime::{Buffer, Mesh, Partitioner};

/// The values of one device: `[ROWS, COLUMNS]`.
type Own = Vec<f32>;

/// Divisible by every number of devices that a group can have here.
const ROWS: usize = 12;
const COLUMNS: usize = 2;

/// A collective as a user writes it, and what device `at` of a group gets from the values of all of it, in order.
struct Case {
    name: &'static str,
    on_device: fn(Tensor, &[&'static str], usize) -> Tensor,
    expected: fn(&[Own], usize) -> Own,
    /// Which element types it is for.
    takes: fn(DType) -> bool,
}

fn combined(group: &[Own], combine: fn(f32, f32) -> f32) -> Own {
    let combine = |a: Own, b: &Own| a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect();
    group[1..].iter().fold(group[0].clone(), combine)
}

fn part(whole: &[f32], parts: usize, at: usize) -> Own {
    let size = whole.len() / parts;
    whole[at * size..][..size].to_vec()
}

/// Columns that stand side by side, of as many rows.
fn beside(blocks: &[Own], width: usize) -> Own {
    let rows = blocks[0].len() / width;
    (0..rows)
        .flat_map(|row| {
            blocks
                .iter()
                .flat_map(move |block| block[row * width..][..width].to_vec())
        })
        .collect()
}

/// Sums of six ones are exact.
fn adds(dtype: DType) -> bool {
    dtype != DType::Bool && !matches!(dtype, DType::I2 | DType::U2 | DType::F4E2M1FN | DType::F8E8M0FNU)
}

fn has_order(dtype: DType) -> bool {
    !dtype.is_complex() && dtype != DType::Bool
}

fn ring(count: usize) -> Vec<(usize, usize)> {
    // All but one send, so that one gets zeros.
    (0..count - 1).map(|source| (source, source + 1)).collect()
}

const CASES: &[Case] = &[
    Case {
        name: "all_reduce sum",
        on_device: |x, over, _| x.all_reduce(Reduction::Sum, over),
        expected: |group, _| combined(group, |a, b| a + b),
        takes: adds,
    },
    Case {
        name: "all_reduce prod",
        on_device: |x, over, _| x.all_reduce(Reduction::Prod, over),
        expected: |group, _| combined(group, |a, b| a * b),
        takes: |dtype| dtype != DType::Bool,
    },
    Case {
        name: "all_reduce max",
        on_device: |x, over, _| x.all_reduce(Reduction::Max, over),
        expected: |group, _| combined(group, f32::max),
        takes: has_order,
    },
    Case {
        name: "all_reduce min",
        on_device: |x, over, _| x.all_reduce(Reduction::Min, over),
        expected: |group, _| combined(group, f32::min),
        takes: has_order,
    },
    Case {
        name: "all_reduce any",
        on_device: |x, over, _| x.all_reduce(Reduction::Any, over),
        expected: |group, _| combined(group, f32::max),
        takes: |dtype| dtype == DType::Bool,
    },
    Case {
        name: "all_reduce all",
        on_device: |x, over, _| x.all_reduce(Reduction::All, over),
        expected: |group, _| combined(group, f32::min),
        takes: |dtype| dtype == DType::Bool,
    },
    Case {
        name: "reduce_scatter sum",
        on_device: |x, over, _| x.reduce_scatter(Reduction::Sum, 0, over),
        expected: |group, at| part(&combined(group, |a, b| a + b), group.len(), at),
        takes: adds,
    },
    Case {
        name: "all_gather",
        on_device: |x, over, _| x.all_gather(0, over),
        expected: |group, _| group.concat(),
        takes: |_| true,
    },
    Case {
        name: "all_gather columns",
        on_device: |x, over, _| x.all_gather(1, over),
        expected: |group, _| beside(group, COLUMNS),
        takes: |_| true,
    },
    Case {
        name: "all_to_all",
        on_device: |x, over, _| x.all_to_all(0, 1, over),
        expected: |group, at| {
            let parts: Vec<Own> = group.iter().map(|own| part(own, group.len(), at)).collect();
            beside(&parts, COLUMNS)
        },
        takes: |_| true,
    },
    Case {
        name: "collective_permute",
        on_device: |x, over, count| x.collective_permute(over, ring(count)),
        expected: |group, at| match at {
            0 => vec![0.0; ROWS * COLUMNS],
            _ => group[at - 1].clone(),
        },
        takes: |dtype| dtype != DType::F8E8M0FNU,
    },
    Case {
        name: "collective_broadcast",
        on_device: |x, over, count| x.collective_broadcast(count - 1, over),
        expected: |group, _| group[group.len() - 1].clone(),
        takes: |_| true,
    },
    Case {
        name: "axis_index",
        on_device: |x, over, _| x.full_like(0) + hloom_graph::axis_index(over).convert(x.dtype()),
        expected: |_, at| vec![at as f32; ROWS * COLUMNS],
        takes: |dtype| dtype == DType::F32,
    },
];

/// Ones and zeros, which every type has; ones and twos where there is no zero.
fn value(dtype: DType, device: usize, i: usize) -> f32 {
    let bit = u8::from((device * 7 + i * 5 + i / 3).is_multiple_of(3));
    f32::from(bit) + if dtype == DType::F8E8M0FNU { 1.0 } else { 0.0 }
}

/// Every choice of mesh axes in every order.
fn choices(mesh: &MeshShape) -> Vec<Vec<&'static str>> {
    let names: Vec<&'static str> = mesh.axes().map(|(name, _)| name.as_str()).collect();
    let mut all: Vec<Vec<&'static str>> = names.iter().map(|&name| vec![name]).collect();
    if let [first, second] = names[..] {
        all.extend([vec![first, second], vec![second, first]]);
    }
    all
}

/// Runs all cases that a type is for as one program; gives what is wrong.
fn failures(mesh: &Mesh, dtype: DType, cases: &[&Case], partitioner: Partitioner) -> Vec<String> {
    let shape = mesh.shape();
    let devices = shape.device_count();
    let names: Vec<&str> = shape.axes().map(|(name, _)| name.as_str()).collect();
    let split = Partition::shard("device", names.as_slice());
    let choices = choices(&shape);
    let groups = |over: &[&str]| {
        let positions: Vec<usize> = over
            .iter()
            .map(|&name| shape.position(name).expect("an axis"))
            .collect();
        shape.groups(&positions)
    };
    let function = |x: Tensor| {
        let joined = vec![split; choices.len() * cases.len()];
        manual(x, split, joined, |x| {
            let x = x.squeeze("device").convert(dtype);
            let each = choices.iter().flat_map(|over| {
                let count = groups(over)[0].len();
                cases.iter().map(move |case| (case.on_device)(x, over, count))
            });
            each.map(|y| {
                let real = if y.dtype().is_complex() { y.real() } else { y };
                real.convert(DType::F32)
                    .reshape([("device", 1), ("value", y.shape().element_count())])
            })
            .collect::<Vec<_>>()
        })
    };
    let spec = Spec::f32([("device", devices), ("row", ROWS), ("column", COLUMNS)]).partitioned(split);
    let compiler = mesh.compiler().name(format!("{dtype}")).partitioner(partitioner);
    let compiled = compiler.compile(function, (spec.clone(),));
    let exe = match (compiled, cases) {
        (Ok(exe), _) => exe,
        (Err(error), [case]) => return vec![format!("{dtype}: {} over {shape}: {error}", case.name)],
        (Err(_), _) => {
            let each = cases
                .iter()
                .flat_map(|&case| failures(mesh, dtype, &[case], partitioner));
            return each.collect();
        }
    };
    let own: Vec<Own> = (0..devices)
        .map(|device| (0..ROWS * COLUMNS).map(|i| value(dtype, device, i)).collect())
        .collect();
    let x = Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &own.concat(), spec.shape().axes()).unwrap();
    let results = exe.call((&x,)).unwrap();
    let mut wrong = Vec::new();
    for (i, result) in results.iter().enumerate() {
        let (over, case) = (&choices[i / cases.len()], cases[i % cases.len()]);
        let found = result.to_vec::<f32>().unwrap();
        let size = found.len() / devices;
        for group in groups(over) {
            let values: Vec<Own> = group.iter().map(|&device| own[device].clone()).collect();
            for (at, &device) in group.iter().enumerate() {
                let expected = (case.expected)(&values, at);
                if found[device * size..][..size] != expected {
                    wrong.push(format!(
                        "{dtype}: {} over {over:?} of {shape}: device {device}",
                        case.name
                    ));
                }
            }
        }
    }
    wrong
}

fn check(axes: &[(&'static str, usize)], dtypes: impl IntoIterator<Item = DType>, partitioner: Partitioner) {
    let mesh = Mesh::new(&CPUS, axes.iter().copied()).unwrap();
    let mut wrong = Vec::new();
    for dtype in dtypes {
        let cases: Vec<&Case> = CASES.iter().filter(|case| (case.takes)(dtype)).collect();
        wrong.extend(failures(&mesh, dtype, &cases, partitioner));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_type_is_exchanged_over_two_devices() {
    check(&[("x", 2)], DType::ALL, Partitioner::Shardy);
}

#[test]
fn collectives_work_over_three_devices() {
    check(&[("x", 3)], [DType::F32, DType::I8, DType::Bool], Partitioner::Shardy);
}

#[test]
fn collectives_work_over_grids() {
    check(
        &[("x", 2), ("y", 2)],
        [DType::F32, DType::BF16, DType::U64],
        Partitioner::Shardy,
    );
    check(
        &[("x", 2), ("y", 3)],
        [DType::F32, DType::C64, DType::Bool],
        Partitioner::Shardy,
    );
}

#[test]
fn collectives_work_under_gspmd() {
    check(&[("x", 2), ("y", 3)], [DType::F32], Partitioner::Gspmd);
}
