//! Downloads into the cache of the hub.
//!
//! The cache has the standard layout of Hugging Face tools, whose paths contain names from replies:
//! these must be plain. A file enters the cache only if the hash of its content is its name.

use crate::{
    hub::FetchError, hub_client::HubClient, hub_content::ContentHash, hub_metadata::Metadata,
};
use hf_hub::{Cache, Repo};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};
use ureq::http::{StatusCode, header::CONTENT_RANGE};

/// The size limit of the list of a model's files, in bytes.
const MAX_LIST: u64 = 32 << 20;

/// A repository on a hub, and its part of the cache.
pub struct Downloads {
    pub client: HubClient,
    pub endpoint: String,
    /// Its name, such as `owner/name`.
    pub repository: String,
    pub revision: String,
    pub repo: Repo,
    pub cache: Cache,
}

/// The hub's description of a repository.
#[derive(serde::Deserialize)]
struct List {
    siblings: Vec<Sibling>,
}

#[derive(serde::Deserialize)]
struct Sibling {
    #[serde(rename = "rfilename")]
    name: String,
}

impl Downloads {
    /// The names of the files in the repository.
    ///
    /// # Errors
    /// The hub cannot be reached, does not have the repository, or replies with something else.
    pub fn list(&self) -> Result<HashSet<String>, FetchError> {
        let (repository, revision) = (&self.repository, self.revision.replace('/', "%2F"));
        let url = format!("{}/api/models/{repository}/revision/{revision}", self.endpoint);
        let response = self.client.get(&url, None, MAX_LIST, |_| {})?;
        let mut text = Vec::new();
        let body = response.into_body().into_reader();
        body.take(MAX_LIST + 1).read_to_end(&mut text).map_err(|error| self.failed(error))?;
        if text.len() as u64 > MAX_LIST {
            let problem = format!("the list of its files is longer than {MAX_LIST} bytes");
            return Err(FetchError::Reply(problem));
        }
        let list: List = serde_json::from_slice(&text)
            .map_err(|error| FetchError::Reply(format!("the list of its files: {error}")))?;
        Ok(list.siblings.into_iter().map(|sibling| sibling.name).collect())
    }

    /// The path of the file in the cache; downloads it if it is missing. An interrupted download is
    /// resumed.
    ///
    /// # Errors
    /// The hub cannot be reached, does not have the file, sends other bytes than announced, or names
    /// the content or the commit with something other than a plain name; or the cache is not
    /// writable.
    pub fn get(&self, file: &str) -> Result<PathBuf, FetchError> {
        let cache = self.cache.repo(self.repo.clone());
        if let Some(path) = cache.get(file) {
            return Ok(path);
        }
        let revision = self.revision.replace('/', "%2F");
        let url = format!("{}/{}/resolve/{revision}/{file}", self.endpoint, self.repository);
        let metadata = Metadata::request(&self.client, &url)?;
        let folder = self.cache.path().join(self.repo.folder_name());
        let blob = folder.join("blobs").join(&metadata.etag);
        let link = cache.pointer_path(&metadata.commit).join(file);
        for path in [&blob, &link] {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
        }
        let lock = File::create(beside(&blob, "lock"))?;
        lock.lock()?;
        if !blob.is_file() {
            let part = beside(&blob, "part");
            self.fetch(&url, &part, metadata.size, file)?;
            check(&part, &metadata.hash, metadata.size, file)?;
            hloom_files::publish(&part, &blob)?;
        }
        match point(&link, &blob, file) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => cache.create_ref(&metadata.commit)?,
        }
        Ok(link)
    }

    /// Fetches the missing part of a file of `size` bytes.
    fn fetch(&self, url: &str, path: &Path, size: u64, name: &str) -> Result<(), FetchError> {
        let mut file = File::options().create(true).append(true).open(path)?;
        let mut start = file.metadata()?.len();
        if start == size {
            return Ok(());
        }
        if start > size {
            file.set_len(0)?;
            start = 0;
        }
        let range = format!("bytes={start}-");
        let response = self.client.get(url, Some(&range), size - start, |_| {})?;
        if response.status() == StatusCode::PARTIAL_CONTENT {
            let found = response.headers().get(CONTENT_RANGE);
            let found = found.map_or(&b""[..], |found| found.as_bytes());
            let expected = format!("bytes {start}-{}/{size}", size - 1);
            if found != expected.as_bytes() {
                let found: String = String::from_utf8_lossy(found).chars().take(100).collect();
                let found = found.escape_debug();
                return Err(FetchError::Reply(format!(
                    "`content-range` of `{name}` is `{found}`, expected `{expected}`"
                )));
            }
        } else {
            file.set_len(0)?;
            start = 0;
        }
        let bar = progress(size, name);
        bar.inc(start);
        // Read one byte more than expected, to detect a reply that is too long.
        let body = response.into_body().into_reader().take((size - start).saturating_add(1));
        let copied = io::copy(&mut bar.wrap_read(body), &mut file);
        let length = start + copied.map_err(|error| self.failed(error))?;
        bar.finish();
        file.flush()?;
        if length > size {
            file.set_len(0)?;
        }
        if length == size {
            return Ok(());
        }
        Err(FetchError::Reply(format!("`{name}` has {size} bytes, and {length} came")))
    }

    /// The error of reading a body.
    fn failed(&self, error: io::Error) -> FetchError {
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
        if matches!(cause, Some(ureq::Error::Timeout(_))) {
            return FetchError::Stalled(self.client.timeout());
        }
        error.into()
    }
}

/// Checks that the hash of a file's content is its name; deletes the file otherwise.
fn check(path: &Path, hash: &ContentHash, size: u64, name: &str) -> Result<(), FetchError> {
    let found = hash.of(File::open(path)?, size)?;
    if found == hash.expected() {
        return Ok(());
    }
    fs::remove_file(path)?;
    let expected = hash.expected();
    Err(FetchError::Reply(format!("the hash of `{name}` is {found}, expected {expected}")))
}

/// The progress of a download, on standard error.
fn progress(size: u64, name: &str) -> ProgressBar {
    const FORM: &str = "{msg} [{elapsed_precise}] [{wide_bar}] {bytes}/{total_bytes} \
                        {bytes_per_sec} ({eta})";
    let bar = ProgressBar::new(size).with_message(name.to_owned());
    match ProgressStyle::with_template(FORM) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The path with an extension appended.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

/// Creates a link for `file` in `snapshots/COMMIT`, or in a folder of it, to the file in `blobs`.
#[cfg(unix)]
fn point(link: &Path, blob: &Path, file: &str) -> io::Result<()> {
    let name = blob.file_name().unwrap_or_default();
    let up = "../".repeat(2 + file.matches('/').count());
    std::os::unix::fs::symlink(Path::new(&up).join("blobs").join(name), link)
}

/// Moves the file from `blobs` to `snapshots/COMMIT`, because creating links may not be permitted.
#[cfg(not(unix))]
fn point(link: &Path, blob: &Path, _: &str) -> io::Result<()> {
    fs::rename(blob, link)
}
