//! Values and states of lazy tensors.

use crate::vector;
use hloom_graph::{DType, Tensor, Tree};
use hloom_lazy::{
    Lazy, LazyState, call, case, concatenate, cond, einsum, for_loop, realize_all, reduce_by, scan,
    sort_together, stack, while_loop,
};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;

/// U1: values, constants, unary and binary ops, reductions, products, reshapes, broadcasts, slices,
/// transposes, splits, merges and `set`, through a handle that threads share.
#[test]
fn every_kind_of_op_has_its_value() {
    let x = Lazy::from_slice(&CPU, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [("r", 2), ("c", 3)]);
    let x = x.unwrap();
    let same = |lazy: Lazy, expected: &[f32]| assert_eq!(lazy.to_vec::<f32>().unwrap(), expected);
    same(Lazy::full(&CPU, 7, DType::F32, [2]), &[7.0, 7.0]);
    same(Lazy::constant(&CPU, &[1.0f32, 2.0], [("n", 2)]), &[1.0, 2.0]);
    assert!(Lazy::constant(&CPU, &[1.0f32], [2]).is_poisoned());
    same(-&x, &[-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]);
    same(x.square(), &[1.0, 4.0, 9.0, 16.0, 25.0, 36.0]);
    same(&x + &x, &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    same(1.0 - &x * 2, &[-1.0, -3.0, -5.0, -7.0, -9.0, -11.0]);
    same(x.sum("c"), &[6.0, 15.0]);
    same(x.max_keep(0), &[4.0, 5.0, 6.0]);
    same(x.dot(&x.rename("r", "s"), "c"), &[14.0, 32.0, 32.0, 77.0]);
    same(x.matmul(&x.transpose(["c", "r"]).named(["c", "s"])), &[14.0, 32.0, 32.0, 77.0]);
    same(x.reshape([3, 2]).index(0, -1), &[5.0, 6.0]);
    same(x.sum(0).broadcast_to([("r", 2), ("c", 3)]), &[5.0, 7.0, 9.0, 5.0, 7.0, 9.0]);
    same(x.slice("c", 1..), &[2.0, 3.0, 5.0, 6.0]);
    same(x.transpose(["c", "r"]), &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let halves = x.unflatten("c", [("a", 3), ("b", 1)]).merge(["r", "a"], "c").split("c", 2);
    same(halves[1].clone(), &[4.0, 5.0, 6.0]);
    same(x.at("r", 0).at("c", 1..).set(0), &[1.0, 0.0, 0.0, 4.0, 5.0, 6.0]);
    let rows = Lazy::array(&CPU, [1i32, 0]).unwrap();
    same(x.at("r", &rows).get(), &[4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    same(x.take(&rows, "r").argmax("c").convert(DType::F32), &[2.0, 2.0]);
    same(x.gt(2).select(&x, 0), &[0.0, 0.0, 3.0, 4.0, 5.0, 6.0]);
    same(x.clamp(2, Lazy::scalar(&CPU, 4.0f32).unwrap()), &[2.0, 2.0, 3.0, 4.0, 4.0, 4.0]);
    let (values, places) = x.top_k(1, "c");
    same(values, &[3.0, 6.0]);
    assert_eq!(places.to_vec::<i32>().unwrap(), [2, 2]);
    same(concatenate(&[&x.index(0, 0), &x.index(0, 1)], 0), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    same(stack(&[&x, &x], "k").sum(..), &[42.0]);
    same(einsum("ij,kj->ik", &[&x, &x.rename("r", "s")]), &[14.0, 32.0, 32.0, 77.0]);
    let sorted = sort_together(&[&-&x, &x], "c", true);
    same(sorted[1].clone(), &[3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    std::thread::scope(|scope| {
        scope.spawn(|| same(&x * &x, &[1.0, 4.0, 9.0, 16.0, 25.0, 36.0]));
    });
}

#[test]
fn narrow_and_wide_numbers_are_those_of_tensors() {
    let x = Lazy::array(&CPU, [1u8, 2]).unwrap();
    assert_eq!((&x + 200).to_vec::<u8>().unwrap(), [201, 202]);
    assert!((&x + 300).is_poisoned() && (&x + -1).is_poisoned() && (&x + 0.5).is_poisoned());
    let wide = Lazy::array(&CPU, [1i64]).unwrap() + (1i64 << 40);
    assert_eq!(wide.item::<i64>().unwrap(), (1 << 40) + 1);
    let truth = Lazy::array(&CPU, [true, false]).unwrap() & true;
    assert_eq!(truth.to_vec::<bool>().unwrap(), [true, false]);
    let tiny = Lazy::array(&CPU, [1.0f32]).unwrap().convert(DType::F8E4M3FN) + 1;
    assert_eq!(tiny.convert(DType::F32).item::<f32>().unwrap(), 2.0);
}

#[test]
fn closures_of_control_flow_capture_lazy_tensors() {
    let (x, limit) = (vector(&[1.0, 2.0]), Lazy::scalar(&CPU, 50.0f32).unwrap());
    let doubled = while_loop(x.clone(), |x| x.sum(..).lt(&limit), |x| x * 2);
    assert_eq!(doubled.to_vec::<f32>().unwrap(), [32.0, 64.0]);
    let powers = for_loop(3, x.clone(), |_, y| y * &x);
    assert_eq!(powers.to_vec::<f32>().unwrap(), [1.0, 16.0]);
    let (sum, sums) = scan(Lazy::scalar(&CPU, 0.0f32).unwrap(), x.clone(), "n", |c, x| {
        let next = c + x * &limit;
        (next, next)
    });
    assert_eq!(sum.item::<f32>().unwrap(), 150.0);
    assert_eq!(sums.to_vec::<f32>().unwrap(), [50.0, 150.0]);
    let is_large = limit.gt(10);
    let chosen = cond(&is_large, || x.tensor() + 1, || x.tensor() - 1);
    assert_eq!(chosen.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    let one = Lazy::scalar(&CPU, 1i32).unwrap();
    let second: Vec<Box<dyn FnOnce() -> Tensor>> = vec![Box::new(|| x.tensor() * 10)];
    assert_eq!(case(&one, || x.tensor(), second).to_vec::<f32>().unwrap(), [10.0, 20.0]);
    let product = reduce_by(x, Lazy::scalar(&CPU, 1.0f32).unwrap(), 0, |a, b| a * b);
    assert_eq!(product.item::<f32>().unwrap(), 2.0);
}

#[derive(Tree, Clone)]
struct Line<T = Tensor> {
    slope: T,
    offset: T,
}

impl Line {
    fn at(self, x: Tensor) -> Tensor {
        x * self.slope + self.offset
    }
}

#[test]
fn traced_functions_are_applied_to_trees() {
    let scalar = |value: f32| Lazy::scalar(&CPU, value).unwrap();
    let line = Line { slope: scalar(2.0) * 2, offset: scalar(1.0) };
    let y = call(|(line, x): (Line, Tensor)| line.at(x), (line.clone(), vector(&[1.0, 2.0])));
    assert_eq!(y.to_vec::<f32>().unwrap(), [5.0, 9.0]);
    let moved = call(|line: Line| Line { offset: line.offset + 1, ..line }, line);
    assert_eq!(moved.offset.item::<f32>().unwrap(), 2.0);
    assert_eq!(moved.slope.item::<f32>().unwrap(), 4.0);
}

#[test]
fn nothing_is_computed_by_printing() {
    let x = vector(&[1.0, 2.0]);
    let y = &x + 1;
    assert_eq!(x.to_string(), "f32[n=2] (realized)");
    assert_eq!(format!("{y:?}"), "Lazy(f32[n=2] (pending))");
    assert_eq!((y.shape().to_string(), y.dtype(), y.rank()), ("f32[n=2]".into(), DType::F32, 1));
    assert_eq!((y.size("n"), y.size(1)), (Some(2), None));
    assert_eq!(y.state(), LazyState::Pending);
    let shown = y.show().unwrap();
    assert_eq!(y.state(), LazyState::Realized);
    assert!(shown.contains("2") && shown.contains("3"), "{shown}");
    assert_eq!(y.to_string(), "f32[n=2] (realized)");
}

#[test]
fn buffers_are_values_without_copies() {
    let buffer = Buffer::from_slice(&*CPU, &[1.0f32, 2.0], [2]).unwrap();
    let x = Lazy::from_buffer(&CPU, buffer);
    let y = (&x * 3).realize().unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [3.0, 6.0]);
    assert!(std::sync::Arc::ptr_eq(&x.realize().unwrap(), &x.realize().unwrap()));
    realize_all([&x, &x]).unwrap();
    realize_all([]).unwrap();
    let empty = Lazy::zeros(&CPU, DType::F32, [0, 3]);
    assert_eq!(empty.sum(1).to_vec::<f32>().unwrap(), Vec::<f32>::new());
}
