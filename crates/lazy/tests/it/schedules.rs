//! Schedules, and lazy tensors as arguments of compiled functions.

use crate::{own_platform, vector};
use hloom_graph::{Op, Spec, Tensor, Tree};
use hloom_lazy::{
    CallLazy, Lazy, LazyState, ScheduleInput, ScheduleStep, call, forget, schedule,
    schedule_lifted, stats,
};
use hloom_runtime::{NO_RESULTS, callback};
use hloom_test_support::CPU;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// U2: a schedule of several tensors is one module with several results, whose inputs, outputs,
/// steps, memory and cost can be looked at.
#[test]
fn a_schedule_can_be_looked_at() {
    let (x, y) = (vector(&[1.0, 2.0]), vector(&[3.0, 4.0]));
    let (sum, product) = (&x + &y, (&x * &y).sum("n"));
    let schedule = schedule([&sum, &product, &x]).unwrap();
    assert_eq!(schedule.inputs().len(), 2);
    assert!(
        matches!(&schedule.inputs()[0], ScheduleInput::Lazy(lazy) if lazy.shape() == x.shape())
    );
    let shapes: Vec<String> = schedule.outputs().iter().map(|shape| shape.to_string()).collect();
    assert_eq!(shapes, ["f32[n=2]", "f32[]", "f32[n=2]"]);
    assert_eq!(schedule.steps(), [ScheduleStep::Program { name: "lazy".into(), ops: 3 }]);
    let mlir = schedule.mlir().unwrap();
    assert!(mlir.contains("stablehlo.add") && mlir.contains("stablehlo.reduce"), "{mlir}");
    let text = schedule.to_string();
    assert!(text.contains("input x1: f32[n=2]\nprogram `lazy`: 3 ops\noutput: f32[n=2]"), "{text}");
    assert!(schedule.exe().memory().unwrap().outputs > 0);
    // Two sums, two products, and the sum of these, over two inputs of 8 bytes.
    let kernels = schedule.exe().compiled_kernels().unwrap();
    let bytes: u64 = kernels.iter().map(|kernel| kernel.bytes).sum();
    assert!(kernels.flops() >= 5 && bytes >= 16, "{kernels}");
    let results = schedule.run().unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [4.0, 6.0]);
    assert_eq!(results[1].item::<f32>().unwrap(), 11.0);
    assert_eq!(results[2].to_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(sum.state(), LazyState::Pending);
}

/// U3: subtrees that are shared, or written twice, are computed once.
#[test]
fn shared_subtrees_are_computed_once() {
    let x = vector(&[1.0, 2.0]);
    let shared = x.exp();
    let again = x.exp();
    let y = (&shared + &shared * 2) * (&again + 1);
    let schedule = schedule([&y]).unwrap();
    let mlir = schedule.mlir().unwrap();
    assert_eq!(mlir.matches("stablehlo.exponential").count(), 1, "{mlir}");
    let is_exp = |op: &Op| matches!(op, Op::Unary(hloom_graph::Unary::Exp));
    assert_eq!(schedule.graph().nodes().filter(|(_, node)| is_exp(&node.op)).count(), 1);
    assert_eq!(schedule.inputs().len(), 1);
}

/// U5: with lifted numbers, expressions that differ in their numbers are one program.
#[test]
fn lifted_numbers_share_a_program() {
    let cpu = own_platform();
    for (by, expected) in [(0.5, [0.5f32, 1.0]), (2.0, [2.0, 4.0]), (-1.0, [-1.0, -2.0])] {
        let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
        let y = &x * by;
        let schedule = schedule_lifted([&y]).unwrap();
        assert!(matches!(schedule.inputs()[1], ScheduleInput::Number(value, _) if value == by));
        assert!(matches!(schedule.steps()[0], ScheduleStep::Transfer { input: 1, .. }));
        assert_eq!(schedule.run().unwrap()[0].to_vec::<f32>().unwrap(), expected);
    }
    assert_eq!((stats(&cpu).misses, stats(&cpu).hits), (1, 2));
    let x = Lazy::array(&cpu, [1i32, 2]).unwrap();
    let y = (&x + 7) % 5;
    let schedule = schedule_lifted([&y]).unwrap();
    assert_eq!(schedule.run().unwrap()[0].to_vec::<i32>().unwrap(), [3, 4]);
    forget(&cpu);
}

