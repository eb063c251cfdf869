//! Tracing of partitions, `manual` and collectives.

use crate::traced::traced;
use hloom_graph::*;

fn mesh() -> MeshShape {
    MeshShape::new([("data", 2), ("model", 3)]).unwrap()
}

/// Traces a function over the mesh.
fn graph<const N: usize>(
    specs: [Spec; N],
    f: impl FnOnce([Tensor; N]) -> Tensor,
) -> Result<Graph, TraceError> {
    traced(TraceScope::begin_over("test", mesh()), specs, f)
}

/// The first line of the error.
fn trace_error<const N: usize>(specs: [Spec; N], f: impl FnOnce([Tensor; N]) -> Tensor) -> String {
    let error = graph(specs, f).expect_err("an error").to_string();
    error.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn the_text_form_says_how_values_are_split() {
    let x = Spec::f32([("batch", 4), ("in", 6)]).shard("batch", "data");
    let w = Spec::f32([("in", 6), ("out", 5)]).shard("in", "model");
    let graph = graph([x, w], |[x, w]| {
        let split = (
            PartitionSpec::shard("batch", "data").and("in", "model"),
            PartitionSpec::shard("in", "model"),
        );
        let y = manual((x, w), split, PartitionSpec::shard("batch", "data"), |(x, w)| {
            x.dot(w, "in").all_reduce(Reduction::Sum, "model")
        });
        y.constrain([("batch", "data")])
    });
    let expected = "\
test over [data=2, model=3] {
  %0 = argument `x0` : f32[batch=4/data, in=6]
  %1 = argument `x1` : f32[in=6/model, out=5]
  %2 = manual %0, %1 takes f32[batch=4/data, in=6/model], f32[in=6/model, out=5] gives \
                    f32[batch=4/data, out=5] : f32[batch=4, out=5] do { |%3, %4|
    %5 = dot %3, %4 contract [1] [0] : f32[batch=2, out=5]
    %6 = all_reduce %5 sum over [model] : f32[batch=2, out=5]
    give %6
  }
  %7 = constrain %2 as f32[batch=4/data, out=5] : f32[batch=4, out=5]
  return %7
}
";
    assert_eq!(graph.unwrap().to_string(), expected);
}

#[test]
fn an_argument_that_cannot_be_split_is_told_with_its_name_and_line() {
    let line = line!() + 1;
    let spec = Spec::f32([("batch", 5)]).shard("batch", "data");
    let error = graph([spec], |[x]| x).unwrap_err().to_string();
    let expected = format!(
        "shard: axis `batch` of f32[batch=5] has size 5, which is not divisible by 2, the size of \
         `data` in the mesh [data=2, model=3]\n  argument: f32[batch=5]   (x0)\n  at {}:{line}:",
        file!()
    );
    assert!(error.starts_with(&expected), "{error}");
    let unknown = trace_error([Spec::f32([4]).shard(0, "heads")], |[x]| x);
    assert_eq!(unknown, "shard: there is no axis `heads` in the mesh [data=2, model=3]");
    let twice = trace_error([Spec::f32([6, 6]).shard(0, "data").shard(1, "data")], |[x]| x);
    assert_eq!(
        twice,
        "shard: mesh axis `data` splits f32[6, 6] twice; it can split one axis of a tensor"
    );
    assert!(graph([Spec::f32([5]).shard(0, "data").padded()], |[x]| x).is_ok());
}

#[test]
fn shapes_in_manual_are_a_devices_own() {
    let shape = |f: fn(Tensor) -> Tensor, joined: PartitionSpec| {
        let x = Spec::f32([("a", 4), ("b", 6)]);
        let graph = graph([x], |[x]| {
            let split = PartitionSpec::shard("a", "data").and("b", "model");
            manual_unchecked(x, split, joined, f)
        });
        let graph = graph.unwrap_or_else(|error| panic!("{error}"));
        graph.shape(graph.root().results[0]).to_string()
    };
    let whole = PartitionSpec::replicated();
    let (a, b) = (PartitionSpec::shard("a", "data"), PartitionSpec::shard("b", "model"));
    assert_eq!(shape(|x| x.exp(), whole), "f32[a=2, b=2]");
    assert_eq!(shape(|x| x.exp(), a), "f32[a=4, b=2]");
    assert_eq!(shape(|x| x.all_gather("b", "model"), a), "f32[a=4, b=6]");
    assert_eq!(shape(|x| x.all_gather("a", ["model", "data"]), whole), "f32[a=12, b=2]");
    assert_eq!(shape(|x| x.reduce_scatter(Reduction::Max, "a", "data"), b), "f32[a=1, b=6]");
    assert_eq!(shape(|x| x.all_to_all("a", "b", "data"), whole), "f32[a=1, b=4]");
    assert_eq!(shape(|x| x.all_to_all("b", "b", "data"), whole), "f32[a=2, b=2]");
    assert_eq!(shape(|x| x.collective_permute("model", [(0, 1), (2, 0)]), whole), "f32[a=2, b=2]");
    assert_eq!(shape(|x| x.collective_broadcast(1, "data"), whole), "f32[a=2, b=2]");
    assert_eq!(
        shape(|x| x * axis_index(["data", "model"]).convert(DType::F32), whole),
        "f32[a=2, b=2]"
    );
    assert_eq!(shape(|x| x * axis_size(["data", "model"]), whole), "f32[a=2, b=2]");
}

