//! The warnings of the cache.

use std::sync::{Arc, Mutex};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// The number of warnings while `work` runs on this thread.
pub fn warnings(work: impl FnOnce()) -> usize {
    let count = Arc::new(Mutex::new(0));
    tracing::subscriber::with_default(Warnings(count.clone()), work);
    *count.lock().unwrap()
}

/// Counts the warnings of the cache.
struct Warnings(Arc<Mutex<usize>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().starts_with("hloom_runtime::cache")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {
        *self.0.lock().unwrap() += 1;
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
