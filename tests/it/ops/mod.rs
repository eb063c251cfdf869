//! Every op compared with JAX: the rows of `crates/op-suite`, one test per family.
//!
//! A row is an op as a user writes it. It is tested with every case of its name in the family's
//! data file: element types, ranks, empty and odd sizes, NaN and infinities. All cases of a family
//! are compiled as a few programs.

mod accuracy;
mod count;
mod differences;
mod draws;
mod gradients;
mod interpreted;
mod layer_gradients;
mod lazily;
mod mapped;
mod meshes;
mod optimized;
mod random;
mod slopes;
mod sort;
mod special;
mod survey;
mod table;

/// A module for each family that has no tests but that of its rows.
macro_rules! families {
    ($($family:ident: $test:ident;)*) => {$(
        mod $family {
            #[test]
            fn $test() {
                super::table::check(stringify!($family));
            }
        }
    )*};
}

families! {
    activation: activations_match;
    binary: binary_functions_match;
    bodies: bodies_match;
    broadcast: broadcasts_match;
    constant: constants_match;
    contract: contractions_match;
    control: control_flow_matches;
    convert: conversions_match;
    convolution: convolutions_match;
    corners: corners_match;
    dot: products_match;
    edges: edges_match;
    elementwise: composed_functions_match;
    fft: transforms_match;
    index: indexing_matches;
    linalg: linear_algebra_matches;
    pool: windows_and_pools_match;
    rearrange: rearranged_elements_match;
    reduce: reductions_match;
    reshape: reshapes_match;
    scatter: scatters_match;
    search: searches_match;
    slice: slices_match;
    statistics: statistics_match;
    unary: unary_functions_match;
}
