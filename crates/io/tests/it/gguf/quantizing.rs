//! Quantisation, compared with the bytes of Python's `gguf` and of llama.cpp
//! (`tests/oracle/gguf_files.py`).

use hloom_graph::{BlockKind, DType, Spec};
use hloom_io::{
    Checkpoint, Writer,
    gguf::{GgufType, dequantize},
    quantized, save,
};
use hloom_runtime::{Buffer, Mesh};
use hloom_test_support::{CPU, cpus};
use std::path::PathBuf;

const WRITTEN: [BlockKind; 8] = [
    BlockKind::Q4_0,
    BlockKind::Q4_1,
    BlockKind::Q5_0,
    BlockKind::Q5_1,
    BlockKind::Q8_0,
    BlockKind::Q4_K,
    BlockKind::Q5_K,
    BlockKind::Q6_K,
];

fn fixture() -> Checkpoint {
    let path = "../../tests/fixtures/gguf/quantize.safetensors";
    Checkpoint::open(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn spec(dtype: DType, sizes: [usize; 2]) -> Spec {
    Spec::new(dtype, [("out", sizes[0]), ("in", sizes[1])])
}

/// A checkpoint with the matrix `w`.
fn checkpoint(dtype: DType, sizes: [usize; 2], bytes: Vec<u8>) -> (tempfile::TempDir, Checkpoint) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let mut writer = Writer::new();
    writer.tensor("w", spec(dtype, sizes).shape(), bytes).unwrap();
    writer.save(&path).unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();
    (folder, checkpoint)
}

fn values(kind: BlockKind, bytes: &[u8]) -> Vec<f32> {
    dequantize(GgufType::from_dtype(DType::Block(kind)).unwrap(), bytes).unwrap()
}

fn error(found: &[f32], x: &[f32]) -> f64 {
    found.iter().zip(x).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
}

#[test]
fn bytes_and_errors_are_at_least_as_good_as_those_of_the_references() {
    let expected = fixture();
    let x: Vec<f32> = expected.get("x").unwrap().to_vec().unwrap();
    for kind in WRITTEN {
        let dtype = DType::Block(kind);
        let found: Buffer = expected.at("x").load(&*CPU, &spec(dtype, [24, 256])).unwrap();
        let found = found.to_bytes().unwrap();
        let name = format!("{kind:?}");
        let reference: Vec<u8> = expected.get(&name).unwrap().to_vec().unwrap();
        let row = kind.row_bytes(256);
        let mut sums = [0.0; 2];
        for (at, (found, reference)) in found.chunks(row).zip(reference.chunks(row)).enumerate() {
            if kind.block_len() == 32 {
                assert!(found == reference, "{kind}, row {at}");
                continue;
            }
            let x = &x[256 * at..][..256];
            let size: f64 = x.iter().map(|x| f64::from(*x).powi(2)).sum();
            let [ours, theirs] = [found, reference].map(|bytes| error(&values(kind, bytes), x));
            // Scales are rounded after the search: a row may be a little worse.
            assert!(ours <= 1.1 * theirs + 1e-5 * size, "{kind}, row {at}: {ours} for {theirs}");
            if size > 0.0 {
                sums[0] += ours / size;
                sums[1] += theirs / size;
            }
        }
        assert!(sums[0] <= sums[1], "{kind}: {sums:?}");
    }
}

#[test]
fn every_float_type_is_quantised_as_its_values() {
    let x: Vec<f32> = (0..8 * 512).map(|at| (at * at % 97) as f32 / 16.0 - 3.0).collect();
    let bytes = |dtype: DType| -> Vec<u8> {
        let encode = |x: &f32| match dtype {
            DType::F16 => half::f16::from_f32(*x).to_le_bytes().to_vec(),
            DType::BF16 => half::bf16::from_f32(*x).to_le_bytes().to_vec(),
            DType::F64 => f64::from(*x).to_le_bytes().to_vec(),
            _ => x.to_le_bytes().to_vec(),
        };
        x.iter().flat_map(encode).collect()
    };
    for kind in WRITTEN {
        let to = spec(DType::Block(kind), [8, 512]);
        let load = |dtype| {
            let (_folder, checkpoint) = checkpoint(dtype, [8, 512], bytes(dtype));
            let buffer: Buffer = checkpoint.at("w").load(&*CPU, &to).unwrap();
            buffer.to_bytes().unwrap()
        };
        let expected = load(DType::F32);
        let largest = error(&values(kind, &expected), &x) / error(&x, &vec![0.0; x.len()]);
        assert!(largest < 0.01, "{kind}: {largest}");
        for dtype in [DType::F16, DType::BF16, DType::F64] {
            assert!(load(dtype) == expected, "{kind} of {dtype}");
        }
        let (_folder, checkpoint) = checkpoint(DType::F32, [8, 512], bytes(DType::F32));
        let mesh = Mesh::new(&cpus(2), [("d", 2)]).unwrap();
        for axis in ["out", "in"] {
            let split = to.clone().partitioned([(axis, "d")]);
            let buffer: Buffer = checkpoint.at("w").load(&mesh, &split).unwrap();
            assert!(buffer.to_bytes().unwrap() == expected, "{kind} split along {axis}");
        }
    }
}

#[test]
fn numbers_that_blocks_do_not_have_are_refused() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 70_000.0] {
        let mut x = [1.0_f32; 256];
        x[200] = value;
        let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        let (_folder, checkpoint) = checkpoint(DType::F32, [1, 256], bytes);
        for kind in WRITTEN {
            let to = spec(DType::Block(kind), [1, 256]);
            let error = checkpoint.at("w").load(&*CPU, &to).map(|_: Buffer| ()).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "tensor `w`: {value} is not quantised as {kind}: expected finite numbers of \
                     at most 65504"
                )
            );
        }
    }
    let (_folder, odd) = checkpoint(DType::F32, [2, 40], vec![0; 320]);
    let to = spec(DType::Block(BlockKind::Q8_0), [2, 40]);
    let error = odd.at("w").load(&*CPU, &to).map(|_: Buffer| ()).unwrap_err().to_string();
    assert!(
        error.contains("has blocks of 32 elements, which rows of 40 are not made of"),
        "{error}"
    );
    let (_folder, checkpoint) = checkpoint(DType::F32, [1, 256], vec![0; 1024]);
    let to = spec(DType::Block(BlockKind::IQ2_S), [1, 256]);
    let error = checkpoint.at("w").load(&*CPU, &to).map(|_: Buffer| ()).unwrap_err().to_string();
    assert!(error.contains("floats to some kinds of blocks"), "{error}");
}

