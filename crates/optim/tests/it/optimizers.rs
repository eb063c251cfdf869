//! Each optimizer over ten steps, compared with optax and PyTorch (`tests/oracle/optimizers.py`).

use crate::fixture::{FIXTURE, Params, check, values};
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_optim::{
    Adafactor, Adam, AdamW, Ema, EmaState, LearningRate, Lion, Mask, MultiSteps, Muon, MuonScale,
    Optimizer, Schedule, Sgd, clip_by_global_norm, clip_by_value,
};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::CPU_BY_TEST as CPU;

type StateOf<O> = <O as Optimizer>::State<Params<Tensor>>;

/// The parameters after the kept steps of a donated step, called ten times.
fn trained<O, S, B>(
    optimizer: O,
    rate: impl LearningRate,
    clip: Option<f64>,
    dtype: DType,
) -> Vec<Params<Buffer>>
where
    O: Optimizer,
    StateOf<O>: Tree<With<Spec> = S, With<Buffer> = B>,
    S: Tree<Leaf = Spec, With<Tensor> = StateOf<O>, With<Buffer> = B>
        + Clone
        + Send
        + Sync
        + 'static,
    B: Tree<Leaf = Buffer> + 'static,
{
    let specs = FIXTURE.specs(dtype);
    let init = |params: Params<Tensor>| optimizer.init(&params);
    let init = CPU.compile(init, (specs.clone(),)).unwrap();
    let step = |params: Params<Tensor>, state: StateOf<O>, gradients: Params<Tensor>| {
        let gradients = match clip {
            Some(max_norm) => clip_by_global_norm(gradients, max_norm).0,
            None => gradients,
        };
        optimizer.update(params, gradients, state, &rate)
    };
    let state_specs = optimizer.state_spec(&specs);
    let step = CPU.compile(step, (Donated(specs.clone()), Donated(state_specs), specs)).unwrap();
    assert_eq!(step.any().unused_donations(), Some(Vec::new()), "all memory is used again");
    let mut params = FIXTURE.buffers(dtype, &FIXTURE.params);
    let mut state: B = init.call((&params,)).unwrap();
    let mut kept = Vec::new();
    for (number, gradients) in FIXTURE.gradients.iter().enumerate() {
        let gradients = FIXTURE.buffers(dtype, gradients);
        (params, state) = step.call((params, state, &gradients)).unwrap();
        if FIXTURE.kept.contains(&(number + 1)) {
            let copy = |(name, buffer): (&String, &Buffer)| {
                (
                    name.clone(),
                    Buffer::from_bytes(&*CPU, buffer.shape(), &buffer.to_bytes().unwrap()).unwrap(),
                )
            };
            kept.push(params.iter().map(copy).collect());
        }
    }
    kept
}

fn check_case(name: &str, run: impl Fn(DType) -> Vec<Params<Buffer>>, exact: f64) {
    let case = FIXTURE.cases.iter().find(|case| case.name == name).expect("the case is there");
    for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::F64, exact)] {
        for (found, (expected, step)) in
            run(dtype).iter().zip(case.expected.iter().zip(&FIXTURE.kept))
        {
            check(&format!("{name} {dtype} after {step} steps"), found, expected, tolerance);
        }
    }
}

/// The mask of the oracle.
fn matrices() -> Mask {
    Mask::all().without("bias").without("scalar")
}

macro_rules! cases {
    ($($test:ident $name:literal: $optimizer:expr, $rate:expr, $clip:expr, $exact:expr;)*) => {
        $(
            #[test]
            fn $test() {
                check_case($name, |dtype| trained($optimizer, $rate, $clip, dtype), $exact);
            }
        )*

        #[test]
        fn every_case_of_the_oracle_has_a_test() {
            let tested = [$($name),*];
            let cases: Vec<&str> = FIXTURE.cases.iter().map(|case| case.name.as_str()).collect();
            assert_eq!(cases, tested);
        }
    };
}

// optax computes the factor of Adafactor's means in `f32`.
const ADAFACTOR: f64 = 1e-7;

