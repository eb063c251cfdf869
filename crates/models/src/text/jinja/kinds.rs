//! Tests of jinja2 for the type of a value.

use super::characters;
use minijinja::{Value, value::ValueKind};

/// A test: its name, and whether a value passes it.
type KindTest = (&'static str, fn(&Value) -> bool);

/// The tests.
pub(super) const ALL: [KindTest; 10] = [
    // `True` and `False` are numbers in Python.
    ("number", |value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool)),
    ("integer", Value::is_integer),
    ("int", Value::is_integer),
    ("float", |value| value.is_number() && !value.is_integer()),
    // Texts and maps have a length and items too, and so has an undefined value.
    ("sequence", |value| is_iterable(value) && value.kind() != ValueKind::Iterable),
    ("iterable", is_iterable),
    ("mapping", |value| value.kind() == ValueKind::Map),
    ("callable", |value| matches!(value.kind(), ValueKind::Plain | ValueKind::Undefined)),
    ("lower", |value| value.as_str().is_some_and(characters::is_lower)),
    ("upper", |value| value.as_str().is_some_and(characters::is_upper)),
];

fn is_iterable(value: &Value) -> bool {
    matches!(
        value.kind(),
        ValueKind::String
            | ValueKind::Seq
            | ValueKind::Map
            | ValueKind::Iterable
            | ValueKind::Undefined
    )
}
