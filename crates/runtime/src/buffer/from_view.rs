//! Buffers from the inputs of callbacks.

use super::{Buffer, Placement};
use crate::{CallbackError, InputView, callback::unpacked};

impl Buffer {
    /// A buffer with a copy of a callback's input, which outlives the call: to keep, or to pass to
    /// another executable, of any platform. On devices, use
    /// [`on_host`](crate::CallbackBuilder::on_host).
    ///
    /// ```
    /// use hloom_graph::{Spec, Tensor};
    /// use hloom_runtime::{Buffer, NO_RESULTS, Platform, callback};
    /// use std::sync::mpsc::Sender;
    ///
    /// fn kept(x: Tensor, to: Platform, sender: Sender<Buffer>) -> Tensor {
    ///     let [] = callback("keep", x, NO_RESULTS, move |_, x, _| {
    ///         let _ = sender.send(Buffer::from_view(&to, &x)?);
    ///         Ok(())
    ///     });
    ///     x * 2
    /// }
    /// ```
    ///
    /// # Errors
    /// The input is on a device, or an output is aliased to it; or as for
    /// [`from_bytes`](Self::from_bytes).
    pub fn from_view<'a>(
        to: impl Into<Placement<'a>>,
        view: &InputView<'_>,
    ) -> Result<Buffer, CallbackError> {
        let shape = view.shape();
        let bytes = view.as_bytes()?;
        let bytes = unpacked(shape.dtype(), shape.element_count(), bytes);
        Ok(Buffer::from_bytes(to, shape, &bytes)?)
    }
}
