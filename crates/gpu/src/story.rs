//! The story model of the examples through the same interface as theirs: checkpoint, session,
//! programs for growing texts, tokens read one by one; compared with `transformers` on the CPU.

use crate::{
    Result, Settings,
    peer::Peer,
    results::{Measurement, Results},
};
use hloom::{nn::Sampling, prelude::*};
use hloom_models::{
    ModelFolder,
    llama::{Dtype, Generator, Options},
};
use std::time::Duration;

const PROMPT: [u32; 6] = [0, 271, 35, 512, 98, 700];
const NEW_TOKENS: usize = 200;
/// The longest time that `transformers` takes to be imported and to answer.
const LIMIT: Duration = Duration::from_secs(60);

pub fn run(settings: &Settings, results: &mut Results) -> Result {
    let start = |python| {
        let script = settings.bundle.join("peers/story_transformers.py");
        let prompt = PROMPT.map(|token| token.to_string()).join(",");
        let folder = settings.bundle.join("story").to_string_lossy().into_owned();
        let arguments = [folder, prompt, NEW_TOKENS.to_string()];
        Peer::start(python, &script, &arguments, &[("CUDA_VISIBLE_DEVICES", "")])
    };
    let peer = settings.python.as_deref().map(start);
    let platform = settings.open()?;
    results.set_card(&platform);
    let exact = generate(settings, &platform, DType::F32, results)?;
    let short = generate(settings, &platform, DType::BF16, results)?;
    let Some(peer) = peer else { return Ok(()) };
    let expected = peer.and_then(|mut peer| peer.ask("tokens", LIMIT));
    let expected =
        expected.and_then(|answer| Ok(serde_json::from_value(answer["tokens"].clone())?));
    let expected: Vec<u32> = match expected {
        Ok(expected) => expected,
        Err(error) => return results.check::<(), _>("gpu/story/agrees", Err(error)),
    };
    let equal = |found: &[u32]| expected.iter().zip(found).take_while(|(e, f)| e == f).count();
    println!("story: {} tokens of f32 and {} of bf16 agree", equal(&exact), equal(&short));
    let agrees = match equal(&exact) {
        NEW_TOKENS => Ok(()),
        count => Err(format!("token {count} differs: {exact:?}, expected {expected:?}")),
    };
    results.check("gpu/story/agrees", agrees)
}

/// The tokens after the prompt.
fn generate(
    settings: &Settings,
    platform: &Platform,
    dtype: DType,
    results: &mut Results,
) -> Result<Vec<u32>> {
    let folder = ModelFolder::open(settings.bundle.join("story"))?;
    let options = Options {
        dtype: Dtype::As(dtype),
        sampling: Sampling::greedy(),
        ignore_eos: true,
        ..Options::default()
    };
    let generator = Generator::open(platform, &folder, options)?;
    let mut tokens = Vec::new();
    // The second answer waits for no compilation.
    for round in 0..2 {
        let mut session = generator.session();
        let mut answer = session.generate(&PROMPT, NEW_TOKENS)?;
        tokens = answer.by_ref().collect::<Result<Vec<u32>, _>>()?;
        let timing = answer.timing();
        if round == 1 {
            let decode = timing.decode_tokens as f64 / timing.decode.as_secs_f64();
            results.measure(&Measurement {
                bench: &format!("gpu/story/{dtype}/decode"),
                value: decode,
                unit: "tokens/s",
                reference: None,
                target: None,
            })?;
        }
    }
    Ok(tokens)
}
