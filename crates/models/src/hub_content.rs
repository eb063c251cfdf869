//! Checks that the hash of a file's content is its name on a hub.

use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// The hash that names the content of a file on a hub, in lower-case hexadecimal digits.
#[derive(Debug)]
pub enum ContentHash {
    /// The SHA-256 of a file in the hub's large storage.
    Sha256(String),
    /// The SHA-1 by which git names the content of a file; it covers the file's length too.
    GitSha1(String),
}

impl ContentHash {
    /// The hash in an ETag; `None` if it is not a hash.
    pub fn parse(etag: &str) -> Option<Self> {
        let is_hex = etag.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = etag.to_ascii_lowercase();
        match etag.len() {
            64 if is_hex => Some(Self::Sha256(digits)),
            40 if is_hex => Some(Self::GitSha1(digits)),
            _ => None,
        }
    }

    /// The digits that a file should have.
    pub fn expected(&self) -> &str {
        match self {
            Self::Sha256(digits) | Self::GitSha1(digits) => digits,
        }
    }

    /// The digits of a file of `size` bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(&self, file: impl Read, size: u64) -> io::Result<String> {
        match self {
            Self::Sha256(_) => digest(Sha256::new(), file),
            Self::GitSha1(_) => digest(Sha1::new_with_prefix(format!("blob {size}\0")), file),
        }
    }
}

fn digest(mut hash: impl Digest, mut file: impl Read) -> io::Result<String> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        if count == 0 {
            let bytes = hash.finalize();
            return Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hash.update(&buffer[..count]);
    }
}
