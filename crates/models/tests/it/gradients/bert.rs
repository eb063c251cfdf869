//! The encoder, over texts with padding.

use super::{Expected, with_floats};
use crate::fixture::path;
use hloom_graph::{DType, Tensor, Tree, value_and_grad};
use hloom_io::{Checkpoint, Unused};
use hloom_models::bert::{Bert, Config};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

/// The mean over the kept positions and the features of the squared distance from `probe`.
fn loss(
    weights: Bert,
    tokens: Tensor,
    segments: Tensor,
    kept: Tensor,
    probe: Tensor,
) -> (Tensor, Bert) {
    value_and_grad(weights, |weights| {
        let off = weights.forward(tokens, segments, kept.ne(0)) - probe;
        let kept = kept.convert(off.dtype());
        ((off * off).mean("in") * kept).sum(..) / kept.sum(..)
    })
}

#[test]
fn losses_and_gradients_of_bert_are_those_of_the_reference() {
    let cases = ["minilm", "odd_sizes", "relu"];
    for (case, dtype) in cases.iter().flat_map(|case| [(case, DType::F32), (case, DType::F64)]) {
        let expected = Expected::open(&format!("bert_{case}"));
        let folder = path("bert").join(case);
        let config = Config::read(folder.join("config.json")).unwrap();
        let weights = Checkpoint::open(&folder).unwrap().root();
        let specs = with_floats(Bert::spec_with(&weights, &config).unwrap(), dtype);
        // The pooler and the buffers of positions are not part of the encoder.
        let loader = weights.loader().unused(Unused::Allowed);
        let weights: Bert<Buffer> = loader.load(&*CPU, &specs).unwrap();
        let sizes = expected.sizes("probe");
        let batch = [("batch", sizes[0]), ("seq", sizes[1])];
        let [tokens, mask, segments] = ["input_ids", "attention_mask", "token_type_ids"]
            .map(|name| expected.load(name, DType::I32, batch));
        let probe = [batch[0], batch[1], ("in", sizes[2])];
        let probe = expected.load("probe", dtype, probe);
        let arguments = (&weights, &tokens, &segments, &mask, &probe);
        let (loss, gradient) = CPU.jit(loss).call(arguments).unwrap();
        expected.check(&loss, &gradient);
    }
}
