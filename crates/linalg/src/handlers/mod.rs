//! XLA FFI handlers, which programs call by name.

pub mod lapack;
pub mod native;

use hloom_ffi::{CallFrame, HandlerError, Handlers};

/// Every handler, with its target name.
pub fn all() -> Vec<(String, Handlers)> {
    let native = native::all().into_iter().map(|(name, handlers)| (name.to_owned(), handlers));
    native.chain(lapack::all()).collect()
}

/// Whether the results of a call have elements.
fn has_work(frame: &CallFrame<'_>) -> Result<bool, HandlerError> {
    for index in 0..frame.num_results() {
        if frame.result_array(index)?.byte_len() > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
