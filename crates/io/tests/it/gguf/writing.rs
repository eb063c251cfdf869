//! Written files, read by this crate.

use hloom_io::gguf::{Array, Gguf, GgufType, GgufWriter, Value};
use proptest::prelude::*;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/gguf").join(name)
}

/// Writes what was read from another file.
fn copy(original: &Gguf, path: &Path) {
    let mut writer = GgufWriter::new();
    for (key, value) in original.metadata() {
        writer.metadata(key, value.clone()).unwrap();
    }
    for tensor in original.tensors() {
        let (kind, sizes) = (tensor.kind(), tensor.sizes());
        writer.tensor(tensor.name(), kind, sizes, tensor.bytes().unwrap()).unwrap();
    }
    writer.save(path).unwrap();
}

#[test]
#[ignore = "needs a Python with gguf and safetensors: HLOOM_PYTHON"]
fn the_reference_reads_what_is_written() {
    let python = std::env::var_os("HLOOM_PYTHON").expect("HLOOM_PYTHON is set");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.gguf");
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/gguf_files.py");
    for name in ["blocks.gguf", "quantized.gguf"] {
        copy(&Gguf::open(fixture(name)).unwrap(), &path);
        let mut command = Command::new(&python);
        command.arg(&script).arg("same").args([&fixture(name), &path]);
        assert!(command.status().unwrap().success(), "{name}");
    }
}

#[test]
fn a_file_that_is_written_from_what_was_read_is_read_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.gguf");
    for name in ["blocks.gguf", "quantized.gguf"] {
        let original = Gguf::open(fixture(name)).unwrap();
        copy(&original, &path);
        let copy = Gguf::open(&path).unwrap();
        assert_eq!(copy.metadata(), original.metadata());
        assert_eq!(copy.len(), original.len());
        for (copy, original) in copy.tensors().zip(original.tensors()) {
            assert_eq!((copy.name(), copy.kind()), (original.name(), original.kind()));
            assert_eq!(copy.sizes(), original.sizes());
            assert_eq!(copy.bytes().unwrap(), original.bytes().unwrap());
        }
        assert_eq!(fs::metadata(&path).unwrap().len() % 32, 0, "padded at its end");
    }
}

#[test]
fn what_the_format_cannot_store_is_refused() {
    let mut writer = GgufWriter::new();
    writer.metadata("k", Value::U8(1)).unwrap();
    writer.tensor("w", GgufType::F32, &[2], vec![0; 8]).unwrap();
    let nested = (0..4).fold(Array::U8(vec![]), |inner, _| Array::Array(vec![inner]));
    let long = "k".repeat(65_536);
    for (key, value, expected) in [
        ("k", Value::U8(1), "metadata key `k`: duplicate key"),
        (
            "a",
            Value::Array(nested),
            "metadata key `a`: arrays are nested 5 deep, expected at most 4",
        ),
        (
            "general.alignment",
            Value::U32(24),
            "metadata key `general.alignment`: expected a u32 that is a power of two and a multiple \
             of 8",
        ),
        (&long, Value::U8(1), "it has 65536 bytes, expected at most 65535"),
    ] {
        let message = writer.metadata(key, value).map(drop).unwrap_err().to_string();
        assert!(message.ends_with(expected), "{message}");
    }
    for (name, kind, sizes, bytes, expected) in [
        ("w", GgufType::F32, &[2][..], 8, "tensor `w`: duplicate name"),
        ("v", GgufType::F32, &[1; 5], 4, "tensor `v`: it has 5 dimensions, expected at most 4"),
        (
            "v",
            GgufType::Q4_K,
            &[2, 128],
            144,
            "tensor `v`: its rows of 128 elements do not consist of whole blocks: a block of Q4_K \
             has 256 elements",
        ),
        (
            "v",
            GgufType::Q8_0,
            &[2, 32],
            67,
            "sizes [2, 32] of Q8_0 take 68 bytes, and 67 are given",
        ),
        (&long, GgufType::F32, &[1], 4, "its name has 65536 bytes, expected at most 65535"),
    ] {
        let result = writer.tensor(name, kind, sizes, vec![0; bytes]).map(drop);
        let message = result.unwrap_err().to_string();
        assert!(message.ends_with(expected), "{message}");
    }
}

fn array() -> impl Strategy<Value = Array> {
    let flat = prop_oneof![
        any::<Vec<u8>>().prop_map(Array::U8),
        any::<Vec<i16>>().prop_map(Array::I16),
        any::<Vec<bool>>().prop_map(Array::Bool),
        any::<Vec<String>>().prop_map(Array::String),
        any::<Vec<i64>>().prop_map(Array::I64),
    ];
    flat.prop_recursive(3, 20, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Array::Array))
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u32>().prop_map(Value::U32),
        any::<i8>().prop_map(Value::I8),
        any::<bool>().prop_map(Value::Bool),
        any::<String>().prop_map(Value::String),
        (-1e30..1e30).prop_map(Value::F64),
        array().prop_map(Value::Array),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_metadata_and_tensors_are_read_as_written(
        metadata in prop::collection::btree_map(any::<String>(), value(), 0..6),
        tensors in prop::collection::btree_map(
            any::<String>(),
            (prop::collection::vec(0usize..4, 0..4), 0..35usize),
            0..6,
        ),
        alignment in prop::sample::select(vec![8u32, 32, 4096, 8192]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any.gguf");
        let mut writer = GgufWriter::new();
        writer.metadata("general.alignment", Value::U32(alignment)).unwrap();
        for (key, value) in &metadata {
            writer.metadata(key, value.clone()).unwrap();
        }
        let kinds: Vec<GgufType> = GgufType::all().collect();
        let mut written = Vec::new();
        for (name, (rows, kind)) in &tensors {
            let kind = kinds[*kind];
            let sizes: Vec<usize> = rows.iter().copied().chain([kind.block_len()]).collect();
            let size = rows.iter().product::<usize>() * kind.block_bytes();
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            writer.tensor(name, kind, &sizes, bytes.clone()).unwrap();
            written.push((name, kind, sizes, bytes));
        }
        writer.save(&path).unwrap();
        let read = Gguf::open(&path).unwrap();
        prop_assert_eq!(read.metadata().len(), metadata.len() + 1);
        for (key, value) in &metadata {
            prop_assert_eq!(&read.metadata()[key], value);
        }
        prop_assert_eq!(read.len(), written.len());
        for (name, kind, sizes, bytes) in written {
            let tensor = read.get(name).unwrap();
            prop_assert_eq!((tensor.kind(), tensor.sizes()), (kind, &sizes[..]));
            prop_assert_eq!(tensor.range().start % alignment as usize, 0);
            prop_assert_eq!(tensor.bytes().unwrap(), bytes);
        }
    }
}
