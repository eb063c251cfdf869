//! Models in folders or GGUF files.

#[cfg(feature = "text")]
use crate::text::{ChatTemplate, Tokenizer, gguf_end_tokens};
use crate::{
    Error, GenerationConfig, ModelFolder, Result,
    llama::{self, Config},
};
use hloom_graph::DType;
use hloom_io::{Checkpoint, gguf::Gguf};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// A model: a folder in the Hugging Face layout, or a GGUF file.
#[derive(Clone, Debug)]
pub enum ModelSource {
    /// A folder, whose files are read when they are needed.
    Folder(ModelFolder),
    /// A GGUF file.
    Gguf(GgufModel),
}

/// A model in a GGUF file, or in the files of a split one: its metadata holds the configuration, the
/// tokenizer and the chat template. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct GgufModel {
    checkpoint: Checkpoint,
}

/// The key of the kind of tokenizer.
const TOKENIZER: &str = "tokenizer.ggml.model";
/// The maximum number of files that an error names.
const MAX_NAMED: usize = 4;

impl ModelSource {
    /// Opens a `.gguf` file (the first one of a split model), a folder with a `config.json`, or a
    /// folder whose only model is a GGUF file.
    ///
    /// # Errors
    /// As [`ModelFolder::open`] and [`Checkpoint::open`]; or a folder without a `config.json` has
    /// several GGUF files.
    pub fn open(path: impl AsRef<Path>) -> Result<ModelSource> {
        let path = path.as_ref();
        if !path.is_dir() {
            return match path.extension() {
                Some(end) if end.eq_ignore_ascii_case("gguf") => {
                    GgufModel::open(path).map(Self::Gguf)
                }
                _ => ModelFolder::open(path).map(Self::Folder),
            };
        }
        let folder = ModelFolder::open(path);
        if folder.is_ok() {
            return folder.map(Self::Folder);
        }
        let mut files = gguf_files(path)?;
        files.sort();
        match files.as_slice() {
            [] => folder.map(Self::Folder),
            [file] => GgufModel::open(file).map(Self::Gguf),
            several => {
                let names = several.iter().filter_map(|file| file.file_name()).take(MAX_NAMED);
                let names: Vec<String> = names
                    .map(|name| format!("`{}`", name.to_string_lossy().escape_debug()))
                    .collect();
                let more = if several.len() > MAX_NAMED { ", ..." } else { "" };
                let names = names.join(", ");
                let message = format!("several GGUF files here, name one of them: {names}{more}");
                Err(Error::Folder { path: path.to_owned(), message })
            }
        }
    }

    /// The path of the folder or file.
    pub fn path(&self) -> &Path {
        match self {
            ModelSource::Folder(folder) => folder.path(),
            ModelSource::Gguf(model) => model.path(),
        }
    }

    /// The configuration of a model of the Llama family.
    ///
    /// # Errors
    /// As [`Config::read`] and [`Config::from_gguf`].
    pub fn llama_config(&self) -> Result<Config> {
        match self {
            ModelSource::Folder(folder) => Config::read(folder.config()),
            ModelSource::Gguf(model) => Config::from_gguf(model.gguf()?),
        }
    }

    /// The weights of a model of the Llama family, under the names of [`llama::Llama`].
    ///
    /// # Errors
    /// As [`Checkpoint::open`]; or a tensor of a GGUF file has no place in a model of `config`.
    pub fn llama_weights(&self, config: &Config) -> Result<Checkpoint> {
        match self {
            ModelSource::Folder(folder) => {
                let checkpoint = Checkpoint::open(folder.path())?;
                Ok(match &config.quantization {
                    Some(quantization) => checkpoint.unpacked(quantization, DType::BF16)?,
                    None => checkpoint,
                })
            }
            ModelSource::Gguf(model) => llama::renamed(&model.checkpoint, config),
        }
    }

    /// The recommended generation settings, with the tokens that end an answer.
    ///
    /// # Errors
    /// As [`ModelFolder::generation`].
    pub fn generation(&self) -> Result<GenerationConfig> {
        match self {
            ModelSource::Folder(folder) => folder.generation(),
            ModelSource::Gguf(model) => {
                let metadata = model.gguf()?.metadata();
                GenerationConfig::from_gguf(metadata, model.end_tokens()?, model.path())
            }
        }
    }

