//! One model on several devices.

use crate::fixture::{Case, distance};
use hloom_graph::{DType, MeshShape, Tree};
use hloom_models::{
    ModelFolder,
    llama::{Config, Dtype, Generator, Llama, Options, Stats},
};
use hloom_nn::Sampling;
use hloom_runtime::Platform;
use hloom_test_support::cpus;
use std::sync::LazyLock;

static CPUS: LazyLock<Platform> = LazyLock::new(|| cpus(4));

fn open(folder: &ModelFolder, devices: usize) -> Generator {
    let options = Options {
        dtype: Dtype::As(DType::F32),
        sampling: Sampling::greedy(),
        ignore_eos: true,
        devices,
        ..Options::default()
    };
    Generator::open(&CPUS, folder, options)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.path().display()))
}

/// Bytes of weights, from the specs.
#[derive(Default)]
struct Expected {
    /// The weights that are split over all devices.
    split: usize,
    /// Key and value weights that groups of devices replicate: the bytes on one device.
    grouped: usize,
    /// The weights that are replicated on every device.
    whole: usize,
    /// The padding of the last shards.
    padding: usize,
}

impl Expected {
    fn of(config: &Config, devices: usize) -> Expected {
        let fits =
            |&parts: &usize| devices.is_multiple_of(parts) && config.kv_heads.is_multiple_of(parts);
        let kv = (1..=devices).rev().find(fits).expect("1 fits");
        let mesh = MeshShape::new([("kv", kv), ("group", devices / kv)]).unwrap();
        let mut expected = Expected::default();
        Llama::new(config, DType::F32).tensor_parallel().visit(&mut |_, spec| {
            let shape = spec.shape();
            let parts: usize =
                spec.partition_spec().splits().map(|(_, name)| mesh.size(name).unwrap()).product();
            let own = spec
                .partition_spec()
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

/// Compares the logits of a prompt and a greedy answer on 2, 3 and 4 devices with those on one, and
/// checks the bytes on each device.
fn compare(name: &str, folder: &ModelFolder, prompt: &[u32], count: usize) {
    let config = Config::read(folder.config()).unwrap();
    let logits_and_answer = |generator: &Generator| {
        let logits = generator.session().logits(prompt).unwrap();
        let mut session = generator.session();
        let answer = session.generate(prompt, count).unwrap();
        let tokens: Vec<u32> = answer.map(Result::unwrap).collect();
        (logits, tokens)
    };
    let (logits, answer) = logits_and_answer(&open(folder, 1));
    let expected: Vec<f64> = logits.into_iter().map(f64::from).collect();
    for devices in [2, 3, 4] {
        let generator = open(folder, devices);
        let (found, tokens) = logits_and_answer(&generator);
        let off = distance(&found, &expected);
        eprintln!("{name} on {devices} devices: logits are off by {off:.1e}");
        assert!(off < 1e-5, "{name} on {devices} devices: logits are off by {off:.1e}");
        assert_eq!(tokens, answer, "{name} on {devices} devices");
        count_weights(name, &config, &generator.stats(), devices);
    }
}

fn count_weights(name: &str, config: &Config, stats: &Stats, devices: usize) {
    let Expected { split, grouped, whole, padding } = Expected::of(config, devices);
    eprintln!(
        "{name}: {} bytes of weights; on each of {devices} devices {:?}: ({split} + {padding} of \
         padding) / {devices} + {grouped} in groups + {whole} whole",
        stats.weight_bytes, stats.device_bytes
    );
    assert_eq!(stats.device_bytes.len(), devices);
    for &bytes in &stats.device_bytes {
        let own = (split + padding) / devices + grouped + whole;
        assert_eq!(bytes, own, "{name} on {devices} devices");
    }
    // Most weights are split, with little padding.
    assert!(split > stats.weight_bytes / 2 && padding * 8 < split, "{name} on {devices} devices");
}

#[test]
fn several_devices_compute_what_one_does() {
    for name in ["grouped", "odd_sizes", "mixtral", "qwen2_moe", "biases", "multi_query", "qwen3"] {
        let case = Case::open(name);
        compare(name, &case.folder, &case.prompt, case.greedy.len());
    }
}

/// A checkpoint that is too large for the repository: the one in the folder that `HLOOM_TEST_LLAMA`
/// names.
#[test]
#[ignore = "needs a checkpoint: HLOOM_TEST_LLAMA=folder cargo test -p hloom-models --test it -- \
            --ignored a_model_of_ones_own"]
fn several_devices_compute_what_one_does_with_a_model_of_ones_own() {
    let folder = std::env::var_os("HLOOM_TEST_LLAMA")
        .expect("HLOOM_TEST_LLAMA names the folder of a checkpoint");
    let folder = ModelFolder::open(folder).unwrap();
    compare("the model", &folder, &[1, 5, 30, 2, 77, 250, 9, 101], 4);
}

#[test]
fn more_devices_than_there_are_is_an_error() {
    let case = Case::open("grouped");
    for (devices, expected) in
        [(5, "5 devices are asked for, and the platform has 4"), (0, "has size 0")]
    {
        let options = Options { devices, ..Options::default() };
        let error = Generator::open(&CPUS, &case.folder, options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
