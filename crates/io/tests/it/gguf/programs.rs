//! Programs on blocks of every kind by ops on their bytes, which compute with the values that files
//! are dequantised to.

use hloom_graph::{BlockKind, DType, Spec, Tensor};
use hloom_io::{
    Checkpoint,
    gguf::{Gguf, GgufType, dequantize},
};
use hloom_runtime::{Buffer, Kernels};
use hloom_test_support::CPU;
use std::path::Path;

/// Random bytes below a limit.
fn random(count: usize, limit: u32) -> Vec<u8> {
    let mut state = count as u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) % limit) as u8
    };
    (0..count).map(|_| byte()).collect()
}

fn kind_of(blocks: BlockKind) -> GgufType {
    GgufType::from_dtype(DType::Block(blocks)).unwrap()
}

/// The values of blocks, one in a row, as a program has them.
fn decoded(blocks: BlockKind, bytes: &[u8], kernels: Kernels) -> Vec<f32> {
    let rows = bytes.len() / blocks.block_bytes();
    let spec = Spec::new(DType::Block(blocks), [("row", rows), ("in", blocks.block_len())]);
    let weight = Buffer::from_bytes(&*CPU, spec.shape(), bytes).unwrap();
    let values = |w: Tensor| w.dequantize(DType::F32);
    let exe = CPU.compiler().kernels(kernels).compile(values, (spec,)).unwrap();
    let values: Buffer = exe.call((&weight,)).unwrap();
    values.to_vec().unwrap()
}

#[track_caller]
fn same(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (x, y)) in found.iter().zip(expected).enumerate() {
        let is_same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        assert!(is_same, "{what}, value {at}: {x:e}, expected {y:e}");
    }
}

#[test]
fn values_are_those_of_the_reference_bit_for_bit() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/gguf");
    let file = Gguf::open(fixtures.join("blocks.gguf")).unwrap();
    let values = Checkpoint::open(fixtures.join("values.safetensors")).unwrap();
    for tensor in file.tensors() {
        let Some(blocks) = tensor.kind().dtype().block() else { continue };
        let expected = values.get(&format!("blocks.{}", tensor.name())).unwrap();
        let expected: Vec<f32> = expected.to_vec().unwrap();
        let bytes = tensor.bytes().unwrap();
        for kernels in [Kernels::off(), Kernels::default()] {
            same(&decoded(blocks, &bytes, kernels), &expected, tensor.name());
        }
    }
}

#[test]
fn values_of_random_bytes_are_those_of_files_bit_for_bit() {
    for blocks in BlockKind::all() {
        let size = blocks.block_bytes();
        let mut bytes = random(600 * size, 256);
        bytes.extend([vec![0; size], vec![255; size]].concat());
        if blocks == BlockKind::Q8_K {
            // Devices flush products with subnormal scales in `f32` to zero.
            bytes.chunks_exact_mut(size).for_each(|block| block[3] |= 1);
        }
        let expected = dequantize(kind_of(blocks), &bytes).unwrap();
        same(&decoded(blocks, &bytes, Kernels::off()), &expected, blocks.name());
    }
}

#[test]
fn products_are_those_of_the_values() {
    let all = BlockKind::all().map(|blocks| (blocks, 5));
    // Weights of several panels, which a loop decodes.
    let large = [BlockKind::Q4_K, BlockKind::TQ1_0, BlockKind::IQ2_XS].map(|kind| (kind, 4099));
    for (blocks, rows) in all.chain(large) {
        let k = blocks.block_len();
        // Scales that are numbers.
        let bytes = random(rows * blocks.block_bytes(), 60);
        let values = dequantize(kind_of(blocks), &bytes).unwrap();
        let columns = [0, k / 2 + 1, k - 1];
        let mut x = vec![0f32; columns.len() * k];
        columns.iter().enumerate().for_each(|(row, column)| x[row * k + column] = 1.0);
        let specs = (
            Spec::f32([("row", columns.len()), ("in", k)]),
            Spec::new(DType::Block(blocks), [("out", rows), ("in", k)]),
        );
        let weight = Buffer::from_bytes(&*CPU, specs.1.shape(), &bytes).unwrap();
        let product = |x: Tensor, w: Tensor| x.dot(w, "in");
        let exe = CPU.compiler().kernels(Kernels::off()).compile(product, specs).unwrap();
        let x = Buffer::from_slice(&*CPU, &x, [columns.len(), k]).unwrap();
        let y: Vec<f32> = exe.call((&x, &weight)).unwrap().to_vec().unwrap();
        let expected = columns.iter().flat_map(|&column| values.iter().skip(column).step_by(k));
        for (found, expected) in y.iter().zip(expected) {
            // Subnormal products may be flushed to zero.
            let is_same = found == expected || (found - expected).abs() < f32::MIN_POSITIVE;
            assert!(is_same, "{blocks}, {rows} rows: {found:e}, expected {expected:e}");
        }
        assert_eq!(y.len(), columns.len() * rows);
    }
}
