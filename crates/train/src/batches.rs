//! The order of examples.

use crate::scattered::Scattered;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The limit on the examples whose order is held in memory. Larger sets are shuffled by computing
/// the position of each example.
const MAX_HELD: usize = 1 << 26;

/// The limit on the examples of a batch.
const MAX_BATCH: usize = 1 << 26;

/// The assignment of examples to batches. Each epoch has an order of its own, which depends only on
/// the seed and the number of the epoch. Examples that do not fill a batch at the end of an epoch
/// are left out, so that all batches have one size.
///
/// ```
/// use hloom_train::{Batches, Position};
///
/// let batches = Batches::new(10, 3).shuffled(42);
/// assert_eq!(batches.per_epoch(), 3);
/// let second = batches.indices(Position { epoch: 0, batch: 1 });
/// assert_eq!(second.len(), 3);
/// assert_eq!(batches.next(Position { epoch: 0, batch: 2 }), Position { epoch: 1, batch: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batches {
    examples: usize,
    size: usize,
    seed: Option<u64>,
}

/// A batch of a run: its epoch, and its number in that epoch, both from 0. It is stored in
/// checkpoints, to resume there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub struct Position {
    /// The number of epochs before this one.
    pub epoch: u64,
    /// The number of batches of this epoch before this one.
    pub batch: u64,
}

impl Batches {
    /// Batches of `size` of the examples 0 to `examples`, exclusive, in their own order.
    ///
    /// # Panics
    /// `size` is 0 or more than 2^26, or there are fewer examples than that.
    pub fn new(examples: usize, size: usize) -> Batches {
        assert!(size > 0, "a batch has one example at least");
        assert!(size <= MAX_BATCH, "a batch of {size} examples, expected at most {MAX_BATCH}");
        assert!(size <= examples, "{examples} examples do not fill a batch of {size}");
        Batches { examples, size, seed: None }
    }

    /// The same batches with the examples of each epoch in random order.
    pub fn shuffled(self, seed: u64) -> Batches {
        Batches { seed: Some(seed), ..self }
    }

    /// The number of batches in an epoch.
    pub fn per_epoch(&self) -> u64 {
        (self.examples / self.size) as u64
    }

    /// The examples of a batch. The first use of an epoch with up to 2^26 examples in random order
    /// takes time and memory for all of them.
    ///
    /// # Panics
    /// An epoch has fewer batches.
    pub fn indices(&self, at: Position) -> Vec<usize> {
        self.batch_of(&self.order(at.epoch), at)
    }

    /// Checks that there is a batch at a position.
    ///
    /// # Errors
    /// The number of batches that an epoch has.
    pub(crate) fn check(&self, at: Position) -> Result<(), String> {
        let count = self.per_epoch();
        if at.batch < count {
            Ok(())
        } else {
            Err(format!("batch {} of an epoch of {count} batches", at.batch))
        }
    }

    /// The position of the batch after this one.
    pub fn next(&self, at: Position) -> Position {
        // Positions come from files, so their numbers may be any.
        if at.batch.saturating_add(1) < self.per_epoch() {
            Position { batch: at.batch + 1, ..at }
        } else {
            Position { epoch: at.epoch.wrapping_add(1), batch: 0 }
        }
    }

    /// The order of the examples of an epoch.
    pub(crate) fn order(&self, epoch: u64) -> Order {
        let Some(seed) = self.seed else { return Order::Own };
        // A key for each epoch, so that resuming does not depend on earlier epochs.
        let key = mixed(mixed(seed) ^ epoch);
        if self.examples > MAX_HELD {
            return Order::Scattered(Scattered::new(self.examples as u64, key));
        }
        let mut order: Vec<usize> = (0..self.examples).collect();
        let mut random = SplitMix(key);
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
        Order::Held(order.into())
    }

    pub(crate) fn batch_of(&self, order: &Order, at: Position) -> Vec<usize> {
        let checked = self.check(at);
        assert!(checked.is_ok(), "{}", checked.unwrap_err());
        let first = at.batch as usize * self.size;
        let places = first..first + self.size;
        match order {
            Order::Own => places.collect(),
            Order::Held(order) => order[places].to_vec(),
            Order::Scattered(order) => {
                places.map(|place| order.at(place as u64) as usize).collect()
            }
        }
    }
}

/// The order of the examples of an epoch.
#[derive(Clone)]
pub(crate) enum Order {
    /// From the first to the last.
    Own,
    Held(Arc<[usize]>),
    Scattered(Scattered),
}

