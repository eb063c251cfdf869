//! The two programs of a model, and the session that calls them.

use crate::fixture::{Case, distance, platform};
use hloom_graph::DType;
use hloom_models::{
    Error,
    llama::{Dtype, Generator, Options},
};
use hloom_nn::Sampling;

fn open(case: &Case, change: impl FnOnce(&mut Options)) -> Generator {
    let mut options = Options {
        dtype: Dtype::As(DType::F32),
        sampling: Sampling::greedy(),
        ignore_eos: true,
        ..Options::default()
    };
    change(&mut options);
    Generator::open(&platform(), &case.folder, options).unwrap()
}

fn tokens(generator: &Generator, prompt: &[u32], limit: usize) -> Vec<u32> {
    generator.session().generate(prompt, limit).unwrap().map(Result::unwrap).collect()
}

#[test]
fn every_way_to_read_a_prompt_gives_the_same() {
    for name in ["grouped", "mistral_window_long", "qwen3", "mixtral", "qwen3_moe_step"] {
        let case = Case::open(name);
        let vocab = case.logits.len() / case.prompt.len();
        // In one piece; in two, with a context that just holds the prompt; in pieces down to single
        // tokens.
        let whole = open(&case, |_| {}).session().logits(&case.prompt).unwrap();
        let tight = open(&case, |options| options.context = Some(case.prompt.len()));
        let tight = tight.session().logits(&case.prompt).unwrap();
        let expected: Vec<f64> = whole.iter().map(|&logit| logit.into()).collect();
        assert!(distance(&tight, &expected) < 1e-5, "{name}: in pieces");
        // One token at a time: each answer's first token matches the logits, and the cache matches
        // that of a prefill.
        let generator = open(&case, |_| {});
        let mut session = generator.session();
        for end in 1..=case.prompt.len() {
            let token = session.generate(&case.prompt[..end], 1).unwrap().next().unwrap().unwrap();
            let row = &whole[(end - 1) * vocab..end * vocab];
            let best = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!((row[token as usize] - best).abs() <= 1e-4 * best.abs(), "{name}: token {end}");
            assert_eq!(session.tokens(), &case.prompt[..end]);
        }
        let rest: Vec<u32> = session
            .generate(&case.prompt, case.greedy.len())
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rest, case.greedy, "{name}: after single tokens");
    }
}

#[test]
fn a_session_goes_on_where_texts_agree() {
    let case = Case::open("grouped");
    let generator = open(&case, |_| {});
    let mut session = generator.session();
    let first: Vec<u32> = session.generate(&case.prompt, 5).unwrap().map(Result::unwrap).collect();
    assert_eq!(first, case.greedy[..5]);
    // The answer and more: only the new tokens are processed.
    let longer = [&case.prompt[..], &case.greedy[..8]].concat();
    let mut answer = session.generate(&longer, 4).unwrap();
    let more: Vec<u32> = answer.by_ref().map(Result::unwrap).collect();
    assert_eq!(more, case.greedy[8..]);
    assert_eq!(answer.timing().prefill_tokens, 4);
    drop(answer);
    // Another text: everything after the common prefix is discarded.
    assert_eq!(
        session.generate(&case.prompt, 12).unwrap().map(Result::unwrap).collect::<Vec<_>>(),
        case.greedy
    );
    // An answer that is dropped early does not affect the next.
    session.generate(&case.prompt, 12).unwrap().next().unwrap().unwrap();
    assert_eq!(
        session.generate(&case.prompt, 12).unwrap().map(Result::unwrap).collect::<Vec<_>>(),
        case.greedy
    );
    assert_eq!(session.generate(&case.prompt, 0).unwrap().count(), 0);
}

