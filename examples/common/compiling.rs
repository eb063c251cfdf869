//! Shows on a terminal which program is compiled, when that takes more than a second.

use indicatif::ProgressBar;
use std::{
    fmt,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle, ThreadId},
    time::Duration,
};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id},
};
use tracing_subscriber::{
    Layer,
    filter::FilterFn,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
    util::SubscriberInitExt,
};

/// The time after which a compilation is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows the compilations of one thread: compilations of other threads in the background delay
/// nothing, and the program may write to the terminal meanwhile.
struct Compiling {
    thread: ThreadId,
}

/// The thread that shows a compilation; it ends with the sender.
struct Shown(Sender<()>, JoinHandle<()>);

/// A layer with a line on standard error while this thread compiles a program. Nothing is written
/// when standard error is not a terminal.
pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>() -> impl Layer<S> {
    let compiles = FilterFn::new(|span| span.is_span() && span.name() == "compile");
    Compiling { thread: thread::current().id() }
        .with_filter(compiles.with_max_level_hint(LevelFilter::INFO))
}

/// Starts logging, configured by `HLOOM_LOG`, with that layer.
#[allow(dead_code, reason = "an example may have other logs")]
pub fn start_with_logs() {
    let logs = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_filter(tracing_subscriber::EnvFilter::from_env("HLOOM_LOG"));
    tracing_subscriber::registry().with(logs).with(layer()).init();
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Compiling {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|_| thread::current().id() == self.thread) else {
            return;
        };
        let mut name = Name::default();
        attributes.record(&mut name);
        let (sender, receiver) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let line = ProgressBar::new_spinner().with_message(format!("compiling {}", name.0));
            line.enable_steady_tick(Duration::from_millis(100));
            // The call returns when the sender is dropped.
            let _ = receiver.recv();
            line.finish_and_clear();
        });
        span.extensions_mut().insert(Shown(sender, thread));
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let shown = context.span(&id).and_then(|span| span.extensions_mut().remove::<Shown>());
        if let Some(Shown(sender, thread)) = shown {
            drop(sender);
            // Waits until the line is removed, before other output is written.
            let _ = thread.join();
        }
    }
}

/// The name of the program.
#[derive(Default)]
struct Name(String);

impl Visit for Name {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "name" {
            self.0 = format!("{value:?}");
        }
    }
}
