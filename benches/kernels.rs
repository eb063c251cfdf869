//! Matmuls with stored weights: the kernels compared with the plugin's own code and the machine's
//! memory read bandwidth.
//!
//! Each product is computed as the machine's measurement chooses ([`DotTable::measured`]), and
//! compared with the plugin without kernels: as bytes of weights read per second for 1 to 8 rows of
//! the left side, beside what all cores read in the same run (and, alone in a program, the time of
//! the plugin's least call), also in a chain of products; as operations for 32 and 512, and with
//! `HLOOM_BENCH_JAX=1` beside JAX, and NumPy's OpenBLAS for `f32`, of a `python3` that has them (or
//! `HLOOM_PYTHON`).
//!
//! ```sh
//! cargo bench --bench kernels -- bf16/M    # those whose names have `bf16/M` in them
//! cargo xtask bench kernels                # all of them, and once more limited to AVX2
//! ```

mod common;
#[path = "common/read_bandwidth.rs"]
mod read_bandwidth;

use common::{Better, median, report};
use hloom::{DotTable, Kernels, graph::DotOptions, prelude::*};
use read_bandwidth::read_bandwidth;
use std::{env, process::Command};

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

/// The least speed of a product beside the plugin's.
const NEVER_SLOWER: Option<f64> = Some(0.97);

/// The least speed beside OpenBLAS.
const OF_OPENBLAS: f64 = 0.95;

/// The least part of the read bandwidth for one or two rows, and for four or eight. A product alone
/// in a program also has the time of a call.
const ONE_ROW: f64 = 0.9;
const FEW_ROWS: f64 = 0.8;

