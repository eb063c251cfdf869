//! Random programs: lazy tensors, a traced function, plain Rust and NumPy agree.

use crate::own_platform;
use fastrand::Rng;
use hloom_graph::{Spec, Tensor};
use hloom_lazy::{Lazy, Limits, ScheduleInput, forget, realize_all, schedule, set_limits};
use hloom_runtime::Platform;
use hloom_test_support::python_with_numpy;
use std::sync::Arc;

const SIZE: usize = 5;

/// A step of a program on earlier values; numbers are chosen so that the arithmetic is exact.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Maximum(usize, usize),
    Scale(usize, i32),
    Set(usize, usize, usize),
    SetNumber(usize, usize, i32),
    Reverse(usize),
    /// The largest element everywhere.
    Largest(usize),
    /// The sum of the elements, each cut to a small number, everywhere.
    Total(usize),
    /// Reads a value before the program is complete.
    Realize(usize),
    /// Binds an earlier variable to another value.
    Rebind(usize, usize),
}

fn steps(rng: &mut Rng) -> Vec<Step> {
    let mut values = 2;
    let mut steps = Vec::new();
    for _ in 0..rng.usize(1..25) {
        let (a, b, i) = (rng.usize(..values), rng.usize(..values), rng.usize(..SIZE));
        let step = match rng.usize(..11) {
            0 => Step::Add(a, b),
            1 => Step::Sub(a, b),
            2 => Step::Maximum(a, b),
            3 => Step::Scale(a, rng.i32(-1..2)),
            4 => Step::Set(a, i, b),
            5 => Step::SetNumber(a, i, rng.i32(-9..9)),
            6 => Step::Reverse(a),
            7 => Step::Largest(a),
            8 => Step::Total(a),
            9 => Step::Realize(a),
            _ => Step::Rebind(a, b),
        };
        values += usize::from(!matches!(step, Step::Realize(_) | Step::Rebind(..)));
        steps.push(step);
    }
    steps
}

fn plain(steps: &[Step], inputs: &[Vec<f32>; 2]) -> Vec<Vec<f32>> {
    let mut values = inputs.to_vec();
    let zip = |a: &[f32], b: &[f32], f: fn(f32, f32) -> f32| -> Vec<f32> {
        a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
    };
    for &step in steps {
        let next = match step {
            Step::Add(a, b) => zip(&values[a], &values[b], |a, b| a + b),
            Step::Sub(a, b) => zip(&values[a], &values[b], |a, b| a - b),
            Step::Maximum(a, b) => zip(&values[a], &values[b], f32::max),
            Step::Scale(a, by) => values[a].iter().map(|a| a * by as f32).collect(),
            Step::Set(a, i, b) => {
                let mut next = values[a].clone();
                next[i] = values[b][0];
                next
            }
            Step::SetNumber(a, i, to) => {
                let mut next = values[a].clone();
                next[i] = to as f32;
                next
            }
            Step::Reverse(a) => values[a].iter().rev().copied().collect(),
            Step::Largest(a) => vec![values[a].iter().copied().fold(f32::MIN, f32::max); SIZE],
            Step::Total(a) => vec![values[a].iter().map(|a| a.clamp(-9.0, 9.0)).sum(); SIZE],
            Step::Realize(_) => continue,
            Step::Rebind(a, b) => {
                values[a] = values[b].clone();
                continue;
            }
        };
        values.push(next);
    }
    values
}

