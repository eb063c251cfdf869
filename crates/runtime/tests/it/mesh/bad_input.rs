//! Errors with meshes, reported before the plugin sees them.

use super::{CPUS, counted, mesh};
use hloom_graph::{DType, PartitionSpec, Reduction, Shape, Spec, Tensor, manual};
use hloom_runtime::{Argument, Buffer, Mesh, NamedSharding, Platform};
use std::fmt::Debug;

fn message<T: Debug>(outcome: hloom_runtime::Result<T>) -> String {
    outcome.expect_err("it is an error").to_string()
}

#[test]
fn devices_that_make_no_mesh_are_refused() {
    let devices = CPUS.devices();
    assert_eq!(
        message(Mesh::new(&CPUS, [("x", 4), ("y", 2)])),
        "a mesh [x=4, y=2] has 8 devices, and cpu (6 × cpu) has 6"
    );
    let twice = [devices[1].clone(), devices[1].clone()];
    assert_eq!(
        message(Mesh::over(&CPUS, twice, [("x", 2)])),
        "device 1 is in the mesh [x=2] twice"
    );
    assert_eq!(
        message(Mesh::over(&CPUS, devices[..3].to_vec(), [("x", 2)])),
        "a mesh [x=2] has 2 devices, and 3 are given"
    );
    let other = Platform::cpus(2).unwrap();
    assert_eq!(
        message(Mesh::over(&CPUS, other.devices()[1..].to_vec(), [("x", 1)])),
        "device 1 of the mesh [x=1] is not addressable by cpu (6 × cpu)"
    );
    assert_eq!(message(Mesh::new(&CPUS, [("x", 2), ("x", 3)])), "duplicate mesh axis `x`");
    assert_eq!(message(Mesh::new(&CPUS, [("x", 0)])), "mesh axis `x` has size 0");
}

#[test]
fn tensors_that_cannot_be_split_so_are_refused() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    let compiled = |spec: Spec| message(mesh.compile(|x: Tensor| x + 1.0, (spec,)));
    for (spec, expected) in [
        (
            Spec::f32([("n", 3)]).shard("n", "x"),
            "shard: axis `n` of f32[n=3] has size 3, which is not divisible by 2, the size of `x` \
             in the mesh [x=2, y=3]",
        ),
        (
            Spec::f32([("n", 4), ("m", 4)]).shard("n", "x").shard("m", "x"),
            "shard: mesh axis `x` splits f32[n=4, m=4] twice; it can split one axis of a tensor",
        ),
        (
            Spec::f32([("n", 4)]).shard("n", "model"),
            "shard: there is no axis `model` in the mesh [x=2, y=3]",
        ),
    ] {
        let place = format!("\n  argument: {}   (arg0)\n  at {}:", spec.shape(), file!());
        let error = compiled(spec.clone());
        assert!(error.starts_with(&format!("{expected}{place}")), "{error}");
        let what = expected.strip_prefix("shard: ").expect("it is the op");
        assert_eq!(message(mesh.sharding(&spec)), what);
    }
    let error = compiled(Spec::f32([("n", 4)]).shard("m", "x"));
    assert!(error.starts_with("shard: ") && error.contains("`m`"), "{error}");
}

#[test]
fn collectives_outside_of_a_mesh_are_errors() {
    let spec = || (Spec::f32([("n", 4)]),);
    let place = format!("\n  at {}:", file!());
    let whole = PartitionSpec::replicated();
    type Program = fn(Tensor) -> Tensor;
    let reduced: Program = |x| x.all_reduce(Reduction::Sum, "x");
    let on_one: [(&str, Program); 3] = [
        ("all_reduce", reduced),
        ("all_gather", |x| x.all_gather("n", "x")),
        ("manual", |x| manual(x, PartitionSpec::replicated(), PartitionSpec::replicated(), |x| x)),
    ];
    for (op, program) in on_one {
        let error = message(CPUS.compile(program, spec()));
        let expected = format!("{op}: there is no mesh; compile the function with `Mesh::compile`");
        assert!(error.starts_with(&expected) && error.contains(&place), "{error}");
    }
    let mesh = mesh([("x", 2)]);
    let error = message(mesh.compile(reduced, spec()));
    let expected = "all_reduce: outside of `manual` a tensor is one value, not one for each \
                    device; there is nothing to exchange";
    assert!(error.starts_with(expected) && error.contains(&place), "{error}");
    let unknown = |x: Tensor| manual(x, whole, whole, |x| x.all_reduce(Reduction::Sum, "model"));
    let error = message(mesh.compile(unknown, spec()));
    let expected = "all_reduce: there is no axis `model` in the mesh [x=2]";
    assert!(error.starts_with(expected) && error.contains(&place), "{error}");
}

