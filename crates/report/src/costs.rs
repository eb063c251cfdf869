//! Costs of the instructions that do work.

use crate::{CompiledKernels, memory::Analysis, program::ModuleGraph};

/// The cost of an instruction.
pub(crate) struct Cost {
    pub node: usize,
    /// Its kind, such as `fusion kLoop`, by which the chart of ops sums costs.
    pub kind: String,
    /// Arithmetic operations of all iterations, where they are known.
    pub flops: Option<u64>,
    /// Bytes of all iterations.
    pub bytes: u64,
    /// The number of times that enclosing loops run it, as far as that is known.
    pub times: u64,
}

/// The costs of all kernels, in their order.
pub(crate) fn of(
    program: &ModuleGraph<'_>,
    analysis: &Analysis,
    kernels: &CompiledKernels,
) -> Vec<Cost> {
    let times = |node: usize| {
        let mut times = 1u64;
        let mut body = program.nodes[node].body;
        // A computation has one caller here, so the chain of callers ends with the entry.
        while let Some(caller) = analysis.callers[body] {
            times = times.saturating_mul(program.iterations(caller).unwrap_or(1));
            body = program.nodes[caller].body;
        }
        times
    };
    let cost = |kernel: &hloom_pjrt::CompiledKernel| {
        let node = program.node(kernel.id)?;
        let times = times(node);
        Some(Cost {
            node,
            kind: match kernel.detail.as_str() {
                "" => kernel.opcode.clone(),
                detail => format!("{} {detail}", kernel.opcode),
            },
            flops: kernel.flops.map(|flops| flops.saturating_mul(times)),
            bytes: kernel.bytes.saturating_mul(times),
            times,
        })
    };
    kernels.iter().filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        example::{calling, instruction, module},
        hlo::Module,
        memory,
    };

    #[test]
    fn sums_are_those_of_the_kernels() {
        let mut module = module(vec![
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
        let of = |module: &Module| {
            let program = ModuleGraph::new(module);
            of(&program, &memory::of(&program), &CompiledKernels::of(module))
        };
        let costs = of(&module);
        let kinds: Vec<_> = costs.iter().map(|cost| (cost.kind.as_str(), cost.flops)).collect();
        let expected =
            [("fusion", Some(128)), ("custom-call", None), ("abs", Some(64)), ("add", Some(64))];
        assert_eq!(kinds, expected);
        assert_eq!(costs.iter().filter_map(|cost| cost.flops).sum::<u64>(), kernels.flops());
        let bytes: u64 = kernels.iter().map(|kernel| kernel.bytes).sum();
        assert_eq!(costs.iter().map(|cost| cost.bytes).sum::<u64>(), bytes);

        let config = r#"{"known_trip_count":{"n":"6"}}"#;
        module.computations[0].instructions[3].backend_config = config.into();
        let costs = of(&module);
        let times: Vec<_> = costs.iter().map(|cost| (cost.times, cost.flops)).collect();
        let expected = [(1, Some(128)), (1, None), (6, Some(6 * 64)), (1, Some(64))];
        assert_eq!(times, expected, "the loop runs six times");
        for wrong in ["", "{", r#"{"known_trip_count":6}"#, r#"{"known_trip_count":{"n":"x"}}"#] {
            module.computations[0].instructions[3].backend_config = wrong.into();
            assert!(of(&module).iter().all(|cost| cost.times == 1), "{wrong}");
        }
    }
}
