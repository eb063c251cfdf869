//! The structure of states: paths, specs, element types, and leaves that are not trained.

use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_optim::{
    Adafactor, AdafactorState, AdamState, AdamW, MultiSteps, MultiStepsState, Optimizer, Sgd,
};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::CPU_BY_TEST as CPU;

/// A model whose table is not trained.
#[derive(Tree, Clone, Debug)]
struct Model<T = Tensor> {
    weight: T,
    table: T,
    bias: Option<T>,
}

fn model() -> Model<Spec> {
    Model {
        weight: Spec::bf16([("out", 256), ("in", 128)]).shard("out", "model"),
        table: Spec::i32([("row", 3)]),
        bias: Some(Spec::f64([("out", 256)])),
    }
}

fn shapes(tree: &impl Tree<Leaf = Spec>) -> Vec<String> {
    let mut all = Vec::new();
    tree.visit(&mut |path, spec| all.push(format!("{path} {}", spec.shape())));
    all
}

#[test]
fn states_have_the_paths_and_wide_types_of_their_parameters() {
    let state: AdamState<Model<Spec>> = AdamW::new().state_spec(&model());
    assert_eq!(
        shapes(&state),
        [
            "step i32[]",
            "mean.weight f32[out=256, in=128]",
            "mean.table f32[]",
            "mean.bias f64[out=256]",
            "square.weight f32[out=256, in=128]",
            "square.table f32[]",
            "square.bias f64[out=256]",
        ]
    );
    let partition = model().weight.partition_spec();
    assert_eq!(state.mean.weight.partition_spec(), partition);
    assert_eq!(state.square.weight.partition_spec(), partition);
    assert!(state.step.partition_spec().is_replicated());

    let state: AdafactorState<Model<Spec>> = Adafactor::new().state_spec(&model());
    assert_eq!(
        shapes(&state),
        [
            "step i32[]",
            "rows.weight f32[out=1, in=128]",
            "rows.table f32[]",
            "rows.bias f32[]",
            "columns.weight f32[out=256, in=1]",
            "columns.table f32[]",
            "columns.bias f32[]",
            "square.weight f32[]",
            "square.table f32[]",
            "square.bias f64[out=256]",
        ]
    );

    type Nested = MultiStepsState<Model<Spec>, AdamState<Model<Spec>>>;
    let state: Nested = MultiSteps::new(AdamW::new(), 2).state_spec(&model());
    let shapes = shapes(&state);
    assert_eq!(shapes[..2], ["updates i32[]", "sum.weight f32[out=256, in=128]"]);
    assert_eq!(shapes[4..6], ["state.step i32[]", "state.mean.weight f32[out=256, in=128]"]);
    assert_eq!(state.state.mean.weight.partition_spec(), partition);
}

#[test]
fn parameters_keep_their_types_and_integers_their_values() {
    let spec = Model {
        weight: Spec::bf16([("out", 2)]),
        table: Spec::i32([("row", 3)]),
        bias: Some(Spec::f64([("out", 2)])),
    };
    let sgd = Sgd::new().momentum(0.5);
    let step = |params: Model, gradients: Model, state| sgd.update(params, gradients, state, 0.25);
    let state_spec = sgd.state_spec(&spec);
    // The gradients are wider than the parameters, and any tensor is accepted as the gradient of
    // the table.
    let gradients = Model {
        weight: Spec::f32([("out", 2)]),
        table: Spec::f32([("other", 7)]),
        bias: Some(Spec::f64([("out", 2)])),
    };
    let step = CPU.compile(step, (Donated(spec.clone()), gradients, Donated(state_spec))).unwrap();
    let init = CPU.compile(|params: Model| sgd.init(&params), (spec,)).unwrap();
    let bf16 = |values: [f32; 2]| values.map(half::bf16::from_f32);
    let params = Model {
        weight: Buffer::from_slice(&*CPU, &bf16([1.0, 2.0]), [("out", 2)]).unwrap(),
        table: Buffer::from_slice(&*CPU, &[1i32, 2, 3], [("row", 3)]).unwrap(),
        bias: Some(Buffer::from_slice(&*CPU, &[1.0f64, 2.0], [("out", 2)]).unwrap()),
    };
    let gradients = Model {
        weight: Buffer::from_slice(&*CPU, &[1.0f32, -4.0], [("out", 2)]).unwrap(),
        table: Buffer::from_slice(&*CPU, &[f32::NAN; 7], [("other", 7)]).unwrap(),
        bias: Some(Buffer::from_slice(&*CPU, &[1.0f64, 0.0], [("out", 2)]).unwrap()),
    };
    let state = init.call((&params,)).unwrap();
    let (params, state) = step.call((params, &gradients, state)).unwrap();
    assert_eq!(params.weight.to_vec::<half::bf16>().unwrap(), bf16([0.75, 3.0]));
    assert_eq!(params.table.to_vec::<i32>().unwrap(), [1, 2, 3]);
    assert_eq!(params.bias.as_ref().unwrap().to_vec::<f64>().unwrap(), [0.75, 2.0]);
    assert_eq!(state.step.to_vec::<i32>().unwrap(), [1]);
    let momentum = state.momentum.as_ref().unwrap();
    assert_eq!(momentum.weight.shape().dtype(), DType::F32);
    assert_eq!(momentum.weight.to_vec::<f32>().unwrap(), [1.0, -4.0]);
}

#[test]
fn one_tensor_is_a_tree_of_parameters() {
    let state: AdamState<Spec> = AdamW::new().state_spec(&Spec::f32([2]).shard(0, "data"));
    assert_eq!(state.mean.partition_spec(), Spec::f32([2]).shard(0, "data").partition_spec());
    assert_eq!(shapes(&state), ["step i32[]", "mean f32[2]", "square f32[2]"]);
}

#[test]
fn steps_can_be_jitted() {
    let step = |params: Vec<Tensor>, state: AdamState<Vec<Tensor>>| {
        let gradients = params.clone();
        AdamW::new().update(params, gradients, state, 0.1)
    };
    let init = CPU.jit(|params: Vec<Tensor>| AdamW::new().init(&params));
    let params = vec![Buffer::from_slice(&*CPU, &[1f32, -1.0], [2]).unwrap()];
    let state = init.call((&params,)).unwrap();
    let (params, state) = CPU.jit(step).call((&params, &state)).unwrap();
    // The first update of Adam is the sign; then 0.1 * 0.01 of the weights are lost.
    let found = params[0].to_vec::<f32>().unwrap();
    assert!((found[0] - 0.899).abs() < 1e-6 && (found[1] + 0.899).abs() < 1e-6, "{found:?}");
    assert_eq!(state.step.to_vec::<i32>().unwrap(), [1]);
}