/// U6: a schedule runs again with other inputs, for one run or for all later ones, and compiles
/// nothing.
#[test]
fn a_schedule_runs_again() {
    let cpu = own_platform();
    let leaf = |values: [f32; 2]| Lazy::from_slice(&cpu, &values, [2]).unwrap();
    let (x, w) = (leaf([1.0, 2.0]), leaf([10.0, 20.0]));
    let y = (&x * &w).sum(0);
    let mut schedule = schedule([&y]).unwrap();
    let item = |results: Vec<Lazy>| results[0].item::<f32>().unwrap();
    assert_eq!(item(schedule.run().unwrap()), 50.0);
    let next = leaf([0.5, 0.5]) * 2;
    assert_eq!(item(schedule.run_with([(&x, &next)]).unwrap()), 30.0);
    assert_eq!(item(schedule.run().unwrap()), 50.0);
    schedule.bind(&w, &leaf([1.0, 1.0])).unwrap();
    assert_eq!(item(schedule.run().unwrap()), 3.0);
    // Nothing is donated: the inputs can be read, and the tensor itself is still pending.
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(y.item::<f32>().unwrap(), 50.0);
    assert_eq!(stats(&cpu).misses, 2, "the schedule and the lazy product");
    let error = schedule.run_with([(&y, &x)]).unwrap_err().to_string();
    assert!(error.contains("x0") && error.contains("x1"), "{error}");
    let error = schedule.run_with([(&x, &leaf([1.0, 2.0]).sum(0))]).unwrap_err().to_string();
    assert!(error.contains("f32[2]") && error.contains("f32[]"), "{error}");
    forget(&cpu);
}

/// Functions of the host are steps, called by each run; a tensor with an error has no schedule.
#[test]
fn calls_of_the_host_are_steps() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let x = vector(&[1.0]);
    let y = call(
        |x: Tensor| {
            let [] = callback("count", x, NO_RESULTS, move |_, _, _| {
                counted.fetch_add(1, Ordering::Relaxed);
                Ok(())
            });
            x * 2
        },
        x.clone(),
    );
    let schedule = schedule([&y]).unwrap();
    let expected = [
        ScheduleStep::Program { name: "lazy".into(), ops: 1 },
        ScheduleStep::HostCall { name: "count".into() },
        ScheduleStep::Wait,
    ];
    assert_eq!(schedule.steps(), expected);
    for _ in 0..3 {
        assert_eq!(schedule.run().unwrap()[0].item::<f32>().unwrap(), 2.0);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert!(hloom_lazy::schedule([&x.sum("nowhere")]).is_err());
    assert!(hloom_lazy::schedule([]).is_err());
}

#[derive(Tree, Clone)]
struct Line<T = Tensor> {
    slope: T,
    offset: T,
}

/// Compiled functions take lazy tensors, which are realized together.
#[test]
fn lazy_tensors_are_arguments_of_compiled_functions() {
    let cpu = own_platform();
    let scalar = || Spec::scalar(hloom_graph::DType::F32);
    let specs = (Line { slope: scalar(), offset: scalar() }, Spec::f32([("n", 2)]));
    let exe = cpu.compile(|line: Line, x: Tensor| (x * line.slope + line.offset, x), specs);
    let exe = exe.unwrap();
    let one = Lazy::scalar(&cpu, 1.0f32).unwrap();
    let line = Line { slope: &one * 3, offset: &one + 1 };
    let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [("n", 2)]).unwrap() * 10;
    let (y, copy) = exe.call_lazy((&line, &x)).unwrap();
    assert_eq!(stats(&cpu).runs, 1);
    assert_eq!(y.to_vec::<f32>().unwrap(), [32.0, 62.0]);
    assert_eq!(copy.to_vec::<f32>().unwrap(), [10.0, 20.0]);
    let y = Lazy::from_buffer(&cpu, y) + &x;
    assert_eq!(y.to_vec::<f32>().unwrap(), [42.0, 82.0]);
    let wrong = Line { slope: one.sum("nowhere"), ..line };
    assert!(exe.call_lazy((&wrong, &x)).is_err());
    forget(&cpu);
    let _ = &*CPU;
}
