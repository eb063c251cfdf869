//! Values of every element type, to the device and back, and through a program.

use crate::{
    Result,
    attempt::{attempt, ensure},
    results::Results,
};
use hloom::{Buffer, DType, Platform, Shape, Spec, Tensor};

/// Sizes of axes: rank 0, no elements, odd sizes.
const SIZES: [&[usize]; 5] = [&[], &[0], &[2, 0, 3], &[3, 5], &[1031]];

/// The size of the axis that the program reverses.
const REVERSED: usize = 37;

pub fn run(platform: &Platform, results: &mut Results) -> Result {
    attempt(results, "gpu/platform/round_trips", || {
        collect(DType::ALL.into_iter().map(|dtype| transfers(platform, dtype)))
    })?;
    attempt(results, "gpu/platform/round_trips/programs", || {
        // One program of all types compiles faster; which type it fails for is found afterwards.
        reversed(platform, &DType::ALL).or_else(|error| {
            collect(DType::ALL.into_iter().map(|dtype| reversed(platform, &[dtype])))?;
            Err(format!("each type alone is right, but all in one program: {error}").into())
        })
    })?;
    Ok(())
}

/// The errors of all outcomes.
fn collect(outcomes: impl Iterator<Item = Result>) -> Result {
    let errors: Vec<_> = outcomes.filter_map(Result::err).map(|e| e.to_string()).collect();
    ensure(errors.is_empty(), || errors.join("; "))
}

fn transfers(platform: &Platform, dtype: DType) -> Result {
    for sizes in SIZES {
        let shape = Shape::new(dtype, sizes.to_vec())?;
        let bytes = pattern(shape);
        let found = Buffer::from_bytes(platform, shape, &bytes)
            .and_then(|buffer| buffer.to_bytes())
            .map_err(|error| format!("{shape}: {error}"))?;
        ensure(found == bytes, || format!("{shape}: the bytes differ"))?;
    }
    Ok(())
}

/// The arguments of the program.
pub fn specs(dtypes: &[DType]) -> Vec<Spec> {
    dtypes.iter().map(|&dtype| Spec::new(dtype, [REVERSED])).collect()
}

/// Reverses the axis of each tensor.
pub fn reverse(all: Vec<Tensor>) -> Vec<Tensor> {
    all.into_iter().map(|x| x.reverse(0)).collect()
}

fn reversed(platform: &Platform, dtypes: &[DType]) -> Result {
    let name = dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
    let specs: Vec<Spec> = dtypes.iter().map(|&dtype| Spec::new(dtype, [REVERSED])).collect();
    let reverse = |all: Vec<Tensor>| all.into_iter().map(|x| x.reverse(0)).collect::<Vec<Tensor>>();
    let run = || -> hloom::Result<Vec<Buffer>> {
        let exe = platform.compile(reverse, (specs.clone(),))?;
        let inputs = specs.iter().map(|spec| {
            let shape = spec.shape();
            Buffer::from_bytes(platform, shape, &pattern(shape))
        });
        exe.call((&inputs.collect::<hloom::Result<Vec<_>>>()?,))
    };
    let found = run().map_err(|error| format!("{name}: {error}"))?;
    for buffer in found {
        let shape = buffer.shape();
        let bytes = pattern(shape);
        let width = bytes.len() / REVERSED;
        let expected: Vec<u8> = bytes.chunks(width).rev().flatten().copied().collect();
        let found = buffer.to_bytes().map_err(|error| format!("{shape}: {error}"))?;
        ensure(found == expected, || format!("{shape}: the reversed elements differ"))?;
    }
    Ok(())
}

/// Bytes in host layout: one byte for a `bool` and for elements smaller than a byte.
fn pattern(shape: Shape) -> Vec<u8> {
    let (dtype, bits) = (shape.dtype(), shape.dtype().bits());
    let byte = |at: usize| {
        let value = (at * 37 + 11) as u8;
        if bits >= 8 {
            return value;
        }
        let mask = u8::MAX >> (8 - bits);
        let value = value & mask;
        let is_negative = dtype.is_signed_int() && value >> (bits - 1) == 1;
        if is_negative { value | !mask } else { value }
    };
    (0..shape.byte_size()).map(byte).collect()
}
