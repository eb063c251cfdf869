//! The derivative of Fourier transforms.

use super::{Fft, FftKind};
use crate::{
    Tensor,
    grad::{Pull, Vjp, keeps_operands},
    record,
};

impl Vjp for Fft {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let g = pull.g();
        let points: usize = self.lengths.iter().product();
        let last = self.lengths.last().copied().unwrap_or(1);
        // The points that a real transform leaves out count twice.
        let twice = |count: usize| {
            let is_once = |i: usize| i == 0 || (last.is_multiple_of(2) && i + 1 == count);
            let counts: Vec<f64> = (0..count).map(|i| if is_once(i) { 1.0 } else { 2.0 }).collect();
            Tensor::constant(&counts, [count]).convert(g.dtype().real())
        };
        let count = last / 2 + 1;
        let transform = |kind: FftKind, x: Tensor| record(Fft { kind, ..self.clone() }, &[x])[0];
        pull.one(match self.kind {
            FftKind::Fft | FftKind::Ifft => transform(self.kind, g),
            FftKind::Rfft => {
                let weights = twice(count).convert(g.dtype());
                transform(FftKind::Irfft, g.conj() / weights) * points as f64
            }
            FftKind::Irfft => {
                let x = transform(FftKind::Rfft, g);
                (x * twice(count).convert(x.dtype())).conj() * (1.0 / points as f64)
            }
        })
    }
}
