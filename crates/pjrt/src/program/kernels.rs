//! The kernels of a compiled program, from its optimized form.

use crate::{
    Executable, Result,
    hlo::{Computation, Instruction, Module, Shape},
    program::costs,
};
use std::{
    collections::{HashMap, HashSet},
    fmt,
};

/// The kernels of a compiled program, in the order of the optimized program.
///
/// Printed as a table: each kernel's kind, name, result, operations, bytes and source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledKernels {
    kernels: Vec<CompiledKernel>,
}

/// A piece of work of a compiled program: a fusion, or an instruction that was not fused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompiledKernel {
    /// The id of its instruction in the optimized program.
    pub id: i64,
    /// Its name in the optimized program, such as `add_multiply_fusion`.
    pub name: String,
    /// The instruction: `fusion`, `dot`, `custom-call` and so on.
    pub opcode: String,
    /// The kind of a fusion (`kLoop`, `kOutput`), or the target of a custom call; else empty.
    pub detail: String,
    /// The computation that contains it: the body of a loop, for instance.
    pub computation: String,
    /// Type and dimensions of the result, as in `f32[8,4]`.
    pub shape: String,
    /// Arithmetic operations of one run, those inside a fusion included: an estimate. `None` where
    /// it cannot be made, as for custom calls.
    pub flops: Option<u64>,
    /// Bytes of the operands and of the result.
    pub bytes: u64,
    /// The name of the op that it was made from; may be empty.
    pub op: String,
    /// File and line of that op, where the program has them.
    pub source: Option<(String, u32)>,
}

impl Executable {
    /// Kernels of the program: its fusions, and the instructions that were not fused, those in the
    /// bodies of loops, branches and calls included, each once. What costs nothing, such as
    /// parameters and constants, is left out.
    ///
    /// # Errors
    /// The plugin does not return the optimized program, or not in the form of HLO.
    pub fn kernels(&self) -> Result<CompiledKernels> {
        Ok(CompiledKernels::of(&self.hlo_module()?))
    }
}

impl CompiledKernels {
    /// The kernels of an optimized program, as [`Executable::kernels`] lists them.
    pub fn of(module: &Module) -> Self {
        Self { kernels: Reader::new(module).kernels(module.entry_computation_id) }
    }

    /// Arithmetic operations of all kernels whose number is known, each counted once.
    pub fn flops(&self) -> u64 {
        let known = self.kernels.iter().filter_map(|kernel| kernel.flops);
        known.fold(0, u64::saturating_add)
    }
}

impl std::ops::Deref for CompiledKernels {
    type Target = [CompiledKernel];

    fn deref(&self) -> &[CompiledKernel] {
        &self.kernels
    }
}

/// They have no code of their own.
const FREE: [&str; 15] = [
    "after-all",
    "all-gather-done",
    "all-reduce-done",
    "bitcast",
    "collective-permute-done",
    "constant",
    "copy-done",
    "get-tuple-element",
    "opt-barrier",
    "parameter",
    "partition-id",
    "recv-done",
    "replica-id",
    "tuple",
    "async-done",
];

/// Their results contain their operands, which are not written.
const WITH_OPERANDS: [&str; 3] = ["all-gather-start", "collective-permute-start", "copy-start"];

/// Their computations' instructions are kernels.
const CONTROL: [&str; 5] = ["while", "conditional", "call", "async-start", "async-update"];

/// The length limit, in bytes, of the name of a computation or a source file: all kernels may share
/// one.
const MAX_NAME: usize = 1 << 10;

/// The rank limit of operands whose elements are counted.
const MAX_RANK: usize = 1 << 8;

/// The width limit of a column of the table; a longer cell moves the rest of its row.
const MAX_WIDTH: usize = 200;

