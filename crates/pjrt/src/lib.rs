//! Safe PJRT: plugins, clients, buffers and executables.

pub use hloom_pjrt_sys as sys;

mod aligned;
mod api;
mod buffer;
mod buffer_read;
mod callback;
mod client;
mod client_builder;
mod compile_options;
mod counters;
mod device;
mod device_description;
mod discovery;
mod dtype;
mod element;
mod error;
mod error_code;
mod event;
mod executable;
mod execute;
mod execute_context;
mod host_buffer;
mod host_lease;
mod host_transfer;
mod key_value;
mod layout;
mod library;
mod loaded_executable;
mod memory;
mod named_value;
mod plugin;
mod program;
mod proto;
mod signature;
mod spec;
mod topology;
mod usage;

pub use aligned::{ALIGNMENT, AlignedVec};
pub use api::{Api, Extension};
pub use buffer::Buffer;
pub use client::{Client, ClientBuilder};
pub use compile_options::{CompileOptions, EffortLevel, XlaOption};
pub use counters::{Alive, alive};
pub use device::{AsyncTracking, Device, MemoryStats};
pub use device_description::DeviceDescription;
pub use discovery::{Candidate, Source};
pub use dtype::DType;
pub use element::{
    Element, Elements, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
    F8E5M2FNUZ, F8E8M0FNU, I1, I2, I4, U1, U2, U4, as_bytes,
};
pub use error::{Error, PluginProblem, Result};
pub use error_code::ErrorCode;
pub use event::{Event, HostEvent};
pub use executable::{CompiledMemoryStats, Executable};
pub use execute::{Donation, ExecuteOptions, Execution};
pub use execute_context::ExecuteContext;
pub use host_buffer::{BufferFromHost, HostBufferSemantics};
pub use host_lease::HostLease;
pub use host_transfer::HostTransfer;
pub use key_value::{KeyValueStore, LocalKeyValueStore};
pub use layout::Layout;
pub use loaded_executable::{LoadedExecutable, LogicalDeviceId};
pub use memory::Memory;
pub use named_value::{NamedValue, NamedValues};
pub use plugin::Plugin;
pub use program::{Program, ProgramCode};
pub use signature::Signature;
pub use spec::Spec;
pub use topology::Topology;
