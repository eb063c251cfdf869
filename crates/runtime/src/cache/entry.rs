//! The format of a file with a compiled program: a mark, the version of the format, the length of
//! the header, a hash of all that follows, the header as JSON, the plugin's bytes, and the
//! optimized program, whose length the header has.

use super::{
    LoadError, Target,
    saved::SavedSignature,
    statistics::{SavedStatistics, Statistics},
};
use hloom_files::file_kind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Read;

pub(super) const MARK: &[u8; 8] = b"HLOOMEXE";
const FORMAT: u32 = 3;
/// The bytes before the header.
const FIXED: usize = 48;

/// The facts about a program that are known without its function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub program: String,
    pub target: Target,
    /// The inputs and outputs; programs in caches have those of their trace.
    pub signature: Option<SavedSignature>,
    /// Statistics that the plugin reported; empty for programs in caches.
    pub statistics: SavedStatistics,
}

/// A compiled program and the stored facts about it.
#[derive(Debug)]
pub(super) struct ProgramEntry<'a> {
    pub header: Header,
    /// The plugin's bytes.
    pub code: &'a [u8],
    /// The optimized program, compressed.
    pub optimized: &'a [u8],
}

impl ProgramEntry<'_> {
    pub fn write(
        program: &str,
        target: Target,
        signature: Option<SavedSignature>,
        statistics: Statistics,
        code: &[u8],
    ) -> Vec<u8> {
        let Statistics { saved: statistics, optimized } = statistics;
        let header = Header { program: program.to_owned(), target, signature, statistics };
        let header = serde_json::to_vec(&header)
            .unwrap_or_else(|error| unreachable!("text and numbers under names are JSON: {error}"));
        let mut bytes = Vec::with_capacity(FIXED + header.len() + code.len() + optimized.len());
        bytes.extend(MARK);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend([0; 32]);
        bytes.extend(header);
        bytes.extend(code);
        bytes.extend(optimized);
        let sum = Sha256::digest(&bytes[FIXED..]);
        bytes[16..FIXED].copy_from_slice(&sum);
        bytes
    }

    /// Reads the bytes of a file, all of which have to be as they were written.
    pub fn read(bytes: &[u8]) -> Result<ProgramEntry<'_>, LoadError> {
        let (header, rest) = ProgramEntry::parts(bytes)?;
        if bytes.get(16..FIXED) != Some(Sha256::digest(&bytes[FIXED..]).as_slice()) {
            return Err(LoadError::Damaged);
        }
        let header: Header = serde_json::from_slice(header).map_err(|_| LoadError::Damaged)?;
        let optimized = header.statistics.optimized_length();
        let code = rest.len().checked_sub(optimized).ok_or(LoadError::Damaged)?;
        let (code, optimized) = rest.split_at(code);
        Ok(ProgramEntry { header, code, optimized })
    }

    /// The header alone, without checking its hash: for display. Nothing after it is read.
    pub fn header(file: &mut impl Read) -> Result<Header, LoadError> {
        let mut bytes = Vec::new();
        file.take(FIXED as u64).read_to_end(&mut bytes).map_err(LoadError::Io)?;
        let length = ProgramEntry::header_length(&bytes)?;
        file.take(length as u64).read_to_end(&mut bytes).map_err(LoadError::Io)?;
        let (header, _) = ProgramEntry::parts(&bytes)?;
        serde_json::from_slice(header).map_err(|_| LoadError::Damaged)
    }

    /// The bytes of the header, and those after it.
    fn parts(bytes: &[u8]) -> Result<(&[u8], &[u8]), LoadError> {
        let length = ProgramEntry::header_length(bytes)?;
        let rest = bytes.get(FIXED..).ok_or(LoadError::Truncated)?;
        rest.split_at_checked(length).ok_or(LoadError::Truncated)
    }

    fn header_length(bytes: &[u8]) -> Result<usize, LoadError> {
        if !bytes.starts_with(MARK) {
            let other = || file_kind(bytes).map_or(LoadError::NotAProgram, LoadError::OtherKind);
            return Err(if MARK.starts_with(bytes) { LoadError::Truncated } else { other() });
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
        Ok(length as usize)
    }
}