#[test]
fn tiny_numbers_become_finite_ones() {
    for size in [1e-45_f32, 1e-40, 1e-38, 1e-30, 65_504.0] {
        let bytes = (0..256).flat_map(|at| (size * (at % 3) as f32 / 2.0).to_le_bytes()).collect();
        let (_folder, checkpoint) = checkpoint(DType::F32, [1, 256], bytes);
        for kind in WRITTEN {
            let to = spec(DType::Block(kind), [1, 256]);
            let buffer: Buffer = checkpoint.at("w").load(&*CPU, &to).unwrap();
            let found = values(kind, &buffer.to_bytes().unwrap());
            let largest = found.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            assert!(largest <= size.max(1e-3) * 1.1, "{kind} of {size:e}: {largest:e}");
        }
    }
}

#[test]
fn patterns_and_rows_choose_the_kind() {
    let tree = std::collections::BTreeMap::from([
        ("norm".to_owned(), Spec::f32([("in", 256)])),
        ("odd".to_owned(), spec(DType::F32, [4, 30])),
        ("short".to_owned(), spec(DType::F32, [4, 96])),
        ("stack".to_owned(), Spec::f32([("expert", 2), ("out", 3), ("in", 256)])),
        ("whole".to_owned(), spec(DType::BF16, [4, 512])),
    ]);
    let dtypes = |kind, patterns: &[&str]| {
        let found = quantized(tree.clone(), kind, patterns);
        found.into_values().map(|spec| spec.shape().dtype().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(dtypes(BlockKind::Q4_K, &["*"]), ["f32", "f32", "q5_0", "q4_k", "q4_k"]);
    assert_eq!(dtypes(BlockKind::Q5_K, &["*"]), ["f32", "f32", "q5_1", "q5_k", "q5_k"]);
    assert_eq!(dtypes(BlockKind::Q6_K, &["s*"]), ["f32", "f32", "q8_0", "q6_k", "bf16"]);
    assert_eq!(dtypes(BlockKind::Q8_0, &[]), ["f32", "f32", "f32", "f32", "bf16"]);
}

#[test]
fn blocks_are_saved_and_read_again() {
    let source = fixture();
    for kind in WRITTEN {
        let to = spec(DType::Block(kind), [24, 256]);
        let buffer: Buffer = source.at("x").load(&*CPU, &to).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let tree = std::collections::BTreeMap::from([("w".to_owned(), buffer)]);
        save(&path, &tree).unwrap();
        let buffer = &tree["w"];
        let saved = Checkpoint::open(&path).unwrap();
        assert_eq!(saved.at("w").tensor("").unwrap().shape(), to.shape());
        let again: Buffer = saved.at("w").load(&*CPU, &to).unwrap();
        assert!(again.to_bytes().unwrap() == buffer.to_bytes().unwrap(), "{kind}");
        let floats: Buffer = saved.at("w").load(&*CPU, &spec(DType::F32, [24, 256])).unwrap();
        let expected = values(kind, &buffer.to_bytes().unwrap());
        assert!(floats.to_vec::<f32>().unwrap() == expected, "{kind}");
    }
}

#[test]
fn kinds_in_the_metadata_that_do_not_fit_are_refused() {
    for (text, dtype, row) in
        [("q9_9", DType::U8, 34), ("q8_0", DType::U8, 33), ("q8_0", DType::I8, 34)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let mut writer = Writer::new();
        writer.tensor("w", spec(dtype, [2, row]).shape(), vec![0; 2 * row]).unwrap();
        writer.metadata("hloom.blocks.w", text);
        writer.save(&path).unwrap();
        let error = Checkpoint::open(&path).unwrap_err().to_string();
        let part = format!("its kind of quantised blocks in the metadata, {text}, does not fit");
        assert!(error.contains(&part), "{error}");
    }
}
