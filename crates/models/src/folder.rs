//! Model folders in the Hugging Face layout: configurations, a tokenizer and weights.

use crate::{Error, GenerationConfig, Result};
use std::{
    io,
    path::{Path, PathBuf},
};

/// A folder with a model: `config.json`, `generation_config.json`, `tokenizer.json`,
/// `tokenizer_config.json`, and weights in `model.safetensors` or in shards with an index. Files
/// are read when they are needed.
#[derive(Clone, Debug)]
pub struct ModelFolder {
    path: PathBuf,
}

impl ModelFolder {
    /// Opens an existing folder.
    ///
    /// # Errors
    /// The folder does not exist, is a file, cannot be read, or has no `config.json`.
    pub fn open(path: impl AsRef<Path>) -> Result<ModelFolder> {
        let path = path.as_ref();
        let refused =
            |message: &str| Err(Error::Folder { path: path.to_owned(), message: message.into() });
        match std::fs::read_dir(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return refused("there is no such folder");
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return refused("this is a file, not a folder");
            }
            Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
        }
        let folder = ModelFolder { path: path.to_owned() };
        if folder.config().is_file() {
            Ok(folder)
        } else {
            refused("there is no file `config.json` in this folder")
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the model's configuration.
    pub fn config(&self) -> PathBuf {
        self.path.join("config.json")
    }

    /// The path of the tokenizer.
    pub fn tokenizer(&self) -> PathBuf {
        self.path.join("tokenizer.json")
    }

    /// The path of the tokenizer's configuration, which holds the chat template.
    pub fn tokenizer_config(&self) -> PathBuf {
        self.path.join("tokenizer_config.json")
    }

    /// The generation configuration; empty when there is no `generation_config.json`.
    ///
    /// # Errors
    /// The file exists but cannot be read, or a field is invalid.
    pub fn generation(&self) -> Result<GenerationConfig> {
        GenerationConfig::read(&self.path.join("generation_config.json"))
    }
}

/// The size limit of a configuration in bytes. The longest ones in use have a hundredth of it.
pub(crate) const CONFIG: u64 = 16 << 20;
/// The size limit of a tokenizer in bytes. The longest ones in use have a tenth of it.
#[cfg(feature = "text")]
pub(crate) const TOKENIZER: u64 = 512 << 20;
/// The size limit of a chat template file in bytes; the template itself has a lower limit.
#[cfg(feature = "text")]
pub(crate) const TEMPLATE: u64 = 1 << 20;

/// The text of a file, if it exists.
///
/// # Errors
/// As [`read`], except for a missing file.
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
/// The file cannot be read, is not a regular file (reading a pipe would block), has more than
/// `most` bytes, or is not UTF-8.
pub(crate) fn read(path: &Path, most: u64) -> Result<String> {
    read_regular(path, most).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn read_regular(path: &Path, most: u64) -> io::Result<String> {
    let bytes = hloom_io::read_regular(path, most)?;
    String::from_utf8(bytes).map_err(|error| {
        let message = match hloom_io::file_kind(error.as_bytes()) {
            Some(kind) => format!("not a text, but {kind}"),
            None => error.to_string(),
        };
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}
