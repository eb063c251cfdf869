//! Measuring the ways in which a class of dot products can be computed.

use super::{DotClass, DotStrategy};
use crate::{Buffer, Exe, Kernels, LinearKernel, Platform, Result};
use hloom_graph::{Spec, Tensor};
use std::time::{Duration, Instant};

/// The bytes of weights that take turns, so that few of them are in a cache when they are used
/// again, as in a model.
const WEIGHTS: usize = 48 << 20;
/// The most weights.
const MOST_WEIGHTS: usize = 96;
/// The time that the calls of one strategy in a round take.
const TURN: Duration = Duration::from_millis(3);
const ROUNDS: usize = 4;
/// A strategy that is slower than the best by this factor in the first call is out.
const HOPELESS: f64 = 3.0;

type Product = Exe<(Spec, Spec), Tensor>;

/// The seconds of a product of the class by each strategy that is worth comparing. The strategies
/// take turns, since other work on the machine disturbs them; the fastest turn of each counts.
///
/// # Errors
/// The plugin's.
pub(super) fn measure(platform: &Platform, class: DotClass) -> Result<Vec<(DotStrategy, f64)>> {
    // The programs are not to be kept, nor what they measure to be chosen.
    let platform = Platform::from_client(platform.client().clone());
    platform.set_cache(None);
    let DotClass { dtype, rows, side } = class;
    let x = Spec::new(dtype, [("row", rows), ("in", side)]);
    let weight = Spec::new(dtype, [("out", side), ("in", side)]);
    // 0.0115, or 1.06 in `f16`: neither zeros nor subnormal numbers.
    let filled = |spec: &Spec| {
        Buffer::from_bytes(&platform, spec.shape(), &vec![0x3c; spec.shape().byte_size()])
    };
    let count = (WEIGHTS / weight.shape().byte_size()).clamp(1, MOST_WEIGHTS);
    let weights = (0..count).map(|_| filled(&weight)).collect::<Result<Vec<_>>>()?;
    let left = filled(&x)?;
    let mut turn = 0;
    let mut call = |exe: &Product| {
        turn += 1;
        exe.call((&left, &weights[turn % count]))?.ready()
    };

    let mut candidates = Vec::new();
    for &strategy in class.strategies() {
        let kernels = Kernels::off().with(LinearKernel::always(strategy));
        let compiler = platform.compiler().kernels(kernels).name("dot_product");
        let product = |x: Tensor, w: Tensor| x.dot(w, "in");
        let exe: Product = compiler.compile(product, (x.clone(), weight.clone()))?;
        // The first call also starts threads and touches memory.
        call(&exe)?;
        let begin = Instant::now();
        call(&exe)?;
        candidates.push((strategy, exe, begin.elapsed().as_secs_f64()));
    }
    let best = candidates.iter().map(|candidate| candidate.2).fold(f64::INFINITY, f64::min);
    candidates.retain(|(.., seconds)| *seconds <= HOPELESS * best);
    if candidates.len() > 1 {
        for _ in 0..ROUNDS {
            for (_, exe, fastest) in &mut candidates {
                let calls = (TURN.as_secs_f64() / *fastest).clamp(2.0, 100.0) as u32;
                // The threads of the strategy before are still awake in the first call.
                call(exe)?;
                let begin = Instant::now();
                for _ in 0..calls {
                    call(exe)?;
                }
                *fastest = fastest.min(begin.elapsed().as_secs_f64() / f64::from(calls));
            }
        }
    }
    Ok(candidates.into_iter().map(|(strategy, _, seconds)| (strategy, seconds)).collect())
}
