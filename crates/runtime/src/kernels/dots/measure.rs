//! Measuring the ways in which a class of dot products can be computed.

use super::{DotClass, DotStrategy, load::Load};
use crate::{Buffer, Exe, Kernels, LinearKernel, Platform, Result};
use hloom_graph::{DType, DotOptions, Spec, Tensor};
use std::{
    ops::RangeInclusive,
    time::{Duration, Instant},
};

/// The number of rows up to which reading the weight takes a relevant part of the time. With more
/// rows arithmetic dominates, and one weight is enough.
pub(super) const READING_ROWS: usize = 128;
/// The total size in bytes of the weights that are used in rotation for these rows, so that few of
/// them are in a cache when they are used again, as in a model.
const WEIGHTS: usize = 48 << 20;
/// The maximum number of weights.
const MAX_WEIGHTS: usize = 96;
/// The duration of one strategy's calls in a round.
const TURN: Duration = Duration::from_millis(3);
/// The number of rounds, as many as fit into [`TIME`].
const ROUNDS: RangeInclusive<usize> = 4..=12;
/// The duration of all rounds of a class.
const TIME: Duration = Duration::from_millis(200);
/// A strategy that is slower than the best by this factor in its first calls is left out.
const HOPELESS: f64 = 3.0;

type Product = Exe<(Spec, Spec), Tensor>;

/// The measurement of a class.
pub(super) struct Measurement {
    /// The seconds of a call in each round, by strategy: equally many for each. Hopeless strategies
    /// are left out, and a strategy that remains alone is not timed.
    pub turns: Vec<(DotStrategy, Vec<f64>)>,
    /// Whether no other process disturbed it.
    pub is_quiet: bool,
}

/// Measures a product of the class by each strategy; `None` once `goes_on` returns false. The
/// strategies alternate, since other work on the machine disturbs them.
///
/// # Errors
/// The plugin's.
pub(super) fn measure(
    platform: &Platform,
    class: DotClass,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Measurement>> {
    let before = Load::now();
    // A platform of its own: these programs must not enter the caller's cache, nor must its table
    // affect them.
    let platform = Platform::from_client(platform.client().clone());
    platform.set_cache(None);
    let DotClass { dtype, rows, side } = class;
    let x = Spec::new(dtype, [("row", rows), ("in", side)]);
    let weight = Spec::new(dtype, [("out", side), ("in", side)]);
    // 0.0115, or 1.06 in `f16`: neither zeros nor subnormal numbers.
    let filled = |spec: &Spec| {
        Buffer::from_bytes(&platform, spec.shape(), &vec![0x3c; spec.shape().byte_size()])
    };
    let count = if rows <= READING_ROWS {
        (WEIGHTS / weight.shape().byte_size()).clamp(1, MAX_WEIGHTS)
    } else {
        1
    };
    let weights = (0..count).map(|_| filled(&weight)).collect::<Result<Vec<_>>>()?;
    let left = filled(&x)?;
    let mut turn = 0;
    let mut call = |exe: &Product| {
        turn += 1;
        exe.call((&left, &weights[turn % count]))?.ready()
    };

    let mut candidates = Vec::new();
    for &strategy in class.strategies() {
        if !goes_on() {
            return Ok(None);
        }
        let kernels = Kernels::off().with(LinearKernel::always(strategy));
        let compiler = platform.compiler().kernels(kernels).name("dot_product");
        // The options that layers use: the plugin converts the operands where the result is narrow.
        let options = DotOptions { accumulate: Some(DType::F32), ..DotOptions::default() };
        let product = |x: Tensor, w: Tensor| x.dot_with(w, "in", options);
        let exe: Product = compiler.compile(product, (x.clone(), weight.clone()))?;
        // The first call also starts threads and touches memory.
        call(&exe)?;
        let mut fastest = f64::INFINITY;
        for _ in 0..3 {
            let begin = Instant::now();
            call(&exe)?;
            fastest = fastest.min(begin.elapsed().as_secs_f64());
        }
        candidates.push((strategy, exe, fastest));
    }
    let best = candidates.iter().map(|candidate| candidate.2).fold(f64::INFINITY, f64::min);
    candidates.retain(|(.., seconds)| *seconds <= HOPELESS * best);
    let mut turns: Vec<(DotStrategy, Vec<f64>)> =
        candidates.iter().map(|(strategy, ..)| (*strategy, Vec::new())).collect();
    let rounds = if candidates.len() > 1 { *ROUNDS.end() } else { 0 };
    let begin = Instant::now();
    for round in 0..rounds {
        if round >= *ROUNDS.start() && begin.elapsed() > TIME {
            break;
        }
        for ((_, exe, seconds), (_, turns)) in candidates.iter().zip(&mut turns) {
            if !goes_on() {
                return Ok(None);
            }
            let calls = (TURN.as_secs_f64() / seconds).clamp(2.0, 100.0) as u32;
            // In the first call, the threads of the previous strategy are still awake.
            call(exe)?;
            let begin = Instant::now();
            for _ in 0..calls {
                call(exe)?;
            }
            turns.push(begin.elapsed().as_secs_f64() / f64::from(calls));
        }
    }
    let is_quiet = before.zip(Load::now()).is_none_or(|(before, now)| before.is_quiet_until(&now));
    Ok(Some(Measurement { turns, is_quiet }))
}
