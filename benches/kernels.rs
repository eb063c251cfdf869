//! Matmuls with stored weights: the kernels compared with the plugin's own code and the machine's
//! memory read bandwidth.
//!
//! Each product is computed as the machine's measurement chooses ([`DotTable::measured`]), and
//! compared with the plugin without kernels: as bytes of weights read per second for 1 to 8 rows of
//! the left side, with the bandwidth that all cores reach in the same run (and, for a product alone
//! in a program, the time of the plugin's smallest call), also in a chain of products; as
//! operations for 32 and 512, and with `HLOOM_BENCH_JAX=1` with JAX, and NumPy's OpenBLAS for
//! `f32`, of a `python3` that has them (or `HLOOM_PYTHON`).
//!
//! ```sh
//! cargo bench --bench kernels -- bf16/M    # those whose names have `bf16/M` in them
//! cargo xtask bench kernels                # all of them, and once more limited to AVX2
//! ```

mod common;
#[path = "common/jax.rs"]
mod jax;
#[path = "common/read_bandwidth.rs"]
mod read_bandwidth;

use common::{Measurement, median};
use hloom::{
    ops::DotOptions,
    prelude::*,
    runtime::{DotTable, Kernels},
};
use jax::Jax;
use read_bandwidth::read_bandwidth;
use std::{
    env,
    time::{Duration, Instant},
};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// The products of a layer and the output layer: model, outputs and inputs.
const SHAPES: [(&str, usize, usize); 9] = [
    ("S/q_proj", 768, 768),
    ("S/up_proj", 2048, 768),
    ("S/down_proj", 768, 2048),
    ("S/lm_head", 32_000, 768),
    ("M/q_proj", 2048, 2048),
    ("M/k_proj", 256, 2048),
    ("M/up_proj", 5632, 2048),
    ("M/down_proj", 2048, 5632),
    ("M/lm_head", 32_000, 2048),
];

/// The minimum speed of a product compared with the plugin's.
const NEVER_SLOWER: Option<f64> = Some(0.97);

/// The peers of `kernels_peers.py`, in the order of its answers, and the minimum ratio of speeds.
const PEERS: [(&str, Option<f64>); 2] = [("jax", None), ("openblas", Some(0.95))];

/// The minimum fraction of the read bandwidth for one or two rows, and for four or eight. For a
/// product alone in a program, the time of a call is allowed in addition.
const ONE_ROW: f64 = 0.9;
const FEW_ROWS: f64 = 0.8;

fn main() -> Result<()> {
    pjrt_plugins::ensure("cpu")?;
    let platform = Platform::cpu()?;
    let isa = env::var("HLOOM_KERNELS_ISA").unwrap_or_else(|_| "native".into());
    let filters: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    // JAX is started by the first product that is compared with it.
    let mut jax = None;
    let is_wanted =
        |bench: &str| filters.is_empty() || filters.iter().any(|filter| bench.contains(filter));
    // Each product is measured by itself, with no measurement in the background.
    let fresh = || {
        let platform = Platform::from_client(platform.client().clone());
        platform.set_dot_table(DotTable::measured());
        platform.set_background_measuring(false);
        platform
    };
    for dtype in [DType::BF16, DType::F16, DType::F32] {
        for (name, n, k) in SHAPES {
            for rows in [1, 2, 4, 8, 32, 512] {
                let bench = format!("kernels/{isa}/{dtype}/{name}/{rows}");
                if is_wanted(&bench) {
                    if rows <= 8 {
                        few_rows(&fresh(), dtype, &bench, [rows, n, k])?
                    } else {
                        let jax = jax.get_or_insert_with(|| Jax::asked_for("kernels_peers.py"));
                        many_rows(&fresh(), jax, dtype, &bench, [rows, n, k])?;
                    }
                }
            }
            for rows in [1, 2, 4, 8] {
                let bench = format!("kernels/{isa}/{dtype}/{name}/chain/{rows}");
                if n == k && is_wanted(&bench) {
                    chain(&fresh(), dtype, &bench, [rows, n])?;
                }
            }
        }
    }
    Ok(())
}

/// The time for which a program is called before it is measured: a processor that was idle is slow
/// for its first milliseconds.
const WARM_UP: Duration = Duration::from_millis(5);

/// The median of the seconds of some calls, after warm-up calls.
fn seconds(samples: usize, mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    while begin.elapsed() < WARM_UP {
        call();
    }
    median(samples, call).as_secs_f64()
}

