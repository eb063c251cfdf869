//! Snapshots of the errors of wrong arguments, names and shapes.

use hloom_graph::{Spec, Tensor, Tree};
use hloom_runtime::{Buffer, Result};
use hloom_test_support::CPU;

#[derive(Tree, Clone)]
struct Scale<T = Tensor> {
    by: T,
}

impl Scale {
    fn forward(&self, x: Tensor) -> Tensor {
        x * self.by
    }
}

fn scale() -> Scale<Spec> {
    Scale { by: Spec::f32([("n", 2)]) }
}

fn buffer(values: &[f32]) -> Buffer {
    Buffer::from_slice(&CPU, values, [("n", values.len())]).unwrap()
}

/// The message of an error, without line numbers.
fn message<T>(outcome: Result<T>) -> String {
    let text = outcome.map(drop).expect_err("a mistake").to_string();
    let lines = text.lines().map(|line| match line.split_once(concat!(file!(), ":")) {
        Some((before, _)) => format!("{before}{}:..", file!()),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_mistake_has_its_message() {
    let x = || Spec::f32([("n", 2)]);
    let exe = CPU.compile(Scale::forward, (scale(), x())).unwrap();
    let inputs = |names| CPU.compiler().inputs(names).compile(Scale::forward, (scale(), x()));
    let fits = || Scale { by: buffer(&[1.0, 2.0]) };
    let renamed = Buffer::from_slice(&CPU, &[1f32, 2.0], [("m", 2)]).unwrap();
    let integers = Buffer::from_slice(&CPU, &[1i32, 2], [("n", 2)]).unwrap();
    let one_name = CPU.compiler().inputs(["x"]).compile(Scale::forward, (scale(), x()));
    let invalid = Spec::f32([("a", 2), ("a", 3)]);
    let jit = CPU.jit(Scale::forward);
    let messages = [
        ("a wrong size", message(exe.call((&fits(), &buffer(&[1.0, 2.0, 3.0]))))),
        ("a wrong name", message(exe.call((&fits(), &renamed)))),
        ("a wrong type", message(exe.call((&fits(), &integers)))),
        ("two wrong ones", message(exe.call((&Scale { by: buffer(&[1.0]) }, &buffer(&[1.0]))))),
        ("a wrong size to bind", message(exe.bind(&Scale { by: buffer(&[1.0]) }))),
        ("an input named twice", message(inputs(["x", "x"]))),
        ("too few names", message(one_name)),
        ("values of another type", message(exe.buffer_for("by", &[2i32, 3]))),
        ("an unknown input", message(exe.buffer_for("b", &[2f32, 3.0]))),
        ("too few values", message(exe.buffer_for("by", &[2f32]))),
        ("an axis twice", message(Buffer::zeros(&CPU, &invalid))),
        ("another count", message(buffer(&[1.0, 2.0]).named([3]))),
        ("too few values of a slice", message(Buffer::from_slice(&CPU, &[1f32], [2]))),
        ("reading another type", message(buffer(&[1.0]).to_vec::<i32>())),
        ("an invalid spec", message(CPU.compile(|x: Tensor| x, (invalid.clone(),)))),
        ("a jitted mistake", message(jit.call((&fits(), &buffer(&[1.0, 2.0, 3.0]))))),
        ("a jitted name", message(jit.call((&fits(), &renamed)))),
    ];
    let text = messages.map(|(what, message)| format!("# {what}\n{message}\n"));
    insta::assert_snapshot!(text.join("\n"));
}
