//! Binding, keeping and donating inputs.

mod allocations;
mod asynchronous;
mod keep;
mod shared;

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{
    AnyExe, Argument, Buffer, CallProblem, Donated, Error, Mesh, Placement, Platform,
};
use hloom_test_support::{CPU, CPUS};
use std::sync::LazyLock;

static MESH: LazyLock<Mesh> = LazyLock::new(|| Mesh::new(&CPUS, [("x", 2)]).unwrap());

/// Two elements, sharded where the placement is a mesh.
fn pair(to: Placement<'_>, values: [f32; 2]) -> Buffer {
    match to {
        Placement::Mesh(mesh) => {
            let sharding = mesh.sharding(&spec()).unwrap();
            Buffer::from_slice(&sharding, &values, [("n", 2)]).unwrap()
        }
        to => Buffer::from_slice(to, &values, [("n", 2)]).unwrap(),
    }
}

fn spec() -> Spec {
    Spec::f32([("n", 2)]).shard("n", "x")
}

/// Whether the plugin reuses donated memory after a kept argument: one version copies it.
fn reuses_after_kept() -> bool {
    CPU.client().plugin().version() != (0, 81)
}

fn read(buffer: &Buffer) -> Vec<f32> {
    buffer.to_vec().unwrap()
}

/// `100 a + 10 b + c`, so that each value shows which buffer it came from.
fn digits(a: Tensor, b: Tensor, c: Tensor) -> Tensor {
    a * 100 + b * 10 + c
}

/// E6: arguments are bound one after the other, bound again to other weights, and the executables
/// before stay as they were; on one device and over a mesh.
#[test]
fn bound_executables_are_independent_of_each_other() {
    let one =
        CPU.compile(digits, (Spec::f32([("n", 2)]), Spec::f32([("n", 2)]), Spec::f32([("n", 2)])));
    let over_mesh = MESH.compile(digits, (spec(), spec(), spec()));
    for (exe, to) in [(one, Placement::Platform(&CPU)), (over_mesh, Placement::Mesh(&MESH))] {
        let exe = exe.unwrap();
        let [one, two, three, four] = [1f32, 2.0, 3.0, 4.0].map(|v| pair(to, [v, v + 0.5]));
        let first = exe.bind(&one).unwrap();
        let other = exe.bind(&four).unwrap();
        let both = first.bind(&two).unwrap();
        let both_others = first.bind(&three).unwrap();
        let all = both.bind(&three).unwrap();
        for round in 0..2 {
            assert_eq!(read(&all.call(()).unwrap()), [123.0, 178.5], "round {round}");
            assert_eq!(read(&both.call((&three,)).unwrap()), [123.0, 178.5]);
            assert_eq!(read(&both_others.call((&four,)).unwrap()), [134.0, 189.5]);
            assert_eq!(read(&first.call((&four, &four)).unwrap()), [144.0, 199.5]);
            assert_eq!(read(&other.call((&one, &two)).unwrap()), [412.0, 467.5]);
            assert_eq!(read(&exe.call((&three, &two, &one)).unwrap()), [321.0, 376.5]);
        }
        assert_eq!([0, 1, 1, 2, 2, 3], {
            let bound = [exe.any(), first.any(), other.any(), both.any(), both_others.any()];
            let [a, b, c, d, e] = bound.map(AnyExe::bound_count);
            [a, b, c, d, e, all.any().bound_count()]
        });
        // The last executable keeps the program and its buffers alive.
        drop((exe, first, other, both, both_others, one, two, three, four));
        assert_eq!(read(&all.call(()).unwrap()), [123.0, 178.5]);
    }
}

/// E6: untyped executables bind any input, by position or by name, also anew.
#[test]
fn inputs_at_later_positions_are_bound() {
    let one =
        CPU.compile(digits, (Spec::f32([("n", 2)]), Spec::f32([("n", 2)]), Spec::f32([("n", 2)])));
    let over_mesh = MESH.compile(digits, (spec(), spec(), spec()));
    for (exe, to) in [(one, Placement::Platform(&CPU)), (over_mesh, Placement::Mesh(&MESH))] {
        let exe = exe.unwrap().any().clone();
        let [one, two, three, four] = [1f32, 2.0, 3.0, 4.0].map(|v| pair(to, [v, v + 0.5]));
        let call = |exe: &AnyExe, inputs: &[&Buffer]| {
            let inputs = inputs.iter().map(|&input| Argument::Borrowed(input)).collect();
            exe.call(inputs).map(|results| read(&results[0]))
        };
        let middle = exe.bind([(1, &two)]).unwrap();
        assert_eq!(call(&middle, &[&one, &three]).unwrap(), [123.0, 178.5]);
        let last = middle.bind_named([("arg2", &three)]).unwrap();
        assert_eq!(call(&last, &[&one]).unwrap(), [123.0, 178.5]);
        let again = last.bind_named([("arg1", &four), ("arg0", &one)]).unwrap();
        assert_eq!(call(&again, &[]).unwrap(), [143.0, 198.5]);
        assert_eq!(call(&last, &[&four]).unwrap(), [423.0, 478.5]);
        assert_eq!(call(&middle, &[&four, &four]).unwrap(), [424.0, 479.5]);
        assert_eq!(call(&exe, &[&three, &two, &one]).unwrap(), [321.0, 376.5]);
        assert_eq!(middle.bound_count(), 1);
        // The free inputs are those that a call by name takes, and errors name them.
        let named = [("arg2", Argument::Borrowed(&three)), ("arg0", Argument::Borrowed(&one))];
        let results = middle.call_named(named, &["result"]).unwrap();
        assert_eq!(read(&results[0]), [123.0, 178.5]);
        let error = middle.call_named([("arg1", Argument::Borrowed(&one))], &[]).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("`arg1`: no such input; there are `arg0`, `arg2`"), "{error}");
        assert!(error.contains("`arg2`: not given"), "{error}");
        let error = call(&middle, &[&one]).unwrap_err().to_string();
        assert!(error.contains("2 buffers expected, 1 found"), "{error}");
    }
}