/// Reads kernels from a module, with work in proportion to its size: many instructions may share an
/// operand or a computation, whose costs are computed once.
struct Reader<'a> {
    module: &'a Module,
    computations: HashMap<i64, &'a Computation>,
    instructions: HashMap<i64, &'a Instruction>,
    /// The bytes of the results of instructions, by id.
    bytes: HashMap<i64, u64>,
    /// The operations of computations that fusions call, by id.
    flops: HashMap<i64, Option<u64>>,
}

impl<'a> Reader<'a> {
    fn new(module: &'a Module) -> Self {
        let all = module.computations.iter();
        let instructions: HashMap<_, _> = all
            .clone()
            .flat_map(|computation| &computation.instructions)
            .map(|instruction| (instruction.id, instruction))
            .collect();
        let bytes = |(&id, instruction): (&i64, &&Instruction)| {
            Some((id, instruction.shape.as_ref()?.bytes()))
        };
        let mut reader = Self {
            module,
            computations: all.map(|computation| (computation.id, computation)).collect(),
            bytes: instructions.iter().filter_map(bytes).collect(),
            instructions,
            flops: HashMap::new(),
        };
        reader.count_fusions();
        reader
    }

    /// Counts the operations of all computations that fusions call.
    fn count_fusions(&mut self) {
        let all = self.module.computations.iter().flat_map(|body| &body.instructions);
        let called = all.filter(|instruction| instruction.opcode == "fusion");
        let called: Vec<i64> = called.flat_map(|fusion| fusion.called.iter().copied()).collect();
        let mut begun = HashSet::new();
        for id in called {
            // Those to be counted, the innermost last; the second time after all that it calls.
            let mut open = vec![(id, false)];
            while let Some((id, is_last)) = open.pop() {
                let Some(&body) = self.computations.get(&id) else { continue };
                if is_last {
                    let mut flops = body.instructions.iter().map(|each| self.flops(each));
                    let flops = flops.try_fold(0u64, |sum, flops| Some(sum.saturating_add(flops?)));
                    self.flops.insert(id, flops);
                } else if begun.insert(id) {
                    open.push((id, true));
                    let inner = body.instructions.iter().filter(|each| each.opcode == "fusion");
                    let inner = inner.flat_map(|fusion| &fusion.called);
                    open.extend(inner.map(|&id| (id, false)));
                }
            }
        }
    }

    fn kernels(&self, entry: i64) -> Vec<CompiledKernel> {
        let (mut kernels, mut seen) = (Vec::new(), HashSet::from([entry]));
        let body = |id| self.computations.get(&id).map(|&body| (body, body.instructions.iter()));
        // The computations that are being read, the innermost last.
        let mut open: Vec<_> = body(entry).into_iter().collect();
        while let Some((computation, rest)) = open.last_mut() {
            match rest.next() {
                None => drop(open.pop()),
                Some(instruction) if CONTROL.contains(&instruction.opcode.as_str()) => {
                    let called = instruction.called.iter().rev();
                    open.extend(called.filter(|id| seen.insert(**id)).filter_map(|&id| body(id)));
                }
                Some(instruction) if FREE.contains(&instruction.opcode.as_str()) => {}
                Some(instruction) => kernels.push(self.kernel(computation, instruction)),
            }
        }
        kernels
    }

    fn kernel(&self, computation: &Computation, instruction: &Instruction) -> CompiledKernel {
        let read = instruction.operands.iter().filter_map(|id| self.bytes.get(id));
        let read = read.fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
        let result = instruction.shape.as_ref().map_or(0, Shape::bytes);
        let written = if WITH_OPERANDS.contains(&instruction.opcode.as_str()) {
            result.saturating_sub(read)
        } else {
            result
        };
        let metadata = instruction.metadata.as_ref();
        CompiledKernel {
            id: instruction.id,
            name: instruction.name.clone(),
            opcode: instruction.opcode.clone(),
            detail: format!("{}{}", instruction.fusion_kind, instruction.custom_call_target),
            computation: start(&computation.name).to_owned(),
            shape: instruction.shape.as_ref().map(Shape::text).unwrap_or_default(),
            flops: self.flops(instruction),
            bytes: read.saturating_add(written),
            op: metadata.map(|data| data.op_name.clone()).unwrap_or_default(),
            source: metadata
                .and_then(|data| self.module.source(data))
                .map(|(file, line)| (start(file).to_owned(), line)),
        }
    }

