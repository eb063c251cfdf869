//! Hloom: a typed tensor compiler for Rust.
//!
//! A model is plain Rust structs and functions. Hloom traces the forward function into a graph,
//! lowers it to StableHLO, compiles it with a PJRT plugin found at run time (CPU, CUDA, TPU) and
//! returns a typed executable: weights bound once, buffer slots allocated once, donated arguments
//! consumed by move.
//!
//! ```
//! use hloom::prelude::*;
//!
//! #[derive(Tree, Clone)]
//! struct Linear<T = Tensor> {
//!     #[axes("out", "in")]
//!     weight: T,
//!     #[axes("out")]
//!     bias: Option<T>,
//! }
//!
//! impl Linear {
//!     fn forward(self, x: Tensor) -> Tensor {
//!         let y = x.dot(self.weight, "in"); // contract the axis both sides call "in"
//!         match self.bias {
//!             Some(bias) => y + bias,
//!             None => y,
//!         }
//!     }
//! }
//!
//! # fn main() -> hloom::Result<()> {
//! # hloom::plugins::ensure("cpu")?;
//! let platform = Platform::auto()?;
//! let spec = Linear { weight: Spec::f32([("out", 2), ("in", 3)]), bias: None };
//! let exe = platform.compile(Linear::forward, (spec, Spec::f32([("batch", 1), ("in", 3)])))?;
//!
//! let weight = [1.0f32, 0.0, 0.0, 0.0, 1.0, 1.0];
//! let weight = Buffer::from_slice(&platform, &weight, [("out", 2), ("in", 3)])?;
//! let exe = exe.bind(&Linear { weight, bias: None })?;
//! let x = Buffer::from_slice(&platform, &[1.0f32, 2.0, 3.0], [("batch", 1), ("in", 3)])?;
//! let y = exe.call((&x,))?;
//! assert_eq!(y.to_vec::<f32>()?, [1.0, 5.0]);
//!
//! // Or compiled when it is called, once for each set of shapes.
//! let double = platform.jit(|x: Tensor| x + x);
//! assert_eq!(double.call((&y,))?.to_vec::<f32>()?, [2.0, 10.0]);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

#[cfg(feature = "interpret")]
pub mod interpret;

pub use hloom_graph as graph;
pub use hloom_io as io;
#[cfg(feature = "lazy")]
pub use hloom_lazy as lazy;
#[cfg(feature = "models")]
pub use hloom_models as models;
pub use hloom_nn as nn;
pub use hloom_optim as optim;
pub use hloom_runtime as runtime;
pub use hloom_runtime::ffi;
#[cfg(feature = "sandbox")]
pub use hloom_runtime::sandbox;
#[cfg(feature = "train")]
pub use hloom_train as train;
#[cfg(feature = "plugins")]
pub use pjrt_plugins as plugins;

pub use hloom_graph::*;
// A named scope in a user's program is a module in dumps and reports; the scopes of Hloom's own
// functions are not.
pub use hloom_graph::module_scope as named_scope;
pub use hloom_io::{Checkpoint, LoadAndCompile};
#[cfg(feature = "lazy")]
pub use hloom_lazy::{CallLazy, Lazy};
#[cfg(feature = "sandbox")]
pub use hloom_runtime::ForeignExe;
pub use hloom_runtime::{
    AnyExe, BindNamed, BucketStats, BucketedExe, Buckets, Buffer, CacheEntry, CacheStats, Callback,
    CallbackBuilder, CallbackContext, CallbackError, CallbackFailure, Capability, CompilationCache,
    CompiledProgram, DeferredCall, Donated, DotClass, DotStrategy, DotTable, Error, ErrorContext,
    Exe, ForeignError, Given, Gpu, InputView, Inputs, Jit, KernelUse, Kernels, LoadError, Mesh,
    NOTHING, NamedSharding, OutputView, Outputs, Placement, Platform, PlatformKernel, PrintOptions,
    Result, SavedProgram, SharedBuffer, Signature, StableHlo, StableHloValue, SteppedExe,
    TensorAssert, TensorPrint, Topology, UninitBuffer, callback, compile_in_steps, host_fn,
    reset_print_sink, set_print_sink, testing,
};

/// The names that most programs use.
pub mod prelude {
    pub use crate::{
        AnyExe, Axis, BucketedExe, Buckets, Buffer, Callback, CallbackBuilder, CallbackContext,
        CallbackError, Checkpoint, DType, Donated, Element, Exe, Given, InputView, Jit, Key,
        LoadAndCompile, Mesh, Name, Operand, OutputView, PartitionSpec, Platform, Shape, Spec,
        SpecTree, Tensor, TensorAssert, TensorPrint, Tree, callback, host_fn,
    };
    #[cfg(feature = "lazy")]
    pub use crate::{CallLazy, Lazy};
    pub use hloom_graph::{concatenate, cond, for_loop, outer, scan, stack, while_loop};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
mod guide {
    macro_rules! pages {
        ($($page:ident)*) => {
            $(
                #[doc = include_str!(concat!("../docs/guide/src/", stringify!($page), ".md"))]
                mod $page {}
            )*
        };
    }

    pages! {
        install first_program named_axes trees_and_checkpoints binding_and_donation callbacks
        devices_and_meshes debugging performance saved_programs graphs_from_data
        embedding_in_a_service kernels layers attention optimizers state_space diffusion
        hloom_command from_pytorch from_jax from_candle port_gpt2 port_vit port_resnet port_whisper
    }

    #[cfg(feature = "interpret")]
    pages! { second_opinion }

    #[cfg(feature = "lazy")]
    pages! { lazy }

    #[cfg(feature = "train")]
    pages! { training }

    #[doc = include_str!("../docs/guide/forms.md")]
    mod forms {}
}
