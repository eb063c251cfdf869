//! The results of a call.

use crate::{Buffer, NamedSharding, any_exe::Program, callback::Outcome, shards::Shards};
use hloom_graph::Shape;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The results of one call, taken in order.
pub(crate) struct Results {
    program: Arc<Program>,
    /// In reverse order: the last result on the last device first.
    buffers: Vec<hloom_pjrt::Buffer>,
    /// The failures of callbacks, which the results report.
    record: Option<Arc<Outcome>>,
}

/// Tables of results: empty between calls, kept for their capacity.
#[derive(Default)]
pub(crate) struct Tables(Mutex<Vec<Vec<hloom_pjrt::Buffer>>>);

impl Results {
    /// The results of a call, in a table of the program: those of the first device, then those of
    /// the second...
    pub fn new(
        program: Arc<Program>,
        mut table: Vec<hloom_pjrt::Buffer>,
        record: Option<Arc<Outcome>>,
    ) -> Results {
        let devices = program.device_count();
        if devices > 1 {
            transpose(&mut table, devices);
        }
        table.reverse();
        Results { program, buffers: table, record }
    }

    pub fn next_buffer(&mut self) -> Buffer {
        let (shape, sharding) = self.next_output();
        match sharding {
            None => Buffer::from_program(shape, self.pop(), self.record.clone()),
            Some(sharding) => {
                let parts = (0..sharding.mesh().devices().len()).map(|_| self.pop());
                let shards = Shards::new(sharding.clone(), parts);
                Buffer::sharded(shape, shards).recorded(self.record.clone())
            }
        }
    }

    /// Stores the next result in the handle of an earlier one.
    pub fn replace(&mut self, buffer: &mut Buffer) {
        let (shape, sharding) = self.next_output();
        let record = self.record.clone();
        match sharding {
            None => buffer.replace(shape, self.pop(), record),
            Some(sharding) => {
                let parts = (0..sharding.mesh().devices().len()).map(|_| self.pop());
                buffer.replace_sharded(shape, &sharding, parts, record);
            }
        }
    }

    fn next_output(&self) -> (Shape, Option<NamedSharding>) {
        let outputs = &self.program.signature.outputs;
        let output = &outputs[outputs.len() - self.buffers.len() / self.program.device_count()];
        (output.shape, output.sharding.clone())
    }

    fn pop(&mut self) -> hloom_pjrt::Buffer {
        let next = self.buffers.pop();
        next.expect("a program returns as many results on each device as its signature says")
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        self.program.tables.put(std::mem::take(&mut self.buffers));
    }
}

impl Tables {
    /// An empty table.
    pub fn take(&self) -> Vec<hloom_pjrt::Buffer> {
        self.lock().pop().unwrap_or_default()
    }

    /// Returns a table for another call; drops its remaining results.
    pub fn put(&self, mut table: Vec<hloom_pjrt::Buffer>) {
        table.clear();
        self.lock().push(table);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<hloom_pjrt::Buffer>>> {
        // The tables are empty vectors between calls, even if a thread panicked while holding the
        // lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reorders the results from device-major order (those of the first device, then those of the
/// second) to result-major order (the first on all devices, then the second).
fn transpose<T>(table: &mut [T], devices: usize) {
    let results = table.len() / devices;
    // The source of a place is its value after the earlier places have been swapped.
    let source = |place: usize| place % devices * results + place / devices;
    for place in 0..table.len() {
        let mut from = source(place);
        while from < place {
            from = source(from);
        }
        table.swap(place, from);
    }
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn results_of_devices_become_devices_of_results() {
        for (devices, results) in [(1, 3), (2, 1), (2, 3), (3, 2), (4, 5), (6, 6), (3, 0)] {
            let mut table: Vec<(usize, usize)> = (0..devices)
                .flat_map(|device| (0..results).map(move |result| (result, device)))
                .collect();
            let mut expected = table.clone();
            expected.sort_unstable();
            transpose(&mut table, devices);
            assert_eq!(table, expected, "{devices} devices, {results} results");
        }
    }
}
