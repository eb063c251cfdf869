//! Leaves that no optimizer changes: buffers of layers, and parameters outside of `trained`.

use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_nn::BatchNorm;
use hloom_optim::{
    Adafactor, Adam, AdamW, Ema, Lion, LossScaling, Mask, MultiSteps, Muon, Optimizer, Sgd,
    clip_by_global_norm, global_norm,
};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;
use std::collections::BTreeMap;

#[derive(Tree, Clone)]
struct Model<T = Tensor> {
    weight: T,
    norms: Vec<BatchNorm<T>>,
    #[tree(buffer)]
    tables: BTreeMap<String, Option<T>>,
}

fn specs() -> Model<Spec> {
    let mut norm = BatchNorm::new(3, DType::F32);
    norm.num_batches_tracked = Some(Spec::scalar(DType::F32));
    Model {
        weight: Spec::f32([2, 3]),
        norms: vec![norm],
        tables: BTreeMap::from([("sine".to_owned(), Some(Spec::f32([2])))]),
    }
}

/// All elements of each leaf, by path.
fn values(tree: &impl Tree<Leaf = Buffer>) -> BTreeMap<String, Vec<f32>> {
    let mut all = BTreeMap::new();
    tree.visit(&mut |path, leaf| {
        all.insert(path.to_string(), leaf.to_vec::<f32>().unwrap());
    });
    all
}

/// The leaves that two steps change, for parameters of 2 and gradients of 1.
fn changed<O: Optimizer>(optimizer: O) -> Vec<String> {
    let step = |params: Model| {
        let gradients = params.clone().map(&mut |_, leaf: Tensor| leaf.ones_like());
        let state = optimizer.init(&params);
        let (params, state) = optimizer.update(params, gradients.clone(), state, 0.5);
        optimizer.update(params, gradients, state, 0.5).0
    };
    let exe = CPU.compile(step, (specs(),)).unwrap();
    let params =
        Buffer::tree(&*CPU, specs(), |_, spec| vec![2f32; spec.shape().element_count()]).unwrap();
    let after = values(&exe.call((&params,)).unwrap());
    after
        .into_iter()
        .filter(|(_, leaf)| leaf.iter().any(|&x| x != 2.0))
        .map(|(path, _)| path)
        .collect()
}

#[test]
fn buffers_of_layers_are_marked() {
    let expected = [
        "norms.0.num_batches_tracked",
        "norms.0.running_mean",
        "norms.0.running_var",
        "tables.sine",
    ];
    assert_eq!(specs().buffers().into_iter().collect::<Vec<_>>(), expected);
    let nested = (vec![Some(specs())], [Box::new(specs())]);
    assert_eq!(nested.buffers().len(), 8);
    assert!(nested.buffers().contains("0.0.norms.0.running_mean"));
}

#[test]
fn no_optimizer_changes_a_buffer() {
    let trained = ["norms.0.bias", "norms.0.weight", "weight"];
    assert_eq!(changed(Adam::new()), trained);
    assert_eq!(changed(AdamW::new().weight_decay(0.1)), trained);
    assert_eq!(changed(Sgd::new().momentum(0.9)), trained);
    assert_eq!(changed(Lion::new()), trained);
    assert_eq!(changed(Adafactor::new().momentum(0.9)), trained);
    assert_eq!(changed(Muon::new()), trained);
    assert_eq!(changed(MultiSteps::new(AdamW::new(), 2)), trained);
}

#[test]
fn no_optimizer_changes_a_parameter_outside_of_the_trained_ones() {
    let mask = || Mask::all().without("norms*").with("tables*");
    assert_eq!(changed(AdamW::new().weight_decay(0.1).trained(mask())), ["weight"]);
    assert_eq!(changed(Sgd::new().momentum(0.9).trained(mask())), ["weight"]);
    assert_eq!(changed(Adafactor::new().trained(mask())), ["weight"]);
    assert_eq!(changed(Muon::new().trained(mask())), ["weight"]);
    assert_eq!(changed(MultiSteps::new(Lion::new(), 2).trained(mask())), ["weight"]);
    assert_eq!(changed(MultiSteps::new(Lion::new().trained(mask()), 2)), ["weight"]);
    let none: [&str; 0] = [];
    assert_eq!(changed(Adam::new().trained(Mask::none())), none);
    let state = Adam::new().trained(mask()).state_spec(&specs());
    assert_eq!(state.mean.weight.shape(), Spec::f32([2, 3]).shape());
    assert_eq!(state.mean.norms[0].running_mean.shape().rank(), 0);
}

/// The gradients of buffers count in no norm, and averages have the buffers themselves.
#[test]
fn buffers_are_left_out_of_norms_and_averages() {
    let program = |params: Model| {
        let norm = global_norm(&params);
        let (clipped, _) = clip_by_global_norm(params.clone(), 1.0);
        let scaling = LossScaling::new();
        let (unscaled, _, _) = scaling.unscale(params.clone(), scaling.init());
        let ema = Ema::new(0.5);
        let twice = params.clone().map(&mut |_, leaf: Tensor| leaf * 2);
        let state = ema.update(ema.init(&params), &params);
        let average = ema.average(&ema.update(state, &twice), &twice);
        (norm, clipped, unscaled, average)
    };
    let exe = CPU.compile(program, (specs(),)).unwrap();
    let params =
        Buffer::tree(&*CPU, specs(), |_, spec| vec![2f32; spec.shape().element_count()]).unwrap();
    let (norm, clipped, unscaled, average) = exe.call((&params,)).unwrap();
    // Twelve elements of the weight, and of the norm's weight and bias.
    assert_eq!(norm.item::<f32>().unwrap(), 48f32.sqrt());
    for path in specs().buffers() {
        assert_eq!(values(&clipped)[&path][0], 2.0, "{path}");
        assert_eq!(values(&unscaled)[&path][0], 2.0, "{path}");
        assert_eq!(values(&average)[&path][0], 4.0, "{path}");
    }
    assert_ne!(values(&clipped)["weight"][0], 2.0);
    assert_ne!(values(&unscaled)["weight"][0], 2.0);
    assert_ne!(values(&average)["weight"][0], 4.0);
}
