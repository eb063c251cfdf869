//! Blocks of every kind, decoded by a plugin and by the interpreter.

use crate::CPU;
use hloom_graph::{BlockKind, DType, Spec, Tensor};
use hloom_runtime::{Buffer, Kernels};

#[test]
fn the_interpreter_has_the_values_of_the_plugin() {
    let mut random = fastrand::Rng::with_seed(1);
    for kind in BlockKind::all() {
        let spec = Spec::new(DType::Block(kind), [("out", 9), ("in", 2 * kind.block_len())]);
        let mut bytes: Vec<u8> = (0..spec.shape().byte_size()).map(|_| random.u8(..)).collect();
        if kind == BlockKind::Q8_K {
            // Plugins flush products with subnormal scales in `f32` to zero.
            bytes.chunks_exact_mut(kind.block_bytes()).for_each(|block| block[3] |= 1);
        }
        let weight = Buffer::from_bytes(&*CPU, spec.shape(), &bytes).unwrap();
        let values = |w: Tensor| w.dequantize(DType::F32);
        let compiler = CPU.compiler().kernels(Kernels::off()).keep_graph(true);
        let exe = compiler.compile(values, (spec,)).unwrap();
        let found: Vec<f32> = exe.call((&weight,)).unwrap().to_vec().unwrap();
        let expected: Vec<f32> = exe.interpret((&weight,)).unwrap().to_vec().unwrap();
        for (at, (x, y)) in found.iter().zip(&expected).enumerate() {
            let is_same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            assert!(is_same, "{kind}, value {at}: {x:e}, interpreted {y:e}");
        }
        assert_eq!(found.len(), expected.len());
    }
}
