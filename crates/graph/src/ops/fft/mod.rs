//! Discrete Fourier transforms.

mod reverse;

use super::positions;
use crate::{
    Axis, DType, IntoAxes, PerAxis, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{OpError, Rule, apply, emit, function_scope},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    ops::Range,
    panic::Location,
};

/// A discrete Fourier transform over the last axes, one to three. The forward transforms are sums,
/// the inverse ones are divided by the number of points.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fft {
    /// The direction, and whether one side is real.
    pub kind: FftKind,
    /// The number of points along each of the last axes; for a real transform, the number on its
    /// real side.
    pub lengths: PerAxis<usize>,
}

/// The direction of a Fourier transform, and whether one side of it is real.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FftKind {
    /// Complex to complex, forward.
    Fft,
    /// Complex to complex, inverse.
    Ifft,
    /// Real to complex, forward: the last axis keeps `n / 2 + 1` of `n` points.
    Rfft,
    /// Complex to real, inverse of `Rfft`.
    Irfft,
}

/// The maximum number of axes of one transform.
const MAX_AXES: usize = 3;

impl FftKind {
    /// The name in StableHLO.
    pub const fn name(self) -> &'static str {
        match self {
            FftKind::Fft => "FFT",
            FftKind::Ifft => "IFFT",
            FftKind::Rfft => "RFFT",
            FftKind::Irfft => "IRFFT",
        }
    }

    /// The transform of the same direction with two complex sides.
    const fn of_complex(self) -> FftKind {
        match self {
            FftKind::Fft | FftKind::Rfft => FftKind::Fft,
            FftKind::Ifft | FftKind::Irfft => FftKind::Ifft,
        }
    }

    /// The element type of the result.
    fn result(self, operand: DType) -> Rule<DType> {
        let takes_real = self == FftKind::Rfft;
        match (takes_real, operand) {
            (true, DType::F32) => Ok(DType::C64),
            (true, DType::F64) => Ok(DType::C128),
            (true, DType::C64 | DType::C128) => Err(format!(
                "takes f32 or f64, not {operand}; `fft` and `fftn` are the complex transforms"
            )
            .into()),
            (true, other) => {
                Err(format!("takes f32 or f64, not {other}; use `.convert(DType::F32)`").into())
            }
            (false, DType::C64 | DType::C128) => match self {
                FftKind::Irfft => Ok(operand.real()),
                FftKind::Fft | FftKind::Ifft | FftKind::Rfft => Ok(operand),
            },
            (false, other) => {
                Err(format!("takes f32, f64, c64 or c128, not {other}; use `.convert(DType::F32)`")
                    .into())
            }
        }
    }
}

impl Definition for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let dtype = self.kind.result(operand.dtype())?;
        let (rank, count) = (operand.rank(), self.lengths.len());
        if !(1..=MAX_AXES).contains(&count) || count > rank {
            return Err(format!("{count} lengths for the last axes of {operand}: 1 to 3").into());
        }
        let mut sizes = operand.sizes().to_vec();
        for (axis, &length) in (rank - count..).zip(self.lengths.iter()) {
            let is_halved = axis == rank - 1;
            let (found, half) = (operand.sizes()[axis], length / 2 + 1);
            let (expected, becomes) = match self.kind {
                FftKind::Rfft if is_halved => (length, half),
                FftKind::Irfft if is_halved => (half, length),
                FftKind::Fft | FftKind::Ifft | FftKind::Rfft | FftKind::Irfft => (length, length),
            };
            if length == 0 {
                return Err(format!("axis {} has size 0", operand.label(axis)).into());
            }
            if found != expected {
                return Err(format!(
                    "axis {} of {operand} has {found} points, expected {expected} for a \
                     transform of {length}",
                    operand.label(axis)
                )
                .into());
            }
            sizes[axis] = becomes;
        }
        one(operand.with_dtype(dtype).with_sizes(sizes)?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {} {}", self.kind.name(), list(&self.lengths))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_u8(self.kind as u8);
        hash_sizes(hasher, &self.lengths);
    }
}

