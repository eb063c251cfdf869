//! Files that Python's `gguf` wrote, and the values that it dequantises
//! (`tests/oracle/gguf_files.py`).

use hloom_io::{
    Access, Checkpoint,
    gguf::{Array, Gguf, GgufType, Value, dequantize},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/gguf").join(name)
}

/// Compares all values of the file `NAME.gguf` in the fixtures, and returns the names of its
/// tensors.
fn compare(name: &str) -> BTreeSet<String> {
    let prefix = format!("{name}.");
    compare_with(&fixture(&format!("{name}.gguf")), &fixture("values.safetensors"), &prefix)
}

fn compare_with(file: &Path, values: &Path, prefix: &str) -> BTreeSet<String> {
    let values = Checkpoint::open(values).unwrap();
    let gguf = Gguf::open(file).unwrap();
    for tensor in gguf.tensors() {
        let name = tensor.name();
        let expected = values.get(&format!("{prefix}{name}")).unwrap();
        assert_eq!(expected.shape().sizes(), tensor.sizes(), "{name}");
        let expected: Vec<f32> = expected.to_vec().unwrap();
        let found = tensor.dequantize().unwrap();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let is_same = found.to_bits() == expected.to_bits();
            let are_nan = found.is_nan() && expected.is_nan();
            assert!(is_same || are_nan, "{name}, value {i}: {found:e}, expected {expected:e}");
        }
    }
    gguf.tensors().map(|tensor| tensor.name().to_owned()).collect()
}

/// The types that the reference does not dequantise.
const WITHOUT: [GgufType; 4] = [GgufType::Q8_1, GgufType::Q8_K, GgufType::Q1_0, GgufType::Q2_0];

#[test]
fn values_of_every_type_are_those_of_the_reference_bit_for_bit() {
    let found = compare("blocks");
    let all = GgufType::all().filter(|kind| !WITHOUT.contains(kind));
    assert_eq!(found, all.map(|kind| kind.to_string()).collect());
}

#[test]
fn tensors_that_the_reference_quantised_are_read_equal() {
    assert_eq!(compare("quantized").len(), 12);
}

#[test]
#[ignore = "needs a folder with a model of one's own: HLOOM_TEST_GGUF"]
fn a_model_of_ones_own_has_the_values_of_the_reference() {
    let folder = std::env::var_os("HLOOM_TEST_GGUF").expect("HLOOM_TEST_GGUF is set");
    let folder = PathBuf::from(folder);
    let names = compare_with(&folder.join("model.gguf"), &folder.join("values.safetensors"), "");
    assert!(!names.is_empty());
}

#[test]
fn types_that_the_reference_lacks_have_the_values_of_their_definition() {
    // The scale 2 as an `f16` and as an `f32`, little-endian.
    let [half, single] = [&[0, 0x40][..], &[0, 0, 0, 0x40]];
    let block = |kind: GgufType, start: &[u8]| {
        let mut block = start.to_vec();
        block.resize(kind.block_bytes(), 0);
        dequantize(kind, &block).unwrap()
    };
    let values = block(GgufType::Q8_1, &[half, &[9, 9, 3, 0x80]].concat());
    assert_eq!((values.len(), &values[..3]), (32, &[6.0, -256.0, 0.0][..]));
    let values = block(GgufType::Q8_K, &[single, &[3, 0x80]].concat());
    assert_eq!((values.len(), &values[..3]), (256, &[6.0, -256.0, 0.0][..]));
    let values = block(GgufType::Q1_0, &[half, &[0b101, 0x80]].concat());
    assert_eq!((values.len(), &values[..4]), (128, &[2.0, -2.0, 2.0, -2.0][..]));
    assert_eq!(values[14..17], [-2.0, 2.0, -2.0]);
    let values = block(GgufType::Q2_0, &[half, &[0b11_10_01_00, 0b11]].concat());
    assert_eq!((values.len(), &values[..6]), (64, &[-2.0, 0.0, 2.0, 4.0, 4.0, -2.0][..]));
}

#[test]
fn parts_of_blocks_are_refused() {
    let message = dequantize(GgufType::Q4_K, &[0; 150]).unwrap_err().to_string();
    assert_eq!(message, "150 bytes are not whole blocks of Q4_K, which take 144 each");
    assert!(dequantize(GgufType::Q4_K, &[]).unwrap().is_empty());
}

#[test]
fn metadata_of_every_type_is_read() {
    for access in [Access::Mapped, Access::Read] {
        let gguf = Gguf::open_with(fixture("quantized.gguf"), access).unwrap();
        assert_eq!(gguf.version(), 3);
        let text = |text: &str| Value::String(text.to_owned());
        let nested = vec![Array::I32(vec![1, 2]), Array::I32(vec![3])];
        let texts = ["a", "", "ß"].map(str::to_owned).to_vec();
        for (key, expected) in [
            ("general.architecture", text("test")),
            ("general.alignment", Value::U32(64)),
            ("one.u8", Value::U8(255)),
            ("one.i8", Value::I8(-128)),
            ("one.u16", Value::U16(65_535)),
            ("one.i16", Value::I16(-32_768)),
            ("one.u32", Value::U32(u32::MAX)),
            ("one.i32", Value::I32(i32::MIN)),
            ("one.f32", Value::F32(1.5)),
            ("one.bool", Value::Bool(true)),
            ("one.string", text("größe 層 \0 \n")),
            ("one.u64", Value::U64(u64::MAX)),
            ("one.i64", Value::I64(i64::MIN)),
            ("one.f64", Value::F64(1e300)),
            ("many.i32", Value::Array(Array::I32(vec![1, -2, 3]))),
            ("many.f32", Value::Array(Array::F32(vec![0.5, -0.25]))),
            ("many.bool", Value::Array(Array::Bool(vec![true, false]))),
            ("many.string", Value::Array(Array::String(texts.clone()))),
            ("many.u8", Value::Array(Array::U8((0..10).collect()))),
            ("many.array", Value::Array(Array::Array(nested))),
        ] {
            assert_eq!(gguf.metadata()[key], expected, "{key}");
        }
        assert_eq!(gguf.metadata().len(), 20);
        for tensor in gguf.tensors() {
            assert!(tensor.range().start.is_multiple_of(64), "{tensor:?}");
        }
    }
}
