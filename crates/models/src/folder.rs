//! A model as Hugging Face distributes it: a folder of configurations, a tokenizer and weights.

use crate::{Error, Result, llama::Tokens};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A folder with a model: `config.json`, `generation_config.json`, `tokenizer.json`, `tokenizer_config.json`, and weights in
/// `model.safetensors` or in shards with an index. Files are looked at when they are needed.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    path: PathBuf,
}

/// How a model's makers mean it to be used: `generation_config.json`. Fields about ways of searching that are not used here are
/// left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GenerationConfig {
    eos_token_id: Option<Tokens>,
    /// Whether to draw at random.
    pub do_sample: Option<bool>,
    /// What logits are divided by.
    pub temperature: Option<f64>,
    /// How many of the most likely tokens are kept.
    pub top_k: Option<usize>,
    /// The probability that the kept tokens reach together.
    pub top_p: Option<f64>,
    /// The least probability that is kept, as a share of the largest.
    pub min_p: Option<f64>,
    /// What the logits of recent tokens are divided by.
    pub repetition_penalty: Option<f64>,
}

impl ModelFolder {
    /// A folder that exists.
    ///
    /// # Errors
    /// There is no such folder, or no `config.json` in it.
    pub fn open(path: impl AsRef<Path>) -> Result<ModelFolder> {
        let path = path.as_ref();
        std::fs::read_dir(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        let folder = ModelFolder { path: path.to_owned() };
        match folder.config().is_file() {
            true => Ok(folder),
            false => Err(Error::Config {
                path: folder.config(),
                message: "there is no such file; a model folder as Hugging Face distributes it is expected".into(),
            }),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the model's configuration is.
    pub fn config(&self) -> PathBuf {
        self.path.join("config.json")
    }

    /// Where the tokenizer is.
    pub fn tokenizer(&self) -> PathBuf {
        self.path.join("tokenizer.json")
    }

    /// Where the tokenizer's configuration is, which holds the chat template.
    pub fn tokenizer_config(&self) -> PathBuf {
        self.path.join("tokenizer_config.json")
    }

    /// What `generation_config.json` says; nothing when there is none.
    ///
    /// # Errors
    /// The file is there and cannot be read or is not what it should be.
    pub fn generation(&self) -> Result<GenerationConfig> {
        let path = self.path.join("generation_config.json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(GenerationConfig::default()),
            Err(source) => return Err(Error::Read { path, source }),
        };
        serde_json::from_str(&text).map_err(|error| Error::Config {
            path,
            message: error.to_string(),
        })
    }
}

impl GenerationConfig {
    /// The tokens that end an answer.
    pub fn eos_tokens(&self) -> Vec<u32> {
        self.eos_token_id.clone().map(Tokens::into_vec).unwrap_or_default()
    }
}
