//! Spans of tracing.

use crate::own_platform;
use hloom_lazy::{Lazy, clear_programs, forget};
use hloom_test_support::is_alone;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};
use tracing::{
    Event, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

/// The names of the spans.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<&'static str>>>, Arc<AtomicU64>);

impl Subscriber for Names {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hloom")
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.lock().unwrap().push(span.metadata().name());
        Id::from_u64(self.1.fetch_add(1, Ordering::Relaxed) + 1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// U9: realizing, lowering and compiling have spans; calls have those of executables.
#[test]
fn each_stage_has_a_span() {
    // Elsewhere a thread without subscriber may be the first to call a program.
    if !is_alone("spans::each_stage_has_a_span") {
        return;
    }
    let cpu = own_platform();
    let names = Names::default();
    let run = || {
        let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
        assert_eq!((x * 3).to_vec::<f32>().unwrap(), [3.0, 6.0]);
    };
    // A span that a thread without subscriber is the first to reach may be lost to others.
    run();
    clear_programs(&cpu);
    tracing::subscriber::with_default(names.clone(), || {
        run();
        run();
    });
    let names = names.0.lock().unwrap();
    let count = |name: &str| names.iter().filter(|found| **found == name).count();
    let counts = ["realize", "lower", "compile", "call"].map(count);
    assert_eq!(counts, [2, 1, 1, 2], "{names:?}");
    forget(&cpu);
}
