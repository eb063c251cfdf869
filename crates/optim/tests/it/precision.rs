//! Mixed precision and scaled losses.

use hloom_graph::{DType, Spec, Tensor, value_and_grad};
use hloom_optim::{LossScale, LossScaling, Optimizer, Sgd, cast_floats, select_tree};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

fn scalar(value: f32) -> Buffer {
    Buffer::from_slice(&*CPU, &[value], [0usize; 0]).unwrap()
}

/// A gradient of 1e-9, through products in `f16`, whose smallest number is 6e-8.
#[test]
fn gradients_below_the_range_of_f16_survive_a_scaled_loss() {
    let gradient = |scaling: LossScaling| {
        let step = move |w: Tensor| {
            let scale = scaling.init();
            let (_, gradient) = value_and_grad(w, |w| {
                let w = cast_floats(w, DType::F16);
                scale.apply((w * 1e-4) * 1e-5)
            });
            scaling.unscale(gradient, scale).0
        };
        CPU.jit(step).call((&scalar(0.5),)).unwrap().item::<f32>().unwrap()
    };
    assert_eq!(gradient(LossScaling::new().initial(1.0)), 0.0);
    let found = gradient(LossScaling::new());
    assert!((found / 1e-9 - 1.0).abs() < 0.02, "{found}");
}

/// The factors are those of `torch.amp.GradScaler` with the same settings.
#[test]
fn the_factor_grows_and_shrinks_and_bad_steps_are_skipped() {
    let scaling = LossScaling::new().initial(4.0).interval(2);
    let step = move |(w, scale): (Tensor, LossScale), x: Tensor| {
        let sgd = Sgd::new();
        let state = sgd.init(&w);
        let (_, gradient) = value_and_grad(w, |w| scale.apply(w * x));
        let (gradient, finite, scale) = scaling.unscale(gradient, scale);
        let (next, _) = sgd.update(w, gradient, state, 1.0);
        ((select_tree(finite, next, &w), scale), finite)
    };
    let step = CPU.jit(step);
    let mut scale: LossScale<Buffer> = Buffer::zeros_tree(&*CPU, scaling.state_spec()).unwrap();
    scale.scale = scalar(4.0);
    let mut state = (scalar(10.0), scale);
    let inputs = [1.0, f32::INFINITY, 1.0, 1.0, f32::NAN, f32::NAN, f32::NAN, 2.0, 1.0];
    let mut seen = Vec::new();
    for x in inputs {
        let finite;
        (state, finite) = step.call((&state, &scalar(x))).unwrap();
        let (w, scale) = &state;
        let steps = scale.finite_steps.item::<i32>().unwrap();
        let factor = scale.scale.item::<f32>().unwrap();
        seen.push((w.item::<f32>().unwrap(), factor, steps, finite.item::<bool>().unwrap()));
    }
    let expected = [
        (9.0, 4.0, 1, true),
        (9.0, 2.0, 0, false),
        (8.0, 2.0, 1, true),
        (7.0, 4.0, 0, true),
        (7.0, 2.0, 0, false),
        (7.0, 1.0, 0, false),
        (7.0, 1.0, 0, false),
        (5.0, 1.0, 1, true),
        (4.0, 2.0, 0, true),
    ];
    assert_eq!(seen, expected);
}

/// A factor at the end of its range stays finite.
#[test]
fn the_factor_stays_finite() {
    let scaling = LossScaling::new().initial(f64::from(f32::MAX)).interval(1);
    let step = move |gradient: Tensor| scaling.unscale(gradient, scaling.init()).2.scale;
    let next = CPU.jit(step).call((&scalar(1.0),)).unwrap();
    assert_eq!(next.item::<f32>().unwrap(), f32::MAX);
}

/// Updates below the resolution of `bf16` add up in parameters of `f32`.
#[test]
fn parameters_keep_what_the_forward_pass_rounds() {
    let step = |w: Tensor| {
        let (_, gradient) = value_and_grad(w, |w| {
            let w = cast_floats(w, DType::BF16);
            assert_eq!(w.dtype(), DType::BF16);
            w.convert(DType::F32).sum(..)
        });
        let sgd = Sgd::new();
        sgd.update(w, gradient, sgd.init(&w), 2f64.powi(-12)).0
    };
    let step = CPU.compile(step, (Spec::f32([3]),)).unwrap();
    let mut w = Buffer::from_slice(&*CPU, &[1f32; 3], [3]).unwrap();
    for _ in 0..16 {
        w = step.call((&w,)).unwrap();
    }
    assert_eq!(w.to_vec::<f32>().unwrap(), [1.0 - 2f32.powi(-8); 3]);
}

#[test]
fn trees_of_other_leaves_are_an_error() {
    let choose = |x: Tensor| select_tree(x.gt(0.0), vec![x, x], &vec![x]);
    let error = CPU.compile(choose, (Spec::scalar(DType::F32),)).map(drop).unwrap_err();
    assert!(error.to_string().contains("the leaves to keep have no leaf `1`"), "{error}");
}
