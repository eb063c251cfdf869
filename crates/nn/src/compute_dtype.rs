//! The element type that products with stored weights are computed in.

use hloom_graph::DType;

/// The element type in which a product with a weight that is stored as `stored` is computed: the
/// stored type if it is a float of 16 bits or more, else a float type that has all its values.
/// Activations are converted to this type, and the weight too where it is another one, unless it
/// has quantised blocks, which products take as they are.
///
/// ```
/// use hloom_graph::{BlockKind, DType};
/// use hloom_nn::compute_dtype;
///
/// assert_eq!(compute_dtype(DType::F16), DType::F16);
/// assert_eq!(compute_dtype(DType::F8E4M3FN), DType::BF16);
/// assert_eq!(compute_dtype(DType::I8), DType::BF16);
/// assert_eq!(compute_dtype(DType::Block(BlockKind::Q4_0)), DType::F32);
/// ```
///
/// Complex types are their own, and so is `bool`, which cannot be multiplied.
pub const fn compute_dtype(stored: DType) -> DType {
    match stored {
        DType::BF16 | DType::F16 | DType::F32 | DType::F64 => stored,
        DType::C64 | DType::C128 | DType::Bool => stored,
        DType::Block(_) => DType::F32,
        // Floats of 8 bits have at most 5 significant bits and the exponents of `bf16`; integers
        // of 8 bits have the 8 significant bits of `bf16`.
        small if small.bits() <= 8 => DType::BF16,
        DType::I16 | DType::U16 => DType::F32,
        _ => DType::F64,
    }
}
