//! Errors of layers about inputs that do not fit.

use hloom_graph::{Attributes, ConvOptions, DType, Spec, Tensor, Tree, composite};
use hloom_nn::{
    AttentionOptions, BatchNorm, Conv, ConvTranspose, Embedding, GroupNorm, LayerCache, LayerNorm,
    Linear, RmsNorm, Rope, attention, attention_with, causal_mask,
};
use hloom_test_support::CPU;
use insta::assert_snapshot;

/// The error of a program over tensors of these shapes, without its place in this file.
fn refusal<const N: usize>(program: impl Fn([Tensor; N]) -> Tensor, inputs: [Spec; N]) -> String {
    let error = CPU.compile(program, (inputs,)).map(drop).expect_err("it does not fit");
    let error = error.to_string();
    assert!(error.contains("crates/nn/tests/it/messages.rs:"), "the caller's line: {error}");
    let lines = error.lines().filter(|line| !line.starts_with("  at "));
    let lines = lines.map(|line| match line.split_once(", at ") {
        Some((line, _)) => format!("{line}, at ..)"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn axes_that_do_not_fit_are_named() {
    let x = || Spec::f32([("seq", 2), ("in", 3)]);
    let linear = |[x, weight]: [Tensor; 2]| Linear { weight, bias: None }.forward(x);
    assert_snapshot!(refusal(linear, [x(), Spec::f32([("out", 5), ("in", 4)])]), @r"
    nn::Linear: axis `in` has size 3 on the left and 4 on the right (in dot_general)
      left:  f32[seq=2, in=3]   (0)
      right: f32[5, in=4]   (1)
    ");
    let biased =
        |[x, weight, bias]: [Tensor; 3]| Linear { weight, bias: Some(bias) }.to("y").forward(x);
    let weight = Spec::f32([("out", 5), ("in", 3)]);
    assert_snapshot!(refusal(biased, [x(), weight, Spec::f32([("out", 4)])]), @r"
    nn::Linear: axis `y` has size 5 on the left and 4 on the right (in add)
      left:  f32[seq=2, y=5]   (dot of f32[seq=2, in=3] and f32[5, in=3], at ..)
      right: f32[y=4]   (2)
    ");
    let embedding = |[ids, weight]: [Tensor; 2]| Embedding { weight }.forward(ids);
    assert_snapshot!(refusal(embedding, [x(), Spec::f32([("vocab", 5), ("in", 4)])]), @r"
    nn::Embedding: indices are integers, not f32 (in take)
      left:  f32[vocab=5, in=4]   (1)
      right: f32[seq=2, in=3]   (0)
    ");
    let rms_norm = |[x, weight]: [Tensor; 2]| RmsNorm { weight, epsilon: 1e-5 }.forward(x);
    assert_snapshot!(refusal(rms_norm, [x(), Spec::f32([("in", 4)])]), @r"
    nn::RmsNorm: axis `in` has size 3 on the left and 4 on the right (in mul)
      left:  f32[seq=2, in=3]
      right: f32[in=4]   (1)
    ");
    let layer_norm =
        |[x, weight]: [Tensor; 2]| LayerNorm { weight, bias: None, epsilon: 1e-5 }.forward(x);
    assert_snapshot!(refusal(layer_norm, [x(), Spec::f32([("in", 4)])]), @r"
    nn::LayerNorm: axis `in` has size 3 on the left and 4 on the right (in mul)
      left:  f32[seq=2, in=3]
      right: f32[in=4]   (1)
    ");
}

#[test]
fn channels_that_do_not_fit_are_named() {
    let x = || Spec::f32([("batch", 2), ("channel", 3), ("x", 5)]);
    let options = ConvOptions::new;
    let conv =
        |[x, weight]: [Tensor; 2]| Conv { weight, bias: None, options: options() }.forward(x);
    assert_snapshot!(refusal(conv, [x(), Spec::f32([8, 4, 3])]), @r"
    nn::Conv: the input has 3 features along axis `channel`, the kernel takes 4 (in conv)
      left:  f32[batch=2, channel=3, x=5]   (0)
      right: f32[8, 4, 3]   (1)
    ");
    assert_snapshot!(refusal(conv, [x(), Spec::f32([8])]), @r"
    nn::Conv: the kernel has 1 axes: those given, 1, and one of the features of the result are expected (in conv)
      left:  f32[batch=2, channel=3, x=5]   (0)
      right: f32[8]   (1)
    ");
    assert_snapshot!(refusal(conv, [Spec::f32([3]), Spec::f32([8, 4, 3, 3])]), @r"
    nn::Conv: there is no axis -3 in f32[3] (in conv)
      left:  f32[3]   (0)
      right: f32[8, 4, 3, 3]   (1)
    ");
    let biased = |[x, weight, bias]: [Tensor; 3]| {
        Conv { weight, bias: Some(bias), options: options() }.forward(x)
    };
    let weight = Spec::f32([8, 3, 3]);
    assert_snapshot!(refusal(biased, [x(), weight, Spec::f32([7])]), @r"
    nn::Conv: axis `channel` has size 8 on the left and 7 on the right (in add)
      left:  f32[batch=2, channel=8, x=3]
      right: f32[channel=7]   (2)
    ");
    let transposed = |[x, weight]: [Tensor; 2]| {
        ConvTranspose { weight, bias: None, options: options().groups(2) }.forward(x)
    };
    assert_snapshot!(refusal(transposed, [x(), Spec::f32([3, 4, 3])]), @r"
    nn::ConvTranspose: axis 1 of size 3 has no 2 groups of equal size (in conv_transpose)
      left:  f32[batch=2, channel=3, x=5]   (0)
      right: f32[4, 3, 3]
    ");
    let group_norm = |[x]: [Tensor; 1]| {
        GroupNorm { weight: None, bias: None, groups: 2, epsilon: 1e-5 }.forward(x, "channel", "x")
    };
    assert_snapshot!(refusal(group_norm, [x()]), @r"
    nn::GroupNorm: axis `channel` of size 3 has no 2 equal groups
      operand: f32[batch=2, channel=3, x=5]   (0)
    ");
    let batch_norm = |train: bool| {
        move |[x, mean]: [Tensor; 2]| {
            let norm = BatchNorm {
                weight: None,
                bias: None,
                running_mean: mean,
                running_var: mean,
                num_batches_tracked: None,
                epsilon: 1e-5,
                momentum: 0.1,
            };
            if train { norm.train(x, "y").0 } else { norm.forward(x, "channel") }
        }
    };
    assert_snapshot!(refusal(batch_norm(false), [x(), Spec::f32([4])]), @r"
    nn::BatchNorm: axis `channel` has size 3 on the left and 4 on the right (in sub)
      left:  f32[batch=2, channel=3, x=5]   (0)
      right: f32[channel=4]   (1)
    ");
    assert_snapshot!(refusal(batch_norm(true), [x(), Spec::f32([3])]), @r"
    nn::BatchNorm: there is no axis `y` in f32[batch=2, channel=3, x=5]
      operand: f32[batch=2, channel=3, x=5]   (0)
    ");
}

#[derive(Tree, Clone)]
struct Model<T = Tensor> {
    layers: Vec<Layer<T>>,
}

#[derive(Tree, Clone)]
struct Layer<T = Tensor> {
    norm: RmsNorm<T>,
}

#[test]
fn weights_have_their_paths_inside_of_composites() {
    let norm = |size, dtype| Layer { norm: RmsNorm::new(size, 1e-5, dtype) };
    let model = |dtype| Model { layers: vec![norm(3, dtype), norm(4, dtype)] };
    let x = Spec::f32([("seq", 2), ("in", 3)]);
    let forward =
        |model: Model, x: Tensor| model.layers.iter().fold(x, |x, layer| layer.norm.forward(x));
    let nested = |model: Model, x: Tensor| {
        composite("acme.block", 1, Attributes::new(), (model, x), |(model, x)| forward(model, x))
    };
    let refusal = |error: hloom_runtime::Error| {
        let error = error.to_string();
        error.lines().take(3).collect::<Vec<_>>().join("\n")
    };
    let error = CPU.compile(forward, (model(DType::F32), x.clone())).map(drop).unwrap_err();
    assert_snapshot!(refusal(error), @r"
    nn::RmsNorm: axis `in` has size 3 on the left and 4 on the right (in mul)
      left:  f32[seq=2, in=3]
      right: f32[in=4]   (layers.1.norm.weight)
    ");
    let error = CPU.compile(nested, (model(DType::F32), x.clone())).map(drop).unwrap_err();
    assert_snapshot!(refusal(error), @r"
    nn::RmsNorm: axis `in` has size 3 on the left and 4 on the right (in mul)
      left:  f32[seq=2, in=3]
      right: f32[in=4]   (layers.1.norm.weight)
    ");
    let error = CPU.compile(forward, (model(DType::BF16), x)).map(drop).unwrap_err();
    assert_snapshot!(refusal(error), @r"
    nn::RmsNorm: axis `in` has size 3 on the left and 4 on the right (in mul)
      left:  f32[seq=2, in=3]
      right: f32[in=4]   (layers.1.norm.weight, converted from bf16)
    ");
}

#[test]
fn attention_rotations_and_caches_name_what_does_not_fit() {
    let q = Spec::f32([("seq", 2), ("kv_head", 2), ("group", 1), ("dim", 4)]);
    let kv = |name| Spec::f32([("kv_head", 2), (name, 3), ("dim", 4)]);
    let attend = |[q, k, v]: [Tensor; 3]| attention(q, k, v, None, 1.0);
    assert_snapshot!(refusal(attend, [q, kv("position"), kv("place")]), @r"
    nn::attention: there is no axis `position` in the values: axes are found by name, `seq`, `kv_head`, `group`, `dim` of a query and `kv_head`, `position`, `dim` of keys and values; heads of PyTorch's [batch, head, seq, dim] are `kv_head`, and `seq` of keys and values is `position`: use `.named([..])` or `.rename(..)`
      operand 0: f32[seq=2, kv_head=2, group=1, dim=4]   (0)
      operand 1: f32[kv_head=2, position=3, dim=4]   (1)
      operand 2: f32[kv_head=2, place=3, dim=4]   (2)
    ");
    let pytorch = || Spec::f32([("batch", 1), ("head", 2), ("seq", 3), ("dim", 4)]);
    assert_snapshot!(refusal(attend, [pytorch(), pytorch(), pytorch()]), @r"
    nn::attention: there is no axis `position` in the keys: axes are found by name, `seq`, `kv_head`, `group`, `dim` of a query and `kv_head`, `position`, `dim` of keys and values; heads of PyTorch's [batch, head, seq, dim] are `kv_head`, and `seq` of keys and values is `position`: use `.named([..])` or `.rename(..)`
      operand 0: f32[batch=1, head=2, seq=3, dim=4]   (0)
      operand 1: f32[batch=1, head=2, seq=3, dim=4]   (1)
      operand 2: f32[batch=1, head=2, seq=3, dim=4]   (2)
    ");
    let unnamed = || Spec::f32([1, 2, 3, 4]);
    let with_options =
        |[q, k, v]: [Tensor; 3]| attention_with(q, k, v, 1.0, &AttentionOptions::default());
    assert_snapshot!(refusal(with_options, [unnamed(), unnamed(), unnamed()]), @r"
    nn::attention_with: there is no axis `dim` in the query: axes are found by name, `seq`, `kv_head`, `group`, `dim` of a query and `kv_head`, `position`, `dim` of keys and values; heads of PyTorch's [batch, head, seq, dim] are `kv_head`, and `seq` of keys and values is `position`: use `.named([..])` or `.rename(..)`
      operand 0: f32[1, 2, 3, 4]   (0)
      operand 1: f32[1, 2, 3, 4]   (1)
      operand 2: f32[1, 2, 3, 4]   (2)
    ");
    let rotate = |[x, angle]: [Tensor; 2]| Rope::rotate(x, (angle, angle));
    let angle = Spec::new(DType::F32, [("seq", 2), ("dim", 2)]);
    assert_snapshot!(refusal(rotate, [Spec::f32([("seq", 2), ("head", 4)]), angle]), @r"
    nn::Rope::rotate: there is no axis `dim` in f32[seq=2, head=4] (in split)
      operand: f32[seq=2, head=4]   (0)
    ");
    let mask = |[start]: [Tensor; 1]| causal_mask(start, 2, 3, None);
    assert_snapshot!(refusal(mask, [Spec::f32([0; 0])]), @r"
    nn::causal_mask: element types i32 and f32 differ; use `.convert(..)` (in add)
      left:  i32[seq=2]
      right: f32[]   (0)
    ");
    let append = |[cache, new, start]: [Tensor; 3]| {
        LayerCache { key: cache, value: cache }.append(new, new, start).key
    };
    let cache = Spec::f32([("kv_head", 2), ("position", 3), ("dim", 4)]);
    let new = |seq, dim| Spec::f32([("seq", seq), ("kv_head", 2), ("dim", dim)]);
    let start = || Spec::i32([0; 0]);
    assert_snapshot!(refusal(append, [cache.clone(), new(4, 4), start()]), @r"
    nn::LayerCache::append: 4 positions do not fit into a cache of 3
      operand 0: f32[kv_head=2, position=3, dim=4]   (0)
      operand 1: f32[seq=4, kv_head=2, dim=4]   (1)
      operand 2: i32[]   (2)
    ");
    assert_snapshot!(refusal(append, [cache, new(2, 5), start()]), @r"
    nn::LayerCache::append: f32[kv_head=2, position=2, dim=5] does not fit into f32[kv_head=2, position=3, dim=4] (in dynamic_update_slice)
      operand 0: f32[kv_head=2, position=3, dim=4]   (0)
      operand 1: f32[kv_head=2, position=2, dim=5]
      operand 2: i32[]
      operand 3: i32[]   (2)
      operand 4: i32[]
      note: 1 more error followed
    ");
}
