//! Downloads into the cache of the hub.
//!
//! The hub's own client uses names from replies as paths. Here replies must contain plain names.

use crate::hub::FetchError;
use hf_hub::{
    Cache, Repo,
    api::{Progress, sync::Api},
};
use indicatif::ProgressBar;
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};
use ureq::http::{StatusCode, header};

/// The length limit of the name of a file's content or of a commit. Hubs send 64 digits.
const MAX_NAME: usize = 128;

/// A repository on a hub, and its part of the cache.
pub struct Downloads {
    pub api: Api,
    pub repo: Repo,
    pub cache: Cache,
    pub token: Option<String>,
}

impl Downloads {
    /// The path of the file in the cache; downloads it if it is missing. An interrupted download is
    /// resumed.
    ///
    /// # Errors
    /// The hub cannot be reached, does not have the file, sends a different number of bytes than
    /// announced, or names the content or the commit with something other than a plain name; or the
    /// cache is not writable.
    pub fn get(&self, file: &str) -> Result<PathBuf, FetchError> {
        let cache = self.cache.repo(self.repo.clone());
        if let Some(path) = cache.get(file) {
            return Ok(path);
        }
        let url = self.api.repo(self.repo.clone()).url(file);
        let metadata = self.api.metadata(&url)?;
        // A weak ETag identifies content too.
        let etag = metadata.etag().strip_prefix("W/").unwrap_or(metadata.etag());
        let blob = cache.blob_path(plain("etag", etag)?);
        let link = cache.pointer_path(plain("x-repo-commit", metadata.commit_hash())?).join(file);
        for path in [&blob, &link] {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
        }
        let lock = File::create(beside(&blob, "lock"))?;
        lock.lock()?;
        if !blob.is_file() {
            let part = beside(&blob, "part");
            self.fetch(&url, &part, metadata.size() as u64, file)?;
            fs::rename(part, &blob)?;
        }
        match point(&link, &blob) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => cache.create_ref(metadata.commit_hash())?,
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
        let agent = ureq::Agent::config_builder()
            .redirect_auth_headers(ureq::config::RedirectAuthHeaders::SameHost)
            .build()
            .new_agent();
        let mut request = agent.get(url).header(header::RANGE, format!("bytes={start}-"));
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = request.call()?;
        if response.status() != StatusCode::PARTIAL_CONTENT {
            file.set_len(0)?;
            start = 0;
        }
        let mut bar = ProgressBar::new(size);
        bar.init(size as usize, name);
        bar.inc(start);
        // Read one byte more than expected, to detect a reply that is too long.
        let body = response.into_body().into_reader().take(size - start + 1);
        let length = start + io::copy(&mut bar.wrap_read(body), &mut file)?;
        bar.finish();
        file.flush()?;
        if length > size {
            file.set_len(0)?;
        }
        match length == size {
            true => Ok(()),
            false => {
                Err(FetchError::Reply(format!("`{name}` has {size} bytes, and {length} came")))
            }
        }
    }
}

/// Checks that a name is a plain file name.
fn plain<'a>(header: &str, name: &'a str) -> Result<&'a str, FetchError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    match !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
    {
        true => Ok(name),
        false => Err(FetchError::Reply(format!(
            "`{header}` is `{}`, which is no plain name",
            name.escape_debug()
        ))),
    }
}

/// The path with an extension appended.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

/// Creates a link in `snapshots/COMMIT` to the file in `blobs`.
#[cfg(unix)]
fn point(link: &Path, blob: &Path) -> io::Result<()> {
    let name = blob.file_name().unwrap_or_default();
    std::os::unix::fs::symlink(Path::new("../../blobs").join(name), link)
}

/// Moves the file from `blobs` to `snapshots/COMMIT`, because creating links may not be permitted.
#[cfg(not(unix))]
fn point(link: &Path, blob: &Path) -> io::Result<()> {
    fs::rename(blob, link)
}
