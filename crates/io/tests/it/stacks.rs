//! Leaves that several tensors of a checkpoint make together.

use hloom_graph::{DType, PartitionSpec, Shape, Spec, Tensor, Tree};
use hloom_io::{Access, Checkpoint, LoadPlan, Unused, Writer};
use hloom_runtime::{Buffer, Mesh, Platform};
use hloom_test_support::CPU;
use std::collections::BTreeMap;
use tempfile::TempDir;

/// A checkpoint of the given names and shapes; the elements count from 0 in each tensor.
fn checkpoint(tensors: &[(&str, Shape)]) -> (TempDir, Checkpoint) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let mut writer = Writer::new();
    for (name, shape) in tensors {
        let values = 0..shape.element_count();
        let bytes: Vec<u8> = match shape.dtype() {
            DType::F16 => {
                values.flat_map(|i| half::f16::from_f32(i as f32).to_le_bytes()).collect()
            }
            DType::I32 => values.flat_map(|i| (i as i32).to_le_bytes()).collect(),
            _ => values.flat_map(|i| (i as f32).to_le_bytes()).collect(),
        };
        writer.tensor(name, *shape, bytes).unwrap();
    }
    writer.save(&path).unwrap();
    (folder, Checkpoint::open(path).unwrap())
}

fn f32s<const N: usize>(sizes: [usize; N]) -> Shape {
    Shape::new(DType::F32, sizes).unwrap()
}

/// `gate`, and the experts 0, 1, 2 with `w` of `[2, 3]`, in a layer.
fn experts(more: &[(&str, Shape)]) -> (TempDir, Checkpoint) {
    let mut tensors = vec![("layer.gate", f32s([3]))];
    tensors.extend(more);
    for name in ["layer.experts.0.w", "layer.experts.1.w", "layer.experts.2.w"] {
        if more.iter().all(|(other, _)| *other != name) {
            tensors.push((name, f32s([2, 3])));
        }
    }
    checkpoint(&tensors)
}

#[derive(Tree, Clone, Debug)]
struct Experts<T = Tensor> {
    gate: T,
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.w")]
    w: T,
}

#[test]
fn a_star_in_a_path_stacks_the_tensors_of_all_indices() {
    let (_folder, checkpoint) = experts(&[]);
    let view = checkpoint.at("layer");
    let spec: Experts<Spec> = Experts::spec(&view).unwrap();
    assert_eq!(spec.w, Spec::f32([("expert", 3), ("out", 2), ("in", 3)]));
    assert!(view.unused(&spec).is_empty());
    let plan = LoadPlan::new(&view, &spec, &Unused::Refused).unwrap();
    let [_, stack] = plan.tensors.as_slice() else { panic!("two tensors are planned") };
    assert_eq!(stack.name(), "layer.experts.*.w");
    let names: Vec<&str> = stack.sources().map(|source| source.name()).collect();
    assert_eq!(names, ["layer.experts.0.w", "layer.experts.1.w", "layer.experts.2.w"]);
    assert_eq!((plan.byte_size(), stack.file_size()), (4 * (3 + 18), 4 * 18));
    assert!(stack.ready(1).unwrap().is_none());
    let mut output = vec![0; stack.shape().byte_size()];
    stack.write_into(&mut output, &|_| {}).unwrap();
    let parts = stack.sources().map(|source| source.bytes().unwrap());
    assert_eq!(output, parts.collect::<Vec<_>>().concat());
    // A stack of one is that tensor, and one of none has no elements.
    let plan_of = |count: usize| {
        let spec = Experts { gate: Spec::f32([3]), w: Spec::f32([count, 2, 3]) };
        LoadPlan::new(&view, &spec, &Unused::Allowed).unwrap().tensors.remove(1)
    };
    assert!(plan_of(1).ready(1).unwrap().is_some());
    assert_eq!(plan_of(0).sources().len(), 0);
    plan_of(0).write_into(&mut [], &|_| {}).unwrap();
}

#[test]
fn a_tensor_whose_name_has_the_star_is_taken_as_it_is() {
    let (_folder, checkpoint) =
        checkpoint(&[("gate", f32s([3])), ("experts.*.w", f32s([4, 1, 1]))]);
    let spec: Experts<Spec> = Experts::spec(&checkpoint.root()).unwrap();
    assert_eq!(spec.w.shape().sizes(), [4, 1, 1]);
    LoadPlan::new(&checkpoint.root(), &spec, &Unused::Refused).unwrap();
}

