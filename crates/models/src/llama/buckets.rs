//! The sizes that programs are compiled for (bucketing).

/// The smallest and the largest prompt piece that has a program of its own.
const PIECES: (usize, usize) = (16, 512);
/// The smallest cache.
const CACHE: usize = 128;

/// The number of the `remaining` tokens that the next call processes, and the size of its program,
/// when `space` positions are left in the cache. Both are at least 1, and the size is at most
/// `space`, because a larger piece would overwrite earlier positions.
///
/// `remaining` is between 1 and `space`.
fn piece(remaining: usize, space: usize) -> (usize, usize) {
    let wanted = remaining.next_power_of_two().clamp(PIECES.0, PIECES.1);
    let size = if wanted <= space {
        wanted
    } else {
        // The largest power of two that fits.
        1 << space.ilog2()
    };
    (remaining.min(size), size)
}

/// The calls that process the tokens from `known` to `end`, each as [`piece`] returns it, with a
/// cache of `positions`.
pub(super) fn pieces(known: usize, end: usize, positions: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut at = known;
    while at < end {
        let next = piece(end - at, positions - at);
        at += next.0;
        pieces.push(next);
    }
    pieces
}

/// The cache size for `positions` positions of a context of `context`: powers of two, so that a
/// growing text rarely needs new programs and a short one does not pay for the whole context.
pub(super) fn cache(positions: usize, context: usize) -> usize {
    positions.next_power_of_two().max(CACHE).min(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_prompt_and_fit_the_space() {
        for space in 1..=1100 {
            for remaining in 1..=space {
                let mut at = 7;
                for (taken, size) in pieces(7, 7 + remaining, 7 + space) {
                    assert!(
                        taken >= 1
                            && taken <= size
                            && at + size <= 7 + space
                            && size.is_power_of_two()
                    );
                    at += taken;
                }
                assert_eq!(at, 7 + remaining);
            }
        }
        assert_eq!(piece(32, 128), (32, 32));
        assert_eq!(piece(33, 128), (33, 64));
        assert_eq!(piece(3, 128), (3, 16));
        assert_eq!(piece(1000, 2048), (512, 512));
        assert_eq!(piece(3, 4), (3, 4));
        assert_eq!(piece(5, 7), (4, 4));
    }

    #[test]
    fn caches_grow_in_steps_of_two_up_to_the_context() {
        assert_eq!(
            [cache(1, 4096), cache(129, 4096), cache(3000, 3500), cache(40, 50)],
            [128, 256, 3500, 50]
        );
    }
}
