//! Rotary position embeddings ([Su et al. 2021](https://arxiv.org/abs/2104.09864)) in programs.
//!
//! ```
//! use hloom_graph::{DType, Spec, Tensor, TraceScope};
//! use hloom_nn::{Rope, RopeConfig, RopeScaling};
//!
//! let config = RopeConfig { dim: 16, theta: 10_000.0, scaling: RopeScaling::Default };
//! let trace = TraceScope::begin("example");
//! let Rope::Table { cos, sin } = Rope::new(&config, 128) else { unreachable!() };
//! let (cos, sin) = (trace.parameter("cos", &cos, false), trace.parameter("sin", &sin, false));
//! let x = trace.parameter("x", &Spec::f32([("seq", 5), ("head", 4), ("dim", 16)]), false);
//! let (start, length) = (Tensor::scalar(7, DType::I32), Tensor::scalar(12, DType::I32));
//! let angles = Rope::Table { cos, sin }.angles(5, start, length);
//! assert_eq!(Rope::rotate(x, angles).shape().to_string(), "f32[seq=5, head=4, dim=16]");
//! ```

use crate::{RopeConfig, RopeScaling, wide::wide};
use hloom_graph::{
    Attributes, DType, Spec, Tensor, Tree, concatenate, function_scope, op::OwnComposite, outer,
    stack,
};

/// The source of the cosines and sines of positions.
#[derive(Tree, Clone, Debug)]
pub enum Rope<T = Tensor> {
    /// Tables from [`RopeConfig::tables`]: an argument rather than a constant, which would make the
    /// program large.
    Table {
        /// `f32[row, dim]`, a row per position of the text, with half of the head's elements; or
        /// `f64`, for models in `f64`.
        cos: T,
        /// The sines, of the shape of the cosines.
        sin: T,
    },
    /// Computed by the program, because frequencies depend on the length of the text.
    Dynamic {
        /// The number of rotated elements of a head.
        dim: usize,
        /// The base of the frequencies.
        theta: f64,
        /// The growth factor of the base.
        factor: f64,
        /// The length beyond which the base grows.
        positions: usize,
    },
}

impl Rope {
    /// The cosines and sines of `count` positions from `start` on, each `f32[seq, dim]` with half
    /// of the head's elements. `start` and `length`, the length of the whole text, are `i32`
    /// scalars.
    #[track_caller]
    pub fn angles(&self, count: usize, start: Tensor, length: Tensor) -> (Tensor, Tensor) {
        function_scope("nn::Rope::angles", || {
            match *self {
                Rope::Table { cos, sin } => {
                    let part =
                        |table: Tensor| table.dynamic_slice(0, start, count).named(["seq", "dim"]);
                    (part(cos), part(sin))
                }
                Rope::Dynamic { dim, theta, factor, positions } => {
                    let length = length.maximum(positions).convert(DType::F32);
                    let grown = length * (factor / positions as f64) - (factor - 1.0);
                    // log(theta * grown ^ (dim / (dim - 2))): logarithms lose less precision than
                    // powers.
                    let base = grown.log() * (dim as f64 / (dim as f64 - 2.0)) + theta.ln();
                    let index = Tensor::arange(DType::F32, "dim", dim / 2);
                    let frequency = (index * base * (-2.0 / dim as f64)).exp();
                    let position =
                        (Tensor::arange(DType::I32, "seq", count) + start).convert(DType::F32);
                    let angle =
                        outer(position, frequency, |position, frequency| position * frequency);
                    (angle.cos(), angle.sin())
                }
            }
        })
    }

    /// Rotates the pairs of elements `i` and `i + half` along the axis `dim` of `x`, which has an
    /// axis `seq`, in `f32` or `f64`; the result has the shape and type of `x`. It is recorded as
    /// the composite `hloom.rotary_embedding`.
    ///
    /// With angles of fewer pairs than `x` has, its first elements are rotated and the others kept,
    /// as where `partial_rotary_factor` is less than 1.
    #[track_caller]
    pub fn rotate(x: Tensor, (cos, sin): (Tensor, Tensor)) -> Tensor {
        function_scope("nn::Rope::rotate", || {
            partly(x, cos, |x| {
                let inputs = [x, cos, sin];
                OwnComposite::ROTARY_EMBEDDING.call(1, Attributes::new(), &inputs, |inputs| {
                    let (x, cos, sin) = (inputs[0], inputs[1], inputs[2]);
                    let wide = wide(x);
                    let [cos, sin] = [cos, sin].map(|angle| angle.convert(wide.dtype()));
                    let halves = wide.split("dim", 2);
                    let (a, b) = (halves[0], halves[1]);
                    concatenate(&[a * cos - b * sin, b * cos + a * sin], "dim").convert(x.dtype())
                })
            })
        })
    }

    /// As [`rotate`](Self::rotate), for pairs of adjacent elements: elements `2 * i` and `2 * i +
    /// 1`, as in GPT-J.
    #[track_caller]
    pub fn rotate_interleaved(x: Tensor, (cos, sin): (Tensor, Tensor)) -> Tensor {
        function_scope("nn::Rope::rotate_interleaved", || {
            partly(x, cos, |x| {
                let wide = wide(x);
                let [cos, sin] = [cos, sin].map(|angle| angle.convert(wide.dtype()));
                let (a, b) = (wide.slice_step("dim", .., 2), wide.slice_step("dim", 1.., 2));
                let pairs = stack(&[a * cos - b * sin, b * cos + a * sin], "pair");
                let last = x.shape().names().iter().position(|name| *name == Some("dim".into()));
                let pairs = pairs.moveaxis(0, last.unwrap_or(0) as isize + 1);
                pairs.merge(["dim", "pair"], "dim").convert(x.dtype())
            })
        })
    }
}

/// `rotate` of the elements of `x` that have angles, followed by the others.
#[track_caller]
fn partly(x: Tensor, cos: Tensor, rotate: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    let pairs = cos.shape().size("dim").unwrap_or(0) as isize;
    match x.shape().size("dim") {
        Some(size) if pairs > 0 && 2 * pairs < size as isize => {
            let rotated = rotate(x.slice("dim", ..2 * pairs));
            concatenate(&[rotated, x.slice("dim", 2 * pairs..)], "dim")
        }
        _ => rotate(x),
    }
}

impl Rope<Spec> {
    /// The specs for texts of up to `positions` positions.
    pub fn new(config: &RopeConfig, positions: usize) -> Rope<Spec> {
        if let RopeScaling::Dynamic { factor, positions } = config.scaling {
            return Rope::Dynamic { dim: config.dim, theta: config.theta, factor, positions };
        }
        let spec = || Spec::f32([("row", positions), ("dim", config.dim / 2)]);
        Rope::Table { cos: spec(), sin: spec() }
    }
}
