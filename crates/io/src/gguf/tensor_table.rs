//! The descriptions of the tensors in a header.

use super::{
    GgufType, TensorError,
    cursor::{Cursor, Stop},
};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    ops::Range,
};

/// The format's limit on the number of axes of a tensor.
pub(super) const MAX_RANK: usize = 4;

/// The minimum size of a description in bytes: the name's length, the rank, the type, the offset.
pub(super) const MIN_DESCRIPTION: usize = 8 + 4 + 4 + 8;

/// A tensor in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorEntry {
    /// The element type.
    pub kind: GgufType,
    /// The sizes in row-major order; rows along the last axis consist of whole blocks.
    pub sizes: Vec<usize>,
    /// The range of its bytes in the file.
    pub bytes: Range<usize>,
}

/// A tensor as its header describes it, before it is compared with the file.
pub(super) struct Description {
    kind: GgufType,
    sizes: Vec<usize>,
    byte_size: usize,
    offset: u64,
}

impl Description {
    /// Reads the part of a description after the name.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Description, Stop<TensorError>> {
        let read = |stop: Stop<super::ReadError>| stop.map(TensorError::Read);
        let rank = cursor.number(u32::from_le_bytes).map_err(read)?;
        if rank as usize > MAX_RANK {
            return Err(TensorError::Rank { found: rank.into() }.into());
        }
        let mut sizes = Vec::with_capacity(rank as usize);
        for _ in 0..rank {
            sizes.push(cursor.number(u64::from_le_bytes).map_err(read)?);
        }
        sizes.reverse();
        let id = cursor.number(u32::from_le_bytes).map_err(read)?;
        let offset = cursor.number(u64::from_le_bytes).map_err(read)?;
        let kind = GgufType::from_id(id).ok_or_else(|| match GgufType::removed(id) {
            Some(name) => TensorError::RemovedType { id, name },
            None => TensorError::UnknownType { id },
        })?;
        let too_large = || TensorError::TooLarge { sizes: sizes.clone() };
        let small: Result<Vec<usize>, _> = sizes.iter().map(|&size| size.try_into()).collect();
        let sizes = small.map_err(|_| too_large())?;
        let byte_size = byte_size(kind, &sizes)?;
        Ok(Description { kind, sizes, byte_size, offset })
    }
}

/// The size of a tensor in a file, in bytes.
pub(super) fn byte_size(kind: GgufType, sizes: &[usize]) -> Result<usize, TensorError> {
    // A tensor without axes has one element.
    let row = sizes.last().copied().unwrap_or(1);
    if !row.is_multiple_of(kind.block_len()) {
        return Err(TensorError::Row { row: row as u64, kind });
    }
    // Sizes of zero are left out of the product, so that no part of it overflows. Elements are
    // counted in `isize`, and as `f32`, whatever they are: both must be addressable.
    let product = |of: &[usize]| {
        of.iter().try_fold(size_of::<f32>(), |product, &size| product.checked_mul(size.max(1)))
    };
    let rows = sizes.split_last().map_or(&[][..], |(_, rows)| rows);
    let bytes = (row / kind.block_len()).max(1).checked_mul(kind.block_bytes());
    let all = bytes.and_then(|bytes| product(rows)?.checked_mul(bytes));
    let fits = |size: Option<usize>| size.is_some_and(|size| isize::try_from(size).is_ok());
    if !fits(product(sizes)) || !fits(all) {
        return Err(TensorError::TooLarge {
            sizes: sizes.iter().map(|&size| size as u64).collect(),
        });
    }
    let blocks: usize = rows.iter().product::<usize>() * (row / kind.block_len());
    Ok(blocks * kind.block_bytes())
}

/// The tensors of a header that ends at `header_end`, in a file of `file_size` bytes, or the first
/// wrong one.
pub(super) fn check(
    descriptions: Vec<(String, Description)>,
    header_end: usize,
    alignment: usize,
    file_size: usize,
) -> Result<BTreeMap<String, TensorEntry>, (String, TensorError)> {
    let mut tensors = BTreeMap::new();
    // The last padding may be missing where a file has no tensors, or only empty ones.
    let start = header_end.checked_next_multiple_of(alignment).unwrap_or(file_size);
    let start = start.min(file_size);
    let data = file_size - start;
    for (name, description) in descriptions {
        let Description { kind, sizes, byte_size: size, offset } = description;
        if !offset.is_multiple_of(alignment as u64) {
            return Err((name, TensorError::Misaligned { offset, alignment }));
        }
        let at = usize::try_from(offset).ok().filter(|&at| at <= data && size <= data - at);
        let Some(at) = at else {
            return Err((name, TensorError::Outside { offset, size, data }));
        };
        match tensors.entry(name) {
            Entry::Vacant(entry) => {
                let bytes = start + at..start + at + size;
                entry.insert(TensorEntry { kind, sizes, bytes });
            }
            Entry::Occupied(entry) => return Err((entry.key().clone(), TensorError::Duplicate)),
        }
    }
    let mut ranges: Vec<(&String, &Range<usize>)> =
        tensors.iter().map(|(name, entry)| (name, &entry.bytes)).collect();
    ranges.retain(|(_, bytes)| !bytes.is_empty());
    ranges.sort_by_key(|(_, bytes)| bytes.start);
    for pair in ranges.windows(2) {
        if pair[1].1.start < pair[0].1.end {
            return Err((pair[1].0.clone(), TensorError::Overlap(pair[0].0.clone())));
        }
    }
    Ok(tensors)
}
