//! Models by name, from the Hugging Face hub or a mirror of it.

use crate::{Error, ModelFolder, Result};
use hf_hub::{
    Cache, Repo, RepoType,
    api::sync::{ApiBuilder, ApiError, ApiRepo},
};
use std::path::PathBuf;

/// Files that a model may do without.
const OPTIONAL: [&str; 4] = [
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
];
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

/// Fetches a model, such as `HuggingFaceTB/SmolLM2-135M-Instruct` or, at a revision, `name@revision`. Files that are in the
/// cache already are not fetched again, and a download that was broken off goes on where it ended; progress is shown on
/// standard error.
///
/// `HF_HOME` is where the cache is, `HF_ENDPOINT` where models come from, `HF_TOKEN` the token for those that need one.
/// With `HF_HUB_OFFLINE=1` nothing but the cache is used.
///
/// # Errors
/// The model is not there, needs a token, lacks a file, or the hub cannot be reached and the cache does not have it.
pub fn fetch(name: &str) -> Result<ModelFolder> {
    let failed = |message: String| Error::Hub {
        name: name.to_owned(),
        message,
    };
    let (id, revision) = name.split_once('@').unwrap_or((name, "main"));
    let repo = Repo::with_revision(id.to_owned(), RepoType::Model, revision.to_owned());
    if let Some(folder) = cached(&repo) {
        tracing::debug!(name, path = %folder.path().display(), "found in the cache");
        return Ok(folder);
    }
    if std::env::var("HF_HUB_OFFLINE").is_ok_and(|value| matches!(value.as_str(), "1" | "true" | "TRUE" | "ON" | "YES"))
    {
        let cache = Cache::from_env();
        let message = format!(
            "not wholly in the cache at {}, and HF_HUB_OFFLINE is set",
            cache.path().display()
        );
        return Err(failed(message));
    }
    let token = std::env::var("HF_TOKEN").ok().filter(|token| !token.is_empty());
    let mut builder = ApiBuilder::from_env().with_progress(true);
    if token.is_some() {
        builder = builder.with_token(token);
    }
    let api = builder.build().map_err(|error| failed(error.to_string()))?;
    let repo = api.repo(repo);
    fetch_files(&repo).map_err(|error| failed(explained(&error)))
}

fn fetch_files(repo: &ApiRepo) -> Result<ModelFolder, FetchError> {
    let info = repo.info()?;
    let has = |file: &str| info.siblings.iter().any(|sibling| sibling.rfilename == file);
    let config = repo.get("config.json")?;
    for file in OPTIONAL.into_iter().filter(|file| has(file)) {
        repo.get(file)?;
    }
    if has(WEIGHTS) {
        repo.get(WEIGHTS)?;
    } else if has(INDEX) {
        let index = repo.get(INDEX)?;
        for shard in shards(&index).ok_or(FetchError::Index(index))? {
            repo.get(&shard)?;
        }
    } else {
        return Err(FetchError::NoWeights);
    }
    let folder = config.parent().map(PathBuf::from).unwrap_or_default();
    ModelFolder::open(folder).map_err(|error| FetchError::Folder(Box::new(error)))
}

#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error("it has neither `{WEIGHTS}` nor `{INDEX}`; only safetensors are read")]
    NoWeights,
    #[error("{}: not an index of shards", .0.display())]
    Index(PathBuf),
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
fn cached(repo: &Repo) -> Option<ModelFolder> {
    let cache = Cache::from_env().repo(repo.clone());
    let config = cache.get("config.json")?;
    let complete = match cache.get(INDEX) {
        Some(index) => shards(&index)?.iter().all(|shard| cache.get(shard).is_some()),
        None => cache.get(WEIGHTS).is_some(),
    };
    complete.then(|| ModelFolder::open(config.parent()?).ok()).flatten()
}

/// The files that an index names, each once.
fn shards(index: &std::path::Path) -> Option<Vec<String>> {
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(index).ok()?).ok()?;
    let map = index.get("weight_map")?.as_object()?;
    let mut shards: Vec<String> = map
        .values()
        .filter_map(|file| file.as_str().map(str::to_owned))
        .collect();
    shards.sort();
    shards.dedup();
    Some(shards)
}
