//! Up to [`MAX_RANK`] values, inline.

use std::{fmt, hash, ops::Deref};

/// The highest rank of a tensor.
pub const MAX_RANK: usize = 8;

/// One value per axis, at most [`MAX_RANK`], stored inline and `Copy`; dereferences to a slice.
#[derive(Clone, Copy)]
pub struct PerAxis<T> {
    len: u8,
    values: [T; MAX_RANK],
}

impl<T: Copy + Default> PerAxis<T> {
    /// No values.
    pub fn new() -> Self {
        PerAxis { len: 0, values: [T::default(); MAX_RANK] }
    }

    /// The values of `slice`, or `None` when there are more than [`MAX_RANK`].
    pub fn from_slice(slice: &[T]) -> Option<Self> {
        let mut all = Self::new();
        slice.iter().try_for_each(|&v| all.push(v))?;
        Some(all)
    }

    /// Appends a value; `None` when full.
    #[must_use = "the value is lost when the list is full"]
    pub fn push(&mut self, value: T) -> Option<()> {
        *self.values.get_mut(self.len as usize)? = value;
        self.len += 1;
        Some(())
    }

    /// Collects an iterator of at most [`MAX_RANK`] values.
    pub fn collect(values: impl IntoIterator<Item = T>) -> Self {
        let mut all = Self::new();
        for value in values {
            if all.push(value).is_none() {
                debug_assert!(false, "more than {MAX_RANK} values");
                break;
            }
        }
        all
    }

    /// The values as a mutable slice.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values[..self.len as usize]
    }

    /// Removes the value at `at` and shifts the later ones forward.
    pub fn remove(&mut self, at: usize) {
        self.values[..self.len as usize].copy_within(at + 1.., at);
        self.len -= 1;
    }
}

impl<T> Deref for PerAxis<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.values[..self.len as usize]
    }
}

impl<T: Copy + Default> Default for PerAxis<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: PartialEq> PartialEq for PerAxis<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for PerAxis<T> {}

impl<T: hash::Hash> hash::Hash for PerAxis<T> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for PerAxis<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
