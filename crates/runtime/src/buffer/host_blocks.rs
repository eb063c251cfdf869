//! Blocks of arrays in host memory, in row-major order.

/// The position of a block in an array, in elements.
#[derive(Clone, Copy)]
pub(crate) struct BlockPlace<'a> {
    /// The sizes of the array.
    pub sizes: &'a [usize],
    /// Where the block begins.
    pub start: &'a [usize],
}

/// Copies a block of `sizes` elements of `width` bytes from one array to another.
///
/// # Panics
/// The block is outside one of the arrays.
pub(crate) fn copy_block(
    from: &[u8],
    source: BlockPlace<'_>,
    to: &mut [u8],
    target: BlockPlace<'_>,
    sizes: &[usize],
    width: usize,
) {
    if sizes.contains(&0) {
        return;
    }
    // The trailing axes that are whole in both arrays are contiguous.
    let rank = sizes.len();
    let whole =
        |axis: usize| sizes[axis] == source.sizes[axis] && sizes[axis] == target.sizes[axis];
    let mut outer = rank;
    while outer > 0 && whole(outer - 1) {
        outer -= 1;
    }
    let outer = outer.saturating_sub(1);
    let piece = sizes[outer..].iter().product::<usize>() * width;
    let offset = |place: BlockPlace<'_>, index: &[usize]| {
        let mut offset = 0;
        for axis in 0..rank {
            offset = offset * place.sizes[axis]
                + place.start[axis]
                + index.get(axis).copied().unwrap_or(0);
        }
        offset * width
    };
    let mut index = vec![0; outer];
    loop {
        let (read, write) = (offset(source, &index), offset(target, &index));
        to[write..write + piece].copy_from_slice(&from[read..read + piece]);
        let mut axis = outer;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < sizes[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// The range of bytes of a block that is contiguous in its array.
pub(crate) fn contiguous(
    array: BlockPlace<'_>,
    sizes: &[usize],
    width: usize,
) -> Option<std::ops::Range<usize>> {
    let mut axes = 0..sizes.len();
    // A block has one element along the first axes, any number along one axis, and all elements
    // along the others.
    let first = axes.find(|&axis| sizes[axis] != 1).unwrap_or(sizes.len());
    if (first + 1..sizes.len()).any(|axis| sizes[axis] != array.sizes[axis]) {
        return None;
    }
    let mut start = 0;
    for axis in 0..sizes.len() {
        start = start * array.sizes[axis] + array.start[axis];
    }
    let count: usize = sizes.iter().product();
    Some(start * width..(start + count) * width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(count: usize) -> Vec<u8> {
        (0..count as u8).collect()
    }

    #[test]
    fn blocks_are_copied_wherever_they_lie() {
        let from = counted(24);
        let source = BlockPlace { sizes: &[2, 3, 4], start: &[1, 1, 2] };
        let mut to = [99; 9];
        let target = BlockPlace { sizes: &[1, 3, 3], start: &[0, 1, 1] };
        copy_block(&from, source, &mut to, target, &[1, 2, 2], 1);
        assert_eq!(to, [99, 99, 99, 99, 18, 19, 99, 22, 23]);
        let mut whole = [0; 24];
        let all = BlockPlace { sizes: &[2, 3, 4], start: &[0; 3] };
        copy_block(&from, all, &mut whole, all, &[2, 3, 4], 1);
        assert_eq!(whole[..], from);
        let mut wide = [0; 4];
        let row = BlockPlace { sizes: &[3, 2], start: &[1, 0] };
        let own = BlockPlace { sizes: &[1, 2], start: &[0, 0] };
        copy_block(&from[..12], row, &mut wide, own, &[1, 2], 2);
        assert_eq!(wide, [4, 5, 6, 7]);
        let scalar = BlockPlace { sizes: &[], start: &[] };
        let mut one = [0; 2];
        copy_block(&from[..2], scalar, &mut one, scalar, &[], 2);
        assert_eq!(one, [0, 1]);
    }

    #[test]
    fn a_block_lies_in_one_piece_or_it_does_not() {
        let sizes = [4, 3, 2];
        let range = |start: [usize; 3], block: [usize; 3]| {
            contiguous(BlockPlace { sizes: &sizes, start: &start }, &block, 1)
        };
        assert_eq!(range([2, 0, 0], [2, 3, 2]), Some(12..24));
        assert_eq!(range([2, 1, 0], [1, 2, 2]), Some(14..18));
        assert_eq!(range([2, 1, 1], [1, 1, 1]), Some(15..16));
        assert_eq!(range([2, 1, 0], [2, 2, 2]), None);
        assert_eq!(range([0, 0, 0], [4, 3, 1]), None);
    }
}
