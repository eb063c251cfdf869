//! Delta debugging: the removal of parts of a list.

/// The items that are left after removing parts as long as `holds` is true of the rest: first
/// halves, then ever smaller parts, then single items. `holds` must be true of the whole list.
pub(super) fn minimize<T: Clone>(
    all: &[T],
    fewest: usize,
    holds: &mut dyn FnMut(&[T]) -> bool,
) -> Vec<T> {
    let mut kept = all.to_vec();
    let mut part = kept.len().div_ceil(2);
    while part > 0 {
        let mut start = 0;
        let mut has_removed = false;
        while start < kept.len() {
            let end = (start + part).min(kept.len());
            let rest = [&kept[..start], &kept[end..]].concat();
            if rest.len() >= fewest && holds(&rest) {
                kept = rest;
                has_removed = true;
            } else {
                start = end;
            }
        }
        // Single items are tried again: an item may have been needed only by another that was
        // removed.
        if part > 1 {
            part /= 2;
        } else if !has_removed {
            break;
        }
    }
    kept
}
