//! One model on several devices.

use crate::fixture::{Case, distance};
use hloom_graph::{DType, MeshShape, Tree};
use hloom_models::llama::{Config, Dtype, Generator, Llama, Options};
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

/// Bytes of weights, as specs say.
#[derive(Default)]
struct Expected {
    /// Those that all devices share.
    split: usize,
    /// Keys' and values' that groups of devices have copies of: what one device has of them.
    grouped: usize,
    /// What is whole on every device.
    whole: usize,
    /// What fills the last of those parts up.
    padding: usize,
}

impl Expected {
    fn of(config: &Config, devices: usize) -> Expected {
        let fits = |&parts: &usize| devices.is_multiple_of(parts) && config.kv_heads.is_multiple_of(parts);
        let kv = (1..=devices).rev().find(fits).expect("1 fits");
        let mesh = MeshShape::new([("kv", kv), ("group", devices / kv)]).unwrap();
        let mut expected = Expected::default();
        Llama::new(config, DType::F32).tensor_parallel().visit(&mut |_, spec| {
            let shape = spec.shape();
            let parts: usize = spec
                .partition()
                .splits()
                .map(|(_, name)| mesh.size(name).unwrap())
                .product();
            let own = spec
                .partition()
                .resolve(&shape, &mesh)
                .unwrap()
                .local(&shape, &mesh)
                .byte_size();
            match parts {
                1 => expected.whole += shape.byte_size(),
                _ if parts == devices => {
                    expected.split += shape.byte_size();
                    expected.padding += own * devices - shape.byte_size();
                }
                _ => expected.grouped += own,
            }
        });
        expected
    }
}

#[test]
fn several_devices_compute_what_one_does() {
    for name in ["grouped", "odd_sizes"] {
        let case = Case::open(name);
        let config = Config::read(case.folder.config()).unwrap();
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
            let Expected {
                split,
                grouped,
                whole,
                padding,
            } = Expected::of(&config, devices);
            eprintln!(
                "{name}: {} bytes of weights; on each of {devices} devices {:?}: ({split} + {padding} of padding) / {devices} \
                 + {grouped} in groups + {whole} whole",
                stats.weight_bytes, stats.device_bytes
            );
            assert_eq!(stats.device_bytes.len(), devices);
            for &bytes in &stats.device_bytes {
                assert_eq!(
                    bytes,
                    (split + padding) / devices + grouped + whole,
                    "{name} on {devices} devices"
                );
            }
            // Most is split, and little of that is padding.
            assert!(
                split > stats.weight_bytes / 2 && padding * 8 < split,
                "{name} on {devices} devices"
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
