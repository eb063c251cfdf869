//! A spinner on standard error during long work.

use indicatif::ProgressBar;
use std::{
    io::IsTerminal,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// The time before the spinner is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs `work`; once it takes more than a second, shows a spinner with the elapsed time, if
/// standard error is a terminal.
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
                // `recv` returns an error at the end: no value is ever sent.
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
