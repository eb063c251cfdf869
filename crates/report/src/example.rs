//! Small modules for tests.

use crate::hlo::{Computation, Instruction, Metadata, Module, Shape};

/// `xla.PrimitiveType`.
const F32: i32 = 11;
const TUPLE: i32 = 13;

/// An array of `f32`.
pub fn array(dimensions: &[i64]) -> Shape {
    let mut shape = Shape::default();
    shape.element_type = F32;
    shape.dimensions = dimensions.to_vec();
    shape
}

/// A tuple of arrays.
pub fn tuple(parts: &[&[i64]]) -> Shape {
    let mut shape = Shape::default();
    shape.element_type = TUPLE;
    shape.parts = parts.iter().map(|part| array(part)).collect();
    shape
}

/// An instruction whose name is its opcode and id.
pub fn instruction(id: i64, opcode: &str, dims: &[i64], operands: &[i64]) -> Instruction {
    let mut one = Instruction::default();
    one.name = format!("{opcode}.{id}");
    one.opcode = opcode.to_owned();
    one.shape = Some(array(dims));
    one.id = id;
    one.operands = operands.to_vec();
    one
}

/// Computations with ids from 1, the first being the entry.
pub fn module(computations: Vec<Vec<Instruction>>) -> Module {
    let mut module = Module::default();
    module.name = "example".to_owned();
    module.entry_computation_id = 1;
    for (instructions, id) in computations.into_iter().zip(1..) {
        let mut one = Computation::default();
        one.name = format!("computation.{id}");
        one.root_id = instructions.last().map_or(0, |last| last.id);
        one.instructions = instructions;
        one.id = id;
        module.computations.push(one);
    }
    module
}

/// With another shape.
pub fn shaped(mut one: Instruction, shape: Shape) -> Instruction {
    one.shape = Some(shape);
    one
}

/// With the computations that it calls.
pub fn calling(mut one: Instruction, called: &[i64]) -> Instruction {
    one.called = called.to_vec();
    one
}

/// With the index of `get-tuple-element` and the number of a parameter.
pub fn numbered(mut one: Instruction, number: i64) -> Instruction {
    one.tuple_index = number;
    one.parameter_number = number;
    one
}

/// With the name of an op.
pub fn named(mut one: Instruction, op_name: &str) -> Instruction {
    one.metadata.get_or_insert_with(Metadata::default).op_name = op_name.to_owned();
    one
}

/// With a source line.
pub fn at(mut one: Instruction, file: &str, line: i32) -> Instruction {
    let metadata = one.metadata.get_or_insert_with(Metadata::default);
    metadata.source_file = file.to_owned();
    metadata.source_line = line;
    one
}
