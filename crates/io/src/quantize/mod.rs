//! Quantisation: the bytes of blocks for values.
//!
//! A kind of 32 values takes its scale from the value of the largest size, or from the least and
//! the largest value, as GGML defines it. K kinds have many scales that are as good as each other
//! by that rule: those with the least sum of squared errors are searched.

mod k_kinds;
mod legacy;
mod search;

use half::f16;
use hloom_graph::{BlockKind, DType, Spec, Tree, path_matches};

/// Specs with which weights become quantised blocks when they are loaded: those of matrices, and
/// of stacks of matrices, whose paths match one of the patterns, in which `*` matches any text.
///
/// Rows that the kind does not divide become blocks of a smaller kind of about the same size,
/// `Q4_K` → `Q5_0`, `Q5_K` → `Q5_1`, `Q6_K` → `Q8_0`, as llama.cpp does, or keep their type if that
/// does not divide them either; an event at the level `INFO` says so. The kinds that are written
/// are Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K; weights that are quantised to another
/// one are refused when they are loaded.
///
/// ```no_run
/// use hloom_graph::{BlockKind, Spec, Tensor, Tree};
/// use hloom_io::{Checkpoint, quantized};
///
/// # #[derive(Clone, Tree)]
/// # struct Mlp<T = Tensor> {
/// #     #[axes(out, in)]
/// #     up: T,
/// # }
/// # fn example(platform: &hloom_runtime::Platform) -> hloom_io::Result<()> {
/// let checkpoint = Checkpoint::open("model.safetensors")?;
/// let specs: Mlp<Spec> = Mlp::spec(&checkpoint)?;
/// let weights = checkpoint.load(platform, &quantized(specs, BlockKind::Q4_K, &["*"]))?;
/// // Files of this crate keep the blocks.
/// hloom_io::save("model.q4_k.safetensors", &weights)?;
/// # Ok(())
/// # }
/// ```
pub fn quantized<A>(specs: A, kind: BlockKind, patterns: &[&str]) -> A::With<Spec>
where
    A: Tree<Leaf = Spec>,
{
    specs.map(&mut |path: &hloom_graph::Path<'_>, spec: Spec| {
        let shape = spec.shape();
        let path = path.to_string();
        let is_chosen = patterns.iter().any(|pattern| path_matches(pattern, &path));
        let (2.., true, Some(&row)) = (shape.rank(), is_chosen, shape.sizes().last()) else {
            return spec;
        };
        let divides = |kind: &BlockKind| row.is_multiple_of(kind.block_len());
        let chosen = [Some(kind), smaller(kind)].into_iter().flatten().find(divides);
        if chosen != Some(kind) {
            let instead = chosen.map_or("its own type", BlockKind::name);
            tracing::info!(%path, %shape, %kind, instead, "rows are not whole blocks");
        }
        chosen.map_or(spec.clone(), |kind| spec.with_dtype(DType::Block(kind)))
    })
}

/// The kind of 32 values a block for rows that a kind does not divide.
fn smaller(kind: BlockKind) -> Option<BlockKind> {
    match kind {
        BlockKind::Q4_K => Some(BlockKind::Q5_0),
        BlockKind::Q5_K => Some(BlockKind::Q5_1),
        BlockKind::Q6_K => Some(BlockKind::Q8_0),
        BlockKind::IQ4_XS => Some(BlockKind::IQ4_NL),
        _ => None,
    }
}

/// Writes the block of some values, which are finite and at most [`LARGEST`] in size.
type Encode = fn(&[f32], &mut [u8]);

/// The largest size of a value: scales and minima are `f16`.
pub const LARGEST: f32 = 65_504.0;

/// The encoder of one block of a kind, if there is one.
pub fn block_encoder(kind: BlockKind) -> Option<Encode> {
    Some(match kind {
        BlockKind::Q4_0 => legacy::q4_0,
        BlockKind::Q4_1 => legacy::q4_1,
        BlockKind::Q5_0 => legacy::q5_0,
        BlockKind::Q5_1 => legacy::q5_1,
        BlockKind::Q8_0 => legacy::q8_0,
        BlockKind::Q4_K => k_kinds::q4_k,
        BlockKind::Q5_K => k_kinds::q5_k,
        BlockKind::Q6_K => k_kinds::q6_k,
        _ => return None,
    })
}

/// Writes a number to a block as `f16`, and returns the number that it is then.
fn put_half(block: &mut [u8], at: usize, value: f32) -> f32 {
    let half = f16::from_f32(value);
    block[at..at + 2].copy_from_slice(&half.to_le_bytes());
    half.to_f32()
}

/// 1 divided by a scale, or 0 for a scale so small that this is infinite.
fn inverse(scale: f32) -> f32 {
    let inverse = scale.recip();
    if inverse.is_finite() { inverse } else { 0.0 }
}
