//! Optimized programs in which many instructions share what has to be counted: the list of kernels
//! takes time that grows with the program's length.

use hloom_pjrt::{
    CompiledKernels,
    hlo::{Computation, Instruction, Module, Shape},
};
use std::time::{Duration, Instant};

/// `xla.PrimitiveType::F32`.
const F32: i32 = 11;

fn shape(dimensions: &[i64]) -> Shape {
    let mut shape = Shape::default();
    (shape.element_type, shape.dimensions) = (F32, dimensions.to_vec());
    shape
}

fn instruction(id: i64, opcode: &str, operands: &[i64], called: &[i64]) -> Instruction {
    let mut one = Instruction::default();
    (one.id, one.opcode, one.shape) = (id, opcode.into(), Some(shape(&[2, 3])));
    (one.name, one.operands, one.called) = (format!("i{id}"), operands.into(), called.into());
    one
}

fn computation(id: i64, name: &str, instructions: Vec<Instruction>) -> Computation {
    let mut one = Computation::default();
    (one.id, one.name, one.instructions) = (id, name.into(), instructions);
    one
}

/// The kernels of a module whose entry is the computation 1.
fn kernels(computations: Vec<Computation>) -> CompiledKernels {
    let mut module = Module::default();
    (module.computations, module.entry_computation_id) = (computations, 1);
    let begin = Instant::now();
    let kernels = CompiledKernels::of(&module);
    let text = kernels.to_string();
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert!(text.len() < 64 << 20, "the table takes {} bytes", text.len());
    kernels
}

#[test]
fn a_computation_that_many_fusions_call_is_counted_once() {
    let (fusions, size) = (20_000, 20_000);
    let body = (0..size).map(|i| instruction(1_000_000 + i, "add", &[], &[])).collect();
    let entry = (0..fusions).map(|i| instruction(i, "fusion", &[], &[2])).collect();
    let kernels = kernels(vec![computation(2, "body", body), computation(1, "entry", entry)]);
    assert_eq!(kernels.len(), fusions as usize);
    assert!(kernels.iter().all(|kernel| kernel.flops == Some(6 * size as u64)));
}

#[test]
fn a_chain_of_fusions_is_counted_once() {
    let count = 20_000;
    let mut computations: Vec<_> = (2..count)
        .map(|id| {
            let inner = [id + 1].into_iter().filter(|&next| next < count);
            let called: Vec<i64> = inner.collect();
            let body = vec![
                instruction(2 * id, "fusion", &[], &called),
                instruction(2 * id + 1, "add", &[], &[]),
            ];
            computation(id, "body", body)
        })
        .collect();
    let entry = (2..count).map(|id| instruction(10_000_000 + id, "fusion", &[], &[id])).collect();
    computations.push(computation(1, "entry", entry));
    let kernels = kernels(computations);
    assert_eq!(kernels[0].flops, Some(6 * (count - 2) as u64));
    assert_eq!(kernels.last().unwrap().flops, Some(6));
}

#[test]
fn a_tuple_and_names_that_many_instructions_share_cost_little() {
    let mut tuple = instruction(0, "tuple", &[], &[]);
    let mut parts = Shape::default();
    parts.parts = vec![shape(&[1]); 20_000];
    tuple.shape = Some(parts);
    let mut instructions: Vec<_> =
        (1..20_000).map(|id| instruction(id, "reduce", &[0], &[])).collect();
    instructions.push(tuple);
    instructions[0].name = "n".repeat(1 << 20);
    let kernels = kernels(vec![computation(1, &"c".repeat(1 << 20), instructions)]);
    assert_eq!(kernels.len(), 19_999);
    assert!(kernels.iter().all(|kernel| kernel.bytes == 4 * 20_000 + 24));
    assert!(kernels.iter().all(|kernel| kernel.computation.len() <= 1024));
}
