//! Reading `config.json` with a check of every field.

use crate::{Error, Result, folder, generation_fields};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::{
    collections::BTreeSet,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// The fields of a configuration, each read by name; [`finish`](Self::finish) rejects the fields
/// that were not read.
pub(crate) struct ConfigFields {
    path: PathBuf,
    /// The object that the fields belong to: empty, or `rope_scaling.`.
    prefix: String,
    fields: Map<String, Value>,
    /// The names of fields, with the prefix, and the keys that the file has for them.
    keys: Arc<[(String, String)]>,
    read: BTreeSet<String>,
}

/// Fields that do not affect results: the model's authors, its training, settings of the library
/// that wrote it.
const WITHOUT_EFFECT: &[&str] = &[
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_commit_hash",
    "_flash_attn_2_enabled",
    "_name_or_path",
    "architectures",
    "attention_dropout",
    "attention_probs_dropout_prob",
    "attn_factor",
    "attn_pdrop",
    "auto_map",
    "bos_token_id",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "decoder_start_token_id",
    "directionality",
    "dropout",
    "dtype",
    "embd_pdrop",
    "finetuned",
    "finetuning_task",
    "gradient_checkpointing",
    "gradient_checkpointing_kwargs",
    "hidden_dropout_prob",
    "id2label",
    "initializer_range",
    "is_llama_config",
    "label2id",
    "language",
    "license",
    "mask_token_id",
    "max_sequence_length",
    "model_max_length",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "output_router_logits",
    "pad_token_id",
    "pooler_fc_size",
    "pooler_num_attention_heads",
    "pooler_num_fc_layers",
    "pooler_size_per_head",
    "pooler_type",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "resid_pdrop",
    "return_dict",
    "return_dict_in_generate",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "sep_token_id",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "task_specific_params",
    "tf_legacy_loss",
    "tokenizer_class",
    "tokenizer_file",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "unk_token_id",
    "unsloth_fixed",
    "unsloth_version",
    "use_bfloat16",
    "use_cache",
    "use_flash_attention_2",
    "use_flash_attn",
    "xla_device",
];

impl ConfigFields {
    /// Reads the object in a JSON file.
    pub fn read(path: &Path) -> Result<ConfigFields> {
        ConfigFields::parse(path, &folder::read(path, folder::CONFIG)?)
    }

    /// Reads the object in a JSON file, if the file exists.
    pub fn read_optional(path: &Path) -> Result<Option<ConfigFields>> {
        let text = folder::read_optional(path, folder::CONFIG)?;
        text.map(|text| ConfigFields::parse(path, &text)).transpose()
    }

    /// Parses the object in the JSON text of the file at `path`.
    pub fn parse(path: &Path, text: &str) -> Result<ConfigFields> {
        let config = |message: String| Error::Config { path: path.to_owned(), message };
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(ConfigFields {
                path: path.to_owned(),
                prefix: String::new(),
                fields,
                keys: Arc::default(),
                read: BTreeSet::new(),
            }),
            Ok(_) => Err(config("an object with the model's fields is expected".into())),
            Err(error) => Err(config(match hloom_io::file_kind(text.as_bytes()) {
                Some(kind) => format!("not JSON, but {kind}"),
                None => format!("not JSON: {error}"),
            })),
        }
    }

    /// The fields of a file of another format. `keys` are names of fields, of the form `name` or
    /// `object.name`, and the file's keys for them, which errors name.
    pub fn translated(
        path: &Path,
        fields: Map<String, Value>,
        keys: Vec<(String, String)>,
    ) -> ConfigFields {
        ConfigFields {
            path: path.to_owned(),
            prefix: String::new(),
            fields,
            keys: keys.into(),
            read: BTreeSet::new(),
        }
    }

    /// An error in this file.
    pub fn error(&self, message: impl Into<String>) -> Error {
        let replace = |message: String, (field, key): &(String, String)| {
            message.replace(&format!("`{field}`"), &format!("`{key}`"))
        };
        let message = self.keys.iter().fold(message.into(), replace);
        Error::Config { path: self.path.clone(), message }
    }

    /// An error in a field: its name, its value and the expectation.
    pub fn unfit(&self, name: &str, expected: impl std::fmt::Display) -> Error {
        let found = shown(self.fields.get(name).unwrap_or(&Value::Null));
        self.error(format!("`{}{name}` is {found}; {expected}", self.prefix))
    }

    /// Whether the field exists, possibly as `null`.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// The names of all fields.
    #[cfg(feature = "text")]
    pub fn names(&self) -> Vec<String> {
        self.fields.keys().cloned().collect()
    }

    /// A field that may be `null` or absent.
    pub fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>> {
        self.read.insert(name.to_owned());
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match serde_json::from_value(value.clone()) {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(self.unfit(name, format_args!("expected {}", expected::<T>()))),
            },
        }
    }

    /// A required field.
    pub fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        match self.optional(name)? {
            Some(value) => Ok(value),
            None => Err(self.error(format!(
                "`{}{name}` is missing; expected {}",
                self.prefix,
                expected::<T>()
            ))),
        }
    }

    /// A required size from 1 to [`MAX_SIZE`].
    pub fn size(&mut self, name: &str) -> Result<usize> {
        match self.optional_size(name)? {
            Some(size) => Ok(size),
            None => self.required(name),
        }
    }

    /// A size from 1 to [`MAX_SIZE`] that may be `null` or absent.
    pub fn optional_size(&mut self, name: &str) -> Result<Option<usize>> {
        match self.optional(name)? {
            Some(0) => Err(self.unfit(name, "it must be at least 1")),
            Some(size) if size > MAX_SIZE => {
                Err(self.unfit(name, format_args!("it must be at most {MAX_SIZE}")))
            }
            size => Ok(size),
        }
    }

    /// The number of layers in a field, checked before anything is allocated per layer.
    pub fn layers(&mut self, name: &str) -> Result<usize> {
        match self.size(name)? {
            layers if layers > MAX_LAYERS => {
                Err(self.unfit(name, format_args!("it must be at most {MAX_LAYERS}")))
            }
            layers => Ok(layers),
        }
    }

    /// Accepts any values of fields that do not affect the results of the component that the file
    /// describes.
    pub fn ignore(&mut self, names: &[&str]) {
        self.read.extend(names.iter().map(|&name| name.to_owned()));
    }

    /// Rejects a field unless its value is one of `values`, none of which affects the results.
    pub fn neutral(&mut self, name: &str, values: &[Value], instead: &str) -> Result<()> {
        self.read.insert(name.to_owned());
        let same = |value: &Value, neutral: &Value| {
            value == neutral || (value.is_number() && value.as_f64() == neutral.as_f64())
        };
        match self.fields.get(name) {
            Some(value) if !is_off(value) && !values.iter().any(|neutral| same(value, neutral)) => {
                Err(self.unfit(name, instead))
            }
            _ => Ok(()),
        }
    }

    /// Logs the fields that were not read, once per process and field, for a file whose other
    /// fields describe features that are not used here.
    pub fn log_unread(&self) {
        static LOGGED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let unread = self.fields.iter().filter(|(name, value)| {
            !self.read.contains(*name) && !WITHOUT_EFFECT.contains(&name.as_str()) && !is_off(value)
        });
        for (name, value) in unread {
            let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
            if logged.len() < MAX_LOGGED && logged.insert(name.clone()) {
                let (path, value) = (self.path.display(), shown(value));
                tracing::info!(%path, "`{name}` ({value}) has no effect here");
            }
        }
    }

    /// A number in a range that may be `null` or absent.
    pub fn number(&mut self, name: &str, range: RangeInclusive<f64>) -> Result<Option<f64>> {
        match self.optional(name)? {
            Some(found) if !range.contains(&found) => {
                let (least, most) = range.into_inner();
                Err(self.unfit(name, format_args!("it must be between {least} and {most}")))
            }
            found => Ok(found),
        }
    }

    /// An object in a field; `None` when the field is `null` or absent.
    pub fn object(&mut self, name: &str) -> Result<Option<ConfigFields>> {
        let fields: Option<Map<String, Value>> = self.optional(name)?;
        Ok(fields.map(|fields| ConfigFields {
            path: self.path.clone(),
            prefix: format!("{}{name}.", self.prefix),
            fields,
            keys: self.keys.clone(),
            read: BTreeSet::new(),
        }))
    }

    /// Reads a field for which only `value`, or its absence, is supported.
    pub fn only<T: DeserializeOwned + PartialEq + std::fmt::Display>(
        &mut self,
        name: &str,
        value: T,
    ) -> Result<()> {
        match self.optional::<T>(name)? {
            Some(found) if found != value => {
                Err(self.unfit(name, format_args!("this family of models supports only {value}")))
            }
            _ => Ok(()),
        }
    }

    /// A configuration of all fields: one that `read` leaves unread is an error, as for
    /// [`finish`](Self::finish).
    pub fn whole<C>(mut self, read: impl FnOnce(&mut ConfigFields) -> Result<C>) -> Result<C> {
        let config = read(&mut self)?;
        self.finish()?;
        Ok(config)
    }

    /// Rejects the fields that were not read, unless they have no effect or disable a feature.
    pub fn finish(self) -> Result<()> {
        let unread = self.fields.iter().filter(|(name, value)| {
            !self.read.contains(*name)
                && !WITHOUT_EFFECT.contains(&name.as_str())
                && !is_off(value)
                && !generation_fields::is_neutral(name, value)
        });
        let unread: Vec<String> = unread
            .map(|(name, value)| format!("`{}{name}` ({})", self.prefix, shown(value)))
            .collect();
        if unread.is_empty() {
            Ok(())
        } else {
            Err(self.error(format!(
                "not understood: {}; the model might compute something else than what is meant",
                unread.join(", ")
            )))
        }
    }
}

