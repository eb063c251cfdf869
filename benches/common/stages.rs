//! The time that a process spends in spans, by their names.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tracing::{Metadata, Subscriber, span::Id, subscriber::set_global_default};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry::{LookupSpan, Registry},
};

/// The times of the spans of some names, summed over threads.
pub struct Stages(Arc<Totals>);

struct Totals {
    names: &'static [&'static str],
    times: Mutex<HashMap<&'static str, Duration>>,
}

struct Times(Arc<Totals>);

impl Stages {
    /// Starts to measure the spans of these names in this process.
    ///
    /// # Panics
    /// The process has a subscriber already.
    pub fn of<const N: usize>(names: [&'static str; N]) -> Stages {
        let names: &'static [&'static str] = Vec::leak(names.to_vec());
        let totals = Arc::new(Totals { names, times: Mutex::default() });
        let subscriber = Registry::default().with(Times(totals.clone()));
        set_global_default(subscriber).expect("no other subscriber is set");
        Stages(totals)
    }

    /// The seconds so far.
    pub fn seconds(&self) -> Vec<(&'static str, f64)> {
        let times = self.0.times.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |name| times.get(name).map_or(0.0, Duration::as_secs_f64);
        self.0.names.iter().map(|&name| (name, of(name))).collect()
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Times {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.is_span() && self.0.names.contains(&metadata.name())
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(Instant::now());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(begin) = span.extensions_mut().remove::<Instant>() {
            let mut times = self.0.times.lock().unwrap_or_else(PoisonError::into_inner);
            *times.entry(span.name()).or_default() += begin.elapsed();
        }
    }
}