#[test]
fn errors_with_devices_are_recorded() {
    let x = || [Spec::f32([("a", 4), ("b", 6)])];
    let whole = PartitionSpec::replicated();
    assert_eq!(
        trace_error(x(), |[x]| x.all_reduce(Reduction::Sum, "data")),
        "all_reduce: outside of `manual` a tensor is one value, not one for each device; there is \
         nothing to exchange"
    );
    assert_eq!(
        trace_error(x(), |[x]| axis_index("data").convert(DType::F32) * x),
        "axis_index: outside of `manual` there is one program, not one for each device"
    );
    assert_eq!(
        trace_error(x(), |[x]| manual(x, whole, whole, |y| x + y)),
        "add: a tensor made outside of `manual` is used inside of it; pass it as one of its inputs"
    );
    let mut kept = None;
    assert_eq!(
        trace_error(x(), |[x]| {
            let y = manual(x, whole, whole, |y| {
                kept = Some(y);
                y.exp()
            });
            y + kept.unwrap()
        }),
        "add: a tensor made inside of `manual` is used outside of it; return it from the body"
    );
    assert_eq!(
        trace_error(x(), |[x]| manual(x, whole, whole, |x| manual(x, whole, whole, |x| x))),
        "manual: `manual` is nested inside `manual`, where every mesh axis is in use"
    );
    assert!(
        trace_error(x(), |[x]| manual(x, PartitionSpec::shard("a", "model"), whole, |x| x))
            .contains("not divisible by 3")
    );
    assert!(
        trace_error(x(), |[x]| manual(x, PartitionSpec::any(), whole, |x| x))
            .contains("leaves an axis open")
    );
    assert!(trace_error(x(), |[x]| manual(x, whole.padded(), whole, |x| x)).contains("is padded"));
    assert_eq!(
        trace_error(x(), |[x]| manual(vec![x], vec![], whole, |x| x[0])),
        "manual: there are 1 inputs and 0 partitions for them"
    );
    assert_eq!(
        trace_error(x(), |[x]| manual(x, whole, vec![whole; 2], |x| vec![x])[0]),
        "manual: there are 1 results and 2 partitions for them"
    );
    let inside = |f: fn(Tensor) -> Tensor| trace_error(x(), |[x]| manual(x, whole, whole, f));
    assert!(
        inside(|x| x.all_reduce(Reduction::Sum, "heads")).contains("no axis `heads` in the mesh")
    );
    assert!(
        inside(|x| x.all_reduce(Reduction::Sum, ["data", "data"])).contains("`data` is used twice")
    );
    assert!(inside(|x| x.all_reduce(Reduction::Any, "data")).contains("takes bool"));
    assert!(
        inside(|x| x.reduce_scatter(Reduction::Sum, "a", "model"))
            .contains("not divisible by 3 devices")
    );
    assert!(inside(|x| x.all_to_all("a", "b", "model")).contains("not divisible by 3 devices"));
    assert!(
        inside(|x| x.collective_permute("data", [(0, 2)]))
            .contains("0 to 2: the group has 2 devices")
    );
    assert!(
        inside(|x| x.collective_permute("data", [(0, 1), (0, 0)]))
            .contains("device 0 of the group sends twice")
    );
    assert!(
        inside(|x| x.collective_permute("data", [(0, 1), (1, 1)])).contains("is sent to twice")
    );
    assert!(
        inside(|x| x.collective_broadcast(3, "model"))
            .contains("device 3: the group has 3 devices")
    );
    assert!(inside(|x| x.constrain([("a", "data")])).contains("nothing to split"));
}

