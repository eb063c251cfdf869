//! The description of a file on a hub, from the headers of its replies.

use crate::{hub::FetchError, hub_client::HubClient, hub_content::ContentHash};
use ureq::{
    Body,
    http::{
        HeaderMap, Response,
        header::{CONTENT_RANGE, ETAG},
    },
};

/// The maximum length of the name of a file's content or of a commit. Hubs send 64 digits.
const MAX_NAME: usize = 128;

/// A file on a hub: its commit, its content and its size in bytes.
pub struct Metadata {
    pub commit: String,
    /// The name of the content, which is its hash.
    pub etag: String,
    pub hash: ContentHash,
    pub size: u64,
}

/// The headers of the hub's own replies; a server that the hub redirects to names contents
/// differently.
#[derive(Default)]
struct Seen {
    commit: Option<String>,
    linked_etag: Option<String>,
    etag: Option<String>,
    linked_size: Option<String>,
}

impl Metadata {
    /// Requests the first byte of a file, whose replies describe it.
    ///
    /// # Errors
    /// The request fails, or a reply lacks a header or has one of another form.
    pub fn request(client: &HubClient, url: &str) -> Result<Metadata, FetchError> {
        let mut seen = Seen::default();
        let last = client.get(url, Some("bytes=0-0"), 1, |reply| seen.add(reply))?;
        let missing = |header: &str| FetchError::Reply(format!("it has no header `{header}`"));
        let etag = seen.linked_etag.or(seen.etag).ok_or_else(|| missing("etag"))?;
        // A weak ETag identifies content too.
        let etag = plain("etag", etag.strip_prefix("W/").unwrap_or(&etag))?.to_owned();
        let commit = seen.commit.ok_or_else(|| missing("x-repo-commit"))?;
        let commit = plain("x-repo-commit", &commit)?.to_owned();
        let hash = ContentHash::parse(&etag).ok_or_else(|| {
            let problem = "which is neither a SHA-256 of 64 nor a SHA-1 of 40 hexadecimal digits";
            FetchError::Reply(format!("`etag` is `{etag}`, {problem}"))
        })?;
        let range = text(last.headers(), CONTENT_RANGE.as_str());
        let (header, size) = match (&seen.linked_size, &range) {
            (Some(size), _) => ("x-linked-size", size.as_str()),
            (None, Some(range)) => (CONTENT_RANGE.as_str(), range.rsplit('/').next().unwrap_or("")),
            (None, None) => return Err(missing(CONTENT_RANGE.as_str())),
        };
        let size = size.trim().parse().map_err(|_| {
            let found = seen.linked_size.as_ref().or(range.as_ref()).map_or("", String::as_str);
            let found: String = found.chars().take(MAX_NAME).collect();
            FetchError::Reply(format!(
                "`{header}` is `{}`, which is not a size",
                found.escape_debug()
            ))
        })?;
        Ok(Metadata { commit, etag, hash, size })
    }
}

impl Seen {
    fn add(&mut self, reply: &Response<Body>) {
        let headers = reply.headers();
        let first = |known: &mut Option<String>, header: &str| {
            if known.is_none() {
                *known = text(headers, header);
            }
        };
        first(&mut self.commit, "x-repo-commit");
        first(&mut self.linked_etag, "x-linked-etag");
        first(&mut self.linked_size, "x-linked-size");
        // Unlike these headers, the `etag` of a reply that redirects within the hub may be the ETag
        // of the reply's own text.
        self.etag = text(headers, ETAG.as_str()).or(self.etag.take());
    }
}

/// A header without the quotes of an ETag.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let bytes = headers.get(name)?.as_bytes();
    Some(String::from_utf8_lossy(bytes).replace('"', ""))
}

/// Checks that a name is a plain file name.
fn plain<'a>(header: &str, name: &'a str) -> Result<&'a str, FetchError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
    {
        return Ok(name);
    }
    let found = name.escape_debug();
    Err(FetchError::Reply(format!("`{header}` is `{found}`, which is not a plain file name")))
}
