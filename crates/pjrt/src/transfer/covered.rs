//! The bytes of a buffer that pieces were transferred to.

use std::ops::Range;

/// Ranges of bytes, in order, that neither touch nor overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered(Vec<Range<usize>>);

impl Covered {
    /// Adds a range.
    pub fn add(&mut self, mut range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|other| other.end < range.start);
        let last = self.0.partition_point(|other| other.start <= range.end);
        for other in &self.0[first..last] {
            range = range.start.min(other.start)..range.end.max(other.end);
        }
        self.0.splice(first..last, [range]);
    }

    /// The first bytes below `size` that are not covered.
    pub fn gap(&self, size: usize) -> Option<Range<usize>> {
        let (start, next) = match &self.0[..] {
            [first, rest @ ..] if first.start == 0 => (first.end, rest.first()),
            rest => (0, rest.first()),
        };
        let end = next.map_or(size, |next| next.start.min(size));
        (start < end).then_some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_those_of_a_bitmap() {
        // A simple generator of numbers: the order and overlaps of pieces are what matters.
        let mut seed = 1usize;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (seed >> 33) % below
        };
        for _ in 0..300 {
            let size = 1 + random(40);
            let (mut covered, mut bytes) = (Covered::default(), vec![false; size]);
            for _ in 0..random(20) {
                let start = random(size + 1);
                let end = start + random(size + 1 - start);
                covered.add(start..end);
                bytes[start..end].fill(true);
                let gap = bytes.iter().position(|&byte| !byte).map(|from| {
                    let len = bytes[from..].iter().take_while(|&&byte| !byte).count();
                    from..from + len
                });
                assert_eq!(covered.gap(size), gap, "{covered:?}");
            }
        }
        assert_eq!(Covered::default().gap(0), None);
    }
}
