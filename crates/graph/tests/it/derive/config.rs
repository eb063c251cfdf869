//! Trees that are read with a configuration.

use hloom_graph::{LeafProblem, Mismatch, Path, Spec, SpecTree, Tensor, Tree};
use std::collections::BTreeMap;

/// A layer of a library: it knows no configuration, and has a constant of its own.
#[derive(Tree, Clone, PartialEq, Debug)]
struct Norm<T = Tensor> {
    #[axes(in)]
    weight: T,
    #[tree(value = 1e-5)]
    epsilon: f64,
    #[tree(default)]
    window: Option<usize>,
}

/// A user's configuration, as of a `config.json`.
struct Config {
    heads: usize,
    eps: f64,
    layers: usize,
    windows: Vec<usize>,
    vision: Vision,
}

struct Vision {
    patch: usize,
}

#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Config)]
struct Attention<T = Tensor> {
    query: T,
    #[tree(value = config.heads)]
    heads: usize,
    #[tree(set(epsilon = config.eps))]
    query_norm: Option<Norm<T>>,
}

#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Config)]
struct Layer<T = Tensor> {
    #[tree(set(epsilon = config.eps * 2.0, window = Some(config.heads)))]
    norm: Norm<T>,
    attention: Attention<T>,
    #[tree(set(epsilon = index as f64))]
    more: [Norm<T>; 2],
    #[tree(may_be_empty, set(epsilon = -1.0))]
    by_name: BTreeMap<String, Vec<Box<Norm<T>>>>,
}

/// Names no configuration, and has one in its parts.
#[derive(Tree, Clone, PartialEq, Debug)]
struct Stack<T = Tensor> {
    first: Layer<T>,
    last: Option<Box<Layer<T>>>,
    norm: Norm<T>,
}

#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Vision)]
struct Patches<T = Tensor> {
    weight: T,
    #[tree(value = config.patch)]
    patch: usize,
}

#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Config)]
struct Model<T = Tensor> {
    #[tree(
        count = config.layers,
        set(norm.window = config.windows.get(index).copied(), attention.heads = 7)
    )]
    layers: Vec<Layer<T>>,
    #[tree(config = &config.vision)]
    patches: Patches<T>,
}

/// A pair of layers around an inner size.
#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Config)]
struct Mlp<T = Tensor> {
    #[tree(sizes(in = config.heads, out = config.layers))]
    up: Linear<T>,
    #[tree(all_sizes(in = config.layers))]
    down: Down<T>,
    #[axes(in)]
    #[tree(sizes("in" = config.heads), has(scale = config.eps > 0.0))]
    scale: Option<T>,
}

#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Config)]
struct Down<T = Tensor> {
    #[tree(sizes(out = config.heads), has(bias = config.eps < 0.0))]
    dense: Linear<T>,
    #[tree(sizes(in = config.heads))]
    norm: Norm<T>,
}

#[derive(Tree, Clone, PartialEq, Debug)]
struct Linear<T = Tensor> {
    #[axes(out, in)]
    weight: T,
    #[axes(out)]
    bias: Option<T>,
}

/// Several parameters, and names that the generated code uses too.
#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(leaf = T, config = Config)]
struct Odd<const N: usize, T, U: Default> {
    reader: T,
    path: [T; N],
    #[tree(default)]
    axes: U,
    #[tree(value = { let path = config.heads; path + N })]
    config: usize,
}

fn config() -> Config {
    Config { heads: 4, eps: 0.25, layers: 2, windows: vec![16, 32], vision: Vision { patch: 14 } }
}

fn source(names: &[&str]) -> BTreeMap<String, Spec> {
    names.iter().map(|name| ((*name).to_owned(), Spec::f32([2]))).collect()
}

fn norm(epsilon: f64, window: Option<usize>) -> Norm<Spec> {
    Norm { weight: Spec::f32([("in", 2)]), epsilon, window }
}

const LAYER: [&str; 4] = ["norm.weight", "attention.query", "more.0.weight", "more.1.weight"];

fn layer_at(path: &str) -> Vec<String> {
    LAYER.iter().map(|name| format!("{path}.{name}")).collect()
}

