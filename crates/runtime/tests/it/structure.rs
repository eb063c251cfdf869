//! Calls with trees of another structure than the one that a function was compiled for.

use hloom_graph::{DType, Leaf, Spec, Tensor, Tree};
use hloom_runtime::{Buckets, Buffer, Donated, Result};
use hloom_test_support::CPU;
use std::{collections::BTreeMap, rc::Rc};

#[derive(Tree, Clone)]
struct Biases<T = Tensor> {
    query: Option<T>,
    key: Option<T>,
}

#[derive(Tree, Clone)]
struct Layer<T = Tensor> {
    weight: T,
    bias: Option<T>,
    norm: Option<T>,
}

#[derive(Tree, Clone)]
enum Norm<T = Tensor> {
    Layer(T),
    Rms(T),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Activation {
    Relu,
    Tanh,
}

#[derive(Tree, Clone)]
struct Settings<T = Tensor> {
    weight: T,
    causal: bool,
    epsilon: f64,
    limits: (Option<f32>, [f64; 2]),
    activation: Activation,
    sizes: Vec<usize>,
}

/// The type cannot be compared, copied or sent to a thread.
struct Opaque(#[expect(dead_code, reason = "only its type counts")] Rc<u8>);

#[derive(Tree)]
struct Odd<T = Tensor> {
    weight: T,
    opaque: Opaque,
    function: fn(Tensor) -> Tensor,
    borrowing: fn(&Tensor) -> Tensor,
}

fn spec() -> Spec {
    Spec::f32([2])
}

fn filled<T: Tree<Leaf = Spec>>(specs: T) -> T::With<Buffer> {
    let one =
        |spec: Spec| Buffer::from_bytes(&CPU, spec.shape(), &vec![0; spec.shape().byte_size()]);
    specs.map(&mut |_, spec| one(spec).unwrap())
}

fn sum<T: Tree<Leaf = Tensor>>(tree: T) -> Tensor {
    let mut all = Tensor::scalar(0.0, DType::F32);
    tree.map(&mut |_, leaf: Tensor| {
        all = all + leaf.sum(..);
        leaf
    });
    all
}

/// The error of a call with the tree `other` of a function compiled for `own`, without its first
/// line; the error of `bind` is the same.
fn refused<T>(own: T, other: T) -> String
where
    T: Tree<Leaf = Spec, With<Tensor>: Tree<Leaf = Tensor> + 'static> + Clone,
    T::With<Buffer>: 'static,
{
    let exe = CPU.compile(|tree: T::With<Tensor>| sum(tree), (own.clone(),)).unwrap();
    exe.call((&filled(own.clone()),)).unwrap();
    exe.bind(&filled(own)).unwrap();
    let other = filled(other);
    let text = |error: hloom_runtime::Error| {
        let text = error.to_string();
        text.split_once(":\n  ").expect("the problems follow").1.to_owned()
    };
    let error = text(exe.call((&other,)).unwrap_err());
    assert_eq!(text(exe.bind(&other).map(drop).unwrap_err()), error);
    error
}

#[test]
fn leaves_at_other_paths_are_named() {
    let biases = |query: bool| Biases { query: query.then(spec), key: (!query).then(spec) };
    let swapped = "`query`: not given\n  `key`: not in the tree that the function was compiled for";
    assert_eq!(refused(biases(true), biases(false)), swapped);
    let map = |key: &str| BTreeMap::from([(key.to_owned(), spec())]);
    assert_eq!(
        refused(map("a"), map("b")),
        "`a`: not given\n  `b`: not in the tree that the function was compiled for"
    );
    let lists = |first: usize| (vec![spec(); first], vec![spec(); 3 - first]);
    assert_eq!(
        refused(lists(1), lists(2)),
        "`1.1`: not given\n  `0.1`: not in the tree that the function was compiled for"
    );
    let lists = |first: usize| [vec![spec(); first], vec![spec(); 3 - first]];
    assert_eq!(
        refused(lists(2), lists(1)),
        "`0.1`: not given\n  `1.1`: not in the tree that the function was compiled for"
    );
}

/// The buffers after a missing leaf are not compared with the inputs before theirs.
#[test]
fn only_the_missing_leaf_is_named_among_unequal_shapes() {
    let layer = |bias: bool| Layer {
        weight: Spec::f32([2, 3]),
        bias: bias.then(|| Spec::f32([3])),
        norm: Some(Spec::f32([5])),
    };
    assert_eq!(refused(layer(true), layer(false)), "`bias`: not given");
    assert_eq!(
        refused(layer(false), layer(true)),
        "`bias`: not in the tree that the function was compiled for"
    );
    let shorter = Layer { weight: Spec::f32([2, 4]), ..layer(false) };
    assert_eq!(
        refused(layer(true), shorter),
        "`weight`: f32[2, 3] expected, f32[2, 4] found\n  `bias`: not given"
    );
    assert_eq!(refused(vec![spec(); 3], vec![spec(); 2]), "`2`: not given");
}

#[test]
fn variants_with_leaves_at_the_same_paths_differ() {
    assert_eq!(
        refused(Norm::Layer(spec()), Norm::Rms(spec())),
        "`arg0`: compiled for variant `Layer`, called with variant `Rms`"
    );
    assert_eq!(
        refused(vec![Norm::Layer(spec())], vec![Norm::Rms(spec())]),
        "`0`: compiled for variant `Layer`, called with variant `Rms`"
    );
    assert_eq!(
        refused((spec(), None::<Vec<Spec>>), (spec(), Some(vec![]))),
        "`1`: compiled for `None`, called with `Some`"
    );
}

fn settings() -> Settings<Spec> {
    Settings {
        weight: spec(),
        causal: true,
        epsilon: 1e-5,
        limits: (None, [0.0, f64::NAN]),
        activation: Activation::Relu,
        sizes: vec![1, 2],
    }
}

#[test]
fn other_values_of_fields_without_leaves_are_refused() {
    let own = settings;
    let cases = [
        (Settings { causal: false, ..own() }, "`causal`: compiled for true, called with false"),
        (Settings { epsilon: 1e-6, ..own() }, "`epsilon`: compiled for 1e-5, called with 1e-6"),
        (Settings { epsilon: f64::NAN, ..own() }, "`epsilon`: compiled for 1e-5, called with NaN"),
        (
            Settings { limits: (Some(1.0), [0.0, f64::NAN]), ..own() },
            "`limits`: compiled for (None, [0.0, NaN]), called with (Some(1.0), [0.0, NaN])",
        ),
        (
            Settings { limits: (None, [-0.0, f64::NAN]), ..own() },
            "`limits`: compiled for (None, [0.0, NaN]), called with (None, [-0.0, NaN])",
        ),
        (
            Settings { activation: Activation::Tanh, ..own() },
            "`activation`: compiled for Relu, called with Tanh",
        ),
        (Settings { sizes: vec![1], ..own() }, "`sizes`: compiled for [1, 2], called with [1]"),
    ];
    for (other, message) in cases {
        assert_eq!(refused(own(), other), message);
    }
}

#[test]
fn a_field_that_is_nan_equals_itself() {
    let nan = || Settings { epsilon: f64::NAN, ..settings() };
    let exe = CPU.compile(|tree: Settings| sum(tree), (nan(),)).unwrap();
    exe.call((&filled(nan()),)).unwrap();
    let jit = CPU.jit(|tree: Settings| sum(tree));
    for _ in 0..2 {
        jit.call((&filled(nan()),)).unwrap();
    }
    jit.call((&filled(settings()),)).unwrap();
    assert_eq!((jit.compilations(), jit.hits()), (2, 1));
    // The program divides by it.
    let zero = |limit: f64| Settings { limits: (None, [limit, 0.0]), ..settings() };
    jit.call((&filled(zero(0.0)),)).unwrap();
    jit.call((&filled(zero(-0.0)),)).unwrap();
    assert_eq!(jit.compilations(), 4);
}

#[test]
fn fields_that_cannot_be_compared_are_no_part_of_the_structure() {
    fn twice(x: &Tensor) -> Tensor {
        *x * 2
    }
    fn odd<T: Leaf>(weight: T) -> Odd<T> {
        Odd { weight, opaque: Opaque(Rc::new(0)), function: Tensor::tanh, borrowing: twice }
    }
    let function = |odd: Odd, x: Tensor| (odd.function)((odd.borrowing)(&odd.weight)) + x;
    let exe = CPU.compile(function, (odd(spec()), spec())).unwrap();
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    let zeros = || Buffer::from_slice(&CPU, &[0f32, 0.0], [2]).unwrap();
    let other = Odd { function: Tensor::exp, ..odd(zeros()) };
    for weight in [&odd(zeros()), &other] {
        assert_eq!(exe.call((weight, &x)).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
}

/// Every way to pass a tree compares its structure, with the names of the argument.
#[test]
fn each_way_to_pass_a_tree_compares_it() {
    let biases = |query: bool| Biases { query: query.then(spec), key: (!query).then(spec) };
    let (own, other) = (|| filled(biases(true)), || filled(biases(false)));
    let x = || Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    let check = |result: Result<()>, prefix: &str| {
        let error = result.expect_err("the tree is another one").to_string();
        let expected = format!("`{prefix}query`: not given\n  `{prefix}key`: not in the tree");
        assert!(error.contains(&expected), "{error}");
    };
    let add = |x: Tensor, tree: Biases| x + sum(tree);
    let exe = CPU.compile(add, (spec(), biases(true))).unwrap();
    check(exe.call((&x(), &other())).map(drop), "arg1.");
    let bound = exe.bind(&x()).unwrap();
    check(bound.call((&other(),)).map(drop), "arg1.");
    check(bound.bind(&other()).map(drop), "arg1.");
    check(exe.check_structure(1, &biases(false)), "arg1.");
    exe.check_structure(1, &biases(true)).unwrap();
    let mut sum_of_own = exe.call((&x(), &own())).unwrap();
    check(exe.call_into((&x(), &other()), &mut sum_of_own), "arg1.");

    let named = CPU.compiler().inputs(["x", "tree"]).compile(add, (spec(), biases(true)));
    check(named.unwrap().call((&x(), &other())).map(drop), "tree.");

    let donated = CPU.compile(add, (spec(), Donated(biases(true)))).unwrap();
    check(donated.call((&x(), other())).map(drop), "arg1.");
    check(donated.keep_donated().call((&x(), &other())).map(drop), "arg1.");

    let padded = |x: Tensor, tree: Biases, _length: Tensor| x + sum(tree);
    let row = Spec::f32([("time", 4)]);
    let buckets = Buckets::pow2("time", 4..=8);
    let exe = CPU.compile_buckets(padded, (row, biases(true)), buckets.clone()).unwrap();
    let times = Buffer::from_slice(&CPU, &[1f32; 3], [("time", 3)]).unwrap();
    check(exe.call((&times, &other())).map(drop), "arg1.");
    exe.call((&times, &own())).unwrap();
    let padded = |tree: Biases, x: Tensor, _length: Tensor| x + sum(tree);
    let row = Spec::f32([("time", 4)]);
    let exe = CPU.compile_buckets(padded, (biases(true), row), buckets).unwrap();
    check(exe.bind(&other()).map(drop), "");
    exe.bind(&own()).unwrap().call((&times,)).unwrap();

    let steps = CPU.compile_in_steps(|tree: Biases| sum(tree), (biases(true),));
    check(steps.unwrap().call((&other(),)).map(drop), "");
}

#[test]
fn results_to_replace_have_the_structure_of_the_result() {
    let exe = CPU.compile(|x: Tensor| vec![x, x + 1], (spec(),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    for count in [1, 3] {
        let mut results = filled(vec![spec(); count]);
        let error = exe.call_into((&x,), &mut results).unwrap_err().to_string();
        let found = if count == 1 { "1 element" } else { "3 elements" };
        let message = format!("`result`: compiled for 2 elements, called with {found}");
        assert!(error.ends_with(&message), "{error}");
    }
    let mut results = filled(vec![spec(); 2]);
    exe.call_into((&x,), &mut results).unwrap();
    assert_eq!(results[1].to_vec::<f32>().unwrap(), [2.0, 3.0]);
}
