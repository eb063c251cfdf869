//! Parts of training loops, each usable alone.
//!
//! - [`Batches`] describes an order of examples that depends only on a seed; [`Batches::load`]
//!   prepares batches ahead, on threads. A run that was stopped resumes at a [`Position`] with
//!   exactly the batches that were left.
//! - [`save_run`] writes the buffers and the progress of a run to one file, atomically;
//!   [`resume_run`] reads them.
//! - [`Log`] appends numbers of each step to a file, as CSV or JSON lines. A resumed run removes
//!   the rows that it is going to write again. [`LogTable`] reads it.
//! - [`Mean`], [`Smoothed`] and [`Rate`] sum up a run; [`Bar`] shows it while it runs, and [`Plot`]
//!   draws its loss in the terminal.

#![forbid(unsafe_code)]

mod bar;
mod batches;
mod checkpoint;
mod loader;
mod log;
mod log_table;
mod metrics;
mod plot;
mod scattered;

pub use bar::Bar;
pub use batches::{Batches, Position};
pub use checkpoint::{CheckpointError, Resumed, resume_run, save_run};
pub use loader::DataLoader;
pub use log::{Format, Log};
pub use log_table::LogTable;
pub use metrics::{Mean, Rate, Smoothed};
pub use plot::Plot;
