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

use arithmetic::{combined, compared, sum_of_products, total_order};
