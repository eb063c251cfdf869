//! Asynchronous copies to the host.

use crate::{Element, Event, Result};
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// A copy from a device to a vector on the host.
///
/// Wait for it with [`HostTransfer::wait`] or `.await`. If it is dropped before the copy is done,
/// the vector is freed once it is.
#[must_use = "the values are lost if nobody waits for them"]
pub struct HostTransfer<T: Element> {
    event: Event,
    // Capacity for `len` elements, none of them initialized yet. `None` once taken.
    values: Option<Vec<T>>,
    len: usize,
}

impl<T: Element> HostTransfer<T> {
    /// A copy of `len` elements into the capacity of `values`, done when `event` happens.
    ///
    /// # Errors
    /// There is no event: the plugin may write forever, so the memory is never freed.
    pub(crate) fn started(event: Result<Event>, values: Vec<T>, len: usize) -> Result<Self> {
        match event {
            Ok(event) => Ok(Self { event, values: Some(values), len }),
            Err(error) => {
                std::mem::forget(values);
                Err(error)
            }
        }
    }

    /// Blocks until the copy is done.
    ///
    /// # Errors
    /// That of the program that makes the buffer, of the copy, or
    /// [`Error::NestedLaunch`](crate::Error::NestedLaunch).
    pub fn wait(mut self) -> Result<Vec<T>> {
        let outcome = self.event.wait();
        self.finish(outcome)
    }

    /// As [`HostTransfer::wait`], where it was checked that the copy does not wait for a handler.
    pub(crate) fn wait_for_end(mut self) -> Result<Vec<T>> {
        let outcome = self.event.wait_for_end();
        self.finish(outcome)
    }

    /// Whether the copy is done, with success or not.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn is_ready(&self) -> Result<bool> {
        self.event.is_ready()
    }

    /// The event of the copy.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Takes the values of a copy that is over.
    fn finish(&mut self, outcome: Result<()>) -> Result<Vec<T>> {
        // If waiting failed the plugin may still write: the values stay where they are, for `drop`.
        outcome?;
        let mut values = self.values.take().unwrap_or_default();
        let len = self.len.min(values.capacity());
        // SAFETY: the copy has set `len` elements, which are normalized to be valid values.
        unsafe {
            let start = values.as_mut_ptr().cast::<u8>();
            T::normalize(std::slice::from_raw_parts_mut(start, len * size_of::<T>()));
            values.set_len(len);
        }
        Ok(values)
    }
}

impl<T: Element + Unpin> Future for HostTransfer<T> {
    type Output = Result<Vec<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.event).poll(context).map(|outcome| self.finish(outcome))
    }
}

impl<T: Element> Drop for HostTransfer<T> {
    fn drop(&mut self) {
        let Some(values) = self.values.take() else { return };
        if self.event.is_ready().unwrap_or(false) {
            return;
        }
        // The plugin still writes: the memory must outlive the copy.
        let values = std::mem::ManuallyDrop::new(values);
        let free = move |_| drop(std::mem::ManuallyDrop::into_inner(values));
        if let Err(error) = self.event.on_ready(free) {
            tracing::warn!(%error, "host memory of an unfinished copy is never freed");
        }
    }
}

impl<T: Element> std::fmt::Debug for HostTransfer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostTransfer").field("len", &self.len).field("event", &self.event).finish()
    }
}