/// Some rows times a chain of square weights in one program: the part of the read bandwidth that
/// the layers of a model get, where products do not wait for calls.
fn chain(platform: &Platform, dtype: DType, bench: &str, [rows, n]: [usize; 2]) -> Result<()> {
    let weight = Spec::new(dtype, [("out", n), ("in", n)]);
    // Results that overflow take no longer.
    let count = (256 << 20) / weight.shape().byte_size();
    let filled = |spec: &Spec| {
        Buffer::from_bytes(platform, spec.shape(), &vec![0x3c; spec.shape().byte_size()])
    };
    let x = Spec::new(dtype, [("row", rows), ("in", n)]);
    let product = |x: Tensor, weights: Vec<Tensor>| {
        weights.into_iter().fold(x, |x, w| x.dot(w, "in").rename("out", "in"))
    };
    let compile = || platform.compile(product, (x.clone(), vec![weight.clone(); count]));
    // Compiling a first program registers the class to be measured.
    drop(compile()?);
    platform.measure_dots()?;
    let exe = compile()?;
    let x = filled(&x)?;
    let weights = (0..count).map(|_| filled(&weight)).collect::<hloom::Result<Vec<_>>>()?;
    let run = || {
        let y = exe.call((&x, &weights)).and_then(|y| y.ready());
        y.expect("the products run");
    };
    let mut rounds: Vec<[f64; 2]> = (0..3).map(|_| [seconds(5, run), read_bandwidth()]).collect();
    rounds.sort_by(|a, b| (a[0] * a[1]).total_cmp(&(b[0] * b[1])));
    let [seconds, read] = rounds[1];
    let rate = (count * weight.shape().byte_size()) as f64 / 1e9 / seconds;
    let target = if rows < 4 { ONE_ROW } else { FEW_ROWS };
    Measurement::new(bench, rate, "GB/s")
        .reference(read)
        .target(target)
        .higher_is_better()
        .report();
    Ok(())
}

/// A product computed as the machine's measurement chooses, and without kernels.
struct Product {
    chosen: Exe<(Spec, Spec), Tensor>,
    plain: Exe<(Spec, Spec), Tensor>,
    x: Buffer,
    /// Enough weights that none is still cached when it is used again, as in a model. With many
    /// rows arithmetic dominates, and one weight is enough.
    weights: Vec<Buffer>,
    turn: usize,
    samples: usize,
}

impl Product {
    fn new(platform: &Platform, dtype: DType, [rows, n, k]: [usize; 3]) -> Result<Product> {
        let weight = Spec::new(dtype, [("out", n), ("in", k)]);
        let x = Spec::new(dtype, [("row", rows), ("in", k)]);
        // 0.0115, or 1.06 in `f16`. Memory that was never written is one cached page of zeros.
        let filled = |spec: &Spec| {
            Buffer::from_bytes(platform, spec.shape(), &vec![0x3c; spec.shape().byte_size()])
        };
        let bytes = weight.shape().byte_size();
        let copies = if rows <= 128 { ((512 << 20) / bytes).clamp(1, 64) } else { 1 };
        let options = DotOptions { accumulate: Some(DType::F32), ..DotOptions::default() };
        let product = |x: Tensor, w: Tensor| x.dot_with(w, "in", options);
        let compile = |kernels| {
            platform.compiler().kernels(kernels).compile(product, (x.clone(), weight.clone()))
        };
        // Compiling a first program registers the class to be measured.
        drop(compile(Kernels::default())?);
        platform.measure_dots()?;
        Ok(Product {
            chosen: compile(Kernels::default())?,
            plain: compile(Kernels::off())?,
            x: filled(&x)?,
            weights: (0..copies).map(|_| filled(&weight)).collect::<hloom::Result<_>>()?,
            turn: 0,
            samples: if rows > 32 { 3 } else { 9 },
        })
    }

    /// The seconds of a call of each program, which alternate in being first. The calls of one are
    /// consecutive, as in a model: otherwise a sleeping thread would have to be woken.
    fn seconds(&mut self, round: usize) -> Seconds {
        let Product { chosen, plain, x, weights, turn, samples } = self;
        let mut measure = |exe: &Exe<(Spec, Spec), Tensor>| {
            let run = || {
                *turn += 1;
                let y = exe.call((&*x, &weights[*turn % weights.len()])).and_then(|y| y.ready());
                y.expect("the product runs");
            };
            seconds(*samples, run)
        };
        match round % 2 {
            0 => {
                let chosen = measure(chosen);
                Seconds { chosen, plain: measure(plain) }
            }
            _ => {
                let plain = measure(plain);
                Seconds { chosen: measure(chosen), plain }
            }
        }
    }
}

