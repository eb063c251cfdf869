//! A module with its instructions numbered, in the order of execution, and linked.

use crate::hlo::{Computation, Instruction, Metadata, Module};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// The instructions of a module, those of one computation after those of another.
///
/// References to missing instructions and computations are left out, so that any module can be
/// read.
pub(crate) struct ModuleGraph<'a> {
    pub module: &'a Module,
    pub bodies: Vec<Body<'a>>,
    pub nodes: Vec<Node<'a>>,
    /// The index of the entry computation.
    pub entry: usize,
    by_id: HashMap<i64, usize>,
}

/// A computation.
pub(crate) struct Body<'a> {
    pub name: &'a str,
    /// Its instructions.
    pub nodes: Range<usize>,
    /// The instruction whose value is the result.
    pub root: Option<usize>,
}

/// An instruction.
pub(crate) struct Node<'a> {
    pub instruction: &'a Instruction,
    /// The index of its computation.
    pub body: usize,
    /// The instructions of its operands, in the same computation.
    pub operands: Vec<usize>,
    /// The last of the instructions that use its value.
    pub last_user: Option<usize>,
    /// The computations that it calls.
    pub called: Vec<usize>,
}

impl Node<'_> {
    pub fn opcode(&self) -> &str {
        &self.instruction.opcode
    }

    /// Its bytes; those of a tuple together.
    pub fn bytes(&self) -> u64 {
        self.instruction.shape.as_ref().map_or(0, crate::hlo::Shape::bytes)
    }
}

impl<'a> ModuleGraph<'a> {
    pub fn new(module: &'a Module) -> Self {
        let mut program =
            Self { module, bodies: Vec::new(), nodes: Vec::new(), entry: 0, by_id: HashMap::new() };
        let mut bodies = HashMap::new();
        for computation in &module.computations {
            bodies.insert(computation.id, program.bodies.len());
            program.add(computation);
        }
        program.entry = bodies.get(&module.entry_computation_id).copied().unwrap_or(0);
        for node in 0..program.nodes.len() {
            program.link(node, &bodies);
        }
        program
    }

    fn add(&mut self, computation: &'a Computation) {
        let (body, start) = (self.bodies.len(), self.nodes.len());
        for instruction in order(self.module, computation) {
            self.by_id.insert(instruction.id, self.nodes.len());
            self.nodes.push(Node {
                instruction,
                body,
                operands: Vec::new(),
                last_user: None,
                called: Vec::new(),
            });
        }
        let nodes = start..self.nodes.len();
        let root = self.by_id.get(&computation.root_id).copied();
        // Without a root, the last instruction is the result.
        let root = root.filter(|root| nodes.contains(root)).or(nodes.clone().next_back());
        self.bodies.push(Body { name: &computation.name, nodes, root });
    }

    fn link(&mut self, node: usize, bodies: &HashMap<i64, usize>) {
        let Node { instruction, body, .. } = self.nodes[node];
        let operands: Vec<_> = instruction
            .operands
            .iter()
            .filter_map(|&id| self.node(id))
            .filter(|&operand| self.nodes[operand].body == body)
            .collect();
        for &operand in &operands {
            let last = &mut self.nodes[operand].last_user;
            *last = (*last).max(Some(node));
        }
        self.nodes[node].operands = operands;
        self.nodes[node].called =
            instruction.called.iter().filter_map(|id| bodies.get(id).copied()).collect();
    }

    /// The metadata of an instruction. For a fusion without it, that of the last of the
    /// fused instructions that has it.
    pub fn metadata<T>(&self, node: usize, part: impl Fn(&'a Metadata) -> Option<T>) -> Option<T> {
        let of = |node: usize| self.nodes[node].instruction.metadata.as_ref().and_then(&part);
        let fused = || {
            let body = self.nodes[node].called.first()?;
            self.bodies[*body].nodes.clone().rev().find_map(of)
        };
        of(node).or_else(|| if self.nodes[node].opcode() == "fusion" { fused() } else { None })
    }

    /// The iterations of a loop, where the compiler has counted them.
    pub fn iterations(&self, node: usize) -> Option<u64> {
        let one = self.nodes[node].instruction;
        let is_loop = one.opcode == "while" && !one.backend_config.is_empty();
        is_loop.then_some(())?;
        let config: Value = serde_json::from_slice(&one.backend_config).ok()?;
        config.get("known_trip_count")?.get("n")?.as_str()?.parse().ok()
    }

    /// The instruction with this id.
    pub fn node(&self, id: i64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }
}

/// The instructions of a computation in the order of the schedule, if it has all of them.
fn order<'a>(module: &'a Module, computation: &'a Computation) -> Vec<&'a Instruction> {
    let given = || computation.instructions.iter().collect();
    let schedule = module.schedule.as_ref().and_then(|all| all.sequences.get(&computation.id));
    let Some(ids) = schedule.map(|sequence| &sequence.instructions) else {
        return given();
    };
    let by_id: HashMap<_, _> =
        computation.instructions.iter().map(|instruction| (instruction.id, instruction)).collect();
    let mut seen = HashSet::new();
    let known = ids.iter().filter(|id| seen.insert(**id)).filter_map(|id| by_id.get(id).copied());
    let ordered: Vec<_> = known.collect();
    if ordered.len() == computation.instructions.len() { ordered } else { given() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        example::{instruction, module},
        hlo::{Schedule, Sequence},
    };

    #[test]
    fn instructions_are_in_the_order_of_a_complete_schedule() {
        let mut module = module(vec![vec![
            instruction(1, "parameter", &[4], &[]),
            instruction(2, "abs", &[4], &[1]),
            instruction(3, "negate", &[4], &[1, 99]),
            instruction(4, "add", &[4], &[2, 3]),
        ]]);
        let ids = |module: &Module| -> Vec<_> {
            ModuleGraph::new(module).nodes.iter().map(|node| node.instruction.id).collect()
        };
        let schedule = |ids: &[i64]| {
            let (mut all, mut one) = (Schedule::default(), Sequence::default());
            one.instructions = ids.to_vec();
            all.sequences.insert(1, one);
            Some(all)
        };
        assert_eq!(ids(&module), [1, 2, 3, 4]);
        module.schedule = schedule(&[1, 3, 2, 4]);
        assert_eq!(ids(&module), [1, 3, 2, 4]);
        for wrong in [&[1, 3, 2][..], &[1, 2, 2, 3], &[1, 2, 3, 9]] {
            module.schedule = schedule(wrong);
            assert_eq!(ids(&module), [1, 2, 3, 4], "{wrong:?}");
        }
        let program = ModuleGraph::new(&module);
        assert_eq!(program.nodes[2].operands, [0], "an operand that does not exist is left out");
        assert_eq!(program.nodes[0].last_user, Some(2));
        assert_eq!(program.bodies[0].root, Some(3));
    }
}
