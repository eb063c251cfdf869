//! Models by name, from the Hugging Face hub or a mirror of it.

use crate::{Error, ModelFolder, Result, hub_download::Downloads, hub_name::HubName};
use hf_hub::{
    Cache, Repo, RepoType,
    api::sync::{ApiBuilder, ApiError},
};
use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

/// Files that a model may do without.
const OPTIONAL: [&str; 4] = [
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
];
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

/// Where models come from by name, and where they are kept.
#[derive(Clone, Debug)]
pub struct Hub {
    /// The address of the hub; the Hugging Face hub when `None`.
    pub endpoint: Option<String>,
    /// The folder of the cache, laid out as every tool of the hub lays it out.
    pub cache: PathBuf,
    /// What models that need one are asked for with.
    pub token: Option<String>,
    /// Whether nothing but the cache is used.
    pub offline: bool,
}

/// Fetches a model as [`Hub::from_env`] says: see [`Hub::fetch`].
///
/// # Errors
/// As [`Hub::fetch`].
pub fn fetch(name: &str) -> Result<ModelFolder> {
    Hub::from_env().fetch(name)
}

impl Hub {
    /// `HF_HOME` is where the cache is, `HF_ENDPOINT` where models come from, `HF_TOKEN` the token for those that need one.
    /// With `HF_HUB_OFFLINE=1` nothing but the cache is used.
    pub fn from_env() -> Hub {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let cache = Cache::from_env();
        Hub {
            endpoint: set("HF_ENDPOINT"),
            token: set("HF_TOKEN").or_else(|| cache.token()),
            cache: cache.path().clone(),
            offline: set("HF_HUB_OFFLINE")
                .is_some_and(|value| matches!(value.to_ascii_uppercase().as_str(), "1" | "TRUE" | "ON" | "YES")),
        }
    }

    /// Fetches a model, such as `HuggingFaceTB/SmolLM2-135M-Instruct` or, at a revision, `name@revision`. Files that are in the
    /// cache already are not fetched again, and a download that was broken off goes on where it ended; progress is shown on
    /// standard error.
    ///
    /// # Errors
    /// The name is not one, the model is not there, needs a token, lacks a file, has an index or comes with a reply that names
    /// a file outside of its folder, or the hub cannot be reached and the cache does not have it.
    pub fn fetch(&self, name: &str) -> Result<ModelFolder> {
        let failed = |message: String| Error::Hub {
            name: name.to_owned(),
            message,
        };
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
        let mut builder = ApiBuilder::from_cache(cache.clone()).with_token(self.token.clone());
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint.trim_end_matches('/').to_owned());
        }
        let api = builder.build().map_err(|error| failed(error.to_string()))?;
        let token = self.token.clone();
        let downloads = Downloads {
            api,
            repo,
            cache,
            token,
        };
        // The hub's client panics on some replies that no hub gives, such as a redirection to nowhere.
        match catch_unwind(AssertUnwindSafe(|| fetch_files(&downloads))) {
            Ok(fetched) => fetched.map_err(|error| failed(explained(&error))),
            Err(_) => Err(failed("the hub gave a reply that its client cannot handle".to_owned())),
        }
    }
}

fn fetch_files(repo: &Downloads) -> Result<ModelFolder, FetchError> {
    let info = repo.api.repo(repo.repo.clone()).info()?;
    let has = |file: &str| info.siblings.iter().any(|sibling| sibling.rfilename == file);
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

/// Why a model is not fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error(transparent)]
    Http(#[from] ureq::Error),
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

/// The hub's answer, with what to do about it.
fn explained(error: &FetchError) -> String {
    let text = error.to_string();
    let advice = if text.contains("401") || text.contains("403") {
        "; if the model exists, it needs a token that may read it: set HF_TOKEN"
    } else if text.contains("404") {
        "; is the name right? A folder on this machine is given by its path"
    } else {
        ""
    };
    format!("{text}{advice}")
}

/// The model in the cache, when all of it is there.
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

/// The files that an index names, each once: checked names of files in its own folder.
fn shards(index: &Path) -> Result<BTreeSet<String>, hloom_io::Error> {
    Ok(hloom_io::index::read(index)?.into_values().collect())
}
