//! Random orders of sets that are too large for memory.

use crate::batches::mixed;

/// The rounds of the cipher; four make a permutation of words that looks random (Luby and Rackoff
/// 1988).
const ROUNDS: u64 = 6;

/// A permutation of the numbers below a size, whose values are computed one by one: a Feistel
/// cipher on words of an even number of bits, applied until the result is below the size again
/// (Black and Rogaway 2002).
#[derive(Clone, Debug)]
pub(crate) struct Scattered {
    size: u64,
    key: u64,
    /// The bits of half a word.
    bits: u32,
}

impl Scattered {
    pub fn new(size: u64, key: u64) -> Scattered {
        let bits = u64::BITS - size.saturating_sub(1).leading_zeros();
        Scattered { size, key, bits: bits.div_ceil(2).max(1) }
    }

    /// The number at a place, which is below the size.
    pub fn at(&self, place: u64) -> u64 {
        // The words are at most four times as many as the numbers, so few rounds are expected; the
        // cycle reaches a number below the size at the latest when it returns to `place`.
        let mut word = place;
        loop {
            word = self.encrypted(word);
            if word < self.size {
                return word;
            }
        }
    }

    fn encrypted(&self, word: u64) -> u64 {
        let mask = u64::MAX >> (u64::BITS - self.bits);
        let (mut left, mut right) = (word >> self.bits, word & mask);
        for round in 0..ROUNDS {
            let scrambled = mixed(self.key ^ mixed(right ^ round << 40));
            (left, right) = (right, left ^ scrambled & mask);
        }
        left << self.bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_at_one_place() {
        for size in [1, 2, 3, 4, 5, 64, 65, 1000, 4097, 70_000] {
            let order = Scattered::new(size, 9);
            let mut all: Vec<u64> = (0..size).map(|place| order.at(place)).collect();
            let moved = (0..size).filter(|&place| all[place as usize] != place).count();
            assert!(size < 100 || moved as u64 > size * 9 / 10, "{moved} of {size} moved");
            all.sort_unstable();
            assert!(all.into_iter().eq(0..size), "{size}");
        }
        let (one, other) = (Scattered::new(1000, 1), Scattered::new(1000, 2));
        assert!((0..1000).filter(|&place| one.at(place) == other.at(place)).count() < 20);
    }
}
