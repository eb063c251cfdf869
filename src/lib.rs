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
//!
//! # Where to look
//! - The guide, `docs/guide` in the repository, has a page for each topic, with tables for those
//!   who come from PyTorch, JAX and candle.
//! - [`prelude`] has the names that most programs use; this page has the central types; the
//!   modules have the rest, each for one purpose.
//! - The methods of [`Tensor`] are the ops; [`ops`] has those that are functions, and the options
//!   of all.
//! - The folder `examples` of the repository has whole programs: quickstart, MNIST, training and
//!   finetuning, Llama, embeddings, Whisper, sharding, callbacks, a kernel.
//!
//! # Central types
//!
//! | type | what it is | how to get one | JAX | PyTorch |
//! |---|---|---|---|---|
//! | [`Platform`] | a loaded plugin and its devices | [`Platform::auto`], [`Platform::named`], [`Platform::builder`] | a backend | `torch.device` |
//! | [`Tensor`] | a value of the function that is traced | an argument of that function, [`Tensor::constant`] | a tracer | `torch.fx.Proxy` |
//! | [`Spec`] | the shape, element type and partition of an argument | [`Spec::f32`], `Model::spec(&checkpoint.root())` | `ShapeDtypeStruct` | a tensor on `meta` |
//! | [`Tree`] | structs of tensors, specs or buffers | `#[derive(Tree)]` | a pytree | `nn.Module`, its parameters |
//! | [`Buffer`] | a tensor in the memory of a device | [`Buffer::from_slice`], a result of a call, a [`Checkpoint`] | `jax.Array` | `torch.Tensor` |
//! | [`Exe`] | a compiled function, typed as it was written | [`Platform::compile`] | `jit(f).lower(..).compile()` | `torch.export`, compiled |
//! | [`Jit`] | a function that is compiled for each new set of shapes | [`Platform::jit`] | `jax.jit` | `torch.compile` |
//! | [`BucketedExe`] | a function compiled for a few sizes of an axis | [`Platform::compile_buckets`] | | `torch.compile(dynamic=True)` |
//! | [`AnyExe`] | a compiled graph without the types | [`Platform::compile_graph`] | | |
//! | [`Compiler`] | the options of a compilation | [`Platform::compiler`] | `compiler_options` | options of `torch.compile` |
//! | [`Mesh`] | devices along named axes | [`Mesh::new`] | `jax.sharding.Mesh` | `DeviceMesh` |
//! | [`Checkpoint`] | the tensors of files | [`Checkpoint::open`] | Orbax | `torch.load`, safetensors |
//! | [`Callback`] | Rust code that a program calls | [`callback`], [`host_fn`] | `pure_callback`, `io_callback` | a custom op |
//! | [`SavedProgram`] | a compiled program in a file | [`Exe::save`] | `jax.export` | AOTInductor |
//! | [`StableHlo`] | a program of another system | [`StableHlo::read`] | `jax.export.deserialize` | `torch_xla` |
//! | [`Topology`] | devices that are not here, to compile for | [`Topology::cuda`], [`Topology::tpu`] | `jax.experimental.topologies` | |
//!
//! Executables, buffers, platforms and checkpoints are handles: cheap to clone, `Send` and `Sync`.
//! A [`Tensor`] is `Copy`, and belongs to the thread that traces it.
//!
//! # Features
//! - `mlir` (default): MLIR verifies programs before a plugin sees them. It needs LLVM and MLIR 22
//!   when it is built; without it nothing but Rust is needed, and a defect of Hloom's lowering is
//!   an error of the plugin.
//! - `linalg` (default): linear algebra on CPUs beyond `cholesky`, `triangular_solve` and `fft`.
//! - `lazy` (default): tensors outside of traced functions, [`lazy`].
//! - `npy` (default): NumPy's files, [`io::npy`], and the weights of exported programs.
//! - `plugins` (default): the installer of plugins, [`plugins`].
//! - `report` (default): reports of compiled programs, [`report`].
//! - `sandbox` (default): programs of any author, run in a child process, [`sandbox`].
//! - `train` (default): parts of training loops, [`train`].
//! - `models`: Llama and its relatives, BERT and Whisper, with tokenizers, `hloom::models`; with
//!   `hub` (default), their download by name.
//! - `interpret`: an interpreter as a second opinion on plugins, `hloom::interpret`.
//! - `ndarray`: the views of callbacks as arrays of the `ndarray` crate.
//!
//! # Non-features
//! - **Dynamic shapes.** A program has the sizes that it was compiled for; [`Platform::jit`] and
//!   [`Platform::compile_buckets`] compile it for others.
//! - **Linked plugins.** A plugin is a file that is loaded at run time. Hloom links no CUDA, no
//!   XLA and no Python.
//! - **Unstructured effects.** A traced function runs once, to be recorded: a `println!` in it
//!   prints when it is compiled. [`callback`] and [`callbacks::TensorPrint`] run with the program.
//! - **A trainer.** [`optim`] and [`train`] are parts; the loop is the user's.
//!
//! # Stability
//! Before 1.0, a minor version may change every interface. [`graph`] is for those who write passes:
//! its enums of ops are exhaustive, and it stays outside of semantic versioning after 1.0 as well.
//! A minor version may add variants to [`DType`].

