//! The output lists of calls: the buffers that the plugin returns, by device.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The results of a call: those of the first device, then those of the second...
pub(super) type OutputList = Vec<hloom_pjrt::Buffer>;

/// The output lists of a program's calls: empty between calls, kept for their capacity.
#[derive(Default)]
pub(crate) struct OutputLists(Mutex<Vec<OutputList>>);

impl OutputLists {
    /// An empty list.
    pub fn take(&self) -> OutputList {
        self.lock().pop().unwrap_or_default()
    }

    /// Returns a list for another call; drops its remaining buffers.
    pub fn put(&self, mut list: OutputList) {
        list.clear();
        self.lock().push(list);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OutputList>> {
        // The lists are empty vectors between calls, even if a thread panicked while holding the
        // lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reorders the results from device-major order (those of the first device, then those of the
/// second) to result-major order (the first on all devices, then the second).
pub(super) fn transpose<T>(list: &mut [T], devices: usize) {
    let results = list.len() / devices;
    // The source of a position, followed through the earlier swaps.
    let source = |place: usize| place % devices * results + place / devices;
    for place in 0..list.len() {
        let mut from = source(place);
        while from < place {
            from = source(from);
        }
        list.swap(place, from);
    }
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn results_of_devices_become_devices_of_results() {
        for (devices, results) in [(1, 3), (2, 1), (2, 3), (3, 2), (4, 5), (6, 6), (3, 0)] {
            let mut list: Vec<(usize, usize)> = (0..devices)
                .flat_map(|device| (0..results).map(move |result| (result, device)))
                .collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            transpose(&mut list, devices);
            assert_eq!(list, expected, "{devices} devices, {results} results");
        }
    }
}
