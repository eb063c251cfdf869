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
//! - **One lowering function per op**, in the order of [`Op`](hloom_graph::Op), in files by family as in the graph crate. Each
//!   takes the operands' values and returns the result's; shapes were checked when the graph was traced and are trusted.
//! - **Lowering does not know MLIR.** Ops are handed to an emitter by name, operands, result types, attributes, regions and
//!   location, all of them types of this crate. One emitter builds them in MLIR's memory (feature `mlir`, the default), the other
//!   prints them as text and is pure Rust: see [`ModuleForm`]. Tests hold that both make the same module.
//! - **Regions are filled before their op is added**, so that an emitter gets each op whole, and text is written once.
//! - **Only the `func` dialect is registered.** StableHLO ops are built in their generic form and checked by the plugin, which
//!   knows them; that keeps MLIR's part of an executable small. What [`Module::verify`] checks is the structure: that values
//!   are defined before they are used, and that the function returns what its type says.
//! - **Every op carries the line of the user's source** that made it, arguments and results the paths in their trees, so that
//!   a plugin's messages, dumps and profiles speak of them.
//! - **What no result needs is not lowered**, and neither is a reshape that only renames axes.
//! - **Splits are attributes.** How values lie on the graph's mesh is said in the attributes of a [`Partitioner`]; the program
//!   itself is the one of a single device, but for the bodies that are written for each device.
//! - **Regions use the values around them directly.** The ops of a body stand where the graph has them; nothing is turned into
//!   an argument.
//! - **Ordered calls hand a value on.** Nothing else orders calls with effects: compilers keep them and choose their order. Each
//!   takes what the one before gave; loops carry it and branches give it. A program with one such call goes without: a value
//!   more costs as much as the call.

#![forbid(unsafe_code)]

mod attribute;
mod context;
mod dispatch;
mod emit;
mod error;
mod function;
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
