//! The evaluation of ops on whole tensors.

mod arithmetic;
mod binary;
mod combine;
mod control;
mod convolution;
mod devices;
mod dot;
mod dynamic_slice;
mod elementwise;
mod fft;
mod host;
mod linear_algebra;
mod movement;
mod reduce;
mod scatter;
mod sort;
mod unary;
mod window;

pub(crate) use arithmetic::{combined, compared, sum_of_products, total_order};
pub(crate) use combine::{reduce_by, reduce_window_by, scatter_by, sort_by};
pub(crate) use control::{case, for_loop, scan, while_loop};
pub(crate) use convolution::{convolution, products as convolution_products};
pub(crate) use devices::{collective, manual};
pub(crate) use dot::{dot, products as dot_products};
pub(crate) use dynamic_slice::{dynamic_slice, dynamic_update_slice};
pub(crate) use elementwise::{
    binary, bitcast, clamp, compare, convert, reduce_precision, select, unary,
};
pub(crate) use fft::{fft, products as fft_products};
pub(crate) use host::custom_call;
pub(crate) use linear_algebra::{cholesky, matrix_products, triangular_solve};
pub(crate) use movement::{
    broadcast, concatenate, constant, iota, pad, reverse, slice, splat, transpose,
};
pub(crate) use reduce::{arg_reduce, cumulative, reduce};
pub(crate) use scatter::{gather, scatter};
pub(crate) use sort::{sort, top_k};
pub(crate) use window::{reduce_window, visited as window_elements};