/// The program in Python: the value of each step is appended to `values`.
fn python(steps: &[Step], inputs: &[Vec<f32>; 2]) -> String {
    let mut lines = vec![format!("values = [np.array(x, np.float32) for x in {inputs:?}]")];
    for &step in steps {
        let next = match step {
            Step::Add(a, b) => format!("values[{a}] + values[{b}]"),
            Step::Sub(a, b) => format!("values[{a}] - values[{b}]"),
            Step::Maximum(a, b) => format!("np.maximum(values[{a}], values[{b}])"),
            Step::Scale(a, by) => format!("values[{a}] * np.float32({by})"),
            Step::Set(a, i, b) => format!("updated(values[{a}], {i}, values[{b}][0])"),
            Step::SetNumber(a, i, to) => format!("updated(values[{a}], {i}, {to})"),
            Step::Reverse(a) => format!("values[{a}][::-1]"),
            Step::Largest(a) => format!("np.broadcast_to(values[{a}].max(), ({SIZE},))"),
            Step::Total(a) => {
                format!("np.broadcast_to(values[{a}].clip(-9, 9).sum(), ({SIZE},))")
            }
            Step::Realize(_) => continue,
            Step::Rebind(a, b) => {
                lines.push(format!("values[{a}] = values[{b}]"));
                continue;
            }
        };
        lines.push(format!("values.append({next})"));
    }
    lines.push("print(*(x for value in values for x in value))\n".into());
    lines.join("\n")
}

