//! Every family, layout and rotary scaling against `transformers` in float64.

use crate::fixture::{Case, distance, platform};
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_io::Checkpoint;
use hloom_models::llama::{Config, Decoder, Dtype, Generator, Llama, Options};
use hloom_nn::{Linear, Sampling};
use std::collections::BTreeMap;

fn open(case: &Case, dtype: DType) -> Generator {
    let options = Options {
        dtype: Dtype::As(dtype),
        sampling: Sampling::greedy(),
        ignore_eos: true,
        ..Options::default()
    };
    Generator::open(&platform(), &case.folder, options)
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

#[test]
fn logits_and_greedy_tokens_are_those_of_the_reference() {
    let mut failures = Vec::new();
    for name in Case::names() {
        let case = Case::open(&name);
        let generator = open(&case, DType::F32);
        let logits = generator
            .session()
            .logits(&case.prompt)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let off = distance(&logits, &case.logits);
        if off > 1e-5 {
            failures.push(format!("{name}: logits are off by {off:.1e}"));
        }
        let mut session = generator.session();
        let answer = session.generate(&case.prompt, case.greedy.len()).unwrap();
        let tokens: Vec<u32> = answer.map(Result::unwrap).collect();
        if tokens != case.greedy {
            failures.push(format!("{name}: greedy tokens are {tokens:?}, not {:?}", case.greedy));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A model with a head of its own on the layers of a Llama.
#[derive(Tree, Clone, Debug)]
struct Reward<T = Tensor> {
    model: Decoder<T>,
    score: Linear<T>,
}

#[test]
fn weights_are_read_with_a_configuration_as_they_follow_from_it() {
    // The specs are of one element type and made at one line, so that their texts can be compared.
    let f32s = |spec: Llama<Spec>| {
        let spec: Llama<Spec> =
            spec.map(&mut |_, spec: Spec| Spec::of(spec.shape().with_dtype(DType::F32)));
        format!("{spec:?}")
    };
    for name in Case::names() {
        let folder = Case::open(&name).folder;
        let config = Config::read(folder.config()).unwrap();
        let weights = Checkpoint::open(folder.path()).unwrap();
        let read = Llama::spec_with(&weights.root(), &config).unwrap();
        assert_eq!(f32s(read), f32s(Llama::new(&config, DType::F32)), "{name}");
    }
}

#[test]
fn layers_are_parts_of_other_models() {
    let folder = Case::open("grouped").folder;
    let config = Config::read(folder.config()).unwrap();
    let mut source = BTreeMap::from([("score.weight".to_owned(), Spec::f32([1, 8]))]);
    Llama::new(&config, DType::F32).visit(&mut |path, spec| {
        source.insert(path.to_string(), spec.clone());
    });
    let reward = Reward::spec_with(&source, &config).unwrap();
    let layer = &reward.model.layers[1];
    assert_eq!(layer.self_attn.kv_heads, config.kv_heads);
    assert_eq!(layer.post_attention_layernorm.epsilon, config.rms_norm_eps);
    assert_eq!(reward.score.weight, Spec::f32([("out", 1), ("in", 8)]));
}
