//! Resource usage of this process.

use hloom_pjrt::Alive;
use serde_json::{Value, json};
use std::{fs, time::Duration};

/// The resource usage of this process at one time.
pub struct Sample {
    second: u64,
    /// Resident memory in KiB.
    memory: u64,
    threads: u64,
    descriptors: u64,
    alive: Alive,
}

/// A field of a sample.
type Number = fn(&Sample) -> u64;

/// The compared fields, and the increase of each that does not count as growth: caches of the
/// allocator, and what an ended thread still holds.
const SLACK: [(&str, Number, u64); 6] = [
    ("memory in KiB", |sample| sample.memory, 16 << 10),
    ("threads", |sample| sample.threads, 2),
    ("descriptors", |sample| sample.descriptors, 2),
    ("buffers", |sample| sample.alive.buffers as u64, 2),
    ("executables", |sample| sample.alive.loaded_executables as u64, 0),
    ("events and lent memory", |sample| (sample.alive.events + sample.alive.host_memory) as u64, 2),
];

impl Sample {
    pub fn take(since: Duration) -> Sample {
        let status =
            fs::read_to_string("/proc/self/status").expect("a process can read its own status");
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next());
            number
                .and_then(|number| number.parse().ok())
                .unwrap_or_else(|| panic!("{name} is not in {status}"))
        };
        let descriptors =
            fs::read_dir("/proc/self/fd").expect("a process can list its descriptors");
        Sample {
            second: since.as_secs(),
            memory: field("VmRSS:"),
            threads: field("Threads:"),
            // One of the descriptors is that of the listing itself.
            descriptors: descriptors.count() as u64 - 1,
            alive: hloom_pjrt::alive(),
        }
    }

    /// One line, with the number of times that each kind of work was done so far.
    pub fn json<'a>(&self, done: impl Iterator<Item = (&'a str, u64)>) -> Value {
        json!({
            "second": self.second,
            "memory_kib": self.memory,
            "threads": self.threads,
            "descriptors": self.descriptors,
            "buffers": self.alive.buffers,
            "executables": self.alive.loaded_executables,
            "events": self.alive.events,
            "host_memory": self.alive.host_memory,
            "done": done.collect::<std::collections::BTreeMap<_, _>>(),
        })
    }
}

/// The fields that grew from the middle third of the samples to the last, by their medians and
/// beyond the slack.
pub fn growth(samples: &[Sample]) -> Vec<String> {
    let third = samples.len() / 3;
    assert!(third > 0, "{} samples are too few", samples.len());
    let (middle, last) = (&samples[third..2 * third], &samples[2 * third..]);
    let grown = SLACK.iter().filter_map(|(what, number, slack)| {
        let (before, after) = (median(middle, number), median(last, number));
        (after > before + slack)
            .then(|| format!("{what}: {before} in the middle third, {after} in the last"))
    });
    grown.collect()
}

fn median(samples: &[Sample], number: &Number) -> u64 {
    let mut numbers: Vec<u64> = samples.iter().map(number).collect();
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

#[test]
fn growth_is_told_from_noise() {
    let sample = |second: u64, memory: u64, threads: u64| Sample {
        second,
        memory,
        threads,
        descriptors: 5,
        alive: Alive::default(),
    };
    let noisy: Vec<Sample> =
        (0..30).map(|i| sample(i, 500_000 + i % 7 * 1000, 9 + i % 2)).collect();
    assert_eq!(growth(&noisy), [""; 0]);
    let leaking: Vec<Sample> = (0..30).map(|i| sample(i, 500_000 + 2000 * i, 9 + i / 3)).collect();
    let found = growth(&leaking);
    assert_eq!(found[0], "memory in KiB: 530000 in the middle third, 550000 in the last");
    assert_eq!(found[1], "threads: 14 in the middle third, 17 in the last");
    assert_eq!(found.len(), 2);
}
