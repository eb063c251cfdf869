//! Element types of weights and caches that differ from each other.

use crate::fixture::{Case, distance, path, platform};
use hloom_graph::DType;
use hloom_io::{Checkpoint, Writer};
use hloom_models::{
    ModelFolder,
    llama::{Dtype, Generator, Options},
    lora::AdapterFolder,
};
use hloom_nn::Sampling;
use hloom_test_support::cpus;
use std::fs;
use tempfile::TempDir;

/// The values of `f8e4m3fn`, by their codes; NaN for the codes 0x7f and 0xff.
fn f8(code: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(code >> 3 & 15), f32::from(code & 7) / 8.0);
    let size = match (exponent, code & 7) {
        (15, 7) => f32::NAN,
        (0, _) => mantissa * 2f32.powi(-6),
        _ => (1.0 + mantissa) * 2f32.powi(exponent - 7),
    };
    if code < 128 { size } else { -size }
}

/// The elements of a tensor of `f32` or `bf16`.
fn values(dtype: DType, bytes: &[u8]) -> Vec<f32> {
    match dtype {
        DType::BF16 => {
            let codes = bytes.chunks_exact(2).map(|code| u16::from_le_bytes([code[0], code[1]]));
            codes.map(|code| f32::from_bits(u32::from(code) << 16)).collect()
        }
        DType::F32 => {
            let elements = bytes.chunks_exact(4);
            elements.map(|element| f32::from_le_bytes(element.try_into().unwrap())).collect()
        }
        other => panic!("cases have no {other}"),
    }
}

/// The bytes of elements in a type: the nearest values of `f8e4m3fn`, those of `bf16` towards zero.
fn bytes(dtype: DType, values: &[f32]) -> Vec<u8> {
    let nearest = |x: f32| {
        let off = |code: &u8| (f8(*code) - x).abs();
        (0..=255).filter(|code| !f8(*code).is_nan()).min_by(|a, b| off(a).total_cmp(&off(b)))
    };
    let encode = |&x: &f32| -> Vec<u8> {
        match dtype {
            DType::F8E4M3FN => vec![nearest(x).unwrap()],
            DType::BF16 => x.to_le_bytes()[2..].to_vec(),
            DType::F32 => x.to_le_bytes().to_vec(),
            DType::F64 => f64::from(x).to_le_bytes().to_vec(),
            DType::I8 => vec![x as i8 as u8],
            other => panic!("{other} is not needed"),
        }
    };
    values.iter().flat_map(encode).collect()
}

/// A copy of a case in which tensors have the types that `dtype` returns for their names and ranks.
/// `rounded` is applied to the elements before that.
fn cast(
    case: &str,
    rounded: impl Fn(f32, usize) -> f32,
    dtype: impl Fn(&str, usize) -> DType,
) -> (TempDir, ModelFolder) {
    let (from, folder) = (path("llama").join(case), tempfile::tempdir().unwrap());
    fs::copy(from.join("config.json"), folder.path().join("config.json")).unwrap();
    let weights = Checkpoint::open(from.join("model.safetensors")).unwrap();
    let mut writer = Writer::new();
    for name in weights.names() {
        let tensor = weights.get(name).unwrap();
        let (shape, rank) = (tensor.shape(), tensor.shape().rank());
        let values = values(shape.dtype(), &tensor.bytes().unwrap());
        let values: Vec<f32> = values.into_iter().map(|x| rounded(x, rank)).collect();
        let dtype = dtype(name, rank);
        writer.tensor(name, shape.with_dtype(dtype), bytes(dtype, &values)).unwrap();
    }
    writer.save(folder.path().join("model.safetensors")).unwrap();
    let opened = ModelFolder::open(folder.path()).unwrap();
    (folder, opened)
}

fn unchanged(x: f32, _: usize) -> f32 {
    x
}

fn open(folder: &ModelFolder, dtype: Dtype, cache_dtype: Dtype) -> Generator {
    let sampling = Sampling::greedy();
    let options = Options { dtype, cache_dtype, sampling, ignore_eos: true, ..Options::default() };
    Generator::open(&platform(), folder, options).unwrap()
}

fn refused(folder: &ModelFolder, dtype: Dtype, cache_dtype: Dtype) -> String {
    let options = Options { dtype, cache_dtype, ..Options::default() };
    let opened = Generator::open(&platform(), folder, options);
    opened.map(drop).expect_err("the types are refused").to_string()
}

fn logits(generator: &Generator, prompt: &[u32]) -> Vec<f32> {
    generator.session().logits(prompt).unwrap()
}

