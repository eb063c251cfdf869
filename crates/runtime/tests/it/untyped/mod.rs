//! Programs built at run time from data, and buffers that are read and written in parts.

mod parts;

use hloom_graph::{Binary, DType, Direction, GraphBuilder, GraphError, Spec, TraceScope, Unary};
use hloom_runtime::{AnyExe, Argument, Buffer};
use hloom_test_support::CPU;

/// A network as a file would describe it: a line for each value.
const NETWORK: &str = "\
input x row=2 in=3
input w1 out=4 in=3
input b1 out=4
input w2 class=2 out=4
dot h x w1 in
add shifted h b1
unary hidden shifted tanh
dot scores hidden w2 out
output hidden
output scores";

/// Builds the graph that the lines describe.
fn built(lines: &str) -> Result<hloom_graph::Graph, GraphError> {
    let mut graph = GraphBuilder::new("network");
    for line in lines.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["input", name, ref axes @ ..] => {
                let axes = axes.iter().map(|axis| axis.split_once('=').unwrap());
                let axes: Vec<(&str, usize)> =
                    axes.map(|(axis, size)| (axis, size.parse().unwrap())).collect();
                graph.input(name, Spec::f32(axes))?;
            }
            ["dot", name, a, b, axis] => {
                let (a, b) = (graph.value(a)?, graph.value(b)?);
                graph.define(name, a.dot(b, axis))?;
            }
            ["add", name, a, b] => {
                let (a, b) = (graph.value(a)?, graph.value(b)?);
                graph.define(name, a + b)?;
            }
            ["unary", name, x, "tanh"] => drop(graph.record(name, Unary::Tanh, &[x])?),
            ["output", name] => graph.output(name)?,
            _ => panic!("{line}"),
        }
    }
    graph.finish()
}

fn network() -> AnyExe {
    CPU.compile_graph(&built(NETWORK).unwrap()).unwrap()
}

fn matrix(rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| (i as f32 * 0.7).sin()).collect()
}

/// R3: a program reports its arguments in order, by name, its results, its cost and its memory.
#[test]
fn a_program_built_from_data_tells_all_about_itself() {
    let exe = network();
    assert_eq!(exe.name(), "network");
    let names = |signature: &hloom_runtime::Signature| {
        let inputs = signature.inputs.iter().map(|input| format!("{} {}", input.name, input.shape));
        let outputs = signature.outputs.iter();
        let outputs = outputs.map(|output| format!("{} {}", output.name, output.shape));
        inputs.chain(outputs).collect::<Vec<_>>()
    };
    assert_eq!(
        names(exe.signature()),
        [
            "x f32[row=2, in=3]",
            "w1 f32[out=4, in=3]",
            "b1 f32[out=4]",
            "w2 f32[class=2, out=4]",
            "hidden f32[row=2, out=4]",
            "scores f32[row=2, class=2]",
        ]
    );
    assert!(exe.memory().unwrap().arguments >= (6 + 12 + 4 + 8) * 4);
    assert!(exe.optimized_program().is_some());
}

/// R4: a program is called with buffers by name, in any order, for the wanted outputs alone.
#[test]
fn buffers_by_name_give_the_wanted_outputs() {
    let exe = network();
    let values =
        [("w2", matrix(2, 4)), ("x", matrix(2, 3)), ("b1", matrix(1, 4)), ("w1", matrix(4, 3))];
    let buffers: Vec<(&str, Buffer)> = values
        .iter()
        .map(|(name, values)| (*name, exe.buffer_for(name, values).unwrap()))
        .collect();
    let given = || buffers.iter().map(|(name, buffer)| (*name, Argument::Borrowed(buffer)));
    let (w2, x, b1, w1) = (&values[0].1, &values[1].1, &values[2].1, &values[3].1);
    let mut expected = Vec::new();
    for row in 0..2 {
        let hidden: Vec<f32> = (0..4)
            .map(|out| {
                let sum: f32 = (0..3).map(|i| x[row * 3 + i] * w1[out * 3 + i]).sum();
                (sum + b1[out]).tanh()
            })
            .collect();
        for class in 0..2 {
            expected.push((0..4).map(|out| hidden[out] * w2[class * 4 + out]).sum::<f32>());
        }
    }
    let [scores] = &exe.call_named(given(), &["scores"]).unwrap()[..] else { panic!("one") };
    let found = scores.to_vec::<f32>().unwrap();
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}");
    let both = exe.call_named(given(), &["scores", "hidden", "scores"]).unwrap();
    assert_eq!(both[0].to_vec::<f32>().unwrap(), both[2].to_vec::<f32>().unwrap());
    assert_eq!(both[1].shape().to_string(), "f32[row=2, out=4]");
}