#[test]
fn what_cannot_be_bound_is_reported_together() {
    let step = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let exe = CPU.compile(step, (Donated(Spec::f32([2])), Spec::f32([2]))).unwrap();
    let [good, long] = [2usize, 3].map(|n| Buffer::from_slice(&CPU, &vec![1f32; n], [n]).unwrap());
    let other = Platform::builder().plugin("cpu").build().unwrap();
    let foreign = Buffer::from_slice(&other, &[1f32; 2], [2]).unwrap();
    let error = exe.any().bind([(0, &good), (1, &long), (7, &good)]).unwrap_err().to_string();
    for part in [
        "`arg0`: cannot be bound, since calls consume it; `keep` it before",
        "`arg1`: f32[2] expected, f32[3] found",
        "2 buffers expected, 8 found",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let error = exe.any().bind_named([("arg1", &foreign), ("x", &good)]).unwrap_err();
    let Error::Call(error) = error else { panic!("{error}") };
    assert!(matches!(
        &error.problems[..],
        [CallProblem::Unknown { .. }, CallProblem::Device { .. }]
    ));
    let kept = exe.any().keep("arg0").unwrap().bind_named([("arg0", &good)]).unwrap();
    for _ in 0..2 {
        let results = kept.call(vec![Argument::Borrowed(&good)]).unwrap();
        assert_eq!(read(&results[0]), [2.0; 2]);
    }
}

/// E11: inputs and outputs of an untyped executable, by position, with borrowed and donated buffers
/// mixed: each donated one is consumed and its memory reused, each borrowed one stays.
#[test]
fn borrowed_and_donated_buffers_are_mixed_by_position() {
    let steps = |a: Tensor, b: Tensor, c: Tensor| ((a + c).reuse(a), (b * c).reuse(b), a.sum(0));
    let spec = || Spec::f32([64]);
    let exe = CPU.compile(steps, (Donated(spec()), Donated(spec()), spec())).unwrap();
    let exe = exe.any();
    let buffer = |value: f32| Buffer::from_slice(&CPU, &[value; 64], [64]).unwrap();
    let start = |buffer: &Buffer| buffer.as_pjrt().unsafe_pointer().unwrap();
    let c = buffer(3.0);
    for (keeps_a, keeps_b) in [(false, false), (false, true), (true, false), (true, true)] {
        let (a, b) = (exe.zeros_for("arg0").unwrap(), exe.zeros_for("arg1").unwrap());
        let starts = [start(&a), start(&b)];
        fn given(keeps: bool, buffer: &mut Option<Buffer>) -> Argument<'_> {
            if keeps {
                Argument::Borrowed(buffer.as_ref().unwrap())
            } else {
                Argument::Donated(buffer.take().unwrap())
            }
        }
        let (mut a, mut b) = (Some(a), Some(b));
        let inputs = vec![given(keeps_a, &mut a), given(keeps_b, &mut b), Argument::Borrowed(&c)];
        let results = exe.call(inputs).unwrap();
        assert_eq!(results.len(), 3);
        assert_eq!(read(&results[0]), [3.0; 64]);
        assert_eq!(read(&results[1]), [0.0; 64]);
        assert_eq!(results[2].item::<f32>().unwrap(), 0.0);
        // Exactly what was donated was reused.
        let reuses_b = !keeps_b && (!keeps_a || reuses_after_kept());
        assert_eq!(start(&results[0]) == starts[0], !keeps_a, "{keeps_a} {keeps_b}");
        assert_eq!(start(&results[1]) == starts[1], reuses_b, "{keeps_a} {keeps_b}");
        for kept in [a, b].iter().flatten() {
            assert_eq!(read(kept), [0.0; 64]);
        }
    }
    // A donated buffer that is still referred to elsewhere is refused, and the error names the
    // argument.
    let (a, b) = (buffer(1.0), buffer(2.0));
    let shared = a.as_pjrt().clone();
    let error =
        exe.call(vec![Argument::Donated(a), Argument::Borrowed(&b), Argument::Borrowed(&c)]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`arg0`: cannot be donated"), "{error}");
    assert_eq!(shared.to_bytes().unwrap().len(), 256);
}
