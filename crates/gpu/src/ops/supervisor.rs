//! Starts workers until every case has ended or the time is up.

use super::{
    Options,
    journal::{Ended, Journal},
    outcome::Outcome,
    plan::Planned,
    worker::{LOST_DEVICE, now},
};
use crate::{Result, Settings};
use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The time that a worker may exceed the limit by, to end what it began.
const GRACE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(50);
/// Workers in a row that end without having begun a case.
const MAX_IDLE: usize = 2;

/// Runs the cases in workers; the journal is next to the results.
///
/// # Errors
/// No worker starts, or the journal cannot be written or read.
pub fn run(settings: &Settings, options: &Options, planned: &[Planned<'_>]) -> Result<Ended> {
    let journal = settings.results.with_file_name("ops-journal.jsonl");
    let seconds = if options.compile.is_some() { 24 * 3600 } else { options.seconds };
    let limits = Limits {
        deadline: Instant::now() + Duration::from_secs(seconds),
        patience: Duration::from_secs(options.patience),
    };
    let until = now() + seconds * 1000;
    let ids: Vec<&str> = planned.iter().map(|case| case.id.as_str()).collect();
    supervise(&journal, &ids, &limits, || start(&journal, until))
}

/// The limits of workers.
struct Limits {
    /// When the last worker is stopped.
    deadline: Instant,
    /// How long one may take without a line in its journal.
    patience: Duration,
}

/// How a worker ended.
enum End {
    Whole,
    TimeUp,
    Early(String),
}

/// Starts workers until one has tried all that is left, or the time is up.
fn supervise(
    path: &Path,
    ids: &[&str],
    limits: &Limits,
    mut start: impl FnMut() -> Result<Child>,
) -> Result<Ended> {
    fs::write(path, "").map_err(|error| format!("{}: {error}", path.display()))?;
    let journal = Journal::append(path)?;
    let mut idle = 0;
    loop {
        let end = watch(start()?, path, limits)?;
        let ended = Ended::read(path)?;
        let why = match end {
            End::Whole | End::TimeUp => return Ok(ended),
            End::Early(why) => why,
        };
        eprintln!("a worker ended early: {why}");
        let in_flight = ended.in_flight();
        match &in_flight[..] {
            [] => {
                idle += 1;
                if idle == MAX_IDLE {
                    return Err(format!("the process that runs the cases ended: {why}").into());
                }
            }
            [id] => journal.end(id, Outcome::Ends, &why)?,
            suspects => journal.suspect(suspects)?,
        }
        idle = if in_flight.is_empty() { idle } else { 0 };
        let ended = Ended::read(path)?;
        if ids.iter().all(|id| ended.cases.contains_key(*id)) {
            return Ok(ended);
        }
    }
}

/// Starts this program as a worker. It ends with this process: its input does.
fn start(journal: &Path, until: u64) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    command.arg("--journal").arg(journal).arg("--until").arg(until.to_string());
    Ok(command.stdin(Stdio::piped()).spawn()?)
}

fn watch(mut worker: Child, journal: &Path, limits: &Limits) -> Result<End> {
    let mut size = 0;
    let mut progress = Instant::now();
    loop {
        if let Some(status) = worker.try_wait()? {
            return Ok(end_of(status));
        }
        let found = fs::metadata(journal).map_or(0, |file| file.len());
        if found != size {
            (size, progress) = (found, Instant::now());
        }
        let is_stuck = progress.elapsed() > limits.patience;
        let is_late = Instant::now() > limits.deadline + GRACE;
        if is_stuck || is_late {
            worker.kill()?;
            worker.wait()?;
            let stuck = format!("stopped after {:?} without progress", limits.patience);
            return Ok(if is_late { End::TimeUp } else { End::Early(stuck) });
        }
        thread::sleep(POLL);
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Whole,
        (Some(LOST_DEVICE), _) => End::Early("the device no longer works".to_owned()),
        (_, Some(signal)) => End::Early(format!("signal {signal}")),
        _ => End::Early(status.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Supervises workers that are shell scripts, each with `line` to write to the journal.
    fn supervise_scripts(scripts: &[&str], ids: &[&str]) -> Result<(Ended, usize)> {
        let folder = tempfile::tempdir()?;
        let journal = folder.path().join("journal");
        let mut started = 0;
        let limits = Limits {
            deadline: Instant::now() + Duration::from_secs(60),
            patience: Duration::from_secs(2),
        };
        let ended = supervise(&journal, ids, &limits, || {
            let script = scripts.get(started).ok_or("there is no other worker")?;
            started += 1;
            let script = format!("line() {{ echo \"$1\" >> {}; }}\n{script}", journal.display());
            Ok(Command::new("sh").arg("-c").arg(script).spawn()?)
        })?;
        Ok((ended, started))
    }

    #[test]
    fn the_case_that_ends_the_process_is_found() {
        let scripts = [
            r#"line '{"start": "card"}'; line '{"compile": ["a", "b"]}'; line '{"compile": ["c"]}'
               line '{"call": ["a", "b"]}'; kill -SEGV $$"#,
            r#"line '{"start": "card"}'; line '{"compile": ["a"]}'; line '{"call": ["a"]}'; exit 75"#,
            r#"line '{"start": "card"}'; line '{"compile": ["b"]}'
               line '{"case": "b", "outcome": "holds", "why": ""}'
               line '{"case": "c", "outcome": "wrong", "why": "far"}'"#,
        ];
        let (ended, started) = supervise_scripts(&scripts, &["a", "b", "c"]).unwrap();
        assert_eq!(started, 3);
        assert_eq!(ended.suspects, ["a", "b"]);
        assert_eq!(ended.cases["a"], (Outcome::Ends, "the device no longer works".to_owned()));
        assert_eq!(ended.cases["b"].0, Outcome::Holds);
        assert_eq!(ended.cases["c"].0, Outcome::Wrong);
    }

    #[test]
    fn a_case_that_never_ends_is_stopped() {
        let scripts = [r#"line '{"start": "card"}'; line '{"compile": ["a"]}'; exec sleep 100"#];
        let (ended, _) = supervise_scripts(&scripts, &["a"]).unwrap();
        let why = "stopped after 2s without progress";
        assert_eq!(ended.cases["a"], (Outcome::Ends, why.to_owned()));
    }

    #[test]
    fn a_plugin_that_does_not_start_is_an_error() {
        let error = supervise_scripts(&["exit 3", "exit 3"], &["a"]).err().unwrap().to_string();
        assert_eq!(error, "the process that runs the cases ended: exit status: 3");
    }
}