    /// Whether the model has a tokenizer.
    pub fn has_tokenizer(&self) -> bool {
        match self {
            ModelSource::Folder(folder) => folder.tokenizer().is_file(),
            ModelSource::Gguf(model) => {
                model.gguf().is_ok_and(|gguf| gguf.metadata().contains_key(TOKENIZER))
            }
        }
    }

    /// The tokenizer.
    ///
    /// # Errors
    /// As [`Tokenizer::open`] and [`Tokenizer::from_gguf`].
    #[cfg(feature = "text")]
    pub fn tokenizer(&self) -> Result<Tokenizer> {
        match self {
            ModelSource::Folder(folder) => Tokenizer::open(folder),
            ModelSource::Gguf(model) => {
                Tokenizer::from_gguf(model.gguf()?.metadata(), model.path())
            }
        }
    }

    /// A chat template from a file, with the model's special tokens.
    ///
    /// # Errors
    /// As [`ChatTemplate::from_file`].
    #[cfg(feature = "text")]
    pub fn chat_template_from(&self, file: &Path) -> Result<ChatTemplate> {
        match self {
            ModelSource::Folder(folder) => ChatTemplate::from_file(file, folder),
            ModelSource::Gguf(model) => {
                ChatTemplate::from_file_for_gguf(file, model.gguf()?.metadata(), model.path())
            }
        }
    }

    /// The chat template; `None` when the model has none.
    ///
    /// # Errors
    /// As [`ChatTemplate::open`] and [`ChatTemplate::from_gguf`].
    #[cfg(feature = "text")]
    pub fn chat_template(&self) -> Result<Option<ChatTemplate>> {
        match self {
            ModelSource::Folder(folder) => ChatTemplate::open(folder),
            ModelSource::Gguf(model) => {
                ChatTemplate::from_gguf(model.gguf()?.metadata(), model.path())
            }
        }
    }
}

impl GgufModel {
    /// Opens a GGUF file, the first one of a split model.
    ///
    /// # Errors
    /// As [`Checkpoint::open`], or the file is of another format.
    pub fn open(path: impl AsRef<Path>) -> Result<GgufModel> {
        let model = GgufModel { checkpoint: Checkpoint::open(path)? };
        model.gguf()?;
        Ok(model)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.checkpoint.path()
    }

    /// The tensors, under their names in the file.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The tokens that end an answer; none if the file has no tokenizer.
    #[cfg(feature = "text")]
    fn end_tokens(&self) -> Result<Vec<u32>> {
        let metadata = self.gguf()?.metadata();
        if metadata.contains_key(TOKENIZER) {
            gguf_end_tokens(metadata, self.path())
        } else {
            Ok(Vec::new())
        }
    }

    /// The tokens that the file names as the end of a text, a turn or a message.
    #[cfg(not(feature = "text"))]
    fn end_tokens(&self) -> Result<Vec<u32>> {
        let metadata = self.gguf()?.metadata();
        let ids = ["eos", "eot", "eom"].map(|name| format!("tokenizer.ggml.{name}_token_id"));
        let ids = ids.iter().filter_map(|key| metadata.get(key)?.as_u64()?.try_into().ok());
        Ok(ids.collect())
    }

    fn gguf(&self) -> Result<&Gguf> {
        self.checkpoint.gguf().ok_or_else(|| Error::Config {
            path: self.path().to_owned(),
            message: "not a GGUF file".into(),
        })
    }
}

impl From<ModelFolder> for ModelSource {
    fn from(folder: ModelFolder) -> ModelSource {
        ModelSource::Folder(folder)
    }
}

impl From<&ModelFolder> for ModelSource {
    fn from(folder: &ModelFolder) -> ModelSource {
        ModelSource::Folder(folder.clone())
    }
}

impl From<&ModelSource> for ModelSource {
    fn from(source: &ModelSource) -> ModelSource {
        source.clone()
    }
}

/// The GGUF files in a folder, without those of a split model after its first.
fn gguf_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_gguf = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf"));
        if is_gguf && !is_later_split(path.file_stem().and_then(OsStr::to_str).unwrap_or_default())
        {
            files.push(path);
        }
    }
    Ok(files)
}

/// Whether a name without its extension ends as `-00002-of-00003`.
fn is_later_split(stem: &str) -> bool {
    let number = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((rest, count)) = stem.rsplit_once("-of-") else { return false };
    let Some((_, index)) = rest.rsplit_once('-') else { return false };
    number(index) && number(count) && index != "00001"
}
