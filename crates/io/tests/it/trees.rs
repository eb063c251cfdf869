//! Trees of specs against checkpoints: matches and reported errors.

use hloom_graph::{DType, LeafProblem, Mismatch, Shape, Spec, SpecSource, Tensor, Tree};
use hloom_io::{ALIGNMENT, Checkpoint, LoadPlan, Unused, Writer};
use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};
use tempfile::TempDir;

#[derive(Tree)]
struct Linear<T = Tensor> {
    #[axes(out, in)]
    weight: T,
    #[axes(out)]
    bias: Option<T>,
}

#[derive(Tree)]
struct Mlp<T = Tensor> {
    fc1: Linear<T>,
    fc2: Linear<T>,
}

/// A checkpoint of the given names and shapes, in a folder of its own.
fn checkpoint(tensors: &[(&str, Shape)]) -> (TempDir, Checkpoint) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let mut writer = Writer::new();
    for (name, shape) in tensors {
        let bytes: Vec<u8> = (0..shape.byte_size()).map(|i| i as u8).collect();
        writer.tensor(name, *shape, bytes).unwrap();
    }
    writer.save(&path).unwrap();
    (folder, Checkpoint::open(path).unwrap())
}

fn f32s<const N: usize>(sizes: [usize; N]) -> Shape {
    Shape::new(DType::F32, sizes).unwrap()
}

fn mlp() -> (TempDir, Checkpoint) {
    checkpoint(&[
        ("model.fc1.weight", f32s([4, 3])),
        ("model.fc1.bias", f32s([4])),
        ("model.fc2.weight", f32s([2, 4])),
        ("model.rope", f32s([7])),
        ("model2", f32s([])),
    ])
}

/// E2: a model is read from the part of a checkpoint below a prefix.
#[test]
fn a_view_is_the_part_below_a_path() {
    let (_folder, checkpoint) = mlp();
    let view = checkpoint.at("model");
    let names: Vec<&str> = view.names().collect();
    assert_eq!(names, ["fc1.bias", "fc1.weight", "fc2.weight", "rope"]);
    assert_eq!(view.at("fc1").tensor("bias").unwrap().name(), "model.fc1.bias");
    assert_eq!(view.children(""), ["fc1", "fc2", "rope"]);
    assert_eq!(checkpoint.root().children(""), ["model", "model2"]);
    assert!(view.contains("fc1") && view.contains("rope"));
    assert!(!view.contains("fc") && !view.contains("fc1.weight.x") && !view.contains("fc3"));
    // A part that is not there names what is.
    for part in ["modle", "modle.layers"] {
        let error = checkpoint.at(part).tensor("fc1.bias").unwrap_err().to_string();
        let expected = format!("{part}.fc1.bias: missing; there is `model`, `model2`");
        assert!(error.ends_with(&expected), "{error}");
    }
    let error = checkpoint.at("model.fc3").tensor("bias").unwrap_err().to_string();
    let expected = "model.fc3.bias: missing; there is `fc2`, `fc1`, `rope` under `model`";
    assert!(error.ends_with(expected), "{error}");
    let error = view.tensor("fc1.scale").unwrap_err().to_string();
    let expected = format!(
        "1 tensor of `{}` does not fit the tree\n  model.fc1.scale: missing; there is `bias`, \
         `weight` under `model.fc1`",
        checkpoint.path().display()
    );
    assert_eq!(error, expected);
    assert_eq!(checkpoint.at("model2").tensor("").unwrap().shape(), f32s([]));
}

#[test]
fn a_tree_that_fits_is_planned_in_its_own_order() {
    let (_folder, checkpoint) = mlp();
    let view = checkpoint.at("model");
    let spec: Mlp<Spec> = Mlp::spec(&view).unwrap();
    assert_eq!(spec.fc1.weight, Spec::f32([("out", 4), ("in", 3)]));
    assert!(spec.fc2.bias.is_none());
    let plan = LoadPlan::new(&view, &spec, &Unused::Allowed).unwrap();
    let names: Vec<&str> = plan.tensors.iter().map(|tensor| tensor.name()).collect();
    assert_eq!(names, ["model.fc1.weight", "model.fc1.bias", "model.fc2.weight"]);
    assert_eq!(plan.byte_size(), 4 * (12 + 4 + 8));
    assert_eq!(view.unused(&spec), ["model.rope"]);
}

/// The checkpoint of a network whose names a function changes.
fn renamed(name: impl Fn(&str) -> String) -> (tempfile::TempDir, Checkpoint) {
    let tensors =
        [("fc1.weight", f32s([4, 3])), ("fc1.bias", f32s([4])), ("fc2.weight", f32s([2, 4]))];
    let tensors = tensors.map(|(path, tensor)| (name(path), tensor));
    let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (name.as_str(), *tensor)).collect();
    checkpoint(&tensors)
}