/// R5: forgotten inputs are one error that names all of them; zeros are passed when asked for.
#[test]
fn forgotten_inputs_are_one_error() {
    let exe = network();
    let x = exe.buffer_for("x", &matrix(2, 3)).unwrap();
    let error =
        exe.call_named([("x", Argument::Borrowed(&x))], &["scores"]).unwrap_err().to_string();
    assert!(["w1", "b1", "w2"].iter().all(|name| error.contains(name)), "{error}");
    let zeros: Vec<(&str, Buffer)> =
        ["w1", "b1", "w2"].iter().map(|name| (*name, exe.zeros_for(name).unwrap())).collect();
    let given = zeros.iter().map(|(name, buffer)| (*name, Argument::Borrowed(buffer)));
    let found = exe.call_named(given.chain([("x", Argument::Borrowed(&x))]), &["scores"]).unwrap();
    assert_eq!(found[0].to_vec::<f32>().unwrap(), [0.0; 4]);
    assert!(exe.zeros_for("w3").unwrap_err().to_string().contains("w3"));
}

/// R7: what is wrong with the data is an error that names the value.
#[test]
fn mistakes_in_the_data_name_the_value() {
    let of = |lines: &str| built(lines).unwrap_err().to_string();
    let mistakes = [
        "input x a=2\ninput x a=2",
        "input x a=2\nadd y x z",
        "input hidden a=2\nunary y hiden tanh",
        "input x a=2\ninput z a=3\nadd y x z\noutput y",
        "input x a=2\noutput x\noutput x",
        "input x a=2\noutput y",
        "input x a=2",
        "input x a=2 a=3",
    ];
    let messages: Vec<String> = mistakes.iter().map(|lines| of(lines)).collect();
    insta::assert_snapshot!(messages.join("\n---\n"));
}

#[test]
fn ops_are_recorded_on_values_by_name() {
    let mut graph = GraphBuilder::new("ops");
    graph.input("x", Spec::of(hloom_graph::Shape::new(DType::I32, [3]).unwrap())).unwrap();
    graph.input("y", Spec::of(hloom_graph::Shape::new(DType::I32, [3]).unwrap())).unwrap();
    graph.record("sum", Binary::Add, &["x", "y"]).unwrap();
    graph.record("less", Direction::Lt, &["x", "sum"]).unwrap();
    assert_eq!(graph.names().collect::<Vec<_>>(), ["less", "sum", "x", "y"]);
    // Another trace on the same thread does not disturb it.
    let other = TraceScope::begin("other");
    let z = other.parameter("z", &Spec::f32([1]), false);
    assert!(other.finish(vec![("z".into(), z + 1.0)]).is_ok());
    graph.output("less").unwrap();
    graph.output("sum").unwrap();
    assert!(format!("{graph:?}").contains("4 values"));
    let exe = CPU.compile_graph(&graph.finish().unwrap()).unwrap();
    let (x, y) =
        (exe.buffer_for("x", &[1, 2, 3]).unwrap(), exe.buffer_for("y", &[1, 0, -1]).unwrap());
    let given = [("x", Argument::Borrowed(&x)), ("y", Argument::Donated(y))];
    let found = exe.call_named(given, &["sum", "less"]).unwrap();
    assert_eq!(found[0].to_vec::<i32>().unwrap(), [2, 2, 2]);
    assert_eq!(found[1].to_vec::<bool>().unwrap(), [true, false, false]);
}

#[test]
fn an_error_stays_with_the_graph() {
    let mut graph = GraphBuilder::new("failed");
    let x = graph.input("x", Spec::f32([("a", 2)])).unwrap();
    let y = graph.input("y", Spec::f32([("a", 3)])).unwrap();
    assert!(graph.define("sum", x + y).is_err());
    assert!(graph.value("sum").is_err(), "nothing has the name");
    assert!(graph.define("other", x + x).is_err());
    assert!(graph.output("x").is_ok());
    assert!(graph.finish().unwrap_err().to_string().contains("a=3"));
}