#[test]
fn a_stack_of_several_float_types_has_one_that_holds_all() {
    let half = Shape::new(DType::F16, [2, 3]).unwrap();
    let (_folder, checkpoint) = experts(&[("layer.experts.0.w", half)]);
    let view = checkpoint.at("layer");
    let spec: Experts<Spec> = Experts::spec(&view).unwrap();
    assert_eq!(spec.w, Spec::f32([("expert", 3), ("out", 2), ("in", 3)]));
    let plan = LoadPlan::new(&view, &spec, &Unused::Refused).unwrap();
    let mut output = vec![0; spec.w.shape().byte_size()];
    plan.tensors[1].write_into(&mut output, &|_| {}).unwrap();
    let counted: Vec<u8> =
        (0..3).flat_map(|_| 0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    assert_eq!(output, counted);
}

#[test]
fn tensors_that_a_stack_lacks_are_named() {
    let problems = |checkpoint: &Checkpoint, w: Spec| {
        let spec = Experts { gate: Spec::f32([3]), w };
        let error = LoadPlan::new(&checkpoint.root().at("layer"), &spec, &Unused::Refused);
        let error = error.unwrap_err().to_string();
        error.split_once('\n').expect("lines of problems").1.to_owned()
    };
    let axes = |count| Spec::f32([("expert", count), ("out", 2), ("in", 3)]);
    let (_folder, three) = experts(&[]);
    assert_eq!(
        problems(&three, axes(4)),
        "  layer.experts.3.w: missing; there is `0`, `1`, `2` under `layer.experts`"
    );
    assert_eq!(
        problems(&three, axes(2)),
        "  layer.experts.2.w: not used by the tree; it has `experts.*.w`"
    );
    // Any number may be asked for.
    assert_eq!(problems(&three, axes(1 << 40)).lines().count(), 20);
    let absurd = problems(&three, Spec::f32([1 << 40, 1 << 40, 3]));
    assert!(absurd.starts_with("  layer.experts.*.w: expected no shape at all ("), "{absurd}");
    let scalar = problems(&three, Spec::f32([] as [usize; 0]));
    assert!(
        scalar.contains("layer.experts.*.w: expected f32[], found a stack of tensors"),
        "{scalar}"
    );

    let (_folder, other) = experts(&[
        ("layer.experts.1.w", f32s([3, 2])),
        ("layer.experts.2.w", Shape::new(DType::I32, [2, 3]).unwrap()),
    ]);
    assert_eq!(
        problems(&other, axes(3)),
        "  layer.experts.1.w: expected f32[out=2, in=3], found f32[3, 2]\n  layer.experts.2.w: \
         expected f32[out=2, in=3] (only floats and blocks are converted, to floats of 16 bits or more, \
         floats to some kinds of blocks, and i64 to i32), found i32[2, 3]"
    );
    let (_folder, none) = checkpoint(&[("layer.gate", f32s([3]))]);
    let error = Experts::spec(&none.root().at("layer")).map(drop).unwrap_err().to_string();
    assert!(
        error.ends_with("\n  layer.experts.*.w: missing; there is `gate` under `layer`"),
        "{error}"
    );
}

/// Five experts of `[3, 8]`, in shuffled order, one of them in another type.
fn five() -> (TempDir, Checkpoint) {
    let sizes = |i: usize| match i {
        3 => Shape::new(DType::F16, [3, 8]).unwrap(),
        _ => f32s([3, 8]),
    };
    let names = ["experts.4.w", "experts.0.w", "experts.3.w", "experts.1.w", "experts.2.w"];
    let at = |name: &str| name.as_bytes()[8] - b'0';
    checkpoint(&names.map(|name| (name, sizes(usize::from(at(name))))))
}

#[test]
fn a_stack_is_loaded_whole_and_in_parts_of_any_axis() {
    let (_folder, mapped) = five();
    let read = Checkpoint::open_with(mapped.path(), Access::Read).unwrap();
    let one: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let expected = one.repeat(5);
    let path = "experts.*.w".to_owned();
    let mesh = Mesh::new(&Platform::cpus(4).unwrap(), [("x", 2), ("y", 2)]).unwrap();
    for checkpoint in [&mapped, &read] {
        for dtype in [DType::F32, DType::BF16, DType::F64] {
            let spec = Spec::new(dtype, [("expert", 5), ("out", 3), ("in", 8)]);
            let tree = |spec: Spec| BTreeMap::from([(path.clone(), spec)]);
            let values = |buffer: &Buffer| -> Vec<f32> {
                match dtype {
                    DType::F32 => buffer.to_vec::<f32>().unwrap(),
                    DType::BF16 => {
                        let halves = buffer.to_vec::<half::bf16>().unwrap();
                        halves.iter().map(|value| value.to_f32()).collect()
                    }
                    _ => buffer.to_vec::<f64>().unwrap().iter().map(|&x| x as f32).collect(),
                }
            };
            let loaded = checkpoint.load(&CPU, &tree(spec.clone())).unwrap();
            assert_eq!(values(&loaded[&path]), expected, "{dtype}");
            for partition in [
                PartitionSpec::replicated(),
                PartitionSpec::shard("in", ["x", "y"]),
                PartitionSpec::shard("out", "x").padded(),
                PartitionSpec::shard("expert", ["x", "y"]).padded(),
                PartitionSpec::shard("expert", "x").and("in", "y").padded(),
            ] {
                let spec = spec.clone().partitioned(partition);
                let loaded = checkpoint.load(&mesh, &tree(spec)).unwrap();
                assert_eq!(values(&loaded[&path]), expected, "{dtype} {partition:?}");
            }
        }
    }
}

#[test]
fn a_saved_stack_is_loaded_from_one_tensor() {
    let (folder, weights) = five();
    let spec = Spec::f32([("expert", 5), ("out", 3), ("in", 8)]);
    let tree = BTreeMap::from([("experts.*.w".to_owned(), spec)]);
    let loaded = weights.load(&CPU, &tree).unwrap();
    let path = folder.path().join("saved.safetensors");
    hloom_io::save(&path, &loaded).unwrap();
    let saved = Checkpoint::open(&path).unwrap();
    assert_eq!(saved.names().collect::<Vec<_>>(), ["experts.*.w"]);
    let again = saved.load(&CPU, &tree).unwrap();
    let bytes = |tree: &BTreeMap<String, Buffer>| tree["experts.*.w"].to_bytes().unwrap();
    assert_eq!(bytes(&again), bytes(&loaded));
}
