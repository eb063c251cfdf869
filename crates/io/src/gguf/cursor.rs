//! Reading of a header from a prefix of its file.
//!
//! The format does not say how long a header is. So a prefix of the file is read, and a longer one
//! when the header turns out to be longer; what does not even fit in the file is an error at once.
//! Nothing is allocated for a declared length before its bytes are found in the prefix.

use super::gguf_error::ReadError;

/// The reason why a header was not read.
pub(super) enum Stop<E> {
    /// The file has more bytes than the prefix, and they are needed.
    More,
    /// The file breaks the format.
    Broken(E),
}

impl<E> Stop<E> {
    pub fn map<F>(self, change: impl FnOnce(E) -> F) -> Stop<F> {
        match self {
            Stop::More => Stop::More,
            Stop::Broken(error) => Stop::Broken(change(error)),
        }
    }
}

impl<E> From<E> for Stop<E> {
    fn from(error: E) -> Stop<E> {
        Stop::Broken(error)
    }
}

/// A position in a prefix of a file.
pub(super) struct Cursor<'a> {
    prefix: &'a [u8],
    at: usize,
    file_size: usize,
}

type Read<T> = Result<T, Stop<ReadError>>;

impl<'a> Cursor<'a> {
    /// The start of a file of `file_size` bytes, of which `prefix` is known.
    pub fn new(prefix: &'a [u8], file_size: usize) -> Cursor<'a> {
        Cursor { prefix, at: 0, file_size }
    }

    /// The number of bytes before it.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The number of bytes after it in the file.
    pub fn left(&self) -> usize {
        self.file_size - self.at
    }

    fn bytes(&mut self, count: usize) -> Read<&'a [u8]> {
        if count > self.left() {
            return Err(ReadError::Truncated { needed: count as u64, left: self.left() }.into());
        }
        let bytes = self.prefix.get(self.at..self.at + count).ok_or(Stop::More)?;
        self.at += count;
        Ok(bytes)
    }

    pub fn number<const N: usize, T>(&mut self, from: impl Fn([u8; N]) -> T) -> Read<T> {
        let bytes = self.bytes(N)?;
        Ok(from(std::array::from_fn(|i| bytes[i])))
    }

    pub fn numbers<const N: usize, T>(
        &mut self,
        count: u64,
        from: impl Fn([u8; N]) -> T,
    ) -> Read<Vec<T>> {
        let count = self.count(count, N)?;
        // The product fits: that many bytes are left in the file.
        let bytes = self.bytes(count * N)?;
        Ok(bytes.as_chunks().0.iter().map(|&bytes| from(bytes)).collect())
    }

    /// Calls `read` for each of `count` elements, which take at least `min` bytes each.
    pub fn each<T>(
        &mut self,
        count: u64,
        min: usize,
        read: impl Fn(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        let count = self.count(count, min)?;
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(read(self)?);
        }
        Ok(all)
    }

    /// A declared number of elements of at least `min` bytes, which must fit in the file.
    pub fn count(&self, declared: u64, min: usize) -> Read<usize> {
        let left = self.left();
        match usize::try_from(declared) {
            Ok(count) if count <= left / min => Ok(count),
            _ => Err(ReadError::Count { declared, min, left }.into()),
        }
    }

    pub fn boolean(&mut self) -> Read<bool> {
        match self.number(u8::from_le_bytes)? {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(ReadError::Bool { found }.into()),
        }
    }

    /// A text of at most `limit` bytes, after its length.
    pub fn text(&mut self, limit: usize) -> Read<String> {
        let declared = self.number(u64::from_le_bytes)?;
        let left = self.left();
        let length = usize::try_from(declared).ok().filter(|&length| length <= left);
        let length = length.ok_or(ReadError::Truncated { needed: declared, left })?;
        if length > limit {
            return Err(ReadError::TooLong { length, limit }.into());
        }
        let bytes = self.bytes(length)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(ReadError::NotUtf8 { at: error.valid_up_to() }.into()),
        }
    }
}
