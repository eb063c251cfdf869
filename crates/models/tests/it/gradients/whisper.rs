//! Encoder and decoder together, over the tokens of a window of audio.

use super::{Expected, with_floats};
use crate::fixture::path;
use hloom_graph::{DType, Tensor, Tree, value_and_grad};
use hloom_io::Checkpoint;
use hloom_models::whisper::{Config, Whisper};
use hloom_nn::{KvCache, loss::cross_entropy};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

/// The mean loss over the tokens, from their features and an empty cache.
fn loss(
    weights: Whisper,
    cache: KvCache,
    features: Tensor,
    tokens: Tensor,
    targets: Tensor,
) -> (Tensor, Whisper) {
    value_and_grad(weights, |weights| {
        let cross = weights.cross(weights.encode(features));
        let start = Tensor::scalar(0, DType::I32);
        let (hidden, _) = weights.decode(tokens, start, &cache, &cross);
        cross_entropy(weights.logits(hidden), targets, "vocab").mean(..)
    })
}

#[test]
fn losses_and_gradients_of_whisper_are_those_of_the_reference() {
    let cases = ["multilingual", "older"];
    for (case, dtype) in cases.iter().flat_map(|case| [(case, DType::F32), (case, DType::F64)]) {
        let expected = Expected::open(&format!("whisper_{case}"));
        let folder = path("whisper").join(case);
        let config = Config::read(folder.join("config.json")).unwrap();
        let checkpoint = Checkpoint::open(&folder).unwrap();
        let is_part = checkpoint.names().any(|name| name.starts_with("model."));
        let weights = if is_part { checkpoint.at("model") } else { checkpoint.root() };
        let specs = with_floats(Whisper::spec_with(&weights, &config).unwrap(), dtype);
        let weights: Whisper<Buffer> = weights.load(&*CPU, &specs).unwrap();
        let (heads, length) = (config.decoder_heads, expected.sizes("tokens")[0]);
        let dim = config.hidden_size / heads;
        let cache = KvCache::new(config.decoder_layers, heads, length, dim, dtype);
        let cache: KvCache<Buffer> = Buffer::zeros_tree(&*CPU, cache).unwrap();
        let sizes = expected.sizes("features");
        let features = [("mel", sizes[0]), ("frame", sizes[1])];
        let features = expected.load("features", dtype, features);
        let [tokens, targets] =
            ["tokens", "targets"].map(|name| expected.load(name, DType::I32, [("seq", length)]));
        let arguments = (&weights, &cache, &features, &tokens, &targets);
        let (loss, gradient) = CPU.jit(loss).call(arguments).unwrap();
        expected.check(&loss, &gradient);
    }
}
