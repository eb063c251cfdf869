//! Mutual exclusion of registration and look-up of FFI handlers.

use crate::{
    Error, Result,
    plugin::{api::Api, ending_thread::check_thread},
};
use hloom_ffi::registry::{Lookup, Registration};

impl Api {
    /// A guard for a call of `function` that looks handlers up: it waits for registrations.
    ///
    /// # Errors
    /// [`Error::Forked`], [`Error::ThreadEnds`].
    pub(crate) fn begin_lookup(&self, function: &'static str) -> Result<Lookup> {
        self.check_process(function)?;
        check_thread(function)?;
        Ok(Lookup::begin())
    }

    /// A guard for the registration of handlers: it waits for compilations.
    ///
    /// # Errors
    /// [`Error::Argument`] on a thread that compiles, which would wait for itself, and when a
    /// handler of a program that is being compiled does not return; [`Error::Forked`].
    pub(crate) fn begin_registration(&self) -> Result<Registration> {
        self.check_process("XLA_FFI_Handler_Register")?;
        Registration::begin().map_err(|refused| Error::argument(refused.to_string()))
    }
}