/// The seconds of a call.
#[derive(Clone, Copy)]
struct Seconds {
    chosen: f64,
    plain: f64,
}

impl Seconds {
    fn beside_plugin(self) -> f64 {
        self.chosen / self.plain
    }
}

/// The median, by a key.
fn middle<T: Copy>(rounds: &mut [T], key: impl Fn(&T) -> f64) -> T {
    rounds.sort_by(|a, b| key(a).total_cmp(&key(b)));
    rounds[rounds.len() / 2]
}

/// Calls a program that only adds two numbers, by the plugin's own code.
fn least_call(platform: &Platform) -> Result<impl FnMut()> {
    let number = || Spec::new(DType::F32, [("row", 1)]);
    let exe = platform.compile(|x: Tensor, y: Tensor| x + y, (number(), number()))?;
    let x = Buffer::zeros(platform, number())?;
    Ok(move || {
        let y = exe.call((&x, &x)).and_then(|y| y.ready());
        y.expect("the numbers are added");
    })
}

/// Up to eight rows, compared with reading the weight. The machine's speed varies from second to
/// second, so each round measures everything.
fn few_rows(platform: &Platform, dtype: DType, bench: &str, sizes: [usize; 3]) -> Result<()> {
    let [rows, n, k] = sizes;
    let mut product = Product::new(platform, dtype, sizes)?;
    let mut least_call = least_call(platform)?;
    let gigabytes = (n * k * dtype.bits() / 8) as f64 / 1e9;
    // Each round also has the seconds of reading the weight at the machine's bandwidth.
    let mut rounds: Vec<(Seconds, f64)> = (0..3)
        .map(|round| {
            let call = seconds(product.samples, &mut least_call);
            let least = gigabytes / read_bandwidth() + call;
            (product.seconds(round), least)
        })
        .collect();
    let target = if rows < 4 { ONE_ROW } else { FEW_ROWS };
    let target = (!product.chosen.kernels().is_empty()).then_some(target);
    let (seconds, least) = middle(&mut rounds, |(seconds, least)| seconds.chosen / least);
    let [rate, best] = [seconds.chosen, least].map(|seconds| gigabytes / seconds);
    Measurement::new(bench, rate, "GB/s")
        .reference(best)
        .target(target)
        .higher_is_better()
        .report();
    let (seconds, _) = middle(&mut rounds, |(seconds, _)| seconds.beside_plugin());
    let [rate, plain] = [seconds.chosen, seconds.plain].map(|seconds| gigabytes / seconds);
    Measurement::new(&format!("{bench}/plugin"), rate, "GB/s")
        .reference(plain)
        .target(NEVER_SLOWER)
        .higher_is_better()
        .report();
    Ok(())
}

/// More rows, compared with the plugin and the [`PEERS`], interleaved.
fn many_rows(
    platform: &Platform,
    jax: &mut Option<Jax>,
    dtype: DType,
    bench: &str,
    sizes: [usize; 3],
) -> Result<()> {
    let [rows, n, k] = sizes;
    let mut product = Product::new(platform, dtype, sizes)?;
    let mut rounds: Vec<(Seconds, [f64; 2])> = (0..5)
        .map(|round| {
            let name = format!("{dtype}:{rows}:{n}:{k}");
            let peers = jax.as_mut().map_or([f64::NAN; 2], |jax| jax.measure(&name));
            (product.seconds(round), peers.map(|milliseconds| milliseconds / 1e3))
        })
        .collect();
    let rate = |seconds: f64| 2.0 * (rows * n * k) as f64 / 1e9 / seconds;
    let (seconds, _) = middle(&mut rounds, |(seconds, _)| seconds.beside_plugin());
    let [ours, plain] = [seconds.chosen, seconds.plain].map(rate);
    Measurement::new(bench, ours, "GFLOP/s")
        .reference(plain)
        .target(NEVER_SLOWER)
        .higher_is_better()
        .report();
    for (at, (peer, target)) in PEERS.into_iter().enumerate() {
        let (seconds, peers) = middle(&mut rounds, |(seconds, peers)| seconds.chosen / peers[at]);
        if !peers[at].is_nan() {
            let (bench, peer) = (format!("{bench}/{peer}"), Some(rate(peers[at])));
            Measurement::new(&bench, rate(seconds.chosen), "GFLOP/s")
                .reference(peer)
                .target(target)
                .higher_is_better()
                .report();
        }
    }
    Ok(())
}
