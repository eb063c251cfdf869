//! One model on several devices.

use crate::fixture::{Case, distance};
use hloom_graph::DType;
use hloom_models::llama::{Dtype, Generator, Options};
use hloom_nn::Sampling;
use hloom_runtime::Platform;
use std::sync::LazyLock;

static CPUS: LazyLock<Platform> = LazyLock::new(|| {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let builder = Platform::builder().plugin(plugin).client_option("cpu_device_count", 4);
    builder.build().expect("the CPU plugin gives a client")
});

fn open(case: &Case, devices: usize) -> Generator {
    let options = Options {
        dtype: Dtype::As(DType::F32),
        sampling: Sampling::greedy(),
        ignore_eos: true,
        devices,
        ..Options::default()
    };
    Generator::open(&CPUS, &case.folder, options).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

#[test]
fn several_devices_compute_what_one_does() {
    for name in ["grouped", "odd_sizes"] {
        let case = Case::open(name);
        let logits = open(&case, 1).session().logits(&case.prompt).unwrap();
        let expected: Vec<f64> = logits.iter().map(|&logit| logit.into()).collect();
        for devices in [2, 3, 4] {
            let generator = open(&case, devices);
            let found = generator.session().logits(&case.prompt).unwrap();
            let off = distance(&found, &expected);
            assert!(off < 1e-5, "{name} on {devices} devices: logits are off by {off:.1e}");
            let mut session = generator.session();
            let answer = session.generate(&case.prompt, case.greedy.len()).unwrap();
            let tokens: Vec<u32> = answer.map(Result::unwrap).collect();
            assert_eq!(tokens, case.greedy, "{name} on {devices} devices");

            let stats = generator.stats();
            assert_eq!(stats.device_bytes.len(), devices);
            let most = *stats.device_bytes.iter().max().unwrap();
            eprintln!(
                "{name}: {} bytes of weights, on each of {devices} devices {:?}",
                stats.weight_bytes, stats.device_bytes
            );
            assert!(
                most < stats.weight_bytes * 3 / 4,
                "{name}: {most} of {} bytes",
                stats.weight_bytes
            );
        }
    }
}

#[test]
fn more_devices_than_there_are_is_an_error() {
    let case = Case::open("grouped");
    for (devices, expected) in [(5, "has 5 devices"), (0, "has size 0")] {
        let options = Options {
            devices,
            ..Options::default()
        };
        let error = Generator::open(&CPUS, &case.folder, options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