/// Whether a value disables a feature.
fn is_off(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        _ => false,
    }
}

/// The maximum number of fields that are logged: files may contain any number.
const MAX_LOGGED: usize = 256;

/// The largest size along one axis: products of two stay far below the addressable range.
pub(crate) const MAX_SIZE: usize = 1 << 30;

/// The maximum number of layers. The deepest models have some hundred.
const MAX_LAYERS: usize = 1 << 16;

/// Checks that each layer, of a number in a field, can have a tensor in a checkpoint of `tensors`.
///
/// # Errors
/// There are more layers than tensors.
pub(crate) fn check_layers(path: &Path, name: &str, layers: usize, tensors: usize) -> Result<()> {
    if layers > tensors {
        Err(Error::Config {
            path: path.to_owned(),
            message: format!("`{name}` is {layers}; the checkpoint has {tensors} tensors in all"),
        })
    } else {
        Ok(())
    }
}

/// A value as written in the file, shortened if it is long.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some(_) => text.chars().take(57).chain("...".chars()).collect(),
        None => text,
    }
}

/// The values of a field of this type, for messages.
fn expected<T>() -> &'static str {
    match std::any::type_name::<T>() {
        "usize" | "u32" => "a whole number",
        "f64" => "a number",
        "bool" => "true or false",
        name if name.ends_with("::Tokens") => {
            "a token id (a whole number below 2^32) or a list of token ids"
        }
        name if name.contains("Vec<") && name.contains("String") => "a list of texts",
        name if name.ends_with("String") => "text",
        name if name.contains("Map") => "an object",
        name if name.contains("Vec") => "a list",
        _ => "another kind of value",
    }
}
