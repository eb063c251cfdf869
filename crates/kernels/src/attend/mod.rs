//! Attention of tokens to a cache of keys and values.

mod few;
mod many;
#[cfg(target_arch = "x86_64")]
mod tiles;

use crate::{Element, Error, Isa, Pool};

/// The operands of [`attend`].
#[derive(Debug)]
pub struct Attention<'a, Q, C> {
    /// Number of tokens with queries.
    pub seq: usize,
    /// Number of key and value heads.
    pub kv_heads: usize,
    /// Queries per token that share a key head.
    pub group: usize,
    /// Number of positions of the cache.
    pub positions: usize,
    /// Elements per head.
    pub dim: usize,
    /// `[seq, kv_head, group, dim]`, scaled.
    pub query: &'a [Q],
    /// `[kv_head, position, dim]`.
    pub key: &'a [C],
    /// `[kv_head, position, dim]`.
    pub value: &'a [C],
    /// `[seq, position]`: 0 for a position that is masked out. All are visible without a mask.
    pub mask: Option<&'a [u8]>,
    /// `[kv_head, seq, group, dim]`.
    pub out: &'a mut [f32],
}

/// From this many queries per head on, each gets a vector lane.
const MIN_MANY_QUERIES: usize = 32;

/// The mean of the values, weighted for each query by the softmax of its dot products with the
/// visible keys; zeros for a token that sees none.
///
/// # Errors
/// [`Error::Size`]: the operands' sizes do not fit. [`Error::Panicked`]: see [`Pool::for_each`].
///
/// # Panics
/// The processor does not support `isa`.
pub fn attend<Q: Element, C: Element>(
    isa: Isa,
    pool: &dyn Pool,
    attention: Attention<'_, Q, C>,
) -> Result<(), Error> {
    assert!(isa.is_available(), "the processor has no {isa}");
    let Attention { positions, mask, out, .. } = attention;
    let (start, end) = seen(mask, positions);
    let seen = Seen {
        seq: attention.seq,
        kv_heads: attention.kv_heads,
        group: attention.group,
        positions,
        dim: attention.dim,
        query: attention.query,
        key: attention.key,
        value: attention.value,
        mask,
        start,
        end,
    };
    seen.check(out.len())?;
    match seen.seq * seen.group {
        _ if out.is_empty() => Ok(()),
        MIN_MANY_QUERIES.. => many::attend(isa, pool, seen, out),
        _ => few::attend(isa, pool, seen, out),
    }
}

/// The operands of [`attend`] and the range of positions to read: `start` to `end`.
struct Seen<'a, Q, C> {
    seq: usize,
    kv_heads: usize,
    group: usize,
    positions: usize,
    dim: usize,
    query: &'a [Q],
    key: &'a [C],
    value: &'a [C],
    mask: Option<&'a [u8]>,
    start: usize,
    end: usize,
}

impl<Q, C> Clone for Seen<'_, Q, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, C> Copy for Seen<'_, Q, C> {}

impl<Q, C> Seen<'_, Q, C> {
    fn check(&self, out: usize) -> Result<(), Error> {
        let product = |sizes: &[usize]| {
            sizes
                .iter()
                .try_fold(1, |product: usize, &size| product.checked_mul(size))
                .unwrap_or(usize::MAX)
        };
        let queries = product(&[self.seq, self.kv_heads, self.group, self.dim]);
        let cache = product(&[self.kv_heads, self.positions, self.dim]);
        Error::check("elements of the query", queries, self.query.len())?;
        Error::check("elements of the key", cache, self.key.len())?;
        Error::check("elements of the value", cache, self.value.len())?;
        Error::check("elements of the result", queries, out)?;
        match self.mask {
            Some(mask) => Error::check(
                "elements of the mask",
                product(&[self.seq, self.positions]),
                mask.len(),
            ),
            None => Ok(()),
        }
    }
}

/// The range from the first visible position to the end of the last.
fn seen(mask: Option<&[u8]>, positions: usize) -> (usize, usize) {
    let Some(mask) = mask else { return (0, positions) };
    let (mut start, mut end) = (positions, 0);
    for mask in mask.chunks_exact(positions.max(1)) {
        if let Some(first) = mask.iter().position(|&seen| seen != 0) {
            start = start.min(first);
            end = end.max(1 + mask.iter().rposition(|&seen| seen != 0).unwrap_or(first));
        }
    }
    (start.min(end), end)
}