fn main() -> Result<()> {
    pjrt_plugins::ensure("cpu")?;
    let platform = Platform::cpu()?;
    let isa = env::var("HLOOM_KERNELS_ISA").unwrap_or_else(|_| "native".into());
    let filters: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted =
        |bench: &str| filters.is_empty() || filters.iter().any(|filter| bench.contains(filter));
    // Each product has the time that a process may spend on measuring.
    let fresh = || {
        let platform = Platform::from_client(platform.client().clone());
        platform.set_dot_table(DotTable::measured());
        platform
    };
    for dtype in [DType::BF16, DType::F16, DType::F32] {
        for (name, n, k) in SHAPES {
            for rows in [1, 2, 4, 8, 32, 512] {
                let bench = format!("kernels/{isa}/{dtype}/{name}/{rows}");
                if is_wanted(&bench) {
                    measure(&fresh(), dtype, &bench, [rows, n, k])?;
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

/// Some rows times a chain of square weights in one program: the part of the read bandwidth that
/// the layers of a model get, where no product waits for a call.
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
    let exe = platform.compile(product, (x.clone(), vec![weight.clone(); count]))?;
    let x = filled(&x)?;
    let weights = (0..count).map(|_| filled(&weight)).collect::<hloom::Result<Vec<_>>>()?;
    let run = || {
        let y = exe.call((&x, &weights)).and_then(|y| y.ready());
        y.expect("the products run");
    };
    let mut rounds: Vec<[f64; 2]> =
        (0..3).map(|_| [median(5, run).as_secs_f64(), read_bandwidth()]).collect();
    rounds.sort_by(|a, b| (a[0] * a[1]).total_cmp(&(b[0] * b[1])));
    let [seconds, read] = rounds[1];
    let rate = (count * weight.shape().byte_size()) as f64 / 1e9 / seconds;
    let target = if rows < 4 { ONE_ROW } else { FEW_ROWS };
    report(bench, rate, "GB/s", Some(read), Some(target), Better::Higher);
    Ok(())
}

/// Seconds of JAX and of NumPy's OpenBLAS for a product, if requested; NumPy has only `f32`.
fn peer_seconds(dtype: DType, [rows, n, k]: [usize; 3]) -> Vec<(&'static str, f64)> {
    if env::var_os("HLOOM_BENCH_JAX").is_none() {
        return Vec::new();
    }
    let python = env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernels_peers.py");
    let product = format!("{dtype}:{rows}:{n}:{k}");
    let output = Command::new(python).args([script, &product]).output().expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds = |text: &str| text.parse::<f64>().ok().map(|milliseconds| milliseconds / 1e3);
    let peers: Vec<_> = ["jax", "openblas"]
        .into_iter()
        .zip(text.split_whitespace())
        .filter_map(|(peer, text)| Some((peer, seconds(text)?)))
        .collect();
    assert!(!peers.is_empty(), "no time: {}", String::from_utf8_lossy(&output.stderr));
    peers
}

/// Seconds of the product with and without kernels, and between them the seconds of a call and the
/// machine's read bandwidth in GB/s.
struct Round {
    ours: f64,
    call: f64,
    read: f64,
    plain: f64,
}

impl Round {
    /// Bytes of weights per second, in GB/s, of a product that reads at the machine's bandwidth.
    fn best_rate(&self, bytes: usize) -> f64 {
        let gigabytes = bytes as f64 / 1e9;
        gigabytes / (gigabytes / self.read + self.call)
    }
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

fn measure(platform: &Platform, dtype: DType, bench: &str, [rows, n, k]: [usize; 3]) -> Result<()> {
    let bytes = n * k * dtype.bits() / 8;
    // Enough copies of the weights that none is still cached when it is used again, as in a model;
    // of many rows, the arithmetic takes the time.
    let copies = if rows <= 128 { ((512 << 20) / bytes).clamp(1, 64) } else { 1 };
    // 0.0115, or 1.06 in `f16`. Memory that was never written is one cached page of zeros.
    let filled = |spec: &Spec| {
        Buffer::from_bytes(platform, spec.shape(), &vec![0x3c; spec.shape().byte_size()])
    };
    let x = filled(&Spec::new(dtype, [("row", rows), ("in", k)]))?;
    let weight = Spec::new(dtype, [("out", n), ("in", k)]);
    let weights = (0..copies).map(|_| filled(&weight)).collect::<hloom::Result<Vec<_>>>()?;
    let options = DotOptions { accumulate: Some(DType::F32), ..DotOptions::default() };
    let product = |x: Tensor, w: Tensor| x.dot_with(w, "in", options);
    let compile = |kernels| {
        let arguments = (Spec::new(dtype, [("row", rows), ("in", k)]), weight.clone());
        platform.compiler().kernels(kernels).compile(product, arguments)
    };
    let (with, without) = (compile(Kernels::default())?, compile(Kernels::off())?);
    let run = |exe: &Exe<(Spec, Spec), Tensor>, turn: &mut usize| {
        *turn += 1;
        let y = exe.call((&x, &weights[*turn % copies])).and_then(|y| y.ready());
        y.expect("the product runs");
    };
    // The machine's speed varies from second to second, so each round measures everything. The
    // calls of one program are consecutive, as in a model: otherwise a sleeping thread would have
    // to be woken.
    let samples = if rows > 32 { 3 } else { 9 };
    let mut least_call = least_call(platform)?;
    let (mut a, mut b) = (0, copies / 2);
    let count = if rows > 8 { 5 } else { 3 };
    let mut rounds: Vec<Round> = (0..count)
        .map(|_| Round {
            ours: median(samples, || run(&with, &mut a)).as_secs_f64(),
            call: median(samples, &mut least_call).as_secs_f64(),
            read: if rows <= 8 { read_bandwidth() } else { 0.0 },
            plain: median(samples, || run(&without, &mut b)).as_secs_f64(),
        })
        .collect();
    if rows <= 8 {
        let part = |round: &Round| 1.0 / (round.ours * round.best_rate(bytes));
        rounds.sort_by(|a, b| part(b).total_cmp(&part(a)));
        let Round { ours, .. } = rounds[count / 2];
        let best = rounds[count / 2].best_rate(bytes);
        let target = if rows < 4 { ONE_ROW } else { FEW_ROWS };
        let target = (!with.kernels().is_empty()).then_some(target);
        let rate = bytes as f64 / 1e9;
        report(bench, rate / ours, "GB/s", Some(best), target, Better::Higher);
        rounds.sort_by(|a, b| (a.ours / a.plain).total_cmp(&(b.ours / b.plain)));
        let Round { ours, plain, .. } = rounds[count / 2];
        let (bench, plain) = (format!("{bench}/plugin"), Some(rate / plain));
        report(&bench, rate / ours, "GB/s", plain, NEVER_SLOWER, Better::Higher);
    } else {
        rounds.sort_by(|a, b| (a.ours / a.plain).total_cmp(&(b.ours / b.plain)));
        let Round { ours, plain, .. } = rounds[count / 2];
        let rate = 2.0 * (rows * n * k) as f64 / 1e9;
        report(bench, rate / ours, "GFLOP/s", Some(rate / plain), NEVER_SLOWER, Better::Higher);
        for (peer, seconds) in peer_seconds(dtype, [rows, n, k]) {
            let (bench, reference) = (format!("{bench}/{peer}"), Some(rate / seconds));
            let target = (peer == "openblas").then_some(OF_OPENBLAS);
            report(&bench, rate / ours, "GFLOP/s", reference, target, Better::Higher);
        }
    }
    Ok(())
}
