//! Schedules, compared with optax (`tests/oracle/optimizers.py`).

use crate::fixture::{FIXTURE, values};
use hloom_graph::{DType, Spec, Tensor};
use hloom_optim::Schedule;
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

fn schedule(name: &str) -> Schedule {
    match name {
        "constant" => Schedule::constant(0.3),
        "linear" => Schedule::linear(1.0, 0.1, 100),
        "polynomial" => Schedule::polynomial(1.0, 0.1, 100, 2.0),
        "cosine" => Schedule::cosine(0.5, 0.05, 100),
        "exponential" => Schedule::exponential(0.5, 0.5, 30),
        "step" => Schedule::step(0.5, 0.5, 30),
        "warmup_cosine" => Schedule::warmup_cosine(0.5, 10, 110, 0.05),
        "no warmup" => Schedule::warmup_cosine(0.5, 0, 100, 0.0),
        "then" => Schedule::constant(0.3)
            .then(5, Schedule::linear(1.0, 0.0, 10))
            .then(30, Schedule::exponential(0.5, 0.5, 30)),
        "inverse_sqrt" => Schedule::inverse_sqrt(0.5, 30),
        other => panic!("unknown schedule {other}"),
    }
}

#[test]
fn values_are_those_of_optax_on_the_host_and_on_devices() {
    let steps = &FIXTURE.schedules.steps;
    for case in &FIXTURE.schedules.cases {
        let schedule = schedule(&case.name);
        // The optimizers pass their counts as floats.
        let on_device = |dtype: DType| {
            let at = |step: Tensor| schedule.at(step.convert(dtype));
            let exe = CPU.compile(at, (Spec::scalar(DType::I32),)).unwrap();
            let at = |&step: &u64| {
                let step = Buffer::scalar(&*CPU, step as i32).unwrap();
                values(&exe.call((&step,)).unwrap())[0]
            };
            steps.iter().map(at).collect::<Vec<f64>>()
        };
        let on_host: Vec<f64> = steps.iter().map(|&step| schedule.on_host(step)).collect();
        let all = [(on_host, 1e-13), (on_device(DType::F64), 1e-13), (on_device(DType::F32), 2e-7)];
        for (found, tolerance) in all {
            for ((found, expected), step) in found.iter().zip(&case.values).zip(steps) {
                let difference = (found - expected).abs();
                // The tolerance is relative to the largest value of all schedules.
                assert!(
                    difference <= tolerance,
                    "{} at {step}: {found} instead of {expected}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn stairs_fall_exactly_after_their_steps() {
    for steps in [1u64, 3, 7, 10, 49, 1000] {
        let schedule = Schedule::step(1.0, 0.5, steps);
        let at = |step: Tensor| schedule.at(step.convert(DType::F32));
        let exe = CPU.compile(at, (Spec::scalar(DType::I32),)).unwrap();
        for stair in 1..20u64 {
            for (step, expected) in [(stair * steps - 1, stair - 1), (stair * steps, stair)] {
                let expected = 0.5f64.powi(expected as i32);
                let number = Buffer::scalar(&*CPU, step as i32).unwrap();
                let found = values(&exe.call((&number,)).unwrap())[0];
                for found in [found, schedule.on_host(step)] {
                    assert!((found / expected - 1.0).abs() < 1e-5, "{steps} {step}: {found}");
                }
            }
        }
    }
}