#[test]
fn constants_come_from_the_configuration() {
    let names = [&LAYER[..], &["attention.query_norm.weight", "by_name.a.0.weight"]].concat();
    let layer = Layer::spec_with(&source(&names), &config()).unwrap();
    let expected = Layer {
        norm: norm(0.5, Some(4)),
        attention: Attention {
            query: Spec::f32([2]),
            heads: 4,
            query_norm: Some(norm(0.25, None)),
        },
        more: [norm(0.0, None), norm(1.0, None)],
        by_name: [("a".to_owned(), vec![Box::new(norm(-1.0, None))])].into(),
    };
    assert_eq!(layer, expected);
    let bare = Layer::spec_with(&source(&LAYER), &config()).unwrap();
    assert_eq!((bare.attention.query_norm, bare.by_name.len()), (None, 0));
}

#[test]
fn a_tree_without_a_configuration_passes_on_that_of_its_parts() {
    let names = [layer_at("first"), layer_at("last"), vec!["norm.weight".into()]].concat();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stack = Stack::spec_with(&source(&names), &config()).unwrap();
    assert_eq!(stack.last.unwrap().attention.heads, 4);
    assert_eq!(stack.norm, norm(1e-5, None));
    // A container and a pair pass it on too.
    let pair: (Norm<Spec>, Vec<Patches<Spec>>) =
        Tree::spec_with(&source(&["0.weight", "1.0.weight"]), &config().vision).unwrap();
    assert_eq!(pair.1[0].patch, 14);
    // Any configuration will do where none is used.
    let any = Norm::spec_with(&source(&["weight"]), &"unused").unwrap();
    assert_eq!(any, Norm::spec(&source(&["weight"])).unwrap());
}

#[test]
fn lists_have_the_configured_length_and_elements_their_index() {
    let names = [layer_at("layers.0"), layer_at("layers.1"), vec!["patches.weight".into()]];
    let more = [names.concat(), vec!["layers.2.of_another_kind".into()]].concat();
    for names in [names.concat(), more] {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let model = Model::spec_with(&source(&names), &config()).unwrap();
        assert_eq!(model.layers.len(), 2);
        let windows: Vec<_> = model.layers.iter().map(|layer| layer.norm.window).collect();
        assert_eq!(windows, [Some(16), Some(32)]);
        assert_eq!(model.layers[1].attention.heads, 7);
        assert_eq!(model.patches.patch, 14);
        // More elements than the source has are missing, and cost nothing.
        let config = Config { layers: usize::MAX, ..config() };
        let error: Mismatch = Model::spec_with(&source(&names), &config).unwrap_err();
        assert!(matches!(error.problems[0].1, LeafProblem::Missing { .. }), "{error}");
        assert!(error.problems[0].0.starts_with("layers."), "{error}");
        // No elements are what was asked for.
        let config = Config { layers: 0, ..config };
        assert!(Model::spec_with(&source(&names), &config).unwrap().layers.is_empty());
    }
}

#[test]
fn sizes_are_those_of_the_configuration() {
    let fitting = || {
        BTreeMap::from([
            ("up.weight".to_owned(), Spec::f32([2, 4])),
            ("up.bias".to_owned(), Spec::f32([2])),
            ("down.dense.weight".to_owned(), Spec::f32([4, 2])),
            ("down.norm.weight".to_owned(), Spec::f32([4])),
            ("scale".to_owned(), Spec::f32([4])),
        ])
    };
    let mlp = Mlp::spec_with(&fitting(), &config()).unwrap();
    assert_eq!(mlp.down.dense.weight, Spec::f32([("out", 4), ("in", 2)]));
    let error = Mlp::spec_with(&fitting(), &Config { layers: 3, ..config() }).unwrap_err();
    let expected = "3 tensors of the list of specs do not fit the tree\
        \n  up.weight: expected f32[out=3, in=4], found f32[out=2, in=4] (`sizes(out = 3)` expects \
        otherwise)\
        \n  up.bias: expected f32[out=3], found f32[out=2] (`sizes(out = 3)` expects otherwise)\
        \n  down.dense.weight: expected f32[out=4, in=3], found f32[out=4, in=2] (`all_sizes(in = 3)` \
        expects otherwise)";
    assert_eq!(error.to_string(), expected);
    let mut other = fitting();
    other.insert("scale".to_owned(), Spec::f32([5]));
    let error = Mlp::spec_with(&other, &config()).unwrap_err();
    assert_eq!(error.problems.len(), 1, "{error}");
    assert_eq!(error.problems[0].0, "scale");
    // Sizes whose product is beyond any memory.
    let huge = Config { heads: usize::MAX, ..config() };
    let error = Mlp::spec_with(&fitting(), &huge).unwrap_err().to_string();
    let expected =
        format!("up.weight: expected the sizes [2, {}], found f32[out=2, in=4]", usize::MAX);
    assert!(error.contains(&expected), "{error}");
}

