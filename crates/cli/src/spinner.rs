//! A sign of life on standard error while something takes long.

use indicatif::ProgressBar;
use std::{
    io::IsTerminal,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Shorter waits show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs `work`, with a spinner and the time it took so far once it takes more than a second, if a
/// person looks at a terminal.
pub fn while_running<T>(message: &str, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (running, ended) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::new_spinner().with_elapsed(PATIENCE);
                spinner.set_style(style());
                spinner.set_message(message.to_owned());
                spinner.enable_steady_tick(Duration::from_millis(100));
                // An error is the end: nothing is ever sent.
                let _ = ended.recv();
                spinner.finish_and_clear();
            }
        });
        let result = work();
        drop(running);
        result
    })
}

fn style() -> indicatif::ProgressStyle {
    let style = indicatif::ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    style.unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner())
}
