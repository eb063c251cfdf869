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
    process::{Child, Command, ExitStatus},
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
    let path = settings.results.with_file_name("ops-journal.jsonl");
    fs::write(&path, "").map_err(|error| format!("{}: {error}", path.display()))?;
    let journal = Journal::append(&path)?;
    let seconds = if options.compile.is_some() { 24 * 3600 } else { options.seconds };
    let (deadline, until) = (Instant::now() + Duration::from_secs(seconds), now() + seconds * 1000);
    let mut idle = 0;
    loop {
        let end = watch(start(&path, until)?, &path, deadline, options.patience)?;
        let ended = Ended::read(&path)?;
        let why = match end {
            End::Whole | End::TimeUp => return Ok(ended),
            End::Early(why) => why,
        };
        eprintln!("a worker ended early: {why}");
        let in_flight = ended.in_flight();
        if in_flight.is_empty() {
            idle += 1;
            if idle == MAX_IDLE {
                return Err(format!("the process that runs the cases ended: {why}").into());
            }
        } else {
            idle = 0;
        }
        match &in_flight[..] {
            [] => {}
            [id] => journal.end(id, Outcome::Ends, &why)?,
            suspects => journal.suspect(suspects)?,
        }
        let has_ended = |case: &Planned<'_>| {
            ended.cases.contains_key(&case.id) || in_flight.len() == 1 && in_flight[0] == case.id
        };
        if planned.iter().all(has_ended) {
            return Ended::read(&path);
        }
    }
}

/// How a worker ended.
enum End {
    Whole,
    TimeUp,
    Early(String),
}

fn start(journal: &Path, until: u64) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    command.arg("--journal").arg(journal).arg("--until").arg(until.to_string());
    Ok(command.spawn()?)
}

fn watch(mut worker: Child, journal: &Path, deadline: Instant, patience: u64) -> Result<End> {
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
        let is_stuck = progress.elapsed() > Duration::from_secs(patience);
        let is_late = Instant::now() > deadline + GRACE;
        if is_stuck || is_late {
            worker.kill()?;
            worker.wait()?;
            let stuck = format!("stopped after {patience} s without progress");
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
