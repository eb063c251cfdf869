//! The thread that starts children.
//!
//! The kernel kills a child when the thread that started it ends, so that no child outlives its
//! parent however that ends. The thread that starts a sandbox may end before the sandbox does;
//! this one ends with the process.

use std::{
    io,
    process::{Child, Command},
    sync::{
        Mutex, PoisonError,
        mpsc::{Sender, SyncSender, channel, sync_channel},
    },
    thread,
};

/// A command to be run, and where the child goes.
type Job = (Command, SyncSender<io::Result<Child>>);

static SPAWNER: Mutex<Option<Sender<Job>>> = Mutex::new(None);

/// Starts a child that is killed when this process ends.
///
/// # Errors
/// The system's error.
pub fn spawn(command: Command) -> io::Result<Child> {
    let (outcome, child) = sync_channel(1);
    let spawner = spawner()?;
    let gone = || io::Error::other("the thread that starts children has ended");
    spawner.send((command, outcome)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

fn spawner() -> io::Result<Sender<Job>> {
    let mut spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(spawner) = &*spawner {
        return Ok(spawner.clone());
    }
    let (sender, jobs) = channel::<Job>();
    thread::Builder::new().name("hloom-sandbox".to_owned()).spawn(move || {
        for (mut command, outcome) in jobs {
            // The caller waits for it.
            let _ = outcome.send(command.spawn());
        }
    })?;
    Ok(spawner.insert(sender).clone())
}
