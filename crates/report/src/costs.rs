//! Costs of the instructions that do work.

use crate::CompiledKernels;
use crate::program::Program;

/// The cost of an instruction.
pub(crate) struct Cost {
    pub node: usize,
    /// Its kind, such as `fusion kLoop`: what the chart of ops adds up.
    pub kind: String,
    /// Arithmetic operations, where they are known.
    pub flops: Option<u64>,
    pub bytes: u64,
}

/// The costs of all kernels, in their order.
pub(crate) fn of(program: &Program<'_>, kernels: &CompiledKernels) -> Vec<Cost> {
    let cost = |kernel: &hloom_pjrt::CompiledKernel| {
        Some(Cost {
            node: program.node(kernel.id)?,
            kind: match kernel.detail.as_str() {
                "" => kernel.opcode.clone(),
                detail => format!("{} {detail}", kernel.opcode),
            },
            flops: kernel.flops,
            bytes: kernel.bytes,
        })
    };
    kernels.iter().filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{calling, instruction, module};

    #[test]
    fn sums_are_those_of_the_kernels() {
        let module = module(vec![
            vec![
                instruction(1, "parameter", &[64], &[]),
                calling(instruction(2, "fusion", &[64], &[1]), &[2]),
                instruction(3, "custom-call", &[64], &[2]),
                calling(instruction(4, "while", &[64], &[3]), &[3]),
                instruction(5, "add", &[64], &[4, 2]),
            ],
            vec![
                instruction(6, "parameter", &[64], &[]),
                instruction(7, "sine", &[64], &[6]),
                instruction(8, "multiply", &[64], &[7, 7]),
            ],
            vec![instruction(9, "parameter", &[64], &[]), instruction(10, "abs", &[64], &[9])],
        ]);
        let kernels = CompiledKernels::of(&module);
        let costs = of(&Program::new(&module), &kernels);
        let kinds: Vec<_> = costs.iter().map(|cost| (cost.kind.as_str(), cost.flops)).collect();
        let expected =
            [("fusion", Some(128)), ("custom-call", None), ("abs", Some(64)), ("add", Some(64))];
        assert_eq!(kinds, expected);
        assert_eq!(costs.iter().filter_map(|cost| cost.flops).sum::<u64>(), kernels.flops());
        let bytes: u64 = kernels.iter().map(|kernel| kernel.bytes).sum();
        assert_eq!(costs.iter().map(|cost| cost.bytes).sum::<u64>(), bytes);
    }
}
