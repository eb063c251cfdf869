//! Writing a block into an array.

use crate::Error;

/// A block that is written into an array; both are row-major.
pub struct Update<'a> {
    /// The array.
    pub array: &'a mut [u8],
    /// Its sizes, outermost first.
    pub sizes: &'a [usize],
    /// The block.
    pub block: &'a [u8],
    /// Its sizes, none larger than the array's.
    pub block_sizes: &'a [usize],
    /// The index of the block's first element along each axis; moved so that the block fits.
    pub starts: &'a [i64],
    /// Bytes of an element.
    pub element: usize,
}

/// Writes the block.
///
/// ```
/// use hloom_kernels::{Update, update};
///
/// let mut array = [0; 6];
/// update(Update {
///     array: &mut array,
///     sizes: &[2, 3],
///     block: &[1, 2],
///     block_sizes: &[2, 1],
///     starts: &[0, 5],
///     element: 1,
/// })?;
/// assert_eq!(array, [0, 0, 1, 0, 0, 2]);
/// # Ok::<(), hloom_kernels::Error>(())
/// ```
///
/// # Errors
/// The sizes do not fit the memory or each other; then nothing is written.
pub fn update(update: Update<'_>) -> Result<(), Error> {
    let Update { array, sizes, block, block_sizes, starts, element } = update;
    let bytes = |sizes: &[usize]| sizes.iter().fold(element, |a, &b| a.saturating_mul(b));
    Error::check("axes of the block", sizes.len(), block_sizes.len())?;
    Error::check("starts", sizes.len(), starts.len())?;
    Error::check("bytes of the array", bytes(sizes), array.len())?;
    Error::check("bytes of the block", bytes(block_sizes), block.len())?;
    for (&size, &part) in sizes.iter().zip(block_sizes) {
        Error::check("the part of the block within the array", part, part.min(size))?;
    }
    if block.is_empty() {
        return Ok(());
    }
    let start = |axis: usize| {
        let start = usize::try_from(starts[axis].max(0)).unwrap_or(usize::MAX);
        start.min(sizes[axis] - block_sizes[axis])
    };
    // The axes from `inner` on are contiguous in both.
    let is_part = |&axis: &usize| block_sizes[axis] != sizes[axis];
    let inner = (0..sizes.len()).rev().find(is_part).unwrap_or(0);
    let run = bytes(&block_sizes[inner..]);
    for (index, from) in block.chunks_exact(run).enumerate() {
        let (mut rest, mut at, mut stride) = (index, 0, element);
        for axis in (0..sizes.len()).rev() {
            let place = if axis < inner {
                let place = rest % block_sizes[axis];
                rest /= block_sizes[axis];
                place
            } else {
                0
            };
            at += (start(axis) + place) * stride;
            stride *= sizes[axis];
        }
        array[at..at + run].copy_from_slice(from);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Element by element.
    fn expected(update: &Update<'_>) -> Vec<u8> {
        let (sizes, parts) = (update.sizes, update.block_sizes);
        let mut array = update.array.to_vec();
        for index in 0..parts.iter().product() {
            let (mut rest, mut at, mut stride) = (index, 0, 1);
            for axis in (0..sizes.len()).rev() {
                let start = update.starts[axis].clamp(0, (sizes[axis] - parts[axis]) as i64);
                at += (start as usize + rest % parts[axis]) * stride;
                rest /= parts[axis];
                stride *= sizes[axis];
            }
            let bytes = |at: usize| at * update.element..(at + 1) * update.element;
            array[bytes(at)].copy_from_slice(&update.block[bytes(index)]);
        }
        array
    }

    #[test]
    fn a_block_is_written_wherever_it_fits() {
        let cases: [(&[usize], &[usize], &[i64]); 12] = [
            (&[], &[], &[]),
            (&[5], &[5], &[0]),
            (&[5], &[2], &[3]),
            (&[5], &[2], &[-7]),
            (&[5], &[2], &[i64::MAX]),
            (&[5], &[0], &[i64::MIN]),
            (&[0, 3], &[0, 2], &[4, 4]),
            (&[4, 6, 3], &[4, 1, 3], &[0, 5, 0]),
            (&[4, 6, 3], &[4, 2, 3], &[1, 5, -1]),
            (&[4, 6, 3], &[1, 6, 3], &[2, 0, 0]),
            (&[4, 6, 3], &[3, 2, 1], &[1, 3, 2]),
            (&[2, 1, 3, 2], &[2, 1, 2, 2], &[0, 9, 1, 0]),
        ];
        for element in [1, 2, 8] {
            for (sizes, block_sizes, starts) in cases {
                let bytes = |sizes: &[usize], first: u8| -> Vec<u8> {
                    let count = sizes.iter().product::<usize>() * element;
                    (0..count).map(|i| first.wrapping_add(i as u8)).collect()
                };
                let (mut array, block) = (bytes(sizes, 0), bytes(block_sizes, 100));
                let of =
                    |array| Update { array, sizes, block: &block, block_sizes, starts, element };
                let mut copy = array.clone();
                let expected = expected(&of(&mut copy));
                update(of(&mut array)).expect("it fits");
                assert_eq!(array, expected, "{sizes:?} {block_sizes:?} {starts:?} {element}");
            }
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_errors() {
        type Case = (&'static [usize], &'static [usize], &'static [i64], usize, &'static str);
        let cases: [Case; 6] = [
            (&[usize::MAX, 2], &[2, 1], &[0, 0], 2, "bytes of the array: expected"),
            (&[4], &[2, 1], &[0], 2, "axes of the block: expected 1, found 2"),
            (&[4], &[2], &[0, 0], 2, "starts: expected 1, found 2"),
            (&[5], &[2], &[0], 2, "bytes of the array: expected 5, found 4"),
            (&[4], &[3], &[0], 2, "bytes of the block: expected 3, found 2"),
            (&[2, 2], &[1, 3], &[0, 0], 3, "the part of the block within the array: expected 3"),
        ];
        for (sizes, block_sizes, starts, len, message) in cases {
            let mut array = [7; 4];
            let block = vec![1; len];
            let update = update(Update {
                array: &mut array,
                sizes,
                block: &block,
                block_sizes,
                starts,
                element: 1,
            });
            let error = update.expect_err("it does not fit").to_string();
            assert!(error.starts_with(message), "{error}");
            assert_eq!(array, [7; 4]);
        }
    }
}
