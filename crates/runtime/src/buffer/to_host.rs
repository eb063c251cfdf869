//! Copying buffers to the host, and waiting for them.

use super::{Buffer, Memory};
use crate::{Error, Result, callback::Outcome};
use hloom_graph::Element;
use std::{
    future::{Future, IntoFuture},
    pin::Pin,
};

impl Buffer {
    /// The elements, in row-major order. Waits for them.
    ///
    /// # Errors
    /// `T` is not the element type, the program that computes the buffer failed, or its memory was
    /// donated.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if T::DTYPE != self.dtype() {
            return Err(Error::element_type(self.shape(), T::DTYPE));
        }
        Ok(T::from_bytes(&self.to_bytes()?))
    }

    /// The bytes in host layout. Waits for them.
    ///
    /// # Errors
    /// The program that computes the buffer failed, or its memory was donated.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let bytes = match &self.memory {
            Memory::Single(memory) => memory.to_bytes(),
            Memory::Sharded(shards) => shards.to_bytes(self.shape()),
        };
        let bytes = bytes.map_err(self.failed("reading"))?;
        Outcome::check(self.record.as_deref())?;
        Ok(bytes)
    }

    /// Reads the elements into a slice of the same length. Waits for them.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), or the slice has another length.
    pub fn read_into<T: Element + bytemuck::AnyBitPattern>(&self, values: &mut [T]) -> Result<()> {
        if T::DTYPE != self.dtype() {
            return Err(Error::element_type(self.shape(), T::DTYPE));
        }
        if values.len() != self.shape().element_count() {
            let (shape, found) = (self.shape(), values.len());
            return Err(Error::host_data(shape, found, T::DTYPE));
        }
        let bytes = bytemuck::cast_slice_mut(values);
        let read = match &self.memory {
            Memory::Single(memory) => memory.read_into_bytes(bytes),
            Memory::Sharded(shards) => shards.read_into(self.shape(), bytes),
        };
        read.map_err(self.failed("reading"))?;
        Outcome::check(self.record.as_deref())
    }

    /// The only element. Waits for it.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), or the number of elements is not one.
    pub fn item<T: Element>(&self) -> Result<T> {
        let values = self.to_vec::<T>()?;
        match values.len() {
            1 => Ok(values[0]),
            found => {
                let shape = self.shape().with_dims(hloom_graph::Dims::default());
                Err(Error::host_data(shape, found, T::DTYPE))
            }
        }
    }

    /// Waits until the elements are available.
    ///
    /// # Errors
    /// The error of the program that computes the buffer.
    pub fn ready(&self) -> Result<()> {
        let waited = self.shards().iter().try_for_each(|shard| shard.wait());
        waited.map_err(self.failed("a buffer of"))?;
        Outcome::check(self.record.as_deref())
    }

    /// Whether the elements are available, or their computation failed.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn try_ready(&self) -> Result<bool> {
        let mut ready = true;
        for shard in self.shards() {
            let event = shard.ready_event().and_then(|event| event.is_ready());
            ready &= event.map_err(self.failed("a buffer of"))?;
        }
        if ready {
            Outcome::check(self.record.as_deref())?;
        }
        Ok(ready)
    }

    /// Maps a plugin's error for this buffer: to a callback's failure, if such a failure ended the
    /// program.
    pub(super) fn failed(
        &self,
        doing: &'static str,
    ) -> impl FnOnce(hloom_pjrt::Error) -> Error + Send + use<> {
        let (shape, record) = (self.shape(), self.record.clone());
        move |error| match record.and_then(|record| record.failure()) {
            Some(failure) => Error::Callback(Box::new(failure)),
            None => Error::plugin(format!("{doing} {shape}"))(error),
        }
    }
}

impl IntoFuture for &Buffer {
    type Output = Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

    /// Waits until the elements are available.
    fn into_future(self) -> Self::IntoFuture {
        let (failed, record) = (self.failed("a buffer of"), self.record.clone());
        let events: Vec<_> = self.shards().iter().map(|shard| shard.ready_event()).collect();
        Box::pin(async move {
            let mut outcome = Ok(());
            for event in events {
                let done = match event {
                    Ok(event) => event.await,
                    Err(error) => Err(error),
                };
                outcome = outcome.and(done);
            }
            outcome.map_err(failed)?;
            Outcome::check(record.as_deref())
        })
    }
}