#[test]
fn buffers_that_lie_elsewhere_are_refused_and_can_be_moved() {
    let mesh = mesh([("x", 2)]);
    let far = Mesh::over(&CPUS, CPUS.devices()[2..4].to_vec(), [("x", 2)]).unwrap();
    let four = Mesh::new(&CPUS, [("x", 4)]).unwrap();
    let spec = Spec::f32([("n", 4)]).shard("n", "x");
    let compiler = mesh.compiler().name("double");
    let exe = compiler.compile(|x: Tensor| x + x, (spec.clone(),)).unwrap();
    let on = |mesh: &Mesh| {
        Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &counted(4), [("n", 4)]).unwrap()
    };
    let wrong = [
        (on(&far), "f32[n=4/x] over the mesh [x=2] of cpu devices 2, 3"),
        (on(&four), "f32[n=4/x] over the mesh [x=4] of cpu devices 0, 1, 2, 3"),
        (Buffer::from_slice(&CPUS, &counted(4), [("n", 4)]).unwrap(), "f32[n=4] on one device"),
        (
            Buffer::from_slice(&mesh, &counted(4), [("n", 4)]).unwrap(),
            "f32[n=4] over the mesh [x=2] of cpu devices 0, 1",
        ),
    ];
    for (buffer, found) in &wrong {
        let expected = format!(
            "`double` cannot be called with these arguments:\n  `arg0`: f32[n=4/x] over the mesh \
             [x=2] of cpu devices 0, 1 expected, {found} found; `Buffer::to` moves it"
        );
        assert_eq!(message(exe.call((buffer,))), expected);
        assert_eq!(message(exe.bind(buffer).map(drop)), expected);
        let named = exe.any().call_named([("arg0", Argument::Borrowed(buffer))], &["result"]);
        assert_eq!(message(named), expected);
        let moved = buffer.to(exe.signature().inputs[0].sharding.as_ref().unwrap()).unwrap();
        let doubled = exe.call((&moved,)).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(doubled, [0.0, 2.0, 4.0, 6.0]);
    }
    let zeros = exe.any().zeros_for("arg0").unwrap();
    assert_eq!(exe.call((&zeros,)).unwrap().to_vec::<f32>().unwrap(), [0.0; 4]);
    let graph = hloom_runtime::trace_function(|x: Tensor| x, (Spec::f32([3]),)).unwrap();
    assert_eq!(
        message(mesh.compiler().compile_graph(&graph)),
        "the graph is for one device, and is compiled for the mesh [x=2]"
    );
}

#[test]
fn parts_that_make_no_tensor_are_refused() {
    let mesh = mesh([("x", 2)]);
    let shape = |size: usize| Shape::new(DType::F32, [size]).unwrap();
    let sharding = NamedSharding::new(&mesh, &shape(4), PartitionSpec::shard(0, "x")).unwrap();
    let part =
        |device, size| Buffer::on_device(&mesh, device, shape(size), vec![0; 4 * size]).unwrap();
    for (parts, expected) in [
        (vec![part(0, 2)], "2 parts expected, 1 found"),
        (vec![part(1, 2), part(0, 2)], "part 0 of f32[4]: device 0 expected, 1 found"),
        (vec![part(0, 2), part(1, 3)], "part 1 of f32[4]: f32[2] on one device expected"),
    ] {
        let error = message(Buffer::from_shards(&sharding, shape(4), parts));
        assert!(error.contains(expected), "{error}");
    }
    assert!(message(Buffer::zeros(&sharding, Shape::scalar(DType::F32))).contains("f32[]"));
    let whole = Buffer::zeros(&sharding, shape(4)).unwrap();
    assert!(message(whole.shard(2).map(drop)).contains('2'));
}
