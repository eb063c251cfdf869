//! Samples of a model that is being trained.

use crate::Result;
use hloom::{Platform, nn::Sampling};
use hloom_models::{
    ModelFolder,
    llama::{Generator, Options},
    text::Tokenizer,
};
use std::path::Path;

/// The maximum number of tokens of a sample.
const MAX_TOKENS: usize = 160;
/// Positions of the sample and its prompt.
const CONTEXT: usize = 256;

/// A story that the model in a folder writes.
pub fn story(platform: &Platform, folder: &Path, seed: u64) -> Result<String> {
    let folder = ModelFolder::open(folder)?;
    let tokenizer = Tokenizer::open(&folder)?;
    let sampling = Sampling { temperature: 0.7, top_p: 0.95, top_k: 0, ..Sampling::default() };
    let options = Options { sampling, seed, context: Some(CONTEXT), ..Options::default() };
    let generator = Generator::open(platform, &folder, options)?;
    let mut tokens = tokenizer.encode("<|begin|>Once upon a time", false)?;
    let mut session = generator.session();
    for token in session.generate(&tokens.clone(), MAX_TOKENS)? {
        tokens.push(token?);
    }
    Ok(format!("  {}\n", tokenizer.decode(&tokens)?.replace("\n\n", "\n  ")))
}