#[test]
fn without_a_mesh_constraints_say_nothing_and_collectives_are_errors() {
    let split = || [Spec::f32([("a", 5)]).shard("a", "data")];
    let one = |f: fn([Tensor; 1]) -> Tensor| traced(TraceScope::begin("test"), split(), f);
    let graph = one(|[x]| x.constrain([("a", "heads")]) * axis_size("data")).unwrap();
    assert!(!graph.to_string().contains("constrain"), "{graph}");
    let error = one(|[x]| x.all_gather("a", "data")).unwrap_err().to_string();
    assert!(
        error
            .starts_with("all_gather: there is no mesh; compile the function with `Mesh::compile`"),
        "{error}"
    );
    let error =
        one(|[x]| manual(x, PartitionSpec::replicated(), PartitionSpec::replicated(), |x| x))
            .unwrap_err();
    assert!(error.to_string().starts_with("manual: there is no mesh"), "{error}");
}

#[test]
fn collectives_outside_of_manual_ask_for_a_partition() {
    let x = Spec::f32([("a", 4), ("b", 6)]).shard("a", "data");
    let text = graph([x.clone()], |[x]| x.all_gather("a", "data")).unwrap().to_string();
    assert!(text.contains("constrain %0 as f32[a=4, b=6/?]"), "{text}");
    let text = graph([x], |[x]| x.all_to_all("b", "a", "model")).unwrap().to_string();
    assert!(text.contains("constrain %0 as f32[a=4, b=6/model]"), "{text}");
}

#[test]
fn what_is_computed_on_other_meshes_has_another_hash() {
    let hash = |mesh: [(&str, usize); 2], partition: PartitionSpec| {
        let trace = TraceScope::begin_over("test", MeshShape::new(mesh).unwrap());
        let x = trace.parameter("x", &Spec::f32([12, 12]).partitioned(partition), false);
        trace.finish(vec![("".into(), x.exp())]).unwrap().structure_hash()
    };
    let mesh = [("data", 2), ("model", 3)];
    let first = hash(mesh, PartitionSpec::shard(0, "data"));
    // Names of mesh axes do not matter, their order and sizes do.
    assert_eq!(first, hash([("x", 2), ("y", 3)], PartitionSpec::shard(0, "x")));
    assert_ne!(first, hash([("data", 3), ("model", 2)], PartitionSpec::shard(0, "data")));
    assert_ne!(first, hash(mesh, PartitionSpec::shard(1, "data")));
    assert_ne!(first, hash(mesh, PartitionSpec::replicated()));
}

#[test]
fn elements_of_two_bits_are_refused_over_several_devices() {
    let refused = |dtype| {
        format!(
            "type {dtype} is not supported in a program over several devices, [data=2, model=3]; \
             use a type of 4 bits or more"
        )
    };
    let error =
        graph([Spec::new(DType::U2, [4])], |[x]| x.convert(DType::I32)).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("argument: {}\n  operand: u2[4]   (x0)\n", refused("u2"))),
        "{error}"
    );
    let line = line!() + 1;
    let error = graph([Spec::f32([4])], |[x]| x.convert(DType::I2).convert(DType::I32));
    let error = error.unwrap_err().to_string();
    let place = format!("\n  at {}:{}:", file!(), line);
    assert!(
        error.starts_with(&format!("convert: {}\n  operand: f32[4]   (x0)", refused("i2"))),
        "{error}"
    );
    assert!(error.contains(&place) && !error.contains("more error"), "{error}");
    let full = trace_error([Spec::f32([4])], |[x]| {
        x + Tensor::full(1, DType::U2, [4]).convert(DType::F32)
    });
    assert_eq!(full, format!("full: {}", refused("u2")));
    let inner = trace_error([Spec::f32([4])], |[x]| {
        for_loop(3, x, |_, x| x + Tensor::iota(DType::I2, [2], 0).sum(0).convert(DType::F32))
    });
    assert_eq!(inner, format!("iota: {}", refused("i2")));
    assert!(graph([Spec::new(DType::I4, [4])], |[x]| x + x).is_ok());
    let one_device = MeshShape::new([("data", 1)]).unwrap();
    let narrow =
        traced(TraceScope::begin_over("test", one_device), [Spec::new(DType::I2, [4])], |[x]| {
            x + x
        });
    assert!(narrow.is_ok());
}
