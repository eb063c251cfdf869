//! The files in which sentence-transformers describes the layers after an encoder: `modules.json`,
//! the configuration of the pooling, and `sentence_bert_config.json`; and the limit of a tokenizer.

use crate::{
    Error, ModelFolder, Result,
    config_fields::{ConfigFields, MAX_SIZE},
    folder,
};
use serde::Deserialize;
use std::path::{Component, Path};

/// The pooling of token vectors to the vector of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all vectors.
    Mean,
    /// The vector of the first token.
    Cls,
    /// The maximum of each element.
    Max,
    /// The sum of the vectors divided by the square root of their number.
    MeanSqrtLen,
    /// The vector of the last token.
    LastToken,
}

/// The layers after the encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The pooling of token vectors.
    pub pooling: Pooling,
    /// Whether the result is normalized to length 1.
    pub normalize: bool,
    /// The length limit of texts in tokens, special ones included; `None` where only the number of
    /// positions limits it.
    pub max_tokens: Option<usize>,
}

/// An entry of `modules.json`.
#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

const MODULES: &str = "modules.json";
/// The folder that describes the pooling of nearly all models.
const POOLING: &str = "1_Pooling";
const SENTENCE: &str = "sentence_bert_config.json";
const PROMPTS: &str = "config_sentence_transformers.json";

impl Head {
    /// The layers that the files of a folder describe. Without such files: the mean, normalized.
    ///
    /// # Errors
    /// A file is malformed, or describes an unsupported feature, which the error names.
    pub fn read(folder: &ModelFolder, hidden_size: usize) -> Result<Head> {
        let mut head = Head { pooling: Pooling::Mean, normalize: true, max_tokens: None };
        let mut pooling = Some(POOLING.to_owned());
        let modules = modules(folder)?;
        let described = modules.is_some();
        if let Some(modules) = modules {
            head.normalize = false;
            pooling = None;
            for (at, module) in modules.iter().enumerate() {
                let kind = module.kind.rsplit('.').next().unwrap_or_default();
                match (at, kind) {
                    (0, "Transformer") => {}
                    (1, "Pooling") => pooling = Some(module.path.clone()),
                    (2, "Normalize") => head.normalize = true,
                    _ => {
                        let message = format!(
                            "module {at} is `{}`; supported are Transformer, Pooling and \
                             Normalize, in this order",
                            module.kind
                        );
                        return Err(Error::Config { path: folder.path().join(MODULES), message });
                    }
                }
            }
            if pooling.is_none() {
                let message = "it has no module Pooling, so texts have no vectors".to_owned();
                return Err(Error::Config { path: folder.path().join(MODULES), message });
            }
        }
        if let Some(inner) = pooling {
            let inside = Path::new(&inner).components().all(|c| matches!(c, Component::Normal(_)));
            if !inside {
                let message = format!("the path `{inner}` leads out of the folder");
                return Err(Error::Config { path: folder.path().join(MODULES), message });
            }
            let file = folder.path().join(inner).join("config.json");
            // Only modules that are listed must have their files.
            let fields = if described {
                Some(ConfigFields::read(&file)?)
            } else {
                ConfigFields::read_optional(&file)?
            };
            if let Some(fields) = fields {
                head.pooling = read_pooling(fields, hidden_size)?;
            }
        }
        if let Some(mut fields) = ConfigFields::read_optional(&folder.path().join(SENTENCE))? {
            head.max_tokens = fields.optional_size("max_seq_length")?;
            // Lowers the case of texts before the tokenizer sees them.
            fields.only("do_lower_case", false)?;
            fields.finish()?;
        }
        if head.max_tokens.is_none()
            && let Some(mut fields) = ConfigFields::read_optional(&folder.tokenizer_config())?
        {
            // Files without a limit contain 1e30.
            let limit: Option<f64> = fields.optional("model_max_length")?;
            let limit = limit.filter(|limit| (1.0..=MAX_SIZE as f64).contains(limit));
            head.max_tokens = limit.map(|limit| limit as usize);
        }
        if let Some(mut fields) = ConfigFields::read_optional(&folder.path().join(PROMPTS))? {
            let name: Option<String> = fields.optional("default_prompt_name")?;
            if name.is_some() {
                let message = "only texts without a prompt before them are supported";
                return Err(fields.unfit("default_prompt_name", message));
            }
            fields.ignore(&["__version__", "model_type", "prompts", "similarity_fn_name"]);
            fields.finish()?;
        }
        Ok(head)
    }
}

fn modules(folder: &ModelFolder) -> Result<Option<Vec<Module>>> {
    let path = folder.path().join(MODULES);
    let Some(text) = folder::read_optional(&path, folder::CONFIG)? else { return Ok(None) };
    let modules: Vec<Module> = serde_json::from_str(&text).map_err(|error| {
        let expected = "not a list of modules with a `type` and a `path`";
        let message = match hloom_io::file_kind(text.as_bytes()) {
            Some(kind) => format!("{expected}, but {kind}"),
            None => format!("{expected}: {error}"),
        };
        Error::Config { path, message }
    })?;
    Ok(Some(modules))
}

fn read_pooling(mut fields: ConfigFields, hidden_size: usize) -> Result<Pooling> {
    for name in ["word_embedding_dimension", "embedding_dimension"] {
        if fields.optional::<usize>(name)?.is_some_and(|found| found != hidden_size) {
            return Err(fields.unfit(name, format_args!("the model has vectors of {hidden_size}")));
        }
    }
    // The field concerns prompts, which are not added.
    fields.ignore(&["include_prompt"]);
    let mut chosen = Vec::new();
    let named: Option<String> = fields.optional("pooling_mode")?;
    if let Some(name) = &named {
        let known = ["cls", "mean", "max", "mean_sqrt_len_tokens", "lasttoken"];
        if !known.contains(&name.as_str()) {
            return Err(fields.unfit("pooling_mode", format_args!("known are {known:?}")));
        }
    }
    for (field, name, pooling) in [
        ("pooling_mode_cls_token", "cls", Pooling::Cls),
        ("pooling_mode_mean_tokens", "mean", Pooling::Mean),
        ("pooling_mode_max_tokens", "max", Pooling::Max),
        ("pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", Pooling::MeanSqrtLen),
        ("pooling_mode_lasttoken", "lasttoken", Pooling::LastToken),
    ] {
        if fields.optional(field)?.unwrap_or(false) || named.as_deref() == Some(name) {
            chosen.push(pooling);
        }
    }
    match chosen[..] {
        [] if !fields.has("pooling_mode_mean_tokens") => chosen.push(Pooling::Mean),
        [_] => {}
        _ => {
            let message = format!("exactly one way of pooling is supported, not {chosen:?}");
            return Err(fields.error(message));
        }
    }
    fields.finish()?;
    Ok(chosen[0])
}