fn wide(logits: &[f32]) -> Vec<f64> {
    logits.iter().map(|&logit| logit.into()).collect()
}

fn tokens(generator: &Generator, prompt: &[u32], limit: usize) -> Vec<u32> {
    generator.session().generate(prompt, limit).unwrap().map(Result::unwrap).collect()
}

/// The elements of each case stay what they are, so the logits are those of `transformers`.
#[test]
fn each_weight_keeps_the_type_of_its_tensor() {
    let only = |own: DType, part: &'static str, other: DType| {
        move |name: &str, _: usize| if name.contains(part) { other } else { own }
    };
    let (bf16, f32, f64) = (DType::BF16, DType::F32, DType::F64);
    for (name, own, part, other, tolerance) in [
        ("bf16", bf16, "norm", f32, 3e-2),
        ("bf16", bf16, "layers.0.self_attn.q_proj", f32, 3e-2),
        ("bf16", bf16, "layers.1.mlp.down_proj", f64, 3e-2),
        ("grouped", f32, "layers.1.self_attn.k_proj", f64, 1e-5),
        ("grouped", f32, "embed_tokens", f64, 1e-5),
        ("grouped", f64, "lm_head", f64, 1e-6),
        // One of an expert's matrices, all gates' matrices, the routers.
        ("mixtral_tied_bf16", bf16, "layers.0.block_sparse_moe.experts.1.w1", f32, 3e-2),
        ("mixtral", f32, "w2", f64, 1e-5),
        ("mixtral_tied_bf16", bf16, "gate", f32, 3e-2),
    ] {
        let (_folder, folder) = cast(name, unchanged, only(own, part, other));
        let generator = open(&folder, Dtype::Auto, Dtype::Auto);
        let case = Case::open(name);
        let off = distance(&logits(&generator, &case.prompt), &case.logits);
        assert!(off < tolerance, "{name} with {part} in {other}: logits are off by {off:.1e}");
        let stats = generator.stats();
        assert_eq!((stats.dtype, stats.cache_dtype), (own, own), "{name} with {part} in {other}");
        let stored = Checkpoint::open(folder.path()).unwrap().byte_size() as usize;
        let expected = if part.contains("experts") {
            // The tensors of a stack have one type.
            let experts = Case::open(name).folder;
            stored + stacked(&experts, "layers.0.block_sparse_moe.experts", "w1")
        } else {
            stored
        };
        assert_eq!(stats.weight_bytes, expected, "{name} with {part} in {other}");
        assert_eq!(tokens(&generator, &case.prompt, 4).len(), 4);
    }
}

/// The bytes of a stack's tensors in their own type, but for one.
fn stacked(folder: &ModelFolder, part: &str, matrix: &str) -> usize {
    let weights = Checkpoint::open(folder.path()).unwrap();
    let names = weights.names().filter(|name| name.contains(part) && name.contains(matrix));
    names.skip(1).map(|name| weights.get(name).unwrap().range().len()).sum()
}

#[test]
fn weights_of_8_bits_compute_as_the_same_values_in_bf16() {
    let matrices =
        |stored: DType| move |_: &str, rank: usize| if rank == 2 { stored } else { DType::F32 };
    let nearest = |x: f32, rank: usize| match rank {
        2 => f8(bytes(DType::F8E4M3FN, &[x])[0]),
        _ => x,
    };
    for name in ["grouped", "mixtral"] {
        let case = Case::open(name);
        let (_small, small) = cast(name, unchanged, matrices(DType::F8E4M3FN));
        let (_large, large) = cast(name, nearest, matrices(DType::BF16));
        let generator = open(&small, Dtype::Auto, Dtype::Auto);
        let stats = generator.stats();
        assert_eq!((stats.dtype, stats.cache_dtype), (DType::F8E4M3FN, DType::BF16), "{name}");
        let expected = wide(&logits(&open(&large, Dtype::Auto, Dtype::Auto), &case.prompt));
        let found = logits(&generator, &case.prompt);
        let off = distance(&found, &expected);
        assert!(off < 1e-2, "{name}: logits are off by {off:.1e}");
        assert!(distance(&found, &case.logits) > 1e-2, "{name}: 4 bits are less exact");
        assert_eq!(tokens(&generator, &case.prompt, 4).len(), 4);
        // Converted when they are loaded.
        let [small, large] = [&small, &large]
            .map(|folder| open(folder, Dtype::As(DType::F32), Dtype::As(DType::F32)));
        assert_eq!(logits(&small, &case.prompt), logits(&large, &case.prompt), "{name}");
    }
}

