//! Models whose devices compute their own heads and features, with platform kernels.

use crate::fixture::{Case, distance};
use hloom_graph::{DType, Shape};
use hloom_io::{Checkpoint, Writer};
use hloom_models::{
    ModelFolder,
    llama::{Dtype, Generator, Options},
};
use hloom_nn::Sampling;
use hloom_runtime::{
    AttendKernel, CompilationCache, Kernels, LinearKernel, Platform, UpdateKernel,
};
use hloom_test_support::cpus;
use std::{fs, path::Path, sync::LazyLock};
use tempfile::TempDir;

static CPUS: LazyLock<Platform> = LazyLock::new(|| cpus(4));

/// A vocabulary that 2 and 4 devices divide.
const TOKENS: usize = 28;
const NEW: usize = 8;

/// A copy of a case whose vocabulary is the first tokens of the case's, and its prompt.
fn with_even_vocabulary(case: &Case) -> (TempDir, ModelFolder, Vec<u32>) {
    let copy = tempfile::tempdir().unwrap();
    let config = fs::read(case.folder.config()).unwrap();
    let mut config: serde_json::Value = serde_json::from_slice(&config).unwrap();
    config["vocab_size"] = TOKENS.into();
    fs::write(copy.path().join("config.json"), config.to_string()).unwrap();
    let weights = Checkpoint::open(case.folder.path()).unwrap();
    let mut writer = Writer::new();
    for name in weights.names() {
        let tensor = weights.get(name).unwrap();
        let (mut shape, mut bytes) = (tensor.shape(), tensor.bytes().unwrap());
        if ["model.embed_tokens.weight", "lm_head.weight"].contains(&name) {
            let size = shape.sizes()[1];
            bytes.truncate(bytes.len() / shape.sizes()[0] * TOKENS);
            shape = Shape::new(shape.dtype(), [TOKENS, size]).unwrap();
        }
        writer.tensor(name, shape, bytes).unwrap();
    }
    writer.save(copy.path().join("model.safetensors")).unwrap();
    let folder = ModelFolder::open(copy.path()).unwrap();
    let prompt = case.prompt.iter().map(|token| token % TOKENS as u32).collect();
    (copy, folder, prompt)
}

/// Kernels for products as small as those of the cases.
fn kernels() -> Kernels {
    let kernels = Kernels::off().with(AttendKernel).with(UpdateKernel);
    kernels.with(LinearKernel::of_any_size())
}

struct Run<'a> {
    platform: &'a Platform,
    folder: &'a ModelFolder,
    prompt: &'a [u32],
    dtype: DType,
}

impl Run<'_> {
    /// The logits of the prompt and a greedy answer.
    fn on(&self, devices: usize, dump: Option<&Path>) -> (Vec<f32>, Vec<u32>) {
        let options = Options {
            dtype: Dtype::As(self.dtype),
            sampling: Sampling::greedy(),
            ignore_eos: true,
            devices,
            kernels: kernels(),
            dump: dump.map(Path::to_owned),
            ..Options::default()
        };
        let generator = Generator::open(self.platform, self.folder, options).unwrap();
        let logits = generator.session().logits(self.prompt).unwrap();
        let mut session = generator.session();
        let answer = session.generate(self.prompt, NEW).unwrap();
        (logits, answer.map(Result::unwrap).collect())
    }
}

/// The dumped optimized program, an HLO proto.
fn optimized(folder: &Path, program: &str) -> Vec<u8> {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let found = files.find(|path| name(path).contains(program) && name(path).contains("optimized"));
    fs::read(found.unwrap_or_else(|| panic!("{program} is dumped"))).unwrap()
}

/// The number of places of `part`.
fn count(code: &[u8], part: &[u8]) -> usize {
    code.windows(part.len()).filter(|window| *window == part).count()
}

#[test]
fn each_device_computes_its_part_with_kernels() {
    // One head of keys and values a device; biases of all layers and a tied table; norms of heads;
    // a head of keys and values that the devices share; a window.
    for name in ["grouped", "biases", "qwen3", "multi_query", "mistral_window_long"] {
        let case = Case::open(name);
        let (_copy, folder, prompt) = with_even_vocabulary(&case);
        let dtypes = [(DType::F32, 1e-5), (DType::BF16, 2e-2)];
        let count_of_dtypes = if name == "grouped" { 2 } else { 1 };
        for &(dtype, tolerance) in &dtypes[..count_of_dtypes] {
            let run = Run { platform: &CPUS, folder: &folder, prompt: &prompt, dtype };
            let (logits, answer) = run.on(1, None);
            let expected: Vec<f64> = logits.into_iter().map(f64::from).collect();
            for devices in [2, 4] {
                let dump = tempfile::tempdir().unwrap();
                let (logits, tokens) = run.on(devices, Some(dump.path()));
                let what = format!("{name} {dtype} on {devices} devices");
                let off = distance(&logits, &expected);
                assert!(off < tolerance, "{what}: logits are off by {off:.1e}");
                assert_eq!(tokens, answer, "{what}");
                let code = optimized(dump.path(), "decode");
                for kernel in ["hloom.linear.v1", "hloom.attend.v1"] {
                    assert!(count(&code, kernel.as_bytes()) > 0, "{what} without {kernel}");
                }
                // Two sums for each of the two layers, and one of the embedding.
                let opcode = b"\x12\x0aall-reduce";
                let sums = count(&code, opcode);
                assert_eq!(sums, 2 * 2 + 1, "{what}");
            }
        }
    }
}

#[test]
fn programs_with_kernels_on_several_devices_are_kept() {
    let platform = cpus(2);
    platform.set_cache(CompilationCache::in_memory());
    let case = Case::open("grouped");
    let (_copy, folder, prompt) = with_even_vocabulary(&case);
    let run = Run { platform: &platform, folder: &folder, prompt: &prompt, dtype: DType::BF16 };
    let first = run.on(2, None);
    let hits = platform.cache_stats().memory_hits;
    assert_eq!(run.on(2, None), first);
    assert!(platform.cache_stats().memory_hits >= hits + 3, "{:?}", platform.cache_stats());
}