/// The generator SplitMix64 (Steele, Lea and Flood 2014): the same numbers on all machines and in
/// all versions, which a resumed run depends on.
struct SplitMix(u64);

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mixed(self.0)
    }

    /// A number below `limit`, all with the same probability.
    fn below(&mut self, limit: u64) -> u64 {
        loop {
            let wide = u128::from(self.next()) * u128::from(limit);
            // Rejects the lowest products, which would make some numbers more probable than others.
            if (wide as u64) >= limit.wrapping_neg() % limit {
                return (wide >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(batches: &Batches, epoch: u64) -> Vec<usize> {
        (0..batches.per_epoch())
            .flat_map(|batch| batches.indices(Position { epoch, batch }))
            .collect()
    }

    #[test]
    fn an_epoch_has_each_example_once() {
        for (examples, size) in [(1, 1), (7, 1), (12, 4), (13, 4), (1000, 10)] {
            for batches in [Batches::new(examples, size), Batches::new(examples, size).shuffled(3)]
            {
                let mut all = epoch(&batches, 5);
                assert_eq!(all.len(), examples / size * size);
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), examples / size * size, "no example is repeated");
                assert!(all.iter().all(|&index| index < examples));
            }
        }
        assert_eq!(epoch(&Batches::new(7, 2), 1), [0, 1, 2, 3, 4, 5], "in their own order");
    }

    #[test]
    fn epochs_and_seeds_have_orders_of_their_own() {
        let of = |seed, number| epoch(&Batches::new(100, 10).shuffled(seed), number);
        assert_eq!(of(1, 0), of(1, 0));
        assert_ne!(of(1, 0), of(1, 1));
        assert_ne!(of(1, 0), of(2, 0));
        assert_ne!(of(1, 0), of(0, 1), "the seed is not added to the epoch");
    }

    #[test]
    fn sets_of_any_size_are_shuffled_within_bounded_memory() {
        let huge = Batches::new(1 << 40, 1 << 10);
        let last = Position { epoch: u64::MAX, batch: huge.per_epoch() - 1 };
        let expected: Vec<usize> = ((1 << 40) - (1 << 10)..1 << 40).collect();
        assert_eq!(huge.indices(last), expected, "in their own order");
        assert_eq!(huge.next(last), Position::default());
        let shuffled = huge.shuffled(5);
        let of = |batch| shuffled.indices(Position { epoch: 0, batch });
        let mut some: Vec<usize> = (0..100).flat_map(of).collect();
        assert_ne!(some, (0..100 << 10).collect::<Vec<usize>>());
        some.sort_unstable();
        some.dedup();
        assert_eq!(some.len(), 100 << 10, "no example comes twice");
        let half = some.iter().filter(|&&index| index < 1 << 39).count() as f64 / some.len() as f64;
        assert!((half - 0.5).abs() < 0.01, "{half} of them are in the first half");
        assert_eq!(Batches::new(usize::MAX, 1).shuffled(1).indices(last_of(usize::MAX)).len(), 1);
    }

    fn last_of(examples: usize) -> Position {
        Position { epoch: 1, batch: examples as u64 - 1 }
    }

    #[test]
    fn positions_of_damaged_files_are_refused() {
        let batches = Batches::new(10, 2);
        let at = Position { epoch: 0, batch: u64::MAX };
        assert_eq!(batches.next(at), Position { epoch: 1, batch: 0 });
        let load = |at, threads, ahead| {
            batches.load(at, threads, ahead, <[usize]>::to_vec).map(drop).map_err(|e| e.to_string())
        };
        let error = "batch 18446744073709551615 of an epoch of 5 batches".to_owned();
        assert_eq!(load(at, 1, 1), Err(error));
        let error = "a loader of 18446744073709551615 threads, expected at most 1024".to_owned();
        assert_eq!(load(Position::default(), usize::MAX, 1), Err(error));
        let error = "18446744073709551615 batches ahead, expected at most 65536".to_owned();
        assert_eq!(load(Position::default(), 1, usize::MAX), Err(error));
        assert_eq!(load(Position::default(), 1, 1 << 16), Ok(()));
    }

    /// A change of the order would change runs that are resumed. The values are those of an
    /// independent implementation in Python.
    #[test]
    fn orders_do_not_change() {
        assert_eq!(epoch(&Batches::new(10, 10).shuffled(42), 0), ORDER_0);
        assert_eq!(epoch(&Batches::new(10, 10).shuffled(42), 7), ORDER_7);
    }
    const ORDER_0: [usize; 10] = [0, 3, 5, 7, 9, 8, 2, 1, 4, 6];
    const ORDER_7: [usize; 10] = [8, 1, 5, 7, 2, 4, 6, 3, 0, 9];

    #[test]
    fn all_orders_are_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for number in 0..24_000 {
            *counts.entry(epoch(&Batches::new(4, 4).shuffled(9), number)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Chi-squared with 23 degrees of freedom: above 49.7 with a probability of 0.001.
        let chi: f64 = counts.values().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 49.7, "{chi}");
    }
}
