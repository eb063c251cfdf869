//! Ctrl-C: pressed once, it ends the answer; twice, or between answers, it ends the program.

use std::{
    process,
    sync::{
        Once,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

static ANSWERING: AtomicBool = AtomicBool::new(false);
static PRESSED: AtomicU32 = AtomicU32::new(0);
static HANDLER: Once = Once::new();

/// While this exists, Ctrl-C does not end the program at once.
pub struct Answering(());

/// Starts an answer that can be interrupted.
pub fn answering() -> Answering {
    HANDLER.call_once(|| {
        let handler = || {
            if !ANSWERING.load(Ordering::SeqCst) || PRESSED.fetch_add(1, Ordering::SeqCst) > 0 {
                // The exit status of a shell for this signal.
                process::exit(130);
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::warn!(%error, "Ctrl-C ends the program instead of the answer");
        }
    });
    PRESSED.store(0, Ordering::SeqCst);
    ANSWERING.store(true, Ordering::SeqCst);
    Answering(())
}

impl Answering {
    /// Whether Ctrl-C was pressed.
    pub fn interrupted(&self) -> bool {
        PRESSED.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        ANSWERING.store(false, Ordering::SeqCst);
    }
}