plain!(Fft);
as_it_is!(Fft);

#[hloom_derive::tensor_methods(fft)]
impl Tensor {
    /// The discrete Fourier transform along an axis: `Σ x[n] exp(-2πi k n / N)`. The result is
    /// `c64` for `f32` and `c64`, and `c128` for `f64` and `c128`.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let wave = trace.parameter("wave", &Spec::f32([("batch", 2), ("time", 300)]), false);
    /// assert_eq!(wave.fft("time").shape().to_string(), "c64[batch=2, time=300]");
    /// assert_eq!(wave.rfft("time").shape().to_string(), "c64[batch=2, time=151]");
    /// ```
    #[track_caller]
    pub fn fft(self, axis: impl Into<Axis>) -> Tensor {
        self.transformed("fft", FftKind::Fft, vec![axis.into()], None)
    }

    /// The inverse of [`fft`](Self::fft), divided by the number of points.
    #[track_caller]
    pub fn ifft(self, axis: impl Into<Axis>) -> Tensor {
        self.transformed("ifft", FftKind::Ifft, vec![axis.into()], None)
    }

    /// The Fourier transform of real numbers, `f32` or `f64`, along an axis, without the points
    /// that are conjugates of others: `n / 2 + 1` of `n` points.
    #[track_caller]
    pub fn rfft(self, axis: impl Into<Axis>) -> Tensor {
        self.transformed("rfft", FftKind::Rfft, vec![axis.into()], None)
    }

    /// The inverse of [`rfft`](Self::rfft), of `size` points: `size / 2 + 1` elements along the
    /// axis become as many real numbers.
    #[track_caller]
    pub fn irfft(self, axis: impl Into<Axis>, size: usize) -> Tensor {
        self.transformed("irfft", FftKind::Irfft, vec![axis.into()], Some(size))
    }

    /// The Fourier transform along several axes, as [`fft`](Self::fft) along each.
    #[track_caller]
    #[doc(alias = "fft2")]
    pub fn fftn(self, axes: impl IntoAxes) -> Tensor {
        self.transformed("fftn", FftKind::Fft, axes.into_axes(self.rank()), None)
    }

    /// The inverse of [`fftn`](Self::fftn), divided by the number of points.
    #[track_caller]
    #[doc(alias = "ifft2")]
    pub fn ifftn(self, axes: impl IntoAxes) -> Tensor {
        self.transformed("ifftn", FftKind::Ifft, axes.into_axes(self.rank()), None)
    }

    /// The Fourier transform of real numbers along several axes: [`rfft`](Self::rfft) along the
    /// last one given, [`fft`](Self::fft) along the others.
    #[track_caller]
    #[doc(alias = "rfft2")]
    pub fn rfftn(self, axes: impl IntoAxes) -> Tensor {
        self.transformed("rfftn", FftKind::Rfft, axes.into_axes(self.rank()), None)
    }

    /// The inverse of [`rfftn`](Self::rfftn), of `size` points along the last axis given.
    #[track_caller]
    #[doc(alias = "irfft2")]
    pub fn irfftn(self, axes: impl IntoAxes, size: usize) -> Tensor {
        self.transformed("irfftn", FftKind::Irfft, axes.into_axes(self.rank()), Some(size))
    }

    /// [`fftn`](Self::fftn) along the last two axes.
    #[track_caller]
    pub fn fft2(self) -> Tensor {
        self.transformed("fft2", FftKind::Fft, vec![Axis::Index(-2), Axis::Index(-1)], None)
    }

    /// [`ifftn`](Self::ifftn) along the last two axes.
    #[track_caller]
    pub fn ifft2(self) -> Tensor {
        self.transformed("ifft2", FftKind::Ifft, vec![Axis::Index(-2), Axis::Index(-1)], None)
    }