    /// The shapes of the operands. Tuples, with which nothing computes, and shapes of absurd rank are
    /// replaced by scalars.
    fn operands(&self, instruction: &Instruction) -> Vec<&'a Shape> {
        const SCALAR: &Shape =
            &Shape { element_type: 0, dimensions: Vec::new(), parts: Vec::new() };
        let is_array = |shape: &Shape| shape.parts.is_empty() && shape.dimensions.len() <= MAX_RANK;
        let shape = |id| self.instructions.get(id).and_then(|operand| operand.shape.as_ref());
        let shapes = instruction.operands.iter().filter_map(shape);
        shapes.map(|shape| if is_array(shape) { shape } else { SCALAR }).collect()
    }

    /// The operations of an instruction and, for a fusion, of what it fuses. Computations that call
    /// themselves, which no compiler writes, count nothing where they do.
    fn flops(&self, instruction: &Instruction) -> Option<u64> {
        let mut sum = costs::flops(instruction, &self.operands(instruction))?;
        if instruction.opcode == "fusion" {
            let mut seen = HashSet::new();
            for id in instruction.called.iter().filter(|id| seen.insert(**id)) {
                sum = sum.saturating_add(self.flops.get(id).copied().unwrap_or(Some(0))?);
            }
        }
        Some(sum)
    }
}

/// The start of a name that many kernels may share.
fn start(name: &str) -> &str {
    let mut ends = (0..=name.len().min(MAX_NAME)).rev();
    &name[..ends.find(|&end| name.is_char_boundary(end)).unwrap_or(0)]
}

impl fmt::Display for CompiledKernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["kind", "name", "result", "flops", "bytes", "source"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(head).chain(self.iter().map(row)).collect();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count().min(MAX_WIDTH)).max();
        let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or(0));
        for row in &rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Numbers end in one column.
                let cell = match column {
                    3 | 4 => format!("{cell:>width$}  "),
                    _ => format!("{cell:<width$}  "),
                };
                line.push_str(&cell);
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        write!(f, "{} kernels", self.len())
    }
}