/// An adapter of weights in 8 bits changes the model as one of the same values in `f32`.
#[test]
fn an_adapter_is_not_rounded_to_the_8_bits_of_its_weights() {
    let adapter = AdapterFolder::open(path("adapters").join("plain")).unwrap();
    let matrices =
        |stored: DType| move |_: &str, rank: usize| if rank == 2 { stored } else { DType::F32 };
    let nearest = |x: f32, rank: usize| match rank {
        2 => f8(bytes(DType::F8E4M3FN, &[x])[0]),
        _ => x,
    };
    let (_small, small) = cast("grouped", unchanged, matrices(DType::F8E4M3FN));
    let (_large, large) = cast("grouped", nearest, matrices(DType::F32));
    let prompt = Case::open("grouped").prompt;
    let adapted = |folder: &ModelFolder| {
        let options = Options { adapter: Some(adapter.clone()), ..Options::default() };
        let generator = Generator::open(&platform(), folder, options).unwrap();
        (logits(&generator, &prompt), generator.stats())
    };
    let ((found, stats), (expected, _)) = (adapted(&small), adapted(&large));
    let off = distance(&found, &wide(&expected));
    assert!(off < 2e-2, "logits are off by {off:.1e}");
    let base = logits(&open(&small, Dtype::Auto, Dtype::Auto), &prompt);
    let changed = distance(&base, &wide(&expected));
    assert!(changed > 5e-2, "the adapter changes the model by {changed:.1e}");
    assert_eq!(stats.dtype, DType::F8E4M3FN);
    let plain = open(&small, Dtype::Auto, Dtype::Auto).stats();
    assert_eq!(stats.weight_bytes, plain.weight_bytes, "the weights stay as they are");
    let options = Options { adapter: Some(adapter), devices: 2, ..Options::default() };
    let generator = Generator::open(&cpus(2), &small, options).unwrap();
    let off = distance(&logits(&generator, &prompt), &wide(&found));
    assert!(off < 1e-2, "on two devices, logits are off by {off:.1e}");
}

#[test]
fn a_cache_has_its_own_type() {
    for (name, cache, range) in [
        ("grouped", DType::BF16, 1e-4..2e-2),
        ("grouped", DType::F16, 1e-5..4e-3),
        ("grouped", DType::F64, 0.0..1e-5),
        ("mistral_window_long", DType::BF16, 1e-4..2e-2),
        ("bf16", DType::F32, 1e-6..3e-2),
        ("bf16", DType::F16, 1e-6..3e-2),
    ] {
        let case = Case::open(name);
        let generator = open(&case.folder, Dtype::Auto, Dtype::As(cache));
        assert_eq!(generator.stats().cache_dtype, cache);
        assert_ne!(generator.stats().dtype, cache);
        let off = distance(&logits(&generator, &case.prompt), &case.logits);
        assert!(range.contains(&off), "{name} with a cache of {cache}: off by {off:.1e}");
        // Prefixes are reused, and the cache grows.
        let (prompt, limit) = (&case.prompt, 40.min(generator.context() - case.prompt.len()));
        let expected = tokens(&generator, prompt, limit);
        let mut session = generator.session();
        session.generate(&prompt[..prompt.len() / 2], 1).unwrap().for_each(drop);
        let found = session.generate(prompt, limit).unwrap().map(Result::unwrap);
        assert_eq!(found.collect::<Vec<u32>>(), expected, "{name} with a cache of {cache}");
    }
}

#[test]
fn types_that_are_not_possible_are_named() {
    let folder = Case::open("grouped").folder;
    for dtype in [DType::F8E4M3FN, DType::I8, DType::C64] {
        let expected = format!(
            "the element type {dtype} is not possible for the cache; it must be bf16, f16, f32 or \
             f64"
        );
        assert_eq!(refused(&folder, Dtype::Auto, Dtype::As(dtype)), expected);
    }
    let name = "model.layers.0.self_attn.q_proj.weight";
    let expected =
        ["model.layers.0.self_attn.q_proj.weight: expected f32[out=24, in=24]", "found i8[24, 24]"];
    let integers = |other: &str, _: usize| if other == name { DType::I8 } else { DType::F32 };
    let (_folder, integers) = cast("grouped", unchanged, integers);
    let message = refused(&integers, Dtype::Auto, Dtype::Auto);
    assert!(expected.iter().all(|part| message.contains(part)), "{message}");
    let message = refused(&folder, Dtype::As(DType::F8E5M2), Dtype::Auto);
    let part = "expected f8e5m2[out=24, in=24] (only floats and blocks are converted, to floats of \
                16 bits or more, floats to some kinds of blocks, and i64 to i32), found f32[24, 24]";
    assert!(message.contains(part), "{message}");
}
