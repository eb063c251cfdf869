//! Platform kernels compared with the plugin's own code.

use crate::fixture::{Case, distance, platform};
use hloom_graph::DType;
use hloom_models::llama::{Dtype, Generator, Options};
use hloom_nn::Sampling;
use hloom_runtime::{AttendKernel, Kernels, LinearKernel};

/// With kernels, including for products as small as those of the cases, and without.
fn both(case: &Case, dtype: DType, context: Option<usize>) -> [Generator; 2] {
    let all = Kernels::off().with(AttendKernel).with(LinearKernel::of_any_size());
    [all, Kernels::off()].map(|kernels| {
        let options = Options {
            dtype: Dtype::As(dtype),
            sampling: Sampling::greedy(),
            ignore_eos: true,
            context,
            kernels,
            ..Options::default()
        };
        Generator::open(&platform(), &case.folder, options).expect("the model opens")
    })
}

#[test]
fn logits_are_the_same_with_kernels_and_without() {
    // The kernels do not round the softmax weights of an attention: both results may differ from
    // the reference by the error of half precision.
    for (dtype, tolerance) in [(DType::F32, 1e-5), (DType::BF16, 2e-2), (DType::F16, 4e-3)] {
        for name in ["grouped", "mistral_window_long"] {
            let case = Case::open(name);
            // In one piece of many rows, and in pieces down to single tokens, as in decoding.
            for context in [None, Some(case.prompt.len())] {
                let [with, without] = both(&case, dtype, context).map(|generator| {
                    generator.session().logits(&case.prompt).expect("the prompt is read")
                });
                assert_ne!(with, without, "{name} {dtype}: no kernel was used");
                let expected: Vec<f64> = without.iter().map(|&logit| logit.into()).collect();
                let off = distance(&with, &expected);
                assert!(off <= tolerance, "{name} {dtype}, context {context:?}: off by {off:.1e}");
            }
        }
    }
}

#[test]
fn tokens_are_the_same_with_kernels_and_without() {
    let case = Case::open("grouped");
    for generator in both(&case, DType::F32, None) {
        let mut session = generator.session();
        let answer = session.generate(&case.prompt, case.greedy.len()).expect("it begins");
        let tokens: Vec<u32> = answer.map(|token| token.expect("a token")).collect();
        assert_eq!(tokens, case.greedy);
    }
}
