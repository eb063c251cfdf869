//! The spans and events of a program's whole life.

use hloom_graph::{Spec, Tensor, Tree};
use hloom_io::{Checkpoint, save};
use hloom_runtime::{
    Buffer, Callback, CallbackBuilder, CallbackContext, CallbackError, Donated, InputView,
    OutputView,
};
use hloom_test_support::{CPU, Child, is_child};
use std::{
    collections::BTreeMap,
    fmt::{Debug, Write},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Collects the spans of this project, with their fields and the number of times that they were
/// entered, and its events.
#[derive(Clone, Default)]
struct Capture(Arc<Inner>);

#[derive(Default)]
struct Inner {
    next: AtomicU64,
    spans: Mutex<BTreeMap<u64, Span>>,
    events: Mutex<Vec<String>>,
}

#[derive(Clone, Default, Debug)]
struct Span {
    name: &'static str,
    fields: String,
    entered: usize,
}

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?}; ", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = write!(self.0, "{}={value}; ", field.name());
    }
}

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hloom")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut new = Span { name: span.metadata().name(), ..Span::default() };
        span.record(&mut Text(&mut new.fields));
        self.0.spans.lock().unwrap().insert(id, new);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.0.spans.lock().unwrap();
        values.record(&mut Text(&mut spans.get_mut(&span.into_u64()).unwrap().fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = format!("{} ", event.metadata().level());
        event.record(&mut Text(&mut text));
        self.0.events.lock().unwrap().push(text);
    }

    fn enter(&self, span: &Id) {
        self.0.spans.lock().unwrap().get_mut(&span.into_u64()).unwrap().entered += 1;
    }

    fn exit(&self, _: &Id) {}
}

impl Capture {
    fn take(&self) -> (Vec<Span>, Vec<String>) {
        // Callbacks run on other threads, which may leave their span a moment after the results.
        let spans = std::mem::take(&mut *self.0.spans.lock().unwrap());
        (spans.into_values().collect(), std::mem::take(&mut *self.0.events.lock().unwrap()))
    }
}

#[derive(Tree, Clone)]
struct Affine<T = Tensor> {
    #[axes("n")]
    scale: T,
    #[axes("n")]
    shift: T,
}

struct Halve;

impl Callback for Halve {
    type Inputs = Spec;
    type Outputs = Spec;

    fn call(
        &self,
        _: &CallbackContext<'_>,
        x: InputView<'_>,
        mut y: OutputView<'_>,
    ) -> Result<(), CallbackError> {
        for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
            *y = x / 2.0;
        }
        Ok(())
    }
}

impl Affine {
    fn forward(&self, x: Tensor) -> Tensor {
        let y = x * self.scale + self.shift;
        CallbackBuilder::new("halve", y, Spec::of(y.shape())).bound::<Halve>()
    }
}

/// E19: a program's tracing, lowering, compiling, saving, loading, binding and calling, and each
/// call of its callbacks, have a span with shapes, entered once; its log lines name it.
///
/// C16: each call of a callback and each binding of its state has a log line and a span.
///
/// E18: the spans have the default name of the program.
#[test]
fn every_stage_has_a_span_with_shapes() {
    // The subscriber is that of the whole process.
    if !is_child() {
        // Compiling is one of the stages.
        let child = Child::test("load::spans::every_stage_has_a_span_with_shapes");
        child.env_remove("HLOOM_CACHE").run().passed();
        return;
    }
    let platform = &*CPU;
    let capture = Capture::default();
    tracing::subscriber::set_global_default(capture.clone()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("affine.safetensors");
    let buffer = |values: [f32; 2]| Buffer::from_slice(platform, &values, [("n", 2)]).unwrap();
    save(&path, &Affine { scale: buffer([2.0, 3.0]), shift: buffer([4.0, 5.0]) }).unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();
    let spec = Affine { scale: Spec::f32([("n", 2)]), shift: Spec::f32([("n", 2)]) };
    let weights = checkpoint.load(platform, &spec).unwrap();
    let specs = (spec, Donated(Spec::f32([("n", 2)])));
    let exe = platform.compile(Affine::forward, specs).unwrap();
    exe.bind_callback(Halve).unwrap();
    let exe = exe.bind(&weights).unwrap();
    assert_eq!(exe.call((buffer([1.0, 1.0]),)).unwrap().to_vec::<f32>().unwrap(), [3.0, 4.0]);

    let (spans, events) = capture.take();
    let name = "name=Affine::forward; ";
    let expected: [(&str, &[&str]); 10] = [
        ("save", &["tensors=2; ", "bytes=16; ", "shapes=f32[n=2], f32[n=2]; "]),
        ("open checkpoint", &["affine.safetensors"]),
        ("load", &["tensors=2; ", "bytes=16; ", "shapes=f32[n=2], f32[n=2]; "]),
        ("trace", &[name, "inputs=f32[n=2], f32[n=2], f32[n=2]; ", "outputs=f32[n=2]; "]),
        ("lower", &[name, "inputs=f32[n=2], f32[n=2], f32[n=2]; ", "outputs=f32[n=2]; "]),
        (
            "compile",
            &[name, "platform=cpu; ", "inputs=f32[n=2], f32[n=2], f32[n=2]; ", "input_bytes=24; "],
        ),
        ("bind callback", &["executable=Affine::forward; "]),
        ("bind", &[name, "inputs=f32[n=2], f32[n=2]; "]),
        ("call", &[name, "outputs=f32[n=2]; "]),
        (
            "callback",
            &["name=halve; ", "executable=Affine::forward; ", "shapes=(f32[n=2]) -> (f32[n=2]); "],
        ),
    ];
    for (name, fields) in expected {
        let found: Vec<&Span> = spans.iter().filter(|span| span.name == name).collect();
        let [span] = found[..] else {
            panic!("`{name}` is there {} times: {spans:#?}", found.len())
        };
        assert_eq!(span.entered, 1, "{span:?}");
        for field in fields {
            assert!(span.fields.contains(field), "{field}: {span:?}");
        }
    }
    assert_eq!(spans.len(), expected.len(), "other spans: {spans:#?}");
    let lines = |part: &str| events.iter().filter(|event| event.contains(part)).count();
    assert_eq!(lines("message=compiling"), 1, "{events:#?}");
    assert_eq!(lines("message=called"), 1, "{events:#?}");
    assert_eq!(lines("message=bound; name=halve"), 1, "{events:#?}");

    // Again: a call and a callback more, and nothing else.
    exe.call((buffer([1.0, 1.0]),)).unwrap().ready().unwrap();
    let (spans, _) = capture.take();
    let mut names: Vec<&str> = spans.iter().map(|span| span.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["call", "callback"]);
}
