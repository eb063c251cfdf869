//! Capabilities of a platform.

use crate::{Args, Buffer, Error, Function, Platform, Result, ResultTree, callback};
use hloom_graph::{DType, Shape};

/// A capability that a platform may lack: see [`Platform::supports`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Capability {
    /// Programs call Rust functions while they run. Without it, a program with callbacks does not
    /// compile, and [`Platform::compile_in_steps`] compiles it to run in steps.
    Callbacks,
    /// Devices use the host's memory: [`SharedBuffer`](crate::SharedBuffer), aligned weights used
    /// where a file is mapped, and views without copies.
    HostMemory,
    /// Devices have memory of the host that is pinned, for fast copies (`pinned_host`).
    PinnedMemory,
    /// Host data is copied to a device piece by piece, without waiting.
    AsyncTransfers,
    /// Compiled programs are serialized, and loaded again.
    Serialization,
    /// Buffers hold elements of this type.
    Elements(DType),
}

impl Platform {
    /// Whether the platform has a capability. Using a capability that the platform lacks is an
    /// error; nothing is left out of a program.
    pub fn supports(&self, capability: Capability) -> bool {
        let has = |name: &str| self.client().plugin().api().functions().any(|has| has == name);
        match capability {
            Capability::Callbacks => callback::are_callable(self.client().plugin(), self.name()),
            Capability::HostMemory => self.client().uses_host_memory(),
            Capability::PinnedMemory => {
                self.devices().iter().any(|device| device.memory("pinned_host").is_some())
            }
            Capability::AsyncTransfers => {
                has("PJRT_Client_CreateBuffersForAsyncHostToDevice")
                    && has("PJRT_AsyncHostToDeviceTransferManager_TransferData")
            }
            Capability::Serialization => {
                has("PJRT_Executable_Serialize") && has("PJRT_Executable_DeserializeAndLoad")
            }
            Capability::Elements(dtype) => {
                let shape = Shape::new(dtype, [2]).expect("a vector of two elements is a shape");
                let bytes = vec![0; shape.byte_size()];
                let buffer = Buffer::from_bytes(self, shape, &bytes);
                buffer.and_then(|buffer| buffer.to_bytes()).is_ok_and(|read| read == bytes)
            }
        }
    }

    /// Whether the platform can compile a function, such as one with a single op: traces, lowers
    /// and compiles it. The reason why it cannot is logged.
    ///
    /// # Errors
    /// The first error recorded while tracing the function: it is wrong on every platform.
    #[track_caller]
    pub fn supports_function<A: Args, F: Function<A, Passing>, Passing>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<bool>
    where
        F::Output: ResultTree,
    {
        match self.compile(function, arguments) {
            Ok(_) => Ok(true),
            Err(
                error @ (Error::Plugin { .. }
                | Error::NoCallbacks { .. }
                | Error::NoLinearAlgebra { .. }),
            ) => {
                tracing::debug!(platform = self.name(), %error, "not supported");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}
