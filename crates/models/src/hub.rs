//! Models by name, from the Hugging Face hub or a mirror of it.

use crate::{
    Error, ModelFolder, Result, hub_client::HubClient, hub_download::Downloads, hub_name::HubName,
};
use hf_hub::{Cache, Repo, RepoType};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

/// Optional files of a model.
const OPTIONAL: [&str; 9] = [
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "generation_config.json",
    "modules.json",
    "preprocessor_config.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
];
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
const HUGGING_FACE: &str = "https://huggingface.co";

/// The source of models by name, and their cache.
#[derive(Clone, Debug)]
pub struct Hub {
    /// The address of the hub; the Hugging Face hub when `None`.
    pub endpoint: Option<String>,
    /// The folder of the cache, in the standard layout of Hugging Face tools.
    pub cache: PathBuf,
    /// The access token for models that require one. It is sent to the endpoint only, and only over
    /// https or to this machine.
    pub token: Option<String>,
    /// Whether only the cache is used.
    pub offline: bool,
    /// The maximum time to wait for a connection, for the headers of a reply and for the next bytes
    /// of its body; 30 s by default.
    pub timeout: Duration,
}

/// Fetches a model with the settings of [`Hub::from_env`]: see [`Hub::fetch`].
///
/// # Errors
/// As [`Hub::fetch`].
pub fn fetch(name: &str) -> Result<ModelFolder> {
    Hub::from_env().fetch(name)
}

/// Opens a model's folder, or fetches a model by name: [`Hub::open`] with the settings of
/// [`Hub::from_env`].
///
/// # Errors
/// As [`Hub::open`].
pub fn open(model: &str) -> Result<ModelFolder> {
    Hub::from_env().open(model)
}

impl Hub {
    /// Reads the settings from the environment: `HF_HOME` is the folder of the cache, `HF_ENDPOINT`
    /// the hub's address, `HF_TOKEN` the token for models that require one. With `HF_HUB_OFFLINE=1`
    /// only the cache is used.
    pub fn from_env() -> Hub {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let cache = Cache::from_env();
        Hub {
            endpoint: set("HF_ENDPOINT"),
            token: set("HF_TOKEN").or_else(|| cache.token()),
            cache: cache.path().clone(),
            offline: set("HF_HUB_OFFLINE").is_some_and(|value| {
                matches!(value.to_ascii_uppercase().as_str(), "1" | "TRUE" | "ON" | "YES")
            }),
            timeout: Duration::from_secs(30),
        }
    }

    /// Opens the folder at the path `model`. If it does not exist and `model` has the form
    /// `owner/name`, fetches the model of this name.
    ///
    /// # Errors
    /// The folder is not that of a model; or as [`fetch`](Self::fetch).
    pub fn open(&self, model: &str) -> Result<ModelFolder> {
        let is_name = HubName::parse(model).is_ok_and(|name| name.repository.contains('/'));
        match (Path::new(model).exists(), is_name) {
            (true, _) => ModelFolder::open(model),
            (false, true) => self.fetch(model).map_err(|error| match error {
                Error::Hub { name, message } => {
                    let message = format!("{message}; there is no folder at this path either");
                    Error::Hub { name, message }
                }
                error => error,
            }),
            (false, false) => Err(Error::Folder {
                path: model.into(),
                message: "there is no such folder, and it is not a name on the hub, `owner/name`"
                    .into(),
            }),
        }
    }