/// The values of each program by NumPy, one after the other.
fn numpy(programs: &str) -> Vec<Vec<f32>> {
    let head = "import numpy as np\n\ndef updated(x, i, value):\n    x = x.copy()\n    \
                x[i] = value\n    return x\n\n";
    let output = python_with_numpy().arg("-c").arg(format!("{head}{programs}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| line.split(' ').map(|x| x.parse().unwrap()).collect();
    text.lines().map(line).collect()
}

fn traced(steps: &[Step], inputs: [Tensor; 2]) -> Vec<Tensor> {
    let mut values = inputs.to_vec();
    for &step in steps {
        let next = match step {
            Step::Add(a, b) => values[a] + values[b],
            Step::Sub(a, b) => values[a] - values[b],
            Step::Maximum(a, b) => values[a].maximum(values[b]),
            Step::Scale(a, by) => values[a] * by,
            Step::Set(a, i, b) => values[a].at(0, i).set(values[b].index(0, 0)),
            Step::SetNumber(a, i, to) => values[a].at(0, i).set(to),
            Step::Reverse(a) => values[a].reverse(0),
            Step::Largest(a) => values[a].max(0).broadcast_to([SIZE]),
            Step::Total(a) => values[a].clamp(-9, 9).sum(0).broadcast_to([SIZE]),
            Step::Realize(_) => continue,
            Step::Rebind(a, b) => {
                values[a] = values[b];
                continue;
            }
        };
        values.push(next);
    }
    values
}

fn leaves(cpu: &Platform, inputs: &[Vec<f32>; 2]) -> [Lazy; 2] {
    inputs.each_ref().map(|values| Lazy::from_slice(cpu, values, [SIZE]).unwrap())
}

fn lazily(steps: &[Step], leaves: &[Lazy; 2]) -> Vec<Lazy> {
    let mut values = leaves.to_vec();
    for &step in steps {
        let next = match step {
            Step::Add(a, b) => &values[a] + &values[b],
            Step::Sub(a, b) => &values[a] - &values[b],
            Step::Maximum(a, b) => values[a].maximum(&values[b]),
            Step::Scale(a, by) => &values[a] * by,
            Step::Set(a, i, b) => values[a].at(0, i).set(values[b].index(0, 0)),
            Step::SetNumber(a, i, to) => values[a].at(0, i).set(to),
            Step::Reverse(a) => values[a].reverse(0),
            Step::Largest(a) => values[a].max(0).broadcast_to([SIZE]),
            Step::Total(a) => values[a].clamp(-9, 9).sum(0).broadcast_to([SIZE]),
            Step::Realize(a) => {
                values[a].realize().unwrap();
                continue;
            }
            Step::Rebind(a, b) => {
                values[a] = values[b].clone();
                continue;
            }
        };
        values.push(next);
    }
    values
}

fn read(values: &[Lazy]) -> Vec<Vec<f32>> {
    realize_all(values).unwrap();
    values.iter().map(|value| value.to_vec().unwrap()).collect()
}

fn random_inputs(rng: &mut Rng) -> [Vec<f32>; 2] {
    let mut input = || (0..SIZE).map(|_| rng.i32(-20..20) as f32).collect::<Vec<f32>>();
    [input(), input()]
}

/// A program is scheduled once, and run with other inputs: some replaced for a run, others for all
/// later ones.
#[test]
fn schedules_with_other_inputs_agree_with_plain_rust() {
    let cpu = own_platform();
    for seed in 100..140 {
        let mut rng = Rng::with_seed(seed);
        let mut steps = steps(&mut rng);
        // A schedule does not recompute tensors that were realized before it was made.
        steps.retain(|step| !matches!(step, Step::Realize(_)));
        let mut inputs = random_inputs(&mut rng);
        let own = leaves(&cpu, &inputs);
        let values = lazily(&steps, &own);
        let mut schedule = schedule(&values).unwrap();
        assert_eq!(read(&schedule.run().unwrap()), plain(&steps, &inputs), "{seed}: {steps:?}");
        // A program need not use both: what it does not use cannot be replaced.
        let is_input = |leaf: &Lazy| {
            let buffer = leaf.realize().unwrap();
            schedule.inputs().iter().any(|input| match input {
                ScheduleInput::Lazy(lazy) => Arc::ptr_eq(&lazy.realize().unwrap(), &buffer),
                _ => false,
            })
        };
        let used: Vec<usize> = (0..2).filter(|&at| is_input(&own[at])).collect();
        let mut replaced = |inputs: &[Vec<f32>; 2], at: &[usize]| {
            let (fresh, mut expected) = (random_inputs(&mut rng), inputs.clone());
            at.iter().for_each(|&at| expected[at] = fresh[at].clone());
            (leaves(&cpu, &fresh), expected)
        };
        for round in 0..3 {
            let (next, expected) = replaced(&inputs, &used);
            let pairs = used.iter().map(|&at| (&own[at], &next[at]));
            let found = read(&schedule.run_with(pairs).unwrap());
            assert_eq!(found, plain(&steps, &expected), "{seed}, {round}: {steps:?}");
            assert_eq!(read(&schedule.run().unwrap()), plain(&steps, &inputs), "{seed}, {round}");
        }
        if let Some(&at) = used.first() {
            let next;
            (next, inputs) = replaced(&inputs, &[at]);
            schedule.bind(&own[at], &next[at]).unwrap();
            assert_eq!(read(&schedule.run().unwrap()), plain(&steps, &inputs), "{seed}: {steps:?}");
        }
    }
    forget(&cpu);
}

#[test]
fn lazy_tensors_agree_with_traced_functions_plain_rust_and_numpy() {
    let cpu = own_platform();
    let (mut programs, mut results) = (String::new(), Vec::new());
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        set_limits(&cpu, Limits { nodes: [2, 7, 256][seed as usize % 3], ..Limits::default() });
        let steps = steps(&mut rng);
        let inputs = random_inputs(&mut rng);
        let expected = plain(&steps, &inputs);
        assert_eq!(
            read(&lazily(&steps, &leaves(&cpu, &inputs))),
            expected,
            "seed {seed}: {steps:?}"
        );
        programs += &python(&steps, &inputs);
        results.push(expected.concat());
        let spec = || Spec::f32([SIZE]);
        let exe = cpu.compile(|x: Tensor, y: Tensor| traced(&steps, [x, y]), (spec(), spec()));
        let [x, y] = inputs.map(|x| hloom_runtime::Buffer::from_slice(&cpu, &x, [SIZE]).unwrap());
        let found = exe.unwrap().call((&x, &y)).unwrap();
        let found: Vec<Vec<f32>> = found.iter().map(|value| value.to_vec().unwrap()).collect();
        assert_eq!(found, expected, "seed {seed}: {steps:?}");
    }
    let computed = numpy(&programs);
    assert_eq!(computed.len(), results.len());
    for (seed, (found, expected)) in results.iter().zip(computed).enumerate() {
        assert_eq!(*found, expected, "seed {seed}");
    }
    forget(&cpu);
}
