//! Every op compared with JAX: one table per family, in the families of the graph crate.
//!
//! A row is an op as a user writes it. It is tested with every case of its name in the family's
//! data file: element types, ranks, empty and odd sizes, NaN and infinities. All cases of a family
//! are compiled as a few programs.

mod accuracy;
mod activation;
mod binary;
mod bodies;
mod broadcast;
mod constant;
mod contract;
mod control;
mod convert;
mod convolution;
mod corners;
mod count;
mod differences;
mod dot;
mod draws;
mod edges;
mod elementwise;
mod fft;
mod gradients;
mod index;
mod interpreted;
mod layer_gradients;
mod linalg;
mod mapped;
mod pool;
mod random;
mod rearrange;
mod reduce;
mod reshape;
mod scatter;
mod search;
mod slice;
mod slopes;
mod sort;
mod special;
mod statistics;
mod survey;
mod table;
mod trial;
mod unary;
