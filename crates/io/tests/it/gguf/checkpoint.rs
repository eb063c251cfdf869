//! GGUF files as checkpoints: loaded as floats and as stored, over meshes, with rows in another
//! order.

use half::{bf16, f16};
use hloom_graph::{BlockKind, DType, PartitionSpec, Spec, TraceScope};
use hloom_io::{
    Access, Checkpoint, Renamed, RowOrder,
    gguf::{GgufType, GgufWriter},
};
use hloom_runtime::{Buffer, Mesh, Platform};
use hloom_test_support::{CPU, cpus};
use std::path::PathBuf;
use tempfile::TempDir;

/// Rows and columns that are several pieces of a load, with an odd number of rows.
const SIZES: [usize; 2] = [301, 512];

/// The bytes of a tensor, with scales that are numbers.
fn bytes(kind: GgufType, elements: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Small exponents in both bytes of a scale.
        (state >> 24) as u8 & 0x3f
    };
    (0..elements / kind.block_len() * kind.block_bytes()).map(|_| byte()).collect()
}

fn file(kinds: &[GgufType]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let mut writer = GgufWriter::new();
    for &kind in kinds {
        writer.tensor(&kind.to_string(), kind, &SIZES, bytes(kind, SIZES[0] * SIZES[1])).unwrap();
    }
    writer.save(&path).unwrap();
    (folder, path)
}

/// The dequantised values of a tensor as a buffer of `dtype` has them.
fn expected(checkpoint: &Checkpoint, name: &str, dtype: DType) -> Vec<u8> {
    let values = checkpoint.gguf().unwrap().get(name).unwrap().dequantize().unwrap();
    let encode = |value: f32| match dtype {
        DType::BF16 => bf16::from_f32(value).to_le_bytes().to_vec(),
        DType::F16 => f16::from_f32(value).to_le_bytes().to_vec(),
        DType::F64 => f64::from(value).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    };
    values.into_iter().flat_map(encode).collect()
}

fn spec(dtype: DType) -> Spec {
    Spec::new(dtype, [("out", SIZES[0]), ("in", SIZES[1])])
}

fn load(checkpoint: &Checkpoint, name: &str, dtype: DType) -> Buffer {
    checkpoint.at(name).load(&*CPU, &spec(dtype)).unwrap()
}

#[test]
fn every_kind_loads_as_floats() {
    let kinds: Vec<GgufType> =
        GgufType::all().filter(|kind| kind.dtype().block().is_some()).collect();
    let (_folder, path) = file(&kinds);
    for access in [Access::Mapped, Access::Read] {
        let checkpoint = Checkpoint::open_with(&path, access).unwrap();
        assert_eq!(checkpoint.len(), kinds.len());
        for kind in &kinds {
            let name = kind.to_string();
            let shape = checkpoint.get(&name).unwrap().shape();
            assert_eq!((shape.dtype(), shape.sizes()), (kind.dtype(), &SIZES[..]));
            let size = checkpoint.get(&name).unwrap().range().len();
            assert_eq!(shape.byte_size(), size, "{name}");
            for dtype in [DType::F32, DType::BF16] {
                let found = load(&checkpoint, &name, dtype).to_bytes().unwrap();
                assert!(found == expected(&checkpoint, &name, dtype), "{name} as {dtype}");
            }
        }
        for dtype in [DType::F16, DType::F64] {
            let found = load(&checkpoint, "Q4_1", dtype).to_bytes().unwrap();
            assert!(found == expected(&checkpoint, "Q4_1", dtype), "Q4_1 as {dtype}");
        }
    }
}

#[test]
fn types_without_a_conversion_are_refused() {
    let (_folder, path) = file(&[GgufType::Q8_0]);
    let checkpoint = Checkpoint::open(path).unwrap();
    for dtype in [DType::I8, DType::Block(BlockKind::Q4_0)] {
        let error = checkpoint.at("Q8_0").load(&*CPU, &spec(dtype)).unwrap_err().to_string();
        assert!(error.contains("only floats and blocks are converted"), "{dtype}: {error}");
    }
}

#[test]
fn devices_receive_their_parts() {
    let platform: Platform = cpus(3);
    let mesh = Mesh::new(&platform, [("x", 3)]).unwrap();
    let (_folder, path) = file(&[GgufType::Q4_1, GgufType::Q6_K]);
    let checkpoint = Checkpoint::open(path).unwrap();
    for name in ["Q4_1", "Q6_K"] {
        // A third of the columns begins inside of a block.
        for axis in ["out", "in"] {
            let partition = PartitionSpec::shard(axis, "x").padded();
            let split = spec(DType::F32).partitioned(partition);
            let buffer = checkpoint.at(name).load(&mesh, &split).unwrap();
            let found = buffer.to_bytes().unwrap();
            assert!(found == expected(&checkpoint, name, DType::F32), "{name} along {axis}");
        }
    }
}