/// A list of trees that hold trees.
#[derive(Tree, Clone, PartialEq, Debug)]
#[tree(config = Config)]
struct Own<T = Tensor> {
    #[tree(sizes(in = config.heads))]
    blocks: Vec<OwnBlock<T>>,
    #[tree(sizes(in = config.heads))]
    flat: Option<Linear<T>>,
}

#[derive(Tree, Clone, PartialEq, Debug)]
struct OwnBlock<T = Tensor> {
    #[axes(in)]
    scale: Option<T>,
    down: Linear<T>,
}

#[test]
fn sizes_do_not_reach_trees_further_inside() {
    let read = |names: &[(&str, &[usize])]| {
        let source: BTreeMap<String, Spec> =
            names.iter().map(|(name, sizes)| ((*name).to_owned(), Spec::f32(*sizes))).collect();
        Own::spec_with(&source, &config()).map_err(|error| error.to_string())
    };
    // `down.weight` has an `in` of its own, which is another one.
    let down: (&str, &[usize]) = ("blocks.0.down.weight", &[4, 8]);
    assert!(read(&[("blocks.0.scale", &[4]), down]).is_ok());
    let error = read(&[("blocks.0.scale", &[5]), down]).unwrap_err();
    let expected = "blocks.0.scale: expected f32[in=4], found f32[in=5] (`sizes(in = 4)` expects";
    assert!(error.contains(expected), "{error}");
    let error = read(&[("blocks.0.scale", &[4]), down, ("flat.weight", &[2, 3])]).unwrap_err();
    assert!(error.contains("flat.weight: expected f32[out=2, in=4], found"), "{error}");
    // Sizes that nothing would check.
    let error = read(&[down]).unwrap_err();
    let expected = "1 tensor of the list of specs does not fit the tree\
        \n  blocks: expected a tensor with the axis `in`, by `sizes(in = 4)`, found it only further \
        inside, as in `blocks.0.down.weight`: set `sizes` at the field of that tree, or `all_sizes` \
        here";
    assert_eq!(error, expected);
}

#[test]
fn options_are_those_of_the_configuration() {
    let source = |names: &[&str]| -> BTreeMap<String, Spec> {
        let names = names.iter().map(|name| ((*name).to_owned(), Spec::f32([4, 2])));
        let fixed = [("up.weight", Spec::f32([2, 4])), ("down.norm.weight", Spec::f32([4]))];
        names.chain(fixed.map(|(name, spec)| (name.to_owned(), spec))).collect()
    };
    // Fields that the configuration leaves out are not read; fields that it requires are reported
    // as missing.
    let names = ["down.dense.weight", "down.dense.bias"];
    let error = Mlp::spec_with(&source(&names), &config()).unwrap_err();
    let missing: Vec<&str> = error.problems.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(missing, ["scale"], "{error}");
    let other = Config { eps: 0.0, ..config() };
    let mlp = Mlp::spec_with(&source(&names), &other).unwrap();
    assert_eq!((mlp.scale, mlp.down.dense.bias, mlp.up.bias), (None, None, None));
}

#[test]
fn expressions_see_the_configuration_and_no_other_name_of_the_generated_code() {
    let odd =
        Odd::<2, Spec, String>::spec_with(&source(&["reader", "path.0", "path.1"]), &config());
    assert_eq!(odd.unwrap().config, 6);
}

#[test]
fn a_tree_can_be_read_below_a_path() {
    let source = source(&["model.weight"]);
    let reader = hloom_graph::SpecReader::new(&source);
    let at = Path::ROOT.field("model");
    let read: Patches<Spec> = SpecTree::spec_at(&reader, &at, None, &Vision { patch: 3 });
    assert_eq!(reader.finish(read).unwrap().patch, 3);
}