cases! {
    sgd "sgd": Sgd::new(), 0.1, None, 1e-14;
    sgd_with_momentum "sgd momentum": Sgd::new().momentum(0.9), 0.1, None, 1e-14;
    sgd_with_nesterov "sgd nesterov": Sgd::new().nesterov(0.9), 0.1, None, 1e-14;
    sgd_with_decay "sgd decay":
        Sgd::new().momentum(0.9).weight_decay(0.1).decayed(matrices()), 0.1, None, 1e-14;
    adam "adam": Adam::new(), 0.01, None, 1e-13;
    adam_with_betas "adam betas": Adam::new().betas(0.8, 0.95).epsilon(1e-5), 0.01, None, 1e-13;
    adamw "adamw": AdamW::new().weight_decay(0.1), 0.01, None, 1e-13;
    adamw_masked "adamw masked":
        AdamW::new().weight_decay(0.1).decayed(matrices()), 0.01, None, 1e-13;
    adamw_by_schedule "adamw schedule":
        AdamW::new().weight_decay(0.1), Schedule::warmup_cosine(0.1, 3, 8, 0.01), None, 1e-13;
    lion "lion": Lion::new(), 0.01, None, 1e-13;
    lion_masked "lion masked":
        Lion::new().betas(0.85, 0.95).weight_decay(0.5).decayed(matrices()), 0.01, None, 1e-13;
    adafactor "adafactor": Adafactor::new().min_size_to_factor(4), 0.01, None, ADAFACTOR;
    adafactor_masked "adafactor masked":
        Adafactor::new().min_size_to_factor(4).momentum(0.9).weight_decay(0.1).decayed(matrices()),
        0.01, None, ADAFACTOR;
    adafactor_plain "adafactor plain":
        Adafactor::new().clipping_threshold(None).multiply_by_parameter_scale(false),
        0.01, None, ADAFACTOR;
    muon "muon":
        Muon::new().others(AdamW::new(), 1.0), 0.02, None, 1e-12;
    muon_and_others "muon others":
        Muon::new()
            .momentum(0.9)
            .nesterov(false)
            .weight_decay(0.5)
            .scale(MuonScale::MatchAdamW)
            .matrices(Mask::all().without("one").without("empty"))
            .others(AdamW::new().betas(0.8, 0.95).weight_decay(0.0), 0.15),
        0.02, None, 1e-12;
    clipped_by_global_norm "clipped": Sgd::new(), 0.1, Some(2.5), 1e-14;
    multi_steps "multi steps": MultiSteps::new(Adam::new(), 3), 0.01, None, 1e-13;
}

#[test]
fn the_learning_rate_may_be_a_tensor() {
    let specs = FIXTURE.specs(DType::F32);
    let step = |params: Params<Tensor>, gradients: Params<Tensor>, rate: Tensor| {
        let adam = Adam::new();
        let state = adam.init(&params);
        adam.update(params, gradients, state, rate).0
    };
    let step = CPU.compile(step, (specs.clone(), specs, Spec::scalar(DType::F32))).unwrap();
    let params = FIXTURE.buffers(DType::F32, &FIXTURE.params);
    let gradients = FIXTURE.buffers(DType::F32, &FIXTURE.gradients[0]);
    let rate = Buffer::scalar(&*CPU, 0.01f32).unwrap();
    let found = step.call((&params, &gradients, &rate)).unwrap();
    let case = FIXTURE.cases.iter().find(|case| case.name == "adam").unwrap();
    check("adam", &found, &case.expected[0], 1e-6);
}

#[test]
fn gradients_are_clipped_by_value_and_their_norm_is_returned() {
    for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::F64, 1e-14)] {
        let clip = |gradients: Params<Tensor>| {
            let (clipped, norm) = clip_by_global_norm(gradients.clone(), 1.0);
            (clip_by_value(gradients, 0.25), norm, hloom_optim::global_norm(&clipped))
        };
        let clip = CPU.compile(clip, (FIXTURE.specs(dtype),)).unwrap();
        let gradients = FIXTURE.buffers(dtype, &FIXTURE.gradients[0]);
        let (by_value, norm, clipped) = clip.call((&gradients,)).unwrap();
        check("clip_by_value", &by_value, &FIXTURE.clipping.by_value, tolerance);
        let (norm, expected) = (values(&norm)[0], FIXTURE.clipping.norm);
        assert!((norm - expected).abs() <= tolerance * expected, "{norm} instead of {expected}");
        assert!((values(&clipped)[0] - 1.0).abs() <= tolerance, "{clipped:?}");
    }
}

#[test]
fn averages_are_those_of_optax() {
    for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::F64, 1e-13)] {
        let specs = FIXTURE.specs(dtype);
        let ema = Ema::new(0.95);
        let all = |steps: Vec<Params<Tensor>>| {
            let start: EmaState<Params<Tensor>> = ema.init(&steps[0]);
            let state = steps.iter().fold(start, |state, params| ema.update(state, params));
            ema.average(&state, &steps[0])
        };
        let all = CPU.compile(all, (vec![specs; FIXTURE.gradients.len()],)).unwrap();
        let steps: Vec<_> =
            FIXTURE.gradients.iter().map(|values| FIXTURE.buffers(dtype, values)).collect();
        check("ema", &all.call((&steps,)).unwrap(), &FIXTURE.average, tolerance);
    }
}
