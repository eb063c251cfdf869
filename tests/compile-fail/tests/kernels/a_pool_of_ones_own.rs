//! Kernels write where a pool's numbers say: other crates have no pools.

use hloom_kernels::{Error, Pool, Serial};

struct Beyond;

impl Pool for Beyond {
    fn threads(&self) -> usize {
        4
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        Serial.for_each(count + 1, work)
    }
}

fn main() {}