    /// Moves the zero frequency of a spectrum to the middle of each axis.
    #[track_caller]
    pub fn fftshift(self, axes: impl IntoAxes) -> Tensor {
        self.rolled("fftshift", axes.into_axes(self.rank()), |size| size / 2)
    }

    /// The inverse of [`fftshift`](Self::fftshift).
    #[track_caller]
    pub fn ifftshift(self, axes: impl IntoAxes) -> Tensor {
        self.rolled("ifftshift", axes.into_axes(self.rank()), |size| size.div_ceil(2))
    }

    #[track_caller]
    fn rolled(self, op: &'static str, axes: Vec<Axis>, shift: fn(usize) -> usize) -> Tensor {
        function_scope(op, || {
            axes.into_iter().fold(self, |x, axis| x.roll(axis, shift(x.size(axis)) as isize))
        })
    }

    /// The transform along `axes`, of `size` real points along the last of them for `Irfft`.
    #[track_caller]
    fn transformed(
        self,
        op: &'static str,
        kind: FftKind,
        axes: Vec<Axis>,
        size: Option<usize>,
    ) -> Tensor {
        let plan = emit(op, &[self], Location::caller(), |_, s, _| {
            let at = positions(&s[0], &axes)?;
            let dtype = s[0].dtype();
            let is_made_complex = kind != FftKind::Rfft && dtype == dtype.real();
            if !is_made_complex || !matches!(dtype, DType::F32 | DType::F64) {
                kind.result(dtype)?;
            }
            match (at.split_last(), size) {
                (None, _) => Err(OpError("no axes are given".into())),
                (Some((&last, others)), size) => {
                    let sizes = |&axis: &usize| s[0].sizes()[axis];
                    let mut lengths: Vec<usize> = others.iter().map(sizes).collect();
                    lengths.push(size.unwrap_or(sizes(&last)));
                    Ok(Plan { at, lengths, rank: s[0].rank(), is_made_complex })
                }
            }
        });
        let Some(plan) = plan else { return Tensor::poisoned() };
        function_scope(op, || {
            let x = if plan.is_made_complex { self.complex(self.zeros_like()) } else { self };
            let first = plan.at.len().saturating_sub(MAX_AXES);
            // One transform does not have so many axes: the first axes are transformed separately,
            // on their complex side.
            let others = (0..first)
                .rev()
                .step_by(MAX_AXES)
                .map(|end| (end.saturating_sub(MAX_AXES - 1)..end + 1, kind.of_complex()));
            let last = (first..plan.at.len(), kind);
            match kind {
                FftKind::Ifft | FftKind::Irfft => {
                    others.chain([last]).fold(x, |x, (range, kind)| plan.apply(x, kind, range))
                }
                FftKind::Fft | FftKind::Rfft => [last]
                    .into_iter()
                    .chain(others)
                    .fold(x, |x, (range, kind)| plan.apply(x, kind, range)),
            }
        })
    }
}

/// The axes of a transform and the numbers of points along them.
struct Plan {
    at: Vec<usize>,
    lengths: Vec<usize>,
    rank: usize,
    is_made_complex: bool,
}

impl Plan {
    /// Transforms along some of the axes, which are moved to the end and back.
    #[track_caller]
    fn apply(&self, x: Tensor, kind: FftKind, range: Range<usize>) -> Tensor {
        let (at, lengths) = (&self.at[range.clone()], &self.lengths[range]);
        let kept = (0..self.rank).filter(|axis| !at.contains(axis));
        let order: Vec<usize> = kept.chain(at.iter().copied()).collect();
        let mut back = vec![0; self.rank];
        order.iter().enumerate().for_each(|(place, &axis)| back[axis] = place);
        let is_moved = !order.iter().copied().eq(0..self.rank);
        let lengths = PerAxis::collect(lengths.iter().copied());
        let x = if is_moved { x.transpose(order) } else { x };
        let result = apply("fft", &[x], |_| Ok(Fft { kind, lengths }));
        if is_moved { result.transpose(back) } else { result }
    }
}
