//! The families of ops, one file each.

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
mod dot;
mod edges;
mod elementwise;
mod fft;
mod gradients;
mod index;
mod layer_gradients;
mod linalg;
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
mod unary;

use crate::Row;

/// Ops that are similar, whose cases are in one file.
pub struct Family {
    /// The name, which is that of the file of cases.
    pub name: &'static str,
    /// Creates the rows.
    pub rows: fn() -> Vec<Row>,
}

/// Families with the names of their modules.
macro_rules! families {
    ($($name:ident),* $(,)?) => {
        /// All families.
        pub const FAMILIES: &[Family] =
            &[$(Family { name: stringify!($name), rows: $name::rows }),*];
    };
}

families! {
    accuracy,
    activation,
    binary,
    bodies,
    broadcast,
    constant,
    contract,
    control,
    convert,
    convolution,
    corners,
    dot,
    edges,
    elementwise,
    fft,
    gradients,
    index,
    layer_gradients,
    linalg,
    pool,
    random,
    rearrange,
    reduce,
    reshape,
    scatter,
    search,
    slice,
    slopes,
    sort,
    special,
    statistics,
    unary,
}
