//! Order, paths, rebuilding and reading of derived trees.

use hloom_graph::{DType, Leaf, LeafProblem, Mismatch, Path, Spec, SpecSource, Tensor, Tree, leaf};
use std::{collections::BTreeMap, marker::PhantomData};

/// A leaf that is not a spec, so that rebuilding changes the type.
#[derive(Clone, PartialEq, Debug)]
struct Label(String);
leaf!(Label);

#[derive(Tree, Clone, PartialEq, Debug)]
struct Linear<T = Tensor> {
    #[axes(out, in)]
    weight: T,
    #[axes("out")]
    bias: Option<T>,
}

#[derive(Tree, Clone, PartialEq, Debug)]
struct Mlp<T = Tensor> {
    fc1: Linear<T>,
    #[tree(rename = "output.dense")]
    fc2: Linear<T>,
    #[tree(value = 1e-5)]
    epsilon: f64,
    #[tree(default)]
    r#type: String,
}

fn spec(size: usize) -> Spec {
    Spec::f32([size])
}

/// Replaces each spec by a label of its path and size.
fn label<A: Tree<Leaf = Spec>>(tree: A) -> A::With<Label> {
    tree.map(&mut |path, spec| Label(format!("{path}:{}", spec.shape().sizes()[0])))
}

fn of(path: &str, size: usize) -> Label {
    Label(format!("{path}:{size}"))
}

fn linear(weight: usize, bias: usize) -> Linear<Spec> {
    Linear { weight: spec(weight), bias: Some(spec(bias)) }
}

