//! The argument lists of a call: the buffers that it passes to the plugin, by device.

use std::{slice, sync::Arc};

/// Buffers of a call: on each device the bound ones, then the passed ones.
#[derive(Clone)]
pub(super) struct ArgumentLists<'b> {
    bound: slice::Iter<'b, Arc<hloom_pjrt::Buffer>>,
    passed: slice::Iter<'b, &'b hloom_pjrt::Buffer>,
    /// The lists of the devices after this one.
    next: Lists<'b>,
    devices: usize,
}

/// Buffers of several devices: those of the first, then those of the second...
#[derive(Clone, Copy)]
struct Lists<'b> {
    bound: &'b [Arc<hloom_pjrt::Buffer>],
    passed: &'b [&'b hloom_pjrt::Buffer],
}

impl<'b> ArgumentLists<'b> {
    pub fn new(
        bound: &'b [Arc<hloom_pjrt::Buffer>],
        passed: &'b [&'b hloom_pjrt::Buffer],
        devices: usize,
    ) -> ArgumentLists<'b> {
        let mut arguments = ArgumentLists {
            bound: [].iter(),
            passed: [].iter(),
            next: Lists { bound, passed },
            devices,
        };
        arguments.next_device();
        arguments
    }

    fn next_device(&mut self) {
        let Lists { bound, passed } = self.next;
        let (own_bound, next_bound) = bound.split_at(bound.len() / self.devices);
        let (own_passed, next_passed) = passed.split_at(passed.len() / self.devices);
        (self.bound, self.passed) = (own_bound.iter(), own_passed.iter());
        self.next = Lists { bound: next_bound, passed: next_passed };
        self.devices -= 1;
    }
}

impl<'b> Iterator for ArgumentLists<'b> {
    type Item = &'b hloom_pjrt::Buffer;

    fn next(&mut self) -> Option<&'b hloom_pjrt::Buffer> {
        loop {
            if let Some(buffer) = self.bound.next() {
                return Some(buffer);
            }
            if let Some(&buffer) = self.passed.next() {
                return Some(buffer);
            }
            if self.devices == 0 {
                return None;
            }
            self.next_device();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left =
            self.bound.len() + self.passed.len() + self.next.bound.len() + self.next.passed.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for ArgumentLists<'_> {}