#[test]
fn names_of_wrapped_modules_are_one_line() {
    let (_folder, plain) = renamed(str::to_owned);
    let spec = Mlp::<Spec>::spec(&plain.root()).unwrap();
    for prefix in ["_orig_mod", "module", "module._orig_mod", "model"] {
        let (_folder, wrapped) = renamed(|name| format!("{prefix}.{name}"));
        let read = Mlp::<Spec>::spec(&wrapped.root()).map(drop).unwrap_err();
        let planned = LoadPlan::new(&wrapped.root(), &spec, &Unused::Refused).unwrap_err();
        for error in [read, planned] {
            let reason = format!(
                "each of them is below `{prefix}`: load from that part, `.at(\"{prefix}\")`"
            );
            assert_eq!(error.reason.as_ref(), Some(&reason));
            assert!(error.to_string().ends_with(&format!(" do not fit the tree: {reason}")));
            assert!(error.problems.len() > 1);
        }
        assert!(LoadPlan::new(&wrapped.at(prefix), &spec, &Unused::Refused).is_ok());
    }
    let inside = |name: &str| name.replace(".", "._fsdp_wrapped_module.");
    let (_folder, wrapped) = renamed(inside);
    let error = LoadPlan::new(&wrapped.root(), &spec, &Unused::Refused).unwrap_err().to_string();
    assert!(error.contains("such as `fc1._fsdp_wrapped_module.bias`"), "{error}");
    assert!(error.contains("`Checkpoint::without_wrappers`"), "{error}");
    let unwrapped = wrapped.without_wrappers().unwrap();
    assert!(unwrapped.names().eq(plain.names()));
    assert!(LoadPlan::new(&unwrapped.root(), &spec, &Unused::Refused).is_ok());
    let (_folder, twice) = checkpoint(&[("a", f32s([1])), ("module.a", f32s([1]))]);
    let error = twice.without_wrappers().unwrap_err().to_string();
    assert!(error.contains("`module.a` is renamed to it, as another tensor is"), "{error}");
}

#[test]
fn missing_unused_and_ill_shaped_tensors_are_reported_together() {
    let (_folder, checkpoint) = mlp();
    let linear = |out: usize, r#in: usize, bias| Linear { weight: Spec::f32([out, r#in]), bias };
    let tree =
        Mlp { fc1: linear(4, 3, Some(Spec::i32([4]))), fc2: linear(2, 5, Some(Spec::f32([2]))) };
    let error: Mismatch =
        LoadPlan::new(&checkpoint.at("model"), &tree, &Unused::Refused).unwrap_err();
    let ill_shaped = |expected: &str, found: &str| LeafProblem::IllShaped {
        expected: expected.into(),
        found: found.into(),
    };
    let expected = [
        (
            "model.fc1.bias",
            ill_shaped(
                "i32[4] (only floats and blocks are converted, to floats of 16 bits or more, floats to some kinds of blocks, and i64 to i32)",
                "f32[4]",
            ),
        ),
        ("model.fc2.weight", ill_shaped("f32[2, 5]", "f32[2, 4]")),
        (
            "model.fc2.bias",
            LeafProblem::Missing { note: "there is `weight` under `model.fc2`".into() },
        ),
        ("model.rope", LeafProblem::Unused { note: String::new() }),
    ];
    let found: Vec<(&str, LeafProblem)> =
        error.problems.iter().map(|(name, p)| (name.as_str(), p.clone())).collect();
    assert_eq!(found, expected);

    let broken = vec![Spec::f32([("a", 1), ("a", 2)])];
    let (_folder, one) = self::checkpoint(&[("0", f32s([1, 2]))]);
    let error = LoadPlan::new(&one.root(), &broken, &Unused::Allowed).unwrap_err().to_string();
    assert!(
        error.contains("0: expected no shape at all (duplicate axis `a`), found f32[1, 2]"),
        "{error}"
    );
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn aligned_tensors_are_ready_where_they_are_and_converted_ones_are_not() {
    let (_folder, checkpoint) =
        checkpoint(&[("0", f32s([16])), ("1", f32s([3])), ("2", f32s([5]))]);
    let tree: Vec<Spec> = Vec::spec(&checkpoint.root()).unwrap();
    let plan = LoadPlan::new(&checkpoint.root(), &tree, &Unused::Allowed).unwrap();
    // The two small ones follow the large one; only the first of them is aligned.
    let ready: Vec<bool> =
        plan.tensors.iter().map(|tensor| tensor.ready(ALIGNMENT).unwrap().is_some()).collect();
    assert_eq!(ready, [true, true, false]);
    let tree: Vec<Spec> = tree.map(&mut |_, spec| spec.with_dtype(DType::BF16));
    let plan = LoadPlan::new(&checkpoint.root(), &tree, &Unused::Allowed).unwrap();
    assert!(plan.tensors.iter().all(|tensor| tensor.ready(1).unwrap().is_none()));
}

#[test]
fn large_tensors_are_converted_in_pieces_to_the_last_element() {
    let count = 3 * (1 << 16) + 5;
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("a.safetensors");
    let values: Vec<f32> = (0..count).map(|i| i as f32 * 0.37 - 1e4).collect();
    let nibbles: Vec<u8> = (0..count + 1).map(|i| (i * 7 % 16) as u8).collect();
    let mut writer = Writer::new();
    writer.tensor("a", f32s([count]), bytemuck::cast_slice(&values)).unwrap();
    let fours = Shape::new(DType::F4E2M1FN, [count + 1]).unwrap();
    writer.tensor("b", fours, &nibbles[..]).unwrap();
    writer.save(&path).unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();

    let plan = |name: &str, spec: Spec| {
        let trees =
            [(name.to_owned(), spec)].into_iter().collect::<std::collections::BTreeMap<_, _>>();
        LoadPlan::new(&checkpoint.root(), &trees, &Unused::Allowed).unwrap().tensors.remove(0)
    };
    let consumed = AtomicUsize::new(0);
    let count_bytes = |bytes: usize| {
        consumed.fetch_add(bytes, Ordering::Relaxed);
    };
    let wide = plan("a", Spec::f64([count]));
    let mut output = vec![0u8; wide.shape().byte_size()];
    wide.write_into(&mut output, &count_bytes).unwrap();
    let found = output.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()));
    assert!(found.eq(values.iter().map(|&value| f64::from(value))));
    assert_eq!(consumed.swap(0, Ordering::Relaxed), 4 * count);

    let unpacked = plan("b", Spec::of(fours));
    let mut output = vec![0u8; count + 1];
    unpacked.write_into(&mut output, &count_bytes).unwrap();
    assert_eq!(output, nibbles);
    assert_eq!(consumed.into_inner(), count.div_ceil(2));
    // The released pages are read again from the file.
    assert_eq!(checkpoint.get("a").unwrap().to_vec::<f32>().unwrap(), values);
}

