//! Every family, layout and rotary scaling against `transformers` in float64.

use crate::fixture::{Case, distance, platform};
use hloom_graph::DType;
use hloom_models::llama::{Dtype, Generator, Options};
use hloom_nn::Sampling;

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
        if off > 1e-4 {
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
