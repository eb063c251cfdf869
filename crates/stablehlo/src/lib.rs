//! Lowers a [`Graph`](hloom_graph::Graph) to a StableHLO module.
//!
//! ```
//! use hloom_graph::{Spec, TraceScope};
//! use hloom_stablehlo::{Context, LowerOptions, lower};
//!
//! let trace = TraceScope::begin("double");
//! let x = trace.parameter("x", &Spec::f32([("n", 3)]), false);
//! let graph = trace.finish(vec![("".into(), x + x)])?;
//!
//! let context = Context::new();
//! let module = lower(&context, &graph, &LowerOptions::default())?;
//! assert!(module.text().contains(r#"= "stablehlo.add"(%arg0, %arg0)"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//! - **One lowering function per op**, in the order of [`Op`](hloom_graph::Op), in files by family
//!   as in the graph crate. Each takes the operands' values and returns the result's; shapes were
//!   checked during tracing and are trusted.
//! - **Lowering does not depend on MLIR.** Ops are passed to an emitter as name, operands, result
//!   types, attributes, regions and location, all of them types of this crate. One emitter builds
//!   them in MLIR's memory (feature `mlir`, the default), the other prints them as text and is pure
//!   Rust: see [`ModuleForm`]. Tests check that both build the same module.
//! - **Regions are filled before their op is added**, so that an emitter gets complete ops, and
//!   text is written once.
//! - **Only the `func` dialect is registered.** StableHLO ops are built in their generic form and
//!   verified by the plugin, which registers them; that keeps MLIR's part of an executable small.
//!   [`Module::verify`] checks only the structure: values are defined before their uses, and the
//!   function returns the types of its signature.
//! - **Every op carries the user's source line** that created it, arguments and results their tree
//!   paths, so that they appear in a plugin's messages, dumps and profiles.
//! - **The lowering is neutral.** Each op becomes the StableHLO op with its meaning. Work-arounds
//!   for plugins are passes over the graph, in the crate that compiles.
//! - **Dead code is not lowered**, and neither is a reshape that only renames axes.
//! - **Shardings are attributes.** The attributes of a [`Partitioner`] hold the sharding of values
//!   over the graph's mesh; the program itself is that of a single device, except for manual
//!   bodies.
//! - **Regions use outside values directly.** The ops of a body stay where the graph has them;
//!   captured values do not become arguments.
//! - **Ordered calls pass a token.** Nothing else orders calls with effects: compilers keep them
//!   and choose their order. Each ordered call takes the token of the one before; loops carry it
//!   and branches return it. A program with a single such call has no token: an extra value costs
//!   as much as the call.

#![forbid(unsafe_code)]

mod applied;
mod attribute;
mod call_order;
mod context;
mod emit;
mod error;
mod function;
mod live;
mod lower;
mod lowering;
mod module;
mod ops;
mod partitioner;
mod types;

pub use context::Context;
pub use error::{Diagnostic, LowerError, Severity};
pub use function::{LowerOptions, ModuleForm, lower};
pub use module::Module;
pub use partitioner::Partitioner;
