//! Ops with random attributes, run and compared with a slow, obvious reference: convolutions,
//! reductions of windows, dot products, padding and sorts.
//!
//! Many are compiled as one program. `HLOOM_TEST_SEEDS=5..9` runs these seeds only.

mod choice;
mod dot;
mod pad;
mod reference;
mod sort;

use crate::platforms::cpu;
use choice::{Conv, Reduced, values};
use dot::Dot;
use hloom::{Buffer, DType, Shape, Spec, Tensor, ops::reduce_window_by};
use pad::Pad;
use sort::Sort;
use std::{fmt::Debug, ops::Range};

/// Choices compiled as one program.
const TOGETHER: usize = 50;
/// The seeds of the short form.
const FEW: Range<u64> = 0..50;

/// A case: its operands, its op, and the expected results.
trait Choice: Debug {
    fn new(seed: u64) -> Self;
    /// The sizes and the elements of each operand.
    fn operands(&self) -> Vec<(Vec<usize>, Vec<i64>)>;
    fn dtype(&self) -> DType;
    fn op(&self, operands: &[Tensor]) -> Vec<Tensor>;
    fn expected(&self) -> Vec<Vec<i64>>;
}

impl Choice for Conv {
    fn new(seed: u64) -> Conv {
        Conv::new(seed)
    }
    fn operands(&self) -> Vec<(Vec<usize>, Vec<i64>)> {
        let of =
            |sizes: &Vec<usize>, factor| (sizes.clone(), values(sizes.iter().product(), factor));
        vec![of(&self.input, 31), of(&self.kernel, 11)]
    }
    fn dtype(&self) -> DType {
        self.dtype
    }
    fn op(&self, operands: &[Tensor]) -> Vec<Tensor> {
        vec![operands[0].conv_general(operands[1], self.dims.clone())]
    }
    fn expected(&self) -> Vec<Vec<i64>> {
        vec![reference::convolved(self)]
    }
}

impl Choice for Reduced {
    fn new(seed: u64) -> Reduced {
        Reduced::new(seed)
    }
    fn operands(&self) -> Vec<(Vec<usize>, Vec<i64>)> {
        vec![(self.sizes.clone(), values(self.sizes.iter().product(), 31))]
    }
    fn dtype(&self) -> DType {
        self.dtype
    }
    fn op(&self, operands: &[Tensor]) -> Vec<Tensor> {
        let x = operands[0];
        let Some(reduction) = self.reduction else {
            let zero = || Tensor::scalar(0, self.dtype);
            let start = (zero(), zero());
            let (largest, sums) = reduce_window_by((x, x * 3), start, self.window, |a, b| {
                (a.0.maximum(b.0), a.1 + b.1)
            });
            return vec![largest, sums];
        };
        vec![x.reduce_window(reduction, self.window)]
    }
    fn expected(&self) -> Vec<Vec<i64>> {
        reference::reduced(self)
    }
}

fn buffer(dtype: DType, sizes: &[usize], values: &[i64]) -> hloom::Result<Buffer> {
    let shape = Shape::new(dtype, sizes.to_vec())?;
    let bytes = values.iter().flat_map(|&value| match dtype {
        DType::F32 => (value as f32).to_le_bytes().to_vec(),
        dtype => value.to_le_bytes()[..dtype.size()].to_vec(),
    });
    Buffer::from_bytes(cpu(), shape, &bytes.collect::<Vec<u8>>())
}

fn read(buffer: &Buffer) -> hloom::Result<Vec<i64>> {
    Ok(match buffer.shape().dtype() {
        DType::F32 => buffer.to_vec::<f32>()?.into_iter().map(|value| value as i64).collect(),
        DType::I8 => buffer.to_vec::<i8>()?.into_iter().map(i64::from).collect(),
        DType::I32 => buffer.to_vec::<i32>()?.into_iter().map(i64::from).collect(),
        _ => buffer.to_vec::<u64>()?.into_iter().map(|value| value as i64).collect(),
    })
}

/// The results of choices, from one program.
fn run<C: Choice>(choices: &[C]) -> hloom::Result<Vec<Vec<Vec<i64>>>> {
    let specs = |choice: &C| -> Vec<Spec> {
        let operands = choice.operands().into_iter();
        operands.map(|(sizes, _)| Spec::new(choice.dtype(), sizes)).collect()
    };
    let function = |inputs: Vec<Vec<Tensor>>| -> Vec<Vec<Tensor>> {
        choices.iter().zip(inputs).map(|(choice, operands)| choice.op(&operands)).collect()
    };
    let specs: Vec<Vec<Spec>> = choices.iter().map(specs).collect();
    let exe = cpu().compiler().name("attributes").compile(function, (specs,))?;
    let buffers = |choice: &C| -> hloom::Result<Vec<Buffer>> {
        let operands = choice.operands().into_iter();
        operands.map(|(sizes, values)| buffer(choice.dtype(), &sizes, &values)).collect()
    };
    let inputs: Vec<Vec<Buffer>> = choices.iter().map(buffers).collect::<hloom::Result<_>>()?;
    let results = exe.call((&inputs,))?;
    results.iter().map(|all| all.iter().map(read).collect()).collect()
}

fn compare<C: Choice>(seeds: Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let mut wrong = Vec::new();
    for batch in seeds.chunks(TOGETHER) {
        let choices: Vec<C> = batch.iter().map(|&seed| C::new(seed)).collect();
        let results = run(&choices).unwrap_or_else(|error| {
            for (seed, choice) in batch.iter().zip(&choices) {
                if let Err(error) = run(std::slice::from_ref(choice)) {
                    wrong.push(format!("seed {seed}: {error}\n  {choice:?}"));
                }
            }
            assert!(!wrong.is_empty(), "together alone: {error}");
            Vec::new()
        });
        for ((seed, choice), found) in batch.iter().zip(&choices).zip(&results) {
            let expected = choice.expected();
            if *found != expected {
                let what = format!("{found:?}, expected {expected:?}");
                wrong.push(format!("seed {seed}: {what}\n  {choice:?}"));
            }
        }
    }
    let shown = wrong.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} problems\n{shown}", wrong.len());
}

#[test]
fn a_few_random_convolutions_match_the_reference() {
    compare::<Conv>(FEW);
}

#[test]
fn a_few_random_reductions_of_windows_match_the_reference() {
    compare::<Reduced>(FEW);
}

#[test]
fn a_few_random_dots_match_the_reference() {
    compare::<Dot>(FEW);
}

#[test]
fn a_few_random_pads_match_the_reference() {
    compare::<Pad>(FEW);
}

#[test]
fn a_few_random_sorts_match_the_reference() {
    compare::<Sort>(FEW);
}

#[test]
#[ignore = "takes a minute: `cargo xtask campaign windows`"]
fn ops_of_random_attributes_match_the_reference() {
    let seeds = std::env::var("HLOOM_TEST_SEEDS").unwrap_or_else(|_| "0..500".into());
    let (from, to) = seeds.split_once("..").expect("seeds have the form `from..to`");
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    let seeds = number(from)..number(to);
    compare::<Conv>(seeds.clone());
    compare::<Reduced>(seeds.clone());
    compare::<Dot>(seeds.clone());
    compare::<Pad>(seeds.clone());
    compare::<Sort>(seeds);
}
