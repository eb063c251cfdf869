//! Schedules of learning rates.

use hloom_graph::Tensor;

/// A number that depends on the step, such as a learning rate. Steps are counted from 0.
///
/// The same formulas are evaluated on tensors, in the training step, and on the host:
///
/// ```
/// use hloom_optim::Schedule;
///
/// let schedule = Schedule::warmup_cosine(1e-3, 10, 110, 1e-4);
/// assert_eq!(schedule.on_host(0), 0.0);
/// assert_eq!(schedule.on_host(10), 1e-3);
/// assert!((schedule.on_host(60) - 5.5e-4).abs() < 1e-12);
/// assert_eq!(schedule.on_host(500), 1e-4);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Schedule {
    /// Each piece with the step at which it begins; the first one begins at 0.
    pieces: Vec<(f64, SchedulePiece)>,
}

/// A formula of the number of steps since its beginning.
#[derive(Clone, Copy, PartialEq, Debug)]
enum SchedulePiece {
    Constant(f64),
    /// `end + (start - end) * (1 - x)^power`, where x goes from 0 to 1 in `steps`.
    Polynomial {
        start: f64,
        end: f64,
        steps: f64,
        power: f64,
    },
    Cosine {
        start: f64,
        end: f64,
        steps: f64,
    },
    /// `start * factor^(step / steps)`, with the exponent rounded down in stairs.
    Exponential {
        start: f64,
        factor: f64,
        steps: f64,
        stairs: bool,
    },
    /// `start * sqrt(steps / (steps + step))`.
    InverseSqrt {
        start: f64,
        steps: f64,
    },
}

/// The argument of a formula: a tensor or a number of the host.
trait Number: Copy {
    /// `self * factor + offset`.
    fn scale(self, factor: f64, offset: f64) -> Self;
    fn at_most(self, limit: f64) -> Self;
    fn at_least(self, limit: f64) -> Self;
    fn floor(self) -> Self;
    fn cos(self) -> Self;
    fn exp(self) -> Self;
    fn pow(self, exponent: f64) -> Self;
    fn times(self, other: Self) -> Self;
    fn constant(self, value: f64) -> Self;
    /// `self` from step `limit` on, before that `before`.
    fn selected_from(self, before: Self, step: Self, limit: f64) -> Self;
}

impl Schedule {
    /// The same value in all steps.
    pub fn constant(value: f64) -> Schedule {
        Schedule::of(SchedulePiece::Constant(value))
    }

    /// A line from `start` at step 0 to `end` at step `steps`, and `end` from then on.
    pub fn linear(start: f64, end: f64, steps: u64) -> Schedule {
        Schedule::polynomial(start, end, steps, 1.0)
    }

    /// `end + (start - end) * (1 - step / steps)^power`, and `end` from step `steps` on.
    pub fn polynomial(start: f64, end: f64, steps: u64, power: f64) -> Schedule {
        Schedule::of(SchedulePiece::Polynomial { start, end, steps: count(steps), power })
    }

    /// Half a period of a cosine, from `start` at step 0 to `end` at step `steps`, and `end` from
    /// then on.
    pub fn cosine(start: f64, end: f64, steps: u64) -> Schedule {
        Schedule::of(SchedulePiece::Cosine { start, end, steps: count(steps) })
    }

    /// Exponential decay: `start * factor^(step / steps)`.
    pub fn exponential(start: f64, factor: f64, steps: u64) -> Schedule {
        Schedule::of(SchedulePiece::Exponential {
            start,
            factor,
            steps: count(steps),
            stairs: false,
        })
    }

    /// `start`, multiplied by `factor` once after every `steps` steps.
    pub fn step(start: f64, factor: f64, steps: u64) -> Schedule {
        Schedule::of(SchedulePiece::Exponential {
            start,
            factor,
            steps: count(steps),
            stairs: true,
        })
    }

    /// `start` divided by the square root of `1 + step / steps`.
    pub fn inverse_sqrt(start: f64, steps: u64) -> Schedule {
        Schedule::of(SchedulePiece::InverseSqrt { start, steps: count(steps) })
    }

    /// From 0 to `peak` in `warmup` steps, then half a period of a cosine down to `end`, which is
    /// reached at step `steps`.
    pub fn warmup_cosine(peak: f64, warmup: u64, steps: u64, end: f64) -> Schedule {
        let decay = Schedule::cosine(peak, end, steps.saturating_sub(warmup));
        decay.after_warmup(warmup)
    }

    /// A line from 0 to the value that this schedule begins with, in `steps` steps, and then this
    /// schedule.
    pub fn after_warmup(self, steps: u64) -> Schedule {
        Schedule::linear(0.0, self.on_host(0), steps).then(steps, self)
    }

