//! Resampling along axes.
//!
//! ```
//! use hloom_graph::{Spec, TraceScope};
//! use hloom_nn::{Interpolation, Resize};
//!
//! let trace = TraceScope::begin("example");
//! let image = Spec::f32([("channel", 3), ("height", 32), ("width", 48)]);
//! let image = trace.parameter("image", &image, false);
//! let resize = Resize::torch(Interpolation::Linear);
//! let larger = resize.forward(image, &[("height", 64), ("width", 96)]);
//! assert_eq!(larger.shape().to_string(), "f32[channel=3, height=64, width=96]");
//! ```

use crate::wide::wide;
use hloom_graph::{Axis, Tensor, function_scope, record_error};

/// The interpolation between elements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Interpolation {
    /// The element whose cell contains the point.
    Nearest,
    /// A straight line between two elements.
    Linear,
    /// A cubic curve through four elements
    /// ([Keys 1981](https://doi.org/10.1109/TASSP.1981.1163711)) with this parameter: -0.75 in
    /// PyTorch, -0.5 in JAX.
    Cubic(f64),
}

/// Resampling, with the conventions of [`torch`](Self::torch) or [`jax`](Self::jax).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Resize {
    /// The interpolation between elements.
    pub interpolation: Interpolation,
    /// Whether the first and the last elements stay where they are, rather than the outer edges of
    /// their cells.
    pub align_corners: bool,
    /// Whether an axis that shrinks is smoothed first, by a wider interpolation.
    pub antialias: bool,
    /// Whether cubic curves repeat the first and the last element outwards, unless there is
    /// antialiasing; otherwise they use only existing elements.
    pub repeats_edge: bool,
    /// Whether the nearest element is that of the start of a cell, rather than of its middle.
    pub from_start: bool,
}

impl Resize {
    /// As `torch.nn.functional.interpolate`: with its options `align_corners` and `antialias` off,
    /// and `nearest` for [`Interpolation::Nearest`] (`nearest-exact` has `from_start` false).
    pub const fn torch(interpolation: Interpolation) -> Resize {
        Resize {
            interpolation,
            align_corners: false,
            antialias: false,
            repeats_edge: true,
            from_start: true,
        }
    }

    /// As `jax.image.resize`, with its default `antialias=True`.
    pub const fn jax(interpolation: Interpolation) -> Resize {
        Resize {
            interpolation,
            align_corners: false,
            antialias: true,
            repeats_edge: false,
            from_start: false,
        }
    }

    /// Keeps the first and the last elements in place.
    pub const fn align_corners(self) -> Resize {
        Resize { align_corners: true, ..self }
    }

    /// Sets whether axes that shrink are smoothed.
    pub const fn antialias(self, antialias: bool) -> Resize {
        Resize { antialias, ..self }
    }

    /// Resizes these axes of `x` to these sizes, in order, computed in `f32` (`f64` for `f64`); the
    /// result has the type of `x`. An axis without elements keeps none.
    #[track_caller]
    pub fn forward<A: Into<Axis> + Copy>(&self, x: Tensor, sizes: &[(A, usize)]) -> Tensor {
        function_scope("nn::Resize", || {
            let mut y = match self.interpolation {
                Interpolation::Nearest => x,
                Interpolation::Linear | Interpolation::Cubic(_) => wide(x),
            };
            for &(axis, size) in sizes {
                y = self.along(y, axis.into(), size);
            }
            match self.interpolation {
                Interpolation::Nearest => y,
                _ => y.convert(x.dtype()),
            }
        })
    }

