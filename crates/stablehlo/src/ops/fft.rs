//! Fourier transforms.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::Fft;

impl Lower for Fft {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [
            ("fft_type", Attribute::text(format!("#stablehlo<fft_type {}>", self.kind.name()))),
            ("fft_length", Attribute::i64s(&self.lengths)),
        ];
        l.op("stablehlo.fft", &n.operands, n.result(), &attributes)
    }
}