#[derive(Tree, Clone)]
struct Stack<T = Tensor> {
    layer: Vec<T>,
    #[tree(may_be_empty)]
    adapters: Vec<T>,
    norm: Option<T>,
}

#[test]
fn a_list_without_elements_is_an_error_unless_it_may_be_empty() {
    let named = |names: &[&str]| {
        let tensors: Vec<(&str, Shape)> = names.iter().map(|&name| (name, f32s([2]))).collect();
        self::checkpoint(&tensors)
    };
    let (_folder, checkpoint) = named(&["layers.0", "layers.1", "norm"]);
    let error = Stack::spec(&checkpoint.root()).map(drop).unwrap_err().to_string();
    assert!(error.ends_with("\n  layer.0: missing; there is `layers`, `norm`"), "{error}");
    let (_folder, checkpoint) = named(&["layer.0", "norm"]);
    let spec: Stack<Spec> = Stack::spec(&checkpoint.root()).unwrap();
    assert_eq!((spec.layer.len(), spec.adapters.len()), (1, 0));
    let (_folder, checkpoint) = named(&["layer.0", "adapters.0", "adapters.1"]);
    assert_eq!(Stack::spec(&checkpoint).unwrap().adapters.len(), 2);
    let map = <std::collections::BTreeMap<String, Spec> as Tree>::spec(&checkpoint.at("adapter"))
        .unwrap_err()
        .to_string();
    assert!(map.ends_with("\n  adapter: missing; there is `adapters`, `layer`"), "{map}");
}

#[test]
fn an_option_with_a_wrong_name_is_seen_when_its_tensor_is_not_used() {
    let names = ["layer.0", "layer_2", "nrom", "nrom.num_batches_tracked"];
    let tensors: Vec<(&str, Shape)> = names.iter().map(|&name| (name, f32s([2]))).collect();
    let (_folder, checkpoint) = self::checkpoint(&tensors);
    let spec: Stack<Spec> = Stack::spec(&checkpoint.root()).unwrap();
    assert!(spec.norm.is_none());
    let plan = |unused: Unused| LoadPlan::new(&checkpoint.root(), &spec, &unused);
    let ignored = Unused::RefusedExcept(vec!["*.num_batches_tracked".into()]);
    let error = plan(ignored).unwrap_err().to_string();
    let (_, problems) = error.split_once('\n').expect("lines of problems");
    assert_eq!(
        problems,
        "  layer_2: not used by the tree; it has `layer.0`\n  nrom: not used by the tree"
    );
    let all = Unused::RefusedExcept(vec!["*.num_*".into(), "n*m".into(), "layer.?".into()]);
    assert_eq!(plan(all).unwrap_err().problems.len(), 1);
    assert_eq!(plan(Unused::default()).unwrap_err().problems.len(), 3);
    assert!(plan(Unused::Allowed).is_ok());
}