#[test]
fn leaves_are_visited_in_field_order_under_their_names() {
    let mlp = Mlp { fc1: linear(1, 2), fc2: linear(3, 4), epsilon: 0.5, r#type: "mlp".into() };
    assert_eq!(mlp.paths(), ["fc1.weight", "fc1.bias", "output.dense.weight", "output.dense.bias"]);
    let mut sizes = Vec::new();
    mlp.visit(&mut |_, spec| sizes.push(spec.shape().sizes()[0]));
    assert_eq!(sizes, [1, 2, 3, 4]);
}

#[test]
fn rebuilding_keeps_structure_and_carried_fields() {
    let mlp = Mlp {
        fc1: linear(1, 2),
        fc2: Linear { weight: spec(3), bias: None },
        epsilon: 0.5,
        r#type: "mlp".into(),
    };
    let labels: Mlp<Label> = label(mlp.clone());
    let expected = Mlp {
        fc1: Linear { weight: of("fc1.weight", 1), bias: Some(of("fc1.bias", 2)) },
        fc2: Linear { weight: of("output.dense.weight", 3), bias: None },
        epsilon: 0.5,
        r#type: "mlp".into(),
    };
    assert_eq!(labels, expected);
    let back: Mlp<Spec> =
        labels.map(&mut |_, label| spec(label.0.rsplit(':').next().unwrap().parse().unwrap()));
    assert_eq!(back, mlp);
}

#[derive(Tree, Clone, PartialEq, Debug)]
struct Containers<T> {
    vec: Vec<T>,
    nested: Vec<Option<Box<T>>>,
    array: [T; 2],
    pair: (T, usize, Linear<T>),
    map: BTreeMap<String, T>,
    trees: Vec<Linear<T>>,
    boxed: Box<Linear<T>>,
    arrays: [[T; 1]; 2],
    by_name: BTreeMap<String, Vec<Linear<T>>>,
    single: (T,),
    marker: PhantomData<T>,
}

fn containers() -> Containers<Spec> {
    Containers {
        vec: vec![spec(1), spec(2)],
        nested: vec![None, Some(Box::new(spec(3)))],
        array: [spec(4), spec(5)],
        pair: (spec(6), 77, linear(7, 8)),
        map: [("b".to_owned(), spec(10)), ("a".to_owned(), spec(9))].into(),
        trees: vec![linear(11, 12)],
        boxed: Box::new(linear(13, 14)),
        arrays: [[spec(15)], [spec(16)]],
        by_name: [("x".to_owned(), vec![linear(17, 18)])].into(),
        single: (spec(19),),
        marker: PhantomData,
    }
}

#[test]
fn containers_are_walked_in_order() {
    let paths = [
        "vec.0",
        "vec.1",
        "nested.1",
        "array.0",
        "array.1",
        "pair.0",
        "pair.2.weight",
        "pair.2.bias",
        "map.a",
        "map.b",
        "trees.0.weight",
        "trees.0.bias",
        "boxed.weight",
        "boxed.bias",
        "arrays.0.0",
        "arrays.1.0",
        "by_name.x.0.weight",
        "by_name.x.0.bias",
        "single.0",
    ];
    let tree = containers();
    assert_eq!(tree.paths(), paths);
    let mut sizes = Vec::new();
    tree.visit(&mut |_, spec| sizes.push(spec.shape().sizes()[0]));
    assert_eq!(sizes, (1..=19).collect::<Vec<_>>());

    let mut doubled = tree.clone();
    let mut changed = Vec::new();
    doubled.visit_mut(&mut |path, leaf| {
        changed.push(path.to_string());
        *leaf = spec(2 * leaf.shape().sizes()[0]);
    });
    assert_eq!(changed, paths, "visit_mut goes the way of visit");
    sizes.clear();
    doubled.visit(&mut |_, spec| sizes.push(spec.shape().sizes()[0]));
    assert_eq!(sizes, (1..=19).map(|size| 2 * size).collect::<Vec<_>>());

    let mut mapped = Vec::new();
    let labels: Containers<Label> = tree.map(&mut |path, spec| {
        mapped.push(path.to_string());
        of(&path.to_string(), spec.shape().sizes()[0])
    });
    assert_eq!(mapped, paths, "map goes the way of visit");
    assert_eq!(labels.paths(), paths);
    assert_eq!(labels.nested, [None, Some(Box::new(of("nested.1", 3)))]);
    assert_eq!(labels.pair.1, 77);
    assert_eq!(labels.map["a"], of("map.a", 9));
    assert_eq!(labels.arrays[1][0], of("arrays.1.0", 16));
    assert_eq!(labels.by_name["x"][0].weight, of("by_name.x.0.weight", 17));
}

#[derive(Tree, Clone)]
struct Inner<T> {
    a: Vec<T>,
    b: (T, T),
    c: Option<T>,
    d: [T; 2],
    e: BTreeMap<String, T>,
}

#[derive(Tree)]
struct Leafy<T>(T, #[tree(rename = "second")] T, #[tree(flatten)] Vec<T>);

#[test]
fn generated_paths_are_those_of_the_containers_themselves() {
    let inner = Inner {
        a: vec![spec(1)],
        b: (spec(2), spec(3)),
        c: Some(spec(4)),
        d: [spec(5), spec(6)],
        e: [("k".to_owned(), spec(7))].into(),
    };
    let by_trait = [
        prefixed("a", inner.a.paths()),
        prefixed("b", inner.b.paths()),
        prefixed("c", inner.c.paths()),
        prefixed("d", inner.d.paths()),
        prefixed("e", inner.e.paths()),
    ]
    .concat();
    assert_eq!(inner.paths(), by_trait);
}

fn prefixed(prefix: &str, paths: Vec<String>) -> Vec<String> {
    let join =
        |path: String| if path.is_empty() { prefix.to_owned() } else { format!("{prefix}.{path}") };
    paths.into_iter().map(join).collect()
}

#[test]
fn tuple_structs_count_and_flattened_fields_leave_no_segment() {
    let leafy = Leafy(spec(1), spec(2), vec![spec(3), spec(4)]);
    assert_eq!(leafy.paths(), ["0", "second", "0", "1"]);
}

#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(leaf = T)]
struct General<'a, Config, const N: usize, T: Leaf>
where
    Config: Clone,
{
    config: &'a Config,
    parts: [T; N],
    #[tree(flatten)]
    head: Linear<T>,
}

#[test]
fn lifetimes_constants_and_other_parameters_stay() {
    let name = "a".to_owned();
    let general = General { config: &name, parts: [spec(1), spec(2), spec(3)], head: linear(4, 5) };
    let labels: General<'_, String, 3, Label> = label(general);
    assert_eq!(labels.paths(), ["parts.0", "parts.1", "parts.2", "weight", "bias"]);
    assert_eq!(labels.config, "a");
    let wrapped = Wrapped2::<Spec, u8> { head: spec(1), other: 3 };
    assert_eq!(label(wrapped).other, 3);
    let stack = Stack { layers: vec![spec(1), spec(2)], activation: "relu" };
    let labels: Stack<&str, Label> = label(stack);
    assert_eq!(
        (labels.paths(), labels.activation),
        (vec!["layers.0".into(), "layers.1".into()], "relu")
    );
}

#[derive(Tree)]
#[tree(leaf = T)]
struct Wrapped2<T, X> {
    head: T,
    other: X,
}

/// The default says which parameter the leaves have, wherever it is.
#[derive(Tree)]
struct Stack<B, T = Tensor> {
    layers: Vec<T>,
    activation: B,
}

#[derive(Tree, Clone, PartialEq, Debug)]
enum Projection<T> {
    Dense(#[tree(flatten)] Linear<T>),
    LowRank { up: T, down: T, rank: usize },
    Pair(T, Vec<T>),
    Identity,
}

#[test]
fn an_enum_shows_the_leaves_of_its_variant() {
    let all = vec![
        Projection::Dense(linear(1, 2)),
        Projection::LowRank { up: spec(3), down: spec(4), rank: 8 },
        Projection::Pair(spec(5), vec![spec(6)]),
        Projection::Identity,
    ];
    let paths = ["0.weight", "0.bias", "1.up", "1.down", "2.0", "2.1.0"];
    assert_eq!(all.paths(), paths);
    let labels: Vec<Projection<Label>> = label(all);
    assert_eq!(labels.paths(), paths);
    assert!(
        matches!(&labels[1], Projection::LowRank { rank: 8, down, .. } if *down == of("1.down", 4))
    );
    assert_eq!(labels[3], Projection::Identity);
}

#[derive(Tree, PartialEq, Debug)]
struct Node<T> {
    value: T,
    #[tree(may_be_empty)]
    children: Vec<Node<T>>,
}

#[derive(Tree)]
struct Unit<T>(PhantomData<T>);

#[derive(Tree, PartialEq, Debug)]
struct Everything<T = Tensor> {
    #[tree(flatten)]
    head: Linear<T>,
    #[axes(_, hidden)]
    pair: (T, Option<T>),
    experts: Vec<Linear<T>>,
    gates: [T; 2],
    tables: BTreeMap<String, T>,
    absent: Option<Linear<T>>,
    boxed: Box<T>,
    marker: PhantomData<T>,
    #[tree(value = 3)]
    count: usize,
}

fn source(names: &[(&str, &[usize])]) -> BTreeMap<String, Spec> {
    names.iter().map(|(name, sizes)| ((*name).to_owned(), Spec::f32(*sizes))).collect()
}

#[test]
fn specs_are_read_by_path_with_the_axes_of_the_fields() {
    let source = source(&[
        ("weight", &[10, 20]),
        ("bias", &[10]),
        ("pair.0", &[1, 2]),
        ("experts.0.weight", &[3, 4]),
        ("experts.1.weight", &[5, 6]),
        ("experts.1.bias", &[5]),
        ("gates.0", &[]),
        ("gates.1", &[0]),
        ("tables.x", &[1]),
        ("tables.y", &[2]),
        ("boxed", &[7]),
    ]);
    let read = Everything::spec(&source).unwrap();
    let expected = Everything {
        head: Linear {
            weight: Spec::f32([("out", 10), ("in", 20)]),
            bias: Some(Spec::f32([("out", 10)])),
        },
        pair: (Spec::f32([("_", 1), ("hidden", 2)]), None),
        experts: vec![
            Linear { weight: Spec::f32([("out", 3), ("in", 4)]), bias: None },
            Linear {
                weight: Spec::f32([("out", 5), ("in", 6)]),
                bias: Some(Spec::f32([("out", 5)])),
            },
        ],
        gates: [Spec::scalar(DType::F32), spec(0)],
        tables: [("x".to_owned(), spec(1)), ("y".to_owned(), spec(2))].into(),
        absent: None,
        boxed: Box::new(spec(7)),
        marker: PhantomData,
        count: 3,
    };
    assert_eq!(read, expected);
    let mut found: Vec<String> = read.paths();
    found.sort();
    assert_eq!(
        found,
        source.keys().cloned().collect::<Vec<_>>(),
        "paths are the names in the source"
    );
}

#[test]
fn a_tree_that_holds_itself_is_read() {
    let read: Node<Spec> = Node::spec(&source(&[
        ("value", &[1]),
        ("children.0.value", &[2]),
        ("children.0.children.0.value", &[3]),
    ]))
    .unwrap();
    assert_eq!(read.children[0].children[0].value, spec(3));
    assert_eq!(label(read).paths(), ["value", "children.0.value", "children.0.children.0.value"]);
    assert!(Unit::<Spec>::spec(&source(&[])).is_ok());
}

#[test]
fn all_that_is_missing_or_ill_shaped_is_reported_together() {
    let source =
        source(&[("fc1.weight", &[3]), ("fc1.bias", &[1, 2]), ("output.dense.bias", &[4])]);
    let error: Mismatch = Mlp::spec(&source).unwrap_err();
    let missing = LeafProblem::Missing { note: "there is `bias` under `output.dense`".into() };
    let ill_shaped = |expected: &str, found: &str| LeafProblem::IllShaped {
        expected: expected.into(),
        found: found.into(),
    };
    let expected = [
        ("fc1.weight".to_owned(), ill_shaped("the axes (out, in)", "f32[3]")),
        ("fc1.bias".to_owned(), ill_shaped("the axes (out)", "f32[1, 2]")),
        ("output.dense.weight".to_owned(), missing),
    ];
    assert_eq!(error.problems, expected);
}

#[test]
fn a_gap_in_a_list_is_missing() {
    let source = source(&[("0", &[1]), ("1", &[1]), ("3", &[1]), ("18446744073709551615", &[1])]);
    let error = Vec::<Spec>::spec(&source).unwrap_err();
    let names: Vec<&str> = error.problems.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["2"]);
}

#[test]
fn a_tree_is_built_where_it_stands() {
    let root = Path::ROOT;
    let model = root.field("model");
    let labels = linear(1, 2).map_at(&model, &mut |path, _| Label(path.to_string()));
    assert_eq!(labels.weight, Label("model.weight".into()));
    assert!(source(&[("model.weight", &[1])]).contains("model"));
    assert!(!source(&[("model.weight", &[1])]).contains("mod"));
}

#[test]
fn two_trees_are_joined_leaf_by_leaf() {
    let sizes = || vec![Spec::f32([2]), Spec::f32([3])];
    assert_eq!((sizes().count(), Spec::f32([2]).count(), None::<Spec>.count()), (2, 1, 0));
    let joined = sizes().zip_map(vec![spec(5), spec(7)], &mut |path, a: Spec, b: Spec| {
        Spec::i32([a.shape().sizes()[0], b.shape().sizes()[0], path.to_string().len()])
    });
    assert_eq!(joined.unwrap(), [Spec::i32([2, 5, 1]), Spec::i32([3, 7, 1])]);
    let total = sizes().zip_fold(&vec![spec(5), spec(7)], 0, |sum, _, a: &Spec, b: &Spec| {
        sum + a.shape().sizes()[0] * b.shape().sizes()[0]
    });
    assert_eq!(total.unwrap(), 2 * 5 + 3 * 7);
    let error = sizes().zip_fold(&vec![spec(1)], (), |(), _, _: &Spec, _: &Spec| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "1 tensor of the second tree does not fit the tree\n  1: missing"
    );
    let error = vec![spec(1)].zip_map(sizes(), &mut |_, a: Spec, _: Spec| a).unwrap_err();
    assert!(error.to_string().ends_with("\n  1: not used by the tree"), "{error}");
}

mod mirror {
    use super::{Label, spec};
    use hloom_graph::{Mirror, Spec, Tensor, Tree};
    use std::marker::PhantomData;

    impl Mirror<Spec> for Label {
        fn mirror(other: &Spec) -> Label {
            Label(other.shape().to_string())
        }

        fn is_mirror_of(&self, other: &Spec) -> bool {
            *self == Label::mirror(other)
        }
    }

    #[derive(Clone, PartialEq)]
    struct Private(u8);

    struct Incomparable;

    #[derive(Tree)]
    pub struct Node<T = Tensor, const N: usize = 2> {
        leaves: [T; N],
        children: Vec<Node<T, N>>,
        kind: LayerKind<T>,
        carried: (Private, Option<f64>),
        phantom: PhantomData<T>,
    }

    #[derive(Tree)]
    enum LayerKind<T = Tensor> {
        Plain,
        Pair(T, u32),
        Named { value: Box<T> },
    }

    /// The type is a tree, though its values cannot be compared.
    #[derive(Tree)]
    struct Opaque<T = Tensor> {
        value: T,
        _carried: Incomparable,
    }

    #[derive(Tree)]
    struct Outer<T = Tensor> {
        opaque: Opaque<T>,
    }

    fn node(kind: LayerKind<Spec>, carried: (Private, Option<f64>)) -> Node<Spec> {
        let leaves = [spec(1), spec(2)];
        Node { leaves, children: Vec::new(), kind, carried, phantom: PhantomData }
    }

    #[test]
    fn a_mirror_compares_structure_leaves_and_carried_fields() {
        let original = || node(LayerKind::Pair(spec(3), 4), (Private(1), Some(0.5)));
        let mirror: Node<Label> = Mirror::mirror(&original());
        assert_eq!(mirror.paths(), original().paths());
        assert!(mirror.is_mirror_of(&original()));
        let mut with_child = original();
        with_child.children.push(original());
        let mut other_leaf = original();
        other_leaf.leaves[1] = spec(9);
        let others = [
            with_child,
            other_leaf,
            node(LayerKind::Pair(spec(3), 5), (Private(1), Some(0.5))),
            node(LayerKind::Pair(spec(9), 4), (Private(1), Some(0.5))),
            node(LayerKind::Named { value: Box::new(spec(3)) }, (Private(1), Some(0.5))),
            node(LayerKind::Plain, (Private(1), Some(0.5))),
            node(LayerKind::Pair(spec(3), 4), (Private(2), Some(0.5))),
            node(LayerKind::Pair(spec(3), 4), (Private(1), None)),
            // Not equal to itself, in a type that only `==` compares.
            node(LayerKind::Pair(spec(3), 4), (Private(1), Some(f64::NAN))),
        ];
        for (i, other) in others.iter().enumerate() {
            assert!(!mirror.is_mirror_of(other), "{i}");
            let own: Node<Label> = Mirror::mirror(other);
            assert_eq!(own.is_mirror_of(other), i != 8, "{i}");
        }
    }

    #[test]
    fn a_tree_with_what_cannot_be_compared_is_still_a_tree() {
        let outer = Outer { opaque: Opaque { value: spec(1), _carried: Incomparable } };
        assert_eq!(outer.paths(), ["opaque.value"]);
    }
}

/// A tree over trees: fields that are one of them, contain several, or are a leaf.
#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(leaf = P::Leaf)]
struct Averages<S, P: Tree, const N: usize> {
    count: P::Leaf,
    states: [S; N],
    #[tree(rename = "mean")]
    means: Option<P>,
    lasts: Vec<P::Leaf>,
    momentum: f64,
    #[tree(buffer)]
    seen: P,
    marker: PhantomData<P>,
}

fn averages() -> Averages<(Spec,), Linear<Spec>, 2> {
    Averages {
        count: spec(1),
        states: [(spec(2),), (spec(3),)],
        means: Some(linear(4, 5)),
        lasts: vec![spec(6)],
        momentum: 0.5,
        seen: Linear { weight: spec(7), bias: None },
        marker: PhantomData,
    }
}

#[test]
fn a_tree_over_trees_is_walked_and_rebuilt() {
    let tree = averages();
    let paths = ["count", "states.0.0", "states.1.0", "mean.weight", "mean.bias", "lasts.0"];
    assert_eq!(tree.paths()[..6], paths);
    assert_eq!(tree.paths()[6..], ["seen.weight"]);
    assert_eq!(tree.buffers(), ["seen.weight".to_owned()].into());
    let mut changed = tree.clone();
    changed.visit_mut(&mut |_, leaf| *leaf = spec(10 * leaf.shape().sizes()[0]));
    assert_eq!((changed.count, changed.states[1].0.clone()), (spec(10), spec(30)));
    let labels: Averages<(Label,), Linear<Label>, 2> = label(tree.clone());
    assert_eq!(labels.lasts, [of("lasts.0", 6)]);
    assert_eq!((labels.seen.weight, labels.momentum), (of("seen.weight", 7), 0.5));
}

#[test]
fn a_tree_over_trees_mirrors_one_of_the_same_structure() {
    use hloom_graph::Mirror;

    let mirror: Averages<(Label,), Linear<Label>, 2> = Mirror::mirror(&averages());
    assert!(mirror.paths() == averages().paths() && mirror.is_mirror_of(&averages()));
    assert!(!mirror.is_mirror_of(&Averages { means: None, ..averages() }));
    assert!(!mirror.is_mirror_of(&Averages { momentum: 0.25, ..averages() }));
    assert!(!mirror.is_mirror_of(&Averages { count: spec(9), ..averages() }));
}