#![forbid(unsafe_code)]

pub mod callbacks;
#[cfg(feature = "interpret")]
pub mod interpret;
pub mod mesh;
pub mod ops;
pub mod prelude;
pub mod transforms;
pub mod tree;

/// Graphs, ops and rewrites, for those who write passes, kernels or graphs from data; outside of
/// semantic versioning.
#[doc(inline)]
pub use hloom_graph as graph;
#[doc(inline)]
pub use hloom_io as io;
#[cfg(feature = "lazy")]
#[doc(inline)]
pub use hloom_lazy as lazy;
#[cfg(feature = "models")]
#[doc(inline)]
pub use hloom_models as models;
#[doc(inline)]
pub use hloom_nn as nn;
#[doc(inline)]
pub use hloom_optim as optim;
/// The plugin's interface, for programs without a graph of Hloom's.
#[doc(inline)]
pub use hloom_pjrt as pjrt;
#[cfg(feature = "report")]
#[doc(inline)]
pub use hloom_report as report;
/// Everything of compiling and calling: also options, statistics and traits that few programs name.
#[doc(inline)]
pub use hloom_runtime as runtime;
#[cfg(feature = "sandbox")]
#[doc(inline)]
pub use hloom_runtime::sandbox;
#[doc(inline)]
pub use hloom_runtime::testing;
#[cfg(feature = "train")]
#[doc(inline)]
pub use hloom_train as train;
#[cfg(feature = "plugins")]
#[doc(inline)]
pub use pjrt_plugins as plugins;

// Tensors and their descriptions.
#[doc(inline)]
pub use hloom_graph::{
    Axis, BlockKind, DType, Element, Key, Name, Shape, Spec, SpecTree, Tensor, Tree,
};

// Transformations of functions.
#[doc(inline)]
pub use hloom_graph::{grad, jvp, value_and_grad, vjp, vmap};
// A named scope of a user's program is a module in dumps and reports; the scopes of Hloom's own
// functions are not.
#[doc(inline)]
pub use hloom_graph::named_scope;

// Devices and their memory.
#[doc(inline)]
pub use hloom_graph::PartitionSpec;
#[doc(inline)]
pub use hloom_runtime::{Buffer, Mesh, Placement, Platform, PlatformBuilder, Topology};

// Programs.
#[cfg(feature = "sandbox")]
#[doc(inline)]
pub use hloom_runtime::ForeignExe;
#[doc(inline)]
pub use hloom_runtime::{
    AnyExe, Argument, BindNamed, BucketedExe, Buckets, CompilationCache, Compiler, Donated, Exe,
    Input, Jit, Output, SavedProgram, Signature, StableHlo,
};

// Checkpoints.
#[doc(inline)]
pub use hloom_io::{Checkpoint, LoadAndCompile};

// Rust code in programs.
#[doc(inline)]
pub use hloom_runtime::{Callback, CallbackContext, callback, host_fn};

// Errors.
#[doc(inline)]
pub use hloom_graph::TraceError;
#[doc(inline)]
pub use hloom_runtime::{CallError, CallbackError, Error, Result};

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
