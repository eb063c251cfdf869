//! Matmuls with block-quantised weights, compared with the machine's memory read bandwidth and with
//! the product of the same sizes in `bf16`.
//!
//! For 1 to 8 rows of the left side, the value is the bytes of weights read per second; for more,
//! operations. Words after `--` select the benchmarks whose names have one of them.
//!
//! ```sh
//! cargo bench -p hloom-kernels --bench blocks -- q4_0/8192x2048
//! ```

#[path = "../../../benches/common/mod.rs"]
mod common;
#[path = "../../../benches/common/read_bandwidth.rs"]
mod read_bandwidth;

use common::{Measurement, median};
use half::bf16;
use hloom_kernels::{
    Activations, BlockKind, BlockLinear, BlockMatrix, Error, Isa, Linear, Matrix, MatrixMut,
    Workers, block_linear, linear,
};
use read_bandwidth::read_bandwidth;

/// Rows and columns of weights.
const SHAPES: [[usize; 2]; 3] = [[576, 1536], [8192, 2048], [2048, 8192]];

/// Both forms.
const FORMS: [Activations; 2] = [Activations::Quantized, Activations::Float];

/// Bytes of weights that are read before one is read again: more than the caches have.
const BYTES: usize = 256 << 20;

/// The minimum fraction of the read bandwidth with one row.
const ONE_ROW: f64 = 0.9;

/// The minimum speed with many rows, compared with `bf16`.
const MANY_ROWS: f64 = 1.0;

fn main() -> Result<(), Error> {
    let filters: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let isa = Isa::selected()?;
    for kind in BlockKind::ALL {
        for [n, k] in SHAPES {
            // The exact form differs little from kind to kind.
            let is_first = kind == BlockKind::Q8_0;
            let forms: &[Activations] = if is_first { &FORMS } else { &FORMS[..1] };
            for &form in forms {
                for rows in [1, 2, 8, 128] {
                    let bench = format!("blocks/{isa}/{kind}/{n}x{k}/{}/{rows}", form.name());
                    if filters.is_empty() || filters.iter().any(|word| bench.contains(word)) {
                        measure(&bench, isa, kind, form, [rows, n, k])?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Copies of one weight, used in turn.
struct Copies<T> {
    weights: Vec<Vec<T>>,
    turn: usize,
}

impl<T: Copy> Copies<T> {
    fn new(weight: Vec<T>, rows: usize) -> Self {
        let count = if rows > 8 { 1 } else { (BYTES / size_of_val(&*weight)).clamp(2, 300) };
        Copies { weights: vec![weight; count], turn: 0 }
    }

    fn next(&mut self) -> &[T] {
        self.turn = (self.turn + 1) % self.weights.len();
        &self.weights[self.turn]
    }
}

/// Seconds of a call, of several at a time.
fn seconds(rows: usize, mut call: impl FnMut()) -> f64 {
    let calls = if rows > 8 { 1 } else { 20 };
    let samples = if rows > 128 { 5 } else { 11 };
    median(samples, || (0..calls).for_each(|_| call())).as_secs_f64() / f64::from(calls)
}

fn measure(
    bench: &str,
    isa: Isa,
    kind: BlockKind,
    form: Activations,
    [rows, n, k]: [usize; 3],
) -> Result<(), Error> {
    let bytes = n * k / kind.block_values() * kind.block_bytes();
    // Every block has the scale 0.0115 and the same values.
    let mut blocks = Copies::new(vec![0x21; bytes], rows);
    let mut plain = Copies::new(vec![bf16::from_f32(0.01); n * k], rows);
    let x = vec![bf16::ONE; rows * k];
    let x = Matrix::new(&x, rows, k)?;
    let mut y = vec![0.0_f32; rows * n];
    let mut rounds = Vec::new();
    for _ in 0..3 {
        let ours = seconds(rows, || {
            let weight = BlockMatrix::new(kind, blocks.next(), n, k).expect("it fits");
            let y = MatrixMut::new(&mut y, rows, n).expect("it fits");
            let mut products = [BlockLinear { weight, bias: None, y }];
            block_linear(isa, &Workers::get(), form, x, &mut products).expect("it runs");
        });
        let reference = seconds(rows, || {
            let weight = Matrix::new(plain.next(), n, k).expect("it fits");
            let y = MatrixMut::new(&mut y, rows, n).expect("it fits");
            let mut products = [Linear { weight, bias: None, y }];
            linear(isa, &Workers::get(), x, &mut products).expect("it runs");
        });
        rounds.push([ours, reference]);
    }
    rounds.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let [ours, reference] = rounds[1];
    if rows <= 8 {
        let gigabytes = bytes as f64 / 1e9;
        Measurement::new(bench, gigabytes / ours, "GB/s")
            .reference(read_bandwidth())
            .target((rows == 1).then_some(ONE_ROW))
            .higher_is_better()
            .report();
    }
    let rate = |seconds: f64| 2.0 * (rows * n * k) as f64 / 1e9 / seconds;
    Measurement::new(&format!("{bench}/bf16"), rate(ours), "GFLOP/s")
        .reference(rate(reference))
        .target(MANY_ROWS)
        .higher_is_better()
        .report();
    Ok(())
}
