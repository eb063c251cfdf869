//! A model as Hugging Face distributes it: a folder of configurations, a tokenizer and weights.

use crate::{Error, GenerationConfig, Result};
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

/// A folder with a model: `config.json`, `generation_config.json`, `tokenizer.json`, `tokenizer_config.json`, and weights in
/// `model.safetensors` or in shards with an index. Files are looked at when they are needed.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    path: PathBuf,
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
    /// The file is there and cannot be read, or a field of it is not what it should be.
    pub fn generation(&self) -> Result<GenerationConfig> {
        GenerationConfig::read(&self.path.join("generation_config.json"))
    }
}

/// The most bytes of a configuration. The longest in use have a hundredth of it.
pub(crate) const CONFIG: u64 = 16 << 20;
/// The most bytes of a tokenizer. The longest in use have a tenth of it.
#[cfg(feature = "text")]
pub(crate) const TOKENIZER: u64 = 512 << 20;
/// The most bytes of the file of a chat template; fewer are read as one.
#[cfg(feature = "text")]
pub(crate) const TEMPLATE: u64 = 1 << 20;

/// The text of a file, if it is there.
///
/// # Errors
/// As [`read`], but for a file that is not there.
pub(crate) fn read_optional(path: &Path, most: u64) -> Result<Option<String>> {
    match read(path, most) {
        Ok(text) => Ok(Some(text)),
        Err(Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, is no regular file (a pipe would be waited for), has more than `most` bytes, or is not UTF-8.
pub(crate) fn read(path: &Path, most: u64) -> Result<String> {
    read_regular(path, most).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

fn read_regular(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    hloom_io::open_regular(path)?.take(most + 1).read_to_string(&mut text)?;
    match text.len() as u64 > most {
        true => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("more than the {most} bytes that such a file may have"),
        )),
        false => Ok(text),
    }
}