    /// This schedule up to `step`, exclusive, and from there on `next`, which begins with its own
    /// step 0. This schedule's values from `step` on are not used.
    pub fn then(mut self, step: u64, next: Schedule) -> Schedule {
        let step = step as f64;
        self.pieces.retain(|&(begin, _)| begin < step);
        self.pieces.extend(next.pieces.into_iter().map(|(begin, piece)| (begin + step, piece)));
        self
    }

    /// The value at a step: a scalar of the type of `step`, which is a float scalar.
    #[track_caller]
    pub fn at(&self, step: Tensor) -> Tensor {
        self.evaluate(step)
    }

    /// The value at a step, on the host.
    pub fn on_host(&self, step: u64) -> f64 {
        self.evaluate(step as f64)
    }

    fn of(piece: SchedulePiece) -> Schedule {
        Schedule { pieces: vec![(0.0, piece)] }
    }

    #[track_caller]
    fn evaluate<N: Number>(&self, step: N) -> N {
        let mut value = step.constant(0.0);
        for &(begin, piece) in &self.pieces {
            let since = step.scale(1.0, -begin).at_least(0.0);
            value = if begin > 0.0 {
                piece.at(since).selected_from(value, step, begin)
            } else {
                piece.at(since)
            };
        }
        value
    }
}

/// The number of steps to divide by. A schedule without steps consists of its end value only.
fn count(steps: u64) -> f64 {
    steps as f64
}

impl SchedulePiece {
    #[track_caller]
    fn at<N: Number>(self, step: N) -> N {
        // The part of the steps that is done.
        let done = |steps: f64| {
            if steps > 0.0 { step.scale(1.0 / steps, 0.0).at_most(1.0) } else { step.constant(1.0) }
        };
        match self {
            SchedulePiece::Constant(value) => step.constant(value),
            SchedulePiece::Polynomial { start, end, steps, power } => {
                let left = done(steps).scale(-1.0, 1.0);
                let left = if power == 1.0 { left } else { left.pow(power) };
                left.scale(start - end, end)
            }
            SchedulePiece::Cosine { start, end, steps } => {
                // (1 + cos x) / 2, without the rounding of a sum close to 0.
                let half = done(steps).scale(std::f64::consts::FRAC_PI_2, 0.0).cos();
                half.times(half).scale(start - end, end)
            }
            SchedulePiece::Exponential { start, factor, steps, stairs } => {
                let part = 1.0 / steps.max(1.0);
                let exponent = if stairs {
                    // Adds half a step, so that rounding cannot move an edge of the stairs.
                    step.scale(part, 0.5 * part).floor()
                } else {
                    step.scale(part, 0.0)
                };
                exponent.scale(factor.ln(), 0.0).exp().scale(start, 0.0)
            }
            SchedulePiece::InverseSqrt { start, steps } => {
                step.scale(1.0 / steps.max(1.0), 1.0).pow(-0.5).scale(start, 0.0)
            }
        }
    }
}

impl Number for f64 {
    fn scale(self, factor: f64, offset: f64) -> f64 {
        self * factor + offset
    }
    fn at_most(self, limit: f64) -> f64 {
        self.min(limit)
    }
    fn at_least(self, limit: f64) -> f64 {
        self.max(limit)
    }
    fn floor(self) -> f64 {
        f64::floor(self)
    }
    fn cos(self) -> f64 {
        f64::cos(self)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn pow(self, exponent: f64) -> f64 {
        self.powf(exponent)
    }
    fn times(self, other: f64) -> f64 {
        self * other
    }
    fn constant(self, value: f64) -> f64 {
        value
    }
    fn selected_from(self, before: f64, step: f64, limit: f64) -> f64 {
        if step < limit { before } else { self }
    }
}

impl Number for Tensor {
    #[track_caller]
    fn scale(self, factor: f64, offset: f64) -> Tensor {
        let product = if factor == 1.0 { self } else { self * factor };
        if offset == 0.0 { product } else { product + offset }
    }
    #[track_caller]
    fn at_most(self, limit: f64) -> Tensor {
        self.minimum(limit)
    }
    #[track_caller]
    fn at_least(self, limit: f64) -> Tensor {
        self.maximum(limit)
    }
    #[track_caller]
    fn floor(self) -> Tensor {
        Tensor::floor(self)
    }
    #[track_caller]
    fn cos(self) -> Tensor {
        Tensor::cos(self)
    }
    #[track_caller]
    fn exp(self) -> Tensor {
        Tensor::exp(self)
    }
    #[track_caller]
    fn pow(self, exponent: f64) -> Tensor {
        Tensor::pow(self, exponent)
    }
    #[track_caller]
    fn times(self, other: Tensor) -> Tensor {
        self * other
    }
    #[track_caller]
    fn constant(self, value: f64) -> Tensor {
        self.full_like(value)
    }
    #[track_caller]
    fn selected_from(self, before: Tensor, step: Tensor, limit: f64) -> Tensor {
        step.lt(limit).select(before, self)
    }
}
