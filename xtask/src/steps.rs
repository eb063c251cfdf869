//! The steps of a check, and the time that each takes.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

/// The steps that were begun. A step ends where the next begins.
#[derive(Default)]
pub struct Steps {
    begun: Vec<(&'static str, Time)>,
}

impl Steps {
    /// Begins a step: prints the seconds of the one before, and its title.
    pub fn begin(&mut self, name: &'static str) {
        let now = Time::now();
        if let Some((last, begin)) = self.begun.last() {
            println!("{last}: {}", begin.until(now));
        }
        println!("\n== {name} ==");
        self.begun.push((name, now));
    }

    /// A line for each step up to now, and one for all of them.
    pub fn table(&self) -> String {
        self.table_until(Time::now())
    }

    fn table_until(&self, end: Time) -> String {
        let ends = self.begun.iter().skip(1).map(|(_, begin)| *begin).chain([end]);
        let mut table = String::new();
        for ((name, begin), end) in self.begun.iter().zip(ends) {
            let _ = writeln!(table, "{name:<16} {}", begin.until(end));
        }
        if let Some((_, begin)) = self.begun.first() {
            let _ = writeln!(table, "{:<16} {}", "all", begin.until(end));
        }
        table
    }
}

/// A point in time by the clock, and the processor time of this process and its ended children.
#[derive(Clone, Copy)]
struct Time {
    clock: Instant,
    processor: Duration,
}

impl Time {
    fn now() -> Self {
        Self { clock: Instant::now(), processor: processor() }
    }

    fn until(self, end: Self) -> String {
        let clock = end.clock - self.clock;
        let processor = end.processor.saturating_sub(self.processor);
        format!("{:5.0} s, {:5.0} processor s", clock.as_secs_f64(), processor.as_secs_f64())
    }
}

#[cfg(unix)]
fn processor() -> Duration {
    use nix::sys::{
        resource::{UsageWho, getrusage},
        time::TimeValLike,
    };
    let of = |who| {
        let usage = getrusage(who).ok()?;
        let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
        Some(Duration::from_micros(microseconds.try_into().ok()?))
    };
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN].into_iter().filter_map(of).sum()
}

/// Zero: other systems have no call that sums the time of children.
#[cfg(not(unix))]
fn processor() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_time_of_each_step_and_of_all() {
        let begin = Instant::now();
        let at = |clock, processor| Time {
            clock: begin + Duration::from_secs(clock),
            processor: Duration::from_millis(processor),
        };
        let steps = Steps { begun: vec![("format", at(1, 500)), ("lints", at(4, 2_500))] };
        let expected = "\
            format               3 s,     2 processor s\n\
            lints              100 s,   150 processor s\n\
            all                103 s,   152 processor s\n";
        assert_eq!(steps.table_until(at(104, 152_500)), expected);
        assert_eq!(Steps::default().table(), "");
    }

    #[cfg(unix)]
    #[test]
    fn the_time_of_children_that_ended_counts() {
        let before = processor();
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
        let status = std::process::Command::new("sh").args(["-c", busy]).status().unwrap();
        assert!(status.success());
        let spent = processor() - before;
        assert!(spent > Duration::from_millis(20), "{spent:?}");
    }
}