    /// Fetches a model, such as `HuggingFaceTB/SmolLM2-135M-Instruct` or, at a revision,
    /// `name@revision`. Files in the cache are not fetched again, and an interrupted download is
    /// resumed; progress is shown on standard error.
    ///
    /// # Errors
    /// The name is invalid; the model does not exist, requires a token, lacks a file, has a file with
    /// another content than announced, or has an index or a reply that names a file outside its
    /// folder; or the hub cannot be reached or keeps the client waiting, and the model is not in the
    /// cache.
    pub fn fetch(&self, name: &str) -> Result<ModelFolder> {
        let failed = |message: String| Error::Hub { name: name.to_owned(), message };
        let HubName { repository, revision } = HubName::parse(name).map_err(failed)?;
        let repo = Repo::with_revision(repository.to_owned(), RepoType::Model, revision.to_owned());
        let cache = Cache::new(self.cache.clone());
        if let Some(folder) = cached(&cache, &repo).map_err(|error| failed(error.to_string()))? {
            tracing::debug!(name, path = %folder.path().display(), "found in the cache");
            return Ok(folder);
        }
        if self.offline {
            let message = format!(
                "not wholly in the cache at {}, and HF_HUB_OFFLINE is set",
                self.cache.display()
            );
            return Err(failed(message));
        }
        let endpoint = self.endpoint.as_deref().unwrap_or(HUGGING_FACE).trim_end_matches('/');
        let client = HubClient::new(endpoint, self.token.clone(), self.timeout)
            .map_err(|error| failed(error.to_string()))?;
        let downloads = Downloads {
            client,
            endpoint: endpoint.to_owned(),
            repository: repository.to_owned(),
            revision: revision.to_owned(),
            repo,
            cache,
        };
        fetch_files(&downloads).map_err(|error| failed(explained(&error)))
    }
}

fn fetch_files(repo: &Downloads) -> Result<ModelFolder, FetchError> {
    let files = repo.list()?;
    let has = |file: &str| files.contains(file);
    let config = repo.get("config.json")?;
    for file in OPTIONAL.into_iter().filter(|file| has(file)) {
        repo.get(file)?;
    }
    if has(WEIGHTS) {
        repo.get(WEIGHTS)?;
    } else if has(INDEX) {
        let index = repo.get(INDEX)?;
        for shard in shards(&index)? {
            repo.get(&shard)?;
        }
    } else {
        return Err(FetchError::NoWeights);
    }
    let folder = config.parent().map(PathBuf::from).unwrap_or_default();
    ModelFolder::open(folder).map_err(|error| FetchError::Folder(Box::new(error)))
}

/// The error of fetching a model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("`{0}` is not the address of a hub, such as `https://huggingface.co`")]
    Endpoint(String),
    #[error(transparent)]
    Http(#[from] ureq::Error),
    #[error("a server kept the client waiting for {0:?}")]
    Stalled(Duration),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("the hub's reply is refused: {0}")]
    Reply(String),
    #[error("it has neither `{WEIGHTS}` nor `{INDEX}`; only safetensors are read")]
    NoWeights,
    #[error(transparent)]
    Index(#[from] hloom_io::Error),
    #[error(transparent)]
    Folder(Box<Error>),
}

/// The hub's error, with advice.
fn explained(error: &FetchError) -> String {
    let advice = match error {
        FetchError::Http(ureq::Error::StatusCode(401 | 403)) => {
            "; if the model exists, it needs a token that may read it: set HF_TOKEN, which is sent \
             over https only"
        }
        FetchError::Http(ureq::Error::StatusCode(404)) => {
            "; is the name right? A folder on this machine is given by its path"
        }
        _ => "",
    };
    format!("{error}{advice}")
}

/// The model in the cache, if it is complete.
fn cached(cache: &Cache, repo: &Repo) -> Result<Option<ModelFolder>, hloom_io::Error> {
    let cache = cache.repo(repo.clone());
    let Some(config) = cache.get("config.json") else {
        return Ok(None);
    };
    let complete = match cache.get(INDEX) {
        Some(index) => shards(&index)?.iter().all(|shard| cache.get(shard).is_some()),
        None => cache.get(WEIGHTS).is_some(),
    };
    let folder = config.parent().filter(|_| complete);
    Ok(folder.and_then(|folder| ModelFolder::open(folder).ok()))
}

/// The files that an index names, without duplicates: checked names of files in its own folder.
fn shards(index: &Path) -> Result<BTreeSet<String>, hloom_io::Error> {
    Ok(hloom_io::index::read(index)?.into_values().collect())
}
