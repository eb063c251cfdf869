//! The argument lists of a call: the buffers that it passes to the plugin, by device.

use std::{slice, sync::Arc};

/// Buffers of a call, in the order of the inputs: those of the first device, then those of the
/// second...
#[derive(Clone)]
pub(super) struct ArgumentLists<'b> {
    /// For each input, whether it is bound.
    is_bound: &'b [bool],
    bound: slice::Iter<'b, Arc<hloom_pjrt::Buffer>>,
    passed: slice::Iter<'b, &'b hloom_pjrt::Buffer>,
    /// The position of the next input.
    next: usize,
}

impl<'b> ArgumentLists<'b> {
    /// The lists of the bound and the passed buffers, each with those of the first device first.
    pub fn new(
        is_bound: &'b [bool],
        bound: &'b [Arc<hloom_pjrt::Buffer>],
        passed: &'b [&'b hloom_pjrt::Buffer],
    ) -> ArgumentLists<'b> {
        ArgumentLists { is_bound, bound: bound.iter(), passed: passed.iter(), next: 0 }
    }
}

impl<'b> Iterator for ArgumentLists<'b> {
    type Item = &'b hloom_pjrt::Buffer;

    #[inline]
    fn next(&mut self) -> Option<&'b hloom_pjrt::Buffer> {
        if self.next == self.is_bound.len() {
            self.next = 0;
        }
        let is_bound = *self.is_bound.get(self.next)?;
        self.next += 1;
        if is_bound {
            self.bound.next().map(|buffer| &**buffer)
        } else {
            self.passed.next().copied()
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.bound.len() + self.passed.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for ArgumentLists<'_> {}
