//! Programs whose inputs are bound by name.

use crate::{AnyExe, Buffer, Input, Platform, Result, Signature};

/// A program whose inputs are bound by name, in this process or in a sandbox.
pub trait BindNamed: private::Sealed + Sized {
    /// The inputs and outputs, including the bound ones.
    fn signature(&self) -> &Signature;

    /// The platform of its buffers.
    fn platform(&self) -> &Platform;

    /// The inputs that are not bound, in order.
    fn free_inputs(&self) -> Vec<&Input>;

    /// The same program with inputs bound to these buffers.
    ///
    /// # Errors
    /// As for [`AnyExe::bind_named`].
    fn bind_named(&self, inputs: &[(&str, &Buffer)]) -> Result<Self>;
}

mod private {
    pub trait Sealed {}
}

macro_rules! bind_named {
    ($ty:ty) => {
        impl private::Sealed for $ty {}
        impl BindNamed for $ty {
            fn signature(&self) -> &Signature {
                self.signature()
            }

            fn platform(&self) -> &Platform {
                self.platform()
            }

            fn free_inputs(&self) -> Vec<&Input> {
                self.free_inputs().collect()
            }

            fn bind_named(&self, inputs: &[(&str, &Buffer)]) -> Result<Self> {
                self.bind_named(inputs.iter().copied())
            }
        }
    };
}

bind_named!(AnyExe);
#[cfg(feature = "sandbox")]
bind_named!(crate::ForeignExe);