#[test]
fn blocks_load_as_stored() {
    let (_folder, path) = file(&[GgufType::Q4_1]);
    let checkpoint = Checkpoint::open(path).unwrap();
    let stored = checkpoint.get("Q4_1").unwrap().bytes().unwrap();
    let blocks = DType::Block(BlockKind::Q4_1);
    let buffer = load(&checkpoint, "Q4_1", blocks);
    assert_eq!(buffer.shape().to_string(), "q4_1[out=301, in=512]");
    assert!(buffer.to_bytes().unwrap() == stored);
    assert!(buffer.to_vec::<u8>().is_err(), "blocks are not bytes");
    let mesh = Mesh::new(&cpus(3), [("x", 3)]).unwrap();
    let rows = spec(blocks).partitioned(PartitionSpec::shard("out", "x").padded());
    let split = checkpoint.at("Q4_1").load(&mesh, &rows).unwrap();
    assert!(split.to_bytes().unwrap() == stored);
    let columns = spec(blocks).partitioned(PartitionSpec::shard("in", "x").padded());
    let error = checkpoint.at("Q4_1").load(&mesh, &columns).unwrap_err().to_string();
    assert!(error.contains("q4_1 has blocks of 32 elements"), "{error}");
    let error = buffer.transposed(["in", "out"]).unwrap_err().to_string();
    assert!(error.contains("q4_1[out=301, in=512]"), "{error}");
}

#[test]
fn ops_refuse_blocks_by_their_shape() {
    let trace = TraceScope::begin("blocks");
    let weight = trace.parameter("w", &spec(DType::Block(BlockKind::Q4_1)), false);
    let error = trace.finish(vec![("y".into(), -weight)]).unwrap_err().to_string();
    assert!(error.contains("q4_1[out=301, in=512] has blocks of quantised numbers"), "{error}");
    let error = Spec::new(DType::Block(BlockKind::Q4_K), [4, 32]).error().unwrap().to_string();
    assert!(error.contains("q4_k has blocks of 256 elements"), "{error}");
}

/// A file with queries of two heads of six rows, and a bias.
fn queries() -> (TempDir, Checkpoint) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let mut writer = GgufWriter::new();
    let blocks: Vec<u8> = (0..12).flat_map(|row| [row; 34]).collect();
    writer.tensor("weight", GgufType::Q8_0, &[12, 32], blocks).unwrap();
    let bias: Vec<u8> = (0..12).flat_map(|row| (row as f32).to_le_bytes()).collect();
    writer.tensor("bias", GgufType::F32, &[12], bias).unwrap();
    writer.save(&path).unwrap();
    (folder, Checkpoint::open(path).unwrap())
}

#[test]
fn rows_of_pairs_are_taken_apart() {
    let (_folder, checkpoint) = queries();
    let order = [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11];
    for access in [Access::Mapped, Access::Read] {
        let checkpoint = Checkpoint::open_with(checkpoint.path(), access).unwrap();
        let rows = RowOrder::Interleaved { heads: 2 };
        let renamed =
            checkpoint.renamed(|name| Some(Renamed { name: format!("q.{name}"), rows })).unwrap();
        let weight = renamed.get("q.weight").unwrap();
        let expected: Vec<u8> = order.iter().flat_map(|&row| [row; 34]).collect();
        assert_eq!(weight.bytes().unwrap(), expected);
        assert!(!weight.is_mapped());
        let stored = Spec::new(DType::Block(BlockKind::Q8_0), [12, 32]);
        let buffer = renamed.at("q.weight").load(&*CPU, &stored).unwrap();
        assert_eq!(buffer.to_bytes().unwrap(), expected);
        let bias = renamed.at("q.bias").load(&*CPU, &Spec::f32([12])).unwrap();
        assert_eq!(bias.to_vec::<f32>().unwrap(), order.map(f32::from));
        let mesh = Mesh::new(&cpus(4), [("x", 4)]).unwrap();
        let split = Spec::f32([12]).partitioned(PartitionSpec::shard(0, "x"));
        let bias = renamed.at("q.bias").load(&mesh, &split).unwrap();
        assert_eq!(bias.to_vec::<f32>().unwrap(), order.map(f32::from));
    }
}

#[test]
fn orders_and_names_that_do_not_fit_are_refused() {
    let (_folder, checkpoint) = queries();
    for heads in [0, 4, 5] {
        let rows = RowOrder::Interleaved { heads };
        let renamed = checkpoint.renamed(|name| Some(Renamed { name: name.into(), rows }));
        let error = renamed.unwrap_err().to_string();
        assert!(error.contains("cannot be in the order"), "{error}");
    }
    let rows = RowOrder::Stored;
    let renamed = checkpoint.renamed(|_| Some(Renamed { name: "w".into(), rows }));
    let error = renamed.unwrap_err().to_string();
    assert!(error.contains("tensor `w`: `weight` is renamed to it"), "{error}");
    assert!(checkpoint.renamed(|_| None).unwrap().is_empty());
}
