//! Each op of the table is called once with wrong arguments, by the call next to its program;
//! a snapshot has the errors.

use crate::{
    op_table,
    programs::{self, Arguments},
};
use hloom_graph::{DType, MeshShape, Spec, Tensor, TraceScope};
use std::collections::BTreeSet;

/// Ops that no tensor is wrong for.
const WITHOUT: [&str; 2] = ["optimization_barrier", "eq"];

fn message(mistake: fn(Arguments) -> Tensor) -> Option<String> {
    let mesh = MeshShape::new([("data", 2)]).expect("one axis makes a mesh");
    let trace = TraceScope::begin_over("test", mesh);
    let argument = |name: &str, spec: Spec| trace.parameter(name, &spec, false);
    let both = [("row", 3), ("column", 4)];
    let result = mistake(Arguments {
        x: argument("x", Spec::f32(both)),
        w: argument("w", Spec::f32([("out", 5), ("in", 4)])),
        i: argument("i", Spec::i32(both)),
        b: argument("b", Spec::bool([("row", 3)])),
        c: argument("c", Spec::new(DType::C64, both)),
        u: argument("u", Spec::new(DType::U8, [("row", 3)])),
    });
    let error = trace.finish(vec![("".into(), result)]).err()?;
    let file = error.location.file();
    assert!(file.contains("programs"), "{error}");
    Some(
        error
            .to_string()
            .lines()
            .filter(|line| !line.contains(file))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

#[test]
fn the_most_likely_mistake_with_an_op_has_its_message() {
    let mut mistakes = programs::mistakes();
    mistakes.sort_by_key(|(op, _)| *op);
    let listed: BTreeSet<&str> = mistakes.iter().map(|(op, _)| *op).chain(WITHOUT).collect();
    let ops: BTreeSet<&str> = op_table::ops().collect();
    assert_eq!(listed, ops, "one mistake for each op");
    let mut messages = String::new();
    for (op, mistake) in mistakes {
        let message = message(mistake);
        messages += &format!("# {op}\n{}\n\n", message.as_deref().unwrap_or("no error"));
    }
    assert!(!messages.contains("no error"), "{messages}");
    insta::with_settings!({ snapshot_path => "mistakes", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("messages", messages);
    });
}
