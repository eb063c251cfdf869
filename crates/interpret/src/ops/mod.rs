//! The evaluation of ops on whole tensors.

mod arithmetic;
mod binary;
mod combine;
mod control;
mod convolution;
mod cumlogsumexp;
mod devices;
mod dot;
mod dynamic_slice;
mod elementwise;
mod factors;
mod fft;
mod host;
mod host_algebra;
mod linear_algebra;
mod matrix;
mod movement;
mod reduce;
mod scatter;
mod sort;
mod spectra;
mod unary;
mod window;

use arithmetic::{combined, compared, sum_of_products, total_order};