#[test]
fn a_cache_grows_without_a_trace() {
    // The first cache has 128 positions; the text is longer.
    let case = Case::open("multi_head");
    let long = tokens(&open(&case, |_| {}), &case.prompt, 100);
    assert_eq!(long[..12], case.greedy);
    let text = [&case.prompt[..], &long[..]].concat();
    let generator = open(&case, |options| options.context = Some(300));
    let mut session = generator.session();
    let grown: Vec<u32> =
        session.generate(&case.prompt, 270).unwrap().map(Result::unwrap).collect();
    assert_eq!(grown[..100], long);
    assert_eq!(grown.len(), 270);
    // Processing the text at once yields the same as a grown cache.
    let again = tokens(&generator, &[&case.prompt[..], &grown[..200]].concat(), 5);
    assert_eq!(again, grown[200..205]);
    assert_eq!(tokens(&generator, &text, 3), grown[100..103]);
}

#[test]
fn an_answer_ends_where_the_context_does() {
    let case = Case::open("grouped");
    let generator = open(&case, |options| options.context = Some(case.prompt.len() + 3));
    // The last token is sampled after the last position.
    assert_eq!(tokens(&generator, &case.prompt, 100), case.greedy[..4]);
}

#[test]
fn an_answer_ends_with_the_token_that_says_so() {
    let case = Case::open("grouped");
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(case.folder.path().join(file), folder.path().join(file)).unwrap();
    }
    let end = case.greedy[5];
    let at = case.greedy.iter().position(|&token| token == end).unwrap();
    std::fs::write(
        folder.path().join("generation_config.json"),
        format!("{{\"eos_token_id\": [0, {end}]}}"),
    )
    .unwrap();
    let folder = hloom_models::ModelFolder::open(folder.path()).unwrap();
    let options = Options {
        dtype: Dtype::As(DType::F32),
        sampling: Sampling::greedy(),
        ..Options::default()
    };
    let generator = Generator::open(&platform(), &folder, options).unwrap();
    assert_eq!(generator.eos_tokens(), [0, end]);
    assert_eq!(tokens(&generator, &case.prompt, 100), case.greedy[..=at]);
}

#[test]
fn seeded_answers_repeat() {
    let case = Case::open("grouped");
    let draw = |seed| {
        let generator = open(&case, |options| {
            options.seed = seed;
            options.sampling = Sampling {
                temperature: 1.5,
                top_k: 20,
                top_p: 0.95,
                min_p: 0.01,
                repeat_penalty: 1.2,
                repeat_last_n: 16,
            };
        });
        tokens(&generator, &case.prompt, 20)
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn half_precision_stays_near_the_reference() {
    // Products of 8 or 11 significant bits through two layers: relative errors of 2^-8 or 2^-11
    // each, some of which add up.
    for (name, dtype, tolerance) in [
        ("bf16", DType::BF16, 3e-2),
        ("sharded_tied_bf16", DType::BF16, 3e-2),
        ("qwen2_tied_bf16", DType::BF16, 3e-2),
        ("mixtral_tied_bf16", DType::BF16, 3e-2),
        ("f16", DType::F16, 4e-3),
    ] {
        let case = Case::open(name);
        let generator = open(&case, |options| options.dtype = Dtype::As(dtype));
        let off = distance(&generator.session().logits(&case.prompt).unwrap(), &case.logits);
        assert!(off < tolerance, "{name}: logits are off by {off:.1e}");
        assert!(off > 1e-6, "{name}: {dtype} is not as exact as f32");
        assert_eq!(generator.stats().dtype, dtype);
    }
}

#[test]
fn texts_that_the_model_cannot_take_are_errors_and_harm_nothing() {
    let case = Case::open("grouped");
    let generator = open(&case, |options| options.context = Some(30));
    let mut session = generator.session();
    let mut message = |text: &[u32]| match session.generate(text, 5) {
        Err(Error::Request(message)) => message,
        other => panic!("{:?}", other.map(|_| ())),
    };
    assert!(message(&[]).starts_with("the prompt has no tokens"));
    let end = generator.config().vocab_size as u32;
    let expected =
        format!("token {end} at position 1 is outside of the vocabulary, 0 to {}", end - 1);
    assert_eq!(message(&[5, end]), expected);
    assert!(message(&[5; 30]).starts_with(
        "the prompt has 30 tokens, which leaves no room for an answer in a context of 30"
    ));
    assert_eq!(tokens(&generator, &case.prompt, 3), case.greedy[..3]);
}
