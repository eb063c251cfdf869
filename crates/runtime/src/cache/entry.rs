//! The format of a file with a compiled program: a mark, the version of the format, the length of
//! the header, a hash of all that follows, the header as JSON, and the plugin's bytes.

use super::{LoadError, Target, saved::SavedSignature};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const MARK: &[u8; 8] = b"HLOOMEXE";
const FORMAT: u32 = 1;
/// The bytes before the header.
const FIXED: usize = 48;

/// What is known of a program without its function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub program: String,
    pub target: Target,
    /// The inputs and outputs; programs in caches have those of their trace.
    pub signature: Option<SavedSignature>,
}

/// A compiled program and what is known of it.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub header: Header,
    /// The plugin's bytes.
    pub code: &'a [u8],
}

impl Entry<'_> {
    pub fn write(
        program: &str,
        target: Target,
        signature: Option<SavedSignature>,
        code: &[u8],
    ) -> Vec<u8> {
        let header = Header { program: program.to_owned(), target, signature };
        let header = serde_json::to_vec(&header)
            .unwrap_or_else(|error| unreachable!("text and numbers under names are JSON: {error}"));
        let mut bytes = Vec::with_capacity(FIXED + header.len() + code.len());
        bytes.extend(MARK);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(sum(&header, code));
        bytes.extend(header);
        bytes.extend(code);
        bytes
    }

    /// Reads the bytes of a file, all of which have to be as they were written.
    pub fn read(bytes: &[u8]) -> Result<Entry<'_>, LoadError> {
        let (header, code) = Entry::parts(bytes)?;
        if bytes.get(16..FIXED) != Some(&sum(header, code)) {
            return Err(LoadError::Damaged);
        }
        let header = serde_json::from_slice(header).map_err(|_| LoadError::Damaged)?;
        Ok(Entry { header, code })
    }

    /// The header alone, whose hash is not checked: to be shown.
    pub fn header(bytes: &[u8]) -> Result<Header, LoadError> {
        let (header, _) = Entry::parts(bytes)?;
        serde_json::from_slice(header).map_err(|_| LoadError::Damaged)
    }

    fn parts(bytes: &[u8]) -> Result<(&[u8], &[u8]), LoadError> {
        if !bytes.starts_with(MARK) {
            let is_start = MARK.starts_with(bytes);
            return Err(if is_start { LoadError::Truncated } else { LoadError::NotAProgram });
        }
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let (Some(format), Some(length)) = (number(8), number(12)) else {
            return Err(LoadError::Truncated);
        };
        if format != FORMAT {
            return Err(LoadError::Format { found: format, expected: FORMAT });
        }
        let rest = bytes.get(FIXED..).ok_or(LoadError::Truncated)?;
        rest.split_at_checked(length as usize).ok_or(LoadError::Truncated)
    }
}

fn sum(header: &[u8], code: &[u8]) -> [u8; 32] {
    Sha256::new_with_prefix(header).chain_update(code).finalize().into()
}