/// A kernel's cells.
fn row(kernel: &CompiledKernel) -> [String; 6] {
    let kind = match kernel.detail.as_str() {
        "" => kernel.opcode.clone(),
        detail => format!("{} {detail}", kernel.opcode),
    };
    let source = match &kernel.source {
        // The modules of the op, where the program names them.
        Some((file, line)) if kernel.op.contains('/') => {
            format!("{} {file}:{line}", start(&kernel.op))
        }
        Some((file, line)) => format!("{file}:{line}"),
        None => kernel.op.clone(),
    };
    let flops = kernel.flops.map_or("?".to_owned(), |flops| flops.to_string());
    [kind, kernel.name.clone(), kernel.shape.clone(), flops, kernel.bytes.to_string(), source]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::{Convolution, Metadata, StackFrames};

    fn shape(dimensions: &[i64]) -> Option<Shape> {
        // `xla.PrimitiveType::F32`.
        Some(Shape { element_type: 11, dimensions: dimensions.to_vec(), parts: vec![] })
    }

    fn instruction(id: i64, opcode: &str, dims: &[i64], operands: &[i64]) -> Instruction {
        Instruction {
            name: format!("{opcode}.{id}"),
            opcode: opcode.to_owned(),
            shape: shape(dims),
            id,
            operands: operands.to_vec(),
            ..Instruction::default()
        }
    }

    fn list(computations: Vec<Vec<Instruction>>) -> Vec<CompiledKernel> {
        let computations =
            computations.into_iter().zip(1..).map(|(instructions, id)| Computation {
                name: format!("computation.{id}"),
                instructions,
                id,
                ..Computation::default()
            });
        let module = Module {
            computations: computations.collect(),
            entry_computation_id: 1,
            stack_frames: Some(StackFrames::default()),
            ..Module::default()
        };
        Reader::new(&module).kernels(1)
    }

    #[test]
    fn costs_of_instructions_are_those_of_their_definitions() {
        let mut convolution = instruction(3, "convolution", &[1, 6, 6, 16], &[1, 2]);
        convolution.convolution = Some(Convolution { kernel_output_feature: 3 });
        let mut fft = instruction(4, "fft", &[4, 8], &[6]);
        fft.fft_length = vec![8];
        let kernels = list(vec![vec![
            instruction(1, "parameter", &[1, 8, 8, 3], &[]),
            instruction(2, "parameter", &[3, 3, 3, 16], &[]),
            instruction(6, "parameter", &[4, 8], &[]),
            convolution,
            fft,
            instruction(5, "reduce", &[8], &[6]),
            instruction(7, "transpose", &[8, 4], &[6]),
            instruction(8, "no-such-opcode", &[], &[6]),
        ]]);
        let found: Vec<_> = kernels.iter().map(|kernel| kernel.flops).collect();
        // 16 * 36 results of 3 * 3 * 3 products; 5 n log2 n for each of the 4 transforms.
        let convolution = 2 * (16 * 36) * (3 * 3 * 3);
        let expected = [Some(convolution), Some(4 * 5 * 8 * 3), Some(24), Some(0), None];
        assert_eq!(found, expected);
        assert_eq!(kernels[0].bytes, 4 * (8 * 8 * 3 + 9 * 3 * 16 + 36 * 16));
    }

    #[test]
    fn transfers_in_two_parts_count_once() {
        let mut start = instruction(2, "copy-start", &[], &[1]);
        let parts = [shape(&[8]), shape(&[8]), shape(&[])].into_iter().flatten().collect();
        start.shape = Some(Shape { parts, ..Shape::default() });
        let kernels = list(vec![vec![
            instruction(1, "parameter", &[8], &[]),
            start,
            instruction(3, "copy-done", &[8], &[2]),
        ]]);
        let costs: Vec<_> = kernels.iter().map(|kernel| (&*kernel.opcode, kernel.bytes)).collect();
        // Eight elements read and written, and one that identifies the transfer.
        assert_eq!(costs, [("copy-start", 4 * (8 + 8 + 1))]);
    }

    #[test]
    fn modules_that_make_no_sense_are_listed_without_harm() {
        assert_eq!(list(vec![]), []);
        let calls = |id, opcode: &str, called: &[i64]| Instruction {
            called: called.to_vec(),
            ..instruction(id, opcode, &[i64::MAX, i64::MAX, -1], &[id, 99])
        };
        let huge = Instruction {
            metadata: Some(Metadata { stack_frame_id: 7, ..Metadata::default() }),
            ..instruction(4, "add", &[i64::MAX, 4], &[4, 4])
        };
        let kernels = list(vec![
            vec![calls(1, "call", &[1, 2, 2, 9]), calls(2, "fusion", &[1, 3, 77]), huge],
            vec![calls(3, "while", &[1, 2]), calls(5, "dot", &[]), calls(6, "convolution", &[])],
            vec![calls(7, "fusion", &[3])],
        ]);
        let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["dot.5", "convolution.6", "fusion.2", "add.4"]);
        assert_eq!((kernels[0].flops, kernels[1].flops), (None, None));
        let add = &kernels[3];
        assert_eq!((add.flops, add.bytes, &add.source), (Some(u64::MAX), u64::MAX, &None));
        let empty = CompiledKernels { kernels: vec![] };
        assert_eq!(empty.to_string(), "kind  name  result  flops  bytes  source\n0 kernels");
    }
}
