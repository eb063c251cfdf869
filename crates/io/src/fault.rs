//! The search for the invalid tensor in a header that `safetensors` rejects without naming the
//! tensor.

use crate::{
    format::{FormatError, TensorError, file_size, shape},
    raw_header::RawEntry,
};
use std::cmp::Ordering;

/// The first rule that the tensors break, in the order of their bytes, of which `available` follow
/// the header.
pub fn first(entries: &[(String, RawEntry)], available: usize) -> Option<FormatError> {
    let (mut next, mut previous) = (0, "");
    for (name, entry) in entries {
        let (start, end) = entry.data_offsets;
        let error = match (size_fault(entry), start.cmp(&next)) {
            (Some(error), _) => Some(error),
            (None, Ordering::Less) => Some(TensorError::Overlap(previous.to_owned())),
            (None, Ordering::Greater) => Some(TensorError::Hole(start - next)),
            (None, Ordering::Equal) => None,
        };
        if let Some(error) = error {
            return Some(FormatError::Tensor { name: name.clone(), error });
        }
        if end > available {
            return Some(FormatError::Truncated { missing: end - available });
        }
        (next, previous) = (end, name);
    }
    match available - next {
        0 => None,
        extra => Some(FormatError::LeftOver { extra }),
    }
}

/// The error in a tensor's type, sizes or number of bytes.
fn size_fault(entry: &RawEntry) -> Option<TensorError> {
    let (start, end) = entry.data_offsets;
    let sized = shape(entry).and_then(|shape| Ok((shape, file_size(&shape)?)));
    let (shape, expected) = match sized {
        Ok(sized) => sized,
        Err(error) => return Some(error),
    };
    match end.checked_sub(start) {
        None => Some(TensorError::Backwards { start, end }),
        Some(found) if found != expected => {
            Some(TensorError::Size { shape: shape.to_string(), expected, found })
        }
        Some(_) => None,
    }
}
