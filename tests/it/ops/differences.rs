//! Gradients of random programs, against central differences in a random direction, in `f64`: in
//! reverse and in forward mode, and second derivatives in both. `HLOOM_TEST_PROGRAMS` sets the
//! number of programs.

use crate::platforms::cpu;
use hloom::{
    grad,
    graph::{Graph, TraceScope},
    jvp,
    ops::concatenate,
    prelude::*,
    transforms::hessian,
};

/// Larger differences of values that are near 1, divided by the step, are no slopes.
const JUMP: f64 = 1e4;

/// Random numbers of a seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % below
    }
}

/// A tensor of fixed numbers between -1 and 1. `zero` is an argument of the program, which is not
/// computed by the compiler then.
fn numbers(seed: u64, zero: Tensor) -> Tensor {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let values: Vec<f64> = (0..12).map(|_| random.next(20_001) as f64 / 10_000.0 - 1.0).collect();
    Tensor::constant(&values, [3, 4]) + zero
}

/// A smooth function of `[3, 4]` tensors, of one of many forms.
fn form(which: usize, x: Tensor, y: Tensor) -> Tensor {
    let square = |x: Tensor| x.reshape([4, 3]).matmul(x);
    match which {
        0 => x + y,
        1 => x - y * 0.5,
        2 => x * y,
        3 => x / (y * y + 1),
        4 => x.sin(),
        5 => x.tanh() * 2,
        6 => x.sigmoid(),
        7 => (x * 0.25).exp(),
        8 => (x * x + 1).log(),
        9 => (x * x + 0.5).sqrt(),
        10 => (y * y + 0.5).rsqrt() * x,
        11 => x.erf(),
        12 => x.atan2(y * y + 1),
        13 => x.softmax(1),
        14 => x.log_sum_exp(0) + y,
        15 => x - x.mean_keep(1),
        16 => x.cumsum(0) * 0.5,
        17 => (x * 0.5).cumprod(1),
        18 => x.matmul(square(y).tanh()),
        19 => x.reverse(1).reshape([4, 3]).swap_axes(0, 1),
        20 => x.pad(0, 1, -1, 0.5) + x.slice(1, 1..2),
        21 => concatenate(&[x.slice(0, 0..1), y.slice_step(0, 0..3, 2)], 0),
        22 => x.gt(0).select(x * x, x * x * x),
        23 => x.take(Tensor::constant(&[2i32, 0, 2], [3]), 0),
        24 => x.index_add(Tensor::constant(&[1i32, 1], [2]), y.slice(0, 0..2), 0),
        25 => for_loop(3, x, |_, c| (c + y).sin()),
        26 => scan(x.index(0, 0), y, 0, |c, y| ((c * y).tanh(), c + y)).1 + x,
        27 => cond(x.sum(..).gt(0), || x * y, || x.sin()),
        28 => x
            .named(["row", "column"])
            .dot(square(y).tanh().named(["column", "out"]), "column")
            .named(["_", "_"]),
        29 => x.prod_keep(1) + y,
        30 => (x + 3).pow(y),
        _ => x.gelu(),
    }
}

/// A scalar function of two tensors.
fn program(seed: u64, x: Tensor, y: Tensor, weights: Tensor) -> Tensor {
    let mut random = Random(seed + 1);
    random.next(2);
    let mut pool = vec![x, y];
    for _ in 0..6 {
        let (a, b) = (pool[random.next(pool.len())], pool[random.next(pool.len())]);
        pool.push(form(random.next(32), a, b));
    }
    let last = pool.len() - 1;
    ((pool[last] + pool[last - 1]) * weights).sum(..)
}

/// The derivative in a direction: of central differences, by the gradient, and in forward mode.
fn slopes(seed: u64, zero: Tensor) -> [Tensor; 3] {
    let [x, y, dx, dy, weights] = [1, 2, 3, 4, 7].map(|part| numbers(seed * 8 + part, zero));
    let step = 1e-5;
    let at = |by: f64| program(seed, x + dx * by, y + dy * by, weights);
    let difference = (at(step) - at(-step)) / (2.0 * step);
    let (of_x, of_y) = grad((x, y), |(x, y)| program(seed, x, y, weights));
    let (_, slope) = jvp((x, y), (dx, dy), |(x, y)| program(seed, x, y, weights));
    [difference, (of_x * dx).sum(..) + (of_y * dy).sum(..), slope]
}

/// The second derivative in a direction: of differences of gradients, by the Hessian, and by the
/// gradient in forward mode.
fn curvatures(seed: u64, zero: Tensor) -> [Tensor; 3] {
    let [x, y, dx, weights] = [1, 2, 3, 7].map(|part| numbers(seed * 8 + part, zero));
    let loss = |x: Tensor| program(seed, x, y, weights);
    let step = 1e-5;
    let slope = |by: f64| (grad(x + dx * by, loss) * dx).sum(..);
    let difference = (slope(step) - slope(-step)) / (2.0 * step);
    let matrix = hessian(x, loss).reshape([12, 12]);
    let direction = dx.reshape([12]);
    let (_, change) = jvp(x, dx, |x| grad(x, loss));
    [difference, direction.matmul(matrix).matmul(direction), (change * dx).sum(..)]
}

fn graph(seeds: &[u64], of: fn(u64, Tensor) -> [Tensor; 3]) -> Graph {
    let trace = TraceScope::begin("differences");
    let zero = trace.parameter("zero", &Spec::f64([3, 4]), false);
    let all: Vec<Tensor> =
        seeds.iter().flat_map(|&seed| of(seed, zero)).map(|x| x.insert_axis(0, "_")).collect();
    let result = concatenate(&all, 0);
    trace.finish(vec![("slopes".into(), result)]).expect("the programs are sound")
}

fn compare(programs: u64, together: usize, of: fn(u64, Tensor) -> [Tensor; 3]) {
    let seeds: Vec<u64> = (0..programs).collect();
    let (mut wrong, mut jumps) = (Vec::new(), 0);
    for seeds in seeds.chunks(together) {
        let graph = graph(seeds, of);
        let exe = cpu().compiler().compile_graph(&graph).expect("the programs compile");
        let zero = exe.zeros_for("zero").expect("there is memory");
        let results = exe.call(vec![Argument::Borrowed(&zero)]).expect("the programs run");
        let slopes: Vec<f64> = results[0].to_vec().expect("the result has f64");
        for (seed, slopes) in seeds.iter().zip(slopes.chunks(3)) {
            let [difference, reverse, forward] = [slopes[0], slopes[1], slopes[2]];
            // A branch that changes within the step is a jump, which has no slope.
            if difference.abs() > JUMP {
                jumps += 1;
                continue;
            }
            let limit = 1e-5 * (1.0 + difference.abs());
            let is_near = |slope: f64| (difference - slope).abs() <= limit;
            if !is_near(reverse) || !is_near(forward) {
                wrong.push(format!(
                    "seed {seed}: {difference} by differences, {reverse}, forward {forward}"
                ));
            }
        }
    }
    println!("{programs} random programs, of which {jumps} jump");
    assert!(jumps <= 1 + programs / 1000, "{jumps} of {programs} jump");
    assert!(wrong.is_empty(), "{} of {programs}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn gradients_of_random_programs_are_slopes() {
    let programs = std::env::var("HLOOM_TEST_PROGRAMS").ok().and_then(|count| count.parse().ok());
    compare(programs.unwrap_or(200), 50, slopes);
}

#[test]
fn second_derivatives_of_random_programs_are_slopes_of_gradients() {
    compare(40, 20, curvatures);
}
