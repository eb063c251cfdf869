//! Progress on standard error: bars on a terminal, a line per package elsewhere.

use std::{io::IsTerminal, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};

use crate::Package;

/// The output of an installer's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Silent,
    Lines,
    Bars,
}

impl Progress {
    pub(crate) fn detect() -> Self {
        if std::io::stderr().is_terminal() { Self::Bars } else { Self::Lines }
    }

    /// Writes a line.
    pub(crate) fn say(self, line: &str) {
        if self != Self::Silent {
            eprintln!("{line}");
        }
    }

    /// Starts a stage of a package that handles `bytes` bytes.
    pub(crate) fn stage(self, verb: &str, package: &Package, bytes: u64) -> ProgressBar {
        let title = format!("{verb} {} {}", package.package, package.version);
        match self {
            Self::Silent => ProgressBar::hidden(),
            Self::Lines => {
                eprintln!("{title} ({:.1} MB)", bytes as f64 / 1e6);
                ProgressBar::hidden()
            }
            Self::Bars => {
                let bar = ProgressBar::new(bytes).with_message(title);
                let template =
                    "{msg:44} [{bar:24}] {bytes:>11}/{total_bytes:11} {bytes_per_sec:>12} {eta:>4}";
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style.progress_chars("=> "));
                }
                bar.enable_steady_tick(Duration::from_millis(100));
                bar
            }
        }
    }
}