    #[track_caller]
    fn along(&self, x: Tensor, axis: Axis, to: usize) -> Tensor {
        let (shape, from) = (x.shape(), x.size(axis));
        let Ok(at) = shape.position(axis) else { return x };
        if from == to {
            return x;
        }
        if from == 0 || to > MAX_CONSTANTS {
            let message = format!("axis {axis} of {from} elements is not resized to {to}");
            return record_error("resize", &[x], message);
        }
        let taps = self.taps(from, to);
        let width = taps.iter().map(Vec::len).max().unwrap_or(0);
        let name = shape.names()[at].map_or("_", |name| name.as_str());
        let mut sum = None;
        for tap in 0..width {
            let index = |taps: &Vec<(usize, f64)>| taps.get(tap).map_or(0, |tap| tap.0 as i32);
            let indices: Vec<i32> = taps.iter().map(index).collect();
            let part = x.take(Tensor::constant(&indices, [(name, to)]), at);
            if self.interpolation == Interpolation::Nearest {
                return part;
            }
            let weights: Vec<f64> =
                taps.iter().map(|taps| taps.get(tap).map_or(0.0, |tap| tap.1)).collect();
            let mut sizes = vec![1; shape.rank()];
            sizes[at] = to;
            let weights = Tensor::constant(&weights, sizes).convert(x.dtype());
            let weights = weights.broadcast_to(part.shape());
            let product = part * weights;
            sum = Some(sum.map_or(product, |sum: Tensor| sum + product));
        }
        sum.unwrap_or_else(|| x.slice(at, ..0))
    }

    /// The elements that each result is made of, with their weights.
    fn taps(&self, from: usize, to: usize) -> Vec<Vec<(usize, f64)>> {
        // Steps of `over / under` elements.
        let (over, under) = if !self.align_corners {
            (from, to)
        } else if to > 1 {
            (from - 1, to - 1)
        } else {
            (0, 1)
        };
        let scale = over as f64 / under as f64;
        // Twice the numerator of a result's position: whole numbers, which are rounded once.
        let twice = |i: usize| {
            if self.align_corners {
                2 * (i * over) as i64
            } else {
                ((2 * i + 1) * over) as i64 - under as i64
            }
        };
        let place = |i: usize| twice(i) as f64 / (2 * under) as f64;
        let last = from as f64 - 1.0;
        let nearest = |i: usize| {
            let at = if self.from_start {
                i * over / under
            } else {
                // Adds half an element, so that the position is not negative.
                (twice(i) + under as i64) as usize / (2 * under)
            };
            vec![(at.min(from - 1), 1.0)]
        };
        let smoothed = self.antialias && scale > 1.0;
        let stretch = if smoothed { scale } else { 1.0 };
        let (radius, kernel): (f64, Box<dyn Fn(f64) -> f64>) = match self.interpolation {
            Interpolation::Nearest => return (0..to).map(nearest).collect(),
            Interpolation::Linear => (1.0, Box::new(|x| (1.0 - x).max(0.0))),
            Interpolation::Cubic(a) => (2.0, Box::new(move |x| cubic(a, x))),
        };
        let repeats = !self.antialias && self.repeats_edge;
        let near = |i: usize| {
            let center = place(i);
            let first = (center - radius * stretch).floor();
            let end = (center + radius * stretch).ceil();
            let mut taps: Vec<(usize, f64)> = Vec::new();
            let mut at = first;
            while at <= end {
                let weight = kernel((at - center).abs() / stretch);
                let is_there = (0.0..=last).contains(&at);
                if weight != 0.0 && (is_there || repeats) {
                    let index = at.clamp(0.0, last) as usize;
                    match taps.iter_mut().find(|tap| tap.0 == index) {
                        Some(tap) => tap.1 += weight,
                        None => taps.push((index, weight)),
                    }
                }
                at += 1.0;
            }
            let sum: f64 = taps.iter().map(|tap| tap.1).sum();
            taps.into_iter().map(|(index, weight)| (index, weight / sum)).collect()
        };
        (0..to).map(near).collect()
    }
}

/// The maximum number of indices and weights that are written into a program as constants.
const MAX_CONSTANTS: usize = 1 << 20;

/// The cubic kernel at a distance from 0 to 2.
fn cubic(a: f64, x: f64) -> f64 {
    match x {
        _ if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        _ if x < 2.0 => (((x - 5.0) * x + 8.0) * x - 4.0) * a,
        _ => 0.0,
    }
}
