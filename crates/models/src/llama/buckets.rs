//! The sizes that programs are compiled for.

use hloom_runtime::Buckets;

/// The smallest and the largest prompt piece that has a program of its own.
const PIECES: (usize, usize) = (16, 512);
/// The smallest cache.
const CACHE: usize = 128;

/// The tokens of a text that one call processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextPart {
    /// The position of the first token.
    pub start: usize,
    /// The number of tokens, at least 1.
    pub count: usize,
    /// The number of these tokens that an earlier call has processed: a part at the end of the
    /// cache begins earlier so that it fits.
    pub again: usize,
    /// The size of the program.
    pub size: usize,
}

/// The sizes of a piece of a prompt, for a context of this many positions.
pub(super) fn pieces(context: usize) -> Buckets {
    Buckets::pow2("seq", PIECES.0.min(context)..=PIECES.1.min(context))
}

/// The sizes of a cache: powers of two, so that a growing text rarely needs new programs and a
/// short one does not pay for the whole context.
pub(super) fn caches(context: usize) -> Buckets {
    Buckets::pow2("position", CACHE.min(context)..=context)
}

/// The calls that process the tokens from `known` to `end`, at most `positions`, which is the size
/// of the cache. No part extends past the cache, where it would overwrite earlier positions.
pub(super) fn parts(pieces: &Buckets, known: usize, end: usize, positions: usize) -> Vec<TextPart> {
    let mut parts = Vec::new();
    let mut at = known;
    while at < end {
        let size = pieces.bucket_of((end - at).min(PIECES.1));
        let size = size.expect("the largest piece is the context or 512");
        let start = at.min(positions - size);
        let count = (end - start).min(size);
        parts.push(TextPart { start, count, again: at - start, size });
        at = start + count;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_prompt_and_fit_the_cache() {
        for context in [1, 4, 15, 16, 50, 128, 300, 700, 1100] {
            let (pieces, caches) = (pieces(context), caches(context));
            for end in 1..=context {
                let positions = caches.bucket_of(end).expect("a text fits the context");
                for known in [0, 1, end / 2, end - 1].into_iter().filter(|&known| known < end) {
                    let mut at = known;
                    for part in parts(&pieces, known, end, positions) {
                        let TextPart { start, count, again, size } = part;
                        assert_eq!(start + again, at, "{part:?}");
                        assert!(again < count && count <= size && start + size <= positions);
                        assert_eq!(pieces.bucket_of(size), Some(size), "{part:?} of {context}");
                        at = start + count;
                    }
                    assert_eq!(at, end);
                }
            }
        }
    }

    #[test]
    fn a_part_at_the_end_of_the_cache_begins_earlier() {
        let part = |start, count, again, size| TextPart { start, count, again, size };
        let of = |known, end, positions| parts(&pieces(2048), known, end, positions);
        assert_eq!(of(0, 33, 128), [part(0, 33, 0, 64)]);
        assert_eq!(of(125, 128, 128), [part(112, 16, 13, 16)]);
        assert_eq!(of(0, 1000, 1024), [part(0, 512, 0, 512), part(512, 488, 0, 512)]);
        assert_eq!(of(0, 600, 1024), [part(0, 512, 0, 512), part(512, 88, 0, 128)]);
    }

    #[test]
    fn caches_grow_in_steps_of_two_up_to_the_context() {
        let cache = |positions, context| caches(context).bucket_of(positions);
        assert_eq!(
            [cache(1, 4096), cache(129, 4096), cache(3000, 3500), cache(40, 50)],
            [Some(128), Some(256), Some(3500), Some(50)]
        );
    }
}
