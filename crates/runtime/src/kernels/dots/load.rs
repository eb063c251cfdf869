//! The load of the processors by this process and by others.

use std::fs;

/// The times of the processors that this process may run on, in ticks of the system.
pub(super) struct Load {
    /// The ticks spent on any process.
    busy: u64,
    total: u64,
    /// The ticks spent on this process.
    own: u64,
}

/// The share of the processors' time that others may have while something is measured, and this
/// process while it is idle.
const QUIET: f64 = 0.15;

impl Load {
    /// The times so far; `None` where the system does not report them.
    pub fn now() -> Option<Load> {
        let allowed = allowed(&fs::read_to_string("/proc/self/status").ok()?)?;
        let (busy, total) = times(&fs::read_to_string("/proc/stat").ok()?, &allowed)?;
        Some(Load { busy, total, own: own(&fs::read_to_string("/proc/self/stat").ok()?)? })
    }

    /// Whether other processes left the processors idle since then.
    pub fn is_quiet_until(&self, now: &Load) -> bool {
        let others = (now.busy - self.busy).saturating_sub(now.own - self.own);
        others as f64 <= QUIET * (now.total - self.total) as f64
    }

    /// Whether this process left the processors idle since then.
    pub fn is_idle_until(&self, now: &Load) -> bool {
        (now.own - self.own) as f64 <= QUIET * (now.total - self.total) as f64
    }
}

/// The numbers of the processors, from `Cpus_allowed_list: 0-3,8`.
fn allowed(status: &str) -> Option<Vec<usize>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let ranges = list.trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<usize>().ok()?..=last.parse().ok()?)
    });
    Some(ranges.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The busy ticks and all ticks of these processors, from lines `cpu3 user nice system idle iowait
/// irq softirq steal`. Time that the host gives to others is busy.
fn times(stat: &str, allowed: &[usize]) -> Option<(u64, u64)> {
    let (mut busy, mut total) = (0, 0);
    for line in stat.lines() {
        let mut words = line.strip_prefix("cpu").unwrap_or_default().split(' ');
        let number = words.next().and_then(|number| number.parse().ok());
        if number.is_some_and(|number| allowed.contains(&number)) {
            let ticks: Vec<u64> = words.take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
            let all: u64 = ticks.iter().sum();
            total += all;
            busy += all - ticks.get(3)? - ticks.get(4)?;
        }
    }
    (total > 0).then_some((busy, total))
}

/// The ticks of this process, from `/proc/self/stat`, where the name before may have spaces.
fn own(stat: &str) -> Option<u64> {
    let mut words = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || words.next()?.parse::<u64>().ok();
    Some(ticks()? + ticks()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 2 50 3 4 5 6 7 8\n\
                        cpu1 100 0 0 100 0 0 0 0 0 0\ncpu10 1 1 1 1 1 1 1 1 0 0\nintr 5\n";

    #[test]
    fn times_are_those_of_the_allowed_processors() {
        assert_eq!(allowed("Name:\tx\nCpus_allowed_list:\t0-2,10\n"), Some(vec![0, 1, 2, 10]));
        assert_eq!(allowed("Cpus_allowed_list:\t5"), Some(vec![5]));
        assert_eq!(allowed("Cpus_allowed_list:\tmany"), None);
        assert_eq!(times(STAT, &[0]), Some((28, 81)));
        assert_eq!(times(STAT, &[1, 10]), Some((106, 208)));
        assert_eq!(times(STAT, &[7]), None);
        assert_eq!(own("1 (a) b) R 1 1 1 0 -1 0 0 0 0 0 30 12 0 0 20"), Some(42));
        assert_eq!(own("1"), None);
    }

    #[test]
    fn others_are_noticed() {
        let before = Load { busy: 100, total: 1000, own: 50 };
        let after = |busy, own| Load { busy, total: 1200, own };
        assert!(before.is_quiet_until(&after(300, 250)), "all of it is ours");
        assert!(before.is_quiet_until(&after(130, 50)), "little of it");
        assert!(!before.is_quiet_until(&after(300, 200)), "a quarter is of others");
        // The two counters are not read at the same instant.
        assert!(before.is_quiet_until(&after(110, 70)));
    }

    #[test]
    fn a_process_that_computes_is_not_idle() {
        let before = Load { busy: 100, total: 1000, own: 50 };
        let after = |own| Load { busy: 300, total: 1200, own };
        assert!(before.is_idle_until(&after(80)), "all but little is of others");
        assert!(!before.is_idle_until(&after(81)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_tells_its_times() {
        let load = Load::now().expect("it is Linux");
        assert!(load.busy <= load.total && load.total > 0);
    }
}
