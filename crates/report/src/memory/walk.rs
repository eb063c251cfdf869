//! The walk through a program in the order of execution.

use super::{
    Buffer, BufferKind, Memory,
    leaves::{count, leaves, range},
    shared::{Value, Values},
};
use crate::program::{ModuleGraph, Node};
use std::{collections::HashSet, rc::Rc};

/// Facts about a program's values.
pub(crate) struct Analysis {
    pub memory: Memory,
    /// The instruction of each step.
    pub steps: Vec<usize>,
    /// The step of each instruction that is a step.
    pub step_of: Vec<Option<usize>>,
    /// For each instruction, the entry parameters whose memory its value is in.
    pub parameters: Vec<Vec<usize>>,
    /// For each computation, the instruction that runs it; `None` for fused computations and for
    /// further calls.
    pub callers: Vec<Option<usize>>,
}

/// No-ops: not counted as steps.
const FREE: [&str; 11] = [
    "add-dependency",
    "after-all",
    "bitcast",
    "constant",
    "get-tuple-element",
    "opt-barrier",
    "parameter",
    "partition-id",
    "replica-id",
    "tuple",
    "domain",
];

/// Instructions whose computations are steps themselves.
const CONTROL: [&str; 4] = ["while", "conditional", "call", "async-start"];

/// Walks through the program.
pub(super) fn analyse(program: &ModuleGraph<'_>) -> Analysis {
    let mut walk = Walk {
        program,
        values: Values::default(),
        of_node: vec![None; program.nodes.len()],
        steps: Vec::new(),
        step_of: vec![None; program.nodes.len()],
        arguments: vec![None; program.bodies.len()],
        callers: vec![None; program.bodies.len()],
        seen: HashSet::from([program.entry]),
    };
    walk.run();
    walk.finish()
}

/// The remaining work, the next task last.
enum Task {
    Visit(usize),
    /// The computations of this instruction have been walked.
    Leave(usize),
}

/// The state of the walk so far.
pub(super) struct Walk<'p, 'a> {
    pub(super) program: &'p ModuleGraph<'a>,
    pub(super) values: Values,
    /// The values of an instruction's arrays.
    pub(super) of_node: Vec<Option<Rc<[usize]>>>,
    steps: Vec<usize>,
    step_of: Vec<Option<usize>>,
    /// The values of the parameters of a computation, once it is called.
    arguments: Vec<Option<Vec<Rc<[usize]>>>>,
    callers: Vec<Option<usize>>,
    seen: HashSet<usize>,
}

impl<'a> Walk<'_, 'a> {
    fn run(&mut self) {
        let mut tasks = self.visits(self.program.entry);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(node) => self.visit(node, &mut tasks),
                Task::Leave(node) => self.leave(node),
            }
        }
    }

    pub(super) fn node(&self, node: usize) -> &Node<'a> {
        &self.program.nodes[node]
    }

    fn visits(&self, body: usize) -> Vec<Task> {
        self.program.bodies[body].nodes.clone().rev().map(Task::Visit).collect()
    }

    fn visit(&mut self, node: usize, tasks: &mut Vec<Task>) {
        let Node { ref operands, ref called, .. } = self.program.nodes[node];
        if !FREE.contains(&self.node(node).opcode()) {
            self.step_of[node] = Some(self.steps.len());
            self.steps.push(node);
            for &operand in operands {
                self.use_until(operand, self.steps.len() - 1);
            }
        }
        let is_control = CONTROL.contains(&self.node(node).opcode());
        let is_new = called.iter().all(|body| !self.seen.contains(body));
        let distinct: HashSet<_> = called.iter().collect();
        if is_control && is_new && !called.is_empty() && distinct.len() == called.len() {
            self.enter(node, tasks);
        } else {
            self.of_node[node] = Some(self.derived(node).unwrap_or_else(|| self.fresh(node)));
        }
    }

    /// Passes the operands to the computations of an instruction, which are walked next.
    fn enter(&mut self, node: usize, tasks: &mut Vec<Task>) {
        let Node { ref operands, ref called, .. } = self.program.nodes[node];
        let is_while = self.node(node).opcode() == "while";
        let is_branch = self.node(node).opcode() == "conditional";
        let given: Vec<_> = operands.iter().map(|&operand| self.of_node[operand].clone()).collect();
        if is_while {
            // The loop's state is in the memory of its initial value.
            let state = given.first().cloned().flatten();
            let state = state.filter(|state| state.len() == self.count(node));
            self.of_node[node] = Some(state.unwrap_or_else(|| self.fresh(node)));
        }
        tasks.push(Task::Leave(node));
        // The body of a loop is named before its condition, and runs after it.
        let order: Vec<_> = if is_while {
            called.iter().copied().enumerate().collect()
        } else {
            called.iter().copied().enumerate().rev().collect()
        };
        for (index, body) in order {
            self.seen.insert(body);
            self.callers[body] = Some(node);
            let arguments = match () {
                () if is_while => vec![self.of_node[node].clone()],
                () if is_branch => vec![given.get(index + 1).cloned().flatten()],
                () => given.clone(),
            };
            self.arguments[body] =
                Some(arguments.into_iter().map(|one| one.unwrap_or_default()).collect());
            tasks.extend(self.visits(body));
        }
    }

    fn leave(&mut self, node: usize) {
        let Node { ref called, ref operands, .. } = self.program.nodes[node];
        let last = self.steps.len().saturating_sub(1);
        let roots: Vec<_> = called
            .iter()
            .filter_map(|&body| self.program.bodies[body].root)
            .filter_map(|root| self.of_node[root].clone())
            .collect();
        match self.node(node).opcode() {
            "while" => {
                let state = self.of_node[node].clone().unwrap_or_default();
                for &value in &*state {
                    // The next iteration reads the value again.
                    self.values.use_until(value, last);
                }
                for root in roots {
                    self.merge(&state, &root);
                }
            }
            "async-start" => {
                let passed = operands.iter().filter_map(|&operand| self.of_node[operand].clone());
                let mut all: Vec<_> = passed.flat_map(|values| values.to_vec()).collect();
                all.extend(roots.iter().take(1).flat_map(|root| root.to_vec()));
                let fresh = self.fresh(node);
                let known = all.len().min(fresh.len());
                all.truncate(known);
                all.extend_from_slice(&fresh[known..]);
                self.of_node[node] = Some(all.into());
            }
            _ => {
                let count = self.count(node);
                let mut fitting = roots.into_iter().filter(|root| root.len() == count);
                let first = fitting.next();
                for other in fitting {
                    if let Some(first) = &first {
                        self.merge(first, &other);
                    }
                }
                self.of_node[node] = Some(first.unwrap_or_else(|| self.fresh(node)));
            }
        }
    }

    fn count(&self, node: usize) -> usize {
        self.node(node).instruction.shape.as_ref().map_or(0, count)
    }

    fn use_until(&mut self, node: usize, step: usize) {
        for &value in &*self.of_node[node].clone().unwrap_or_default() {
            self.values.use_until(value, step);
        }
    }

    /// Merges values in pairs, where they have the same size.
    fn merge(&mut self, a: &[usize], b: &[usize]) {
        for (&a, &b) in a.iter().zip(b).take(if a.len() == b.len() { a.len() } else { 0 }) {
            if self.values.get(a).bytes == self.values.get(b).bytes {
                self.values.merge(a, b);
            }
        }
    }

    /// New values in memory of their own, except results that are written over an operand.
    pub(super) fn fresh(&mut self, node: usize) -> Rc<[usize]> {
        let one = self.node(node);
        let kind = match one.opcode() {
            "parameter" if one.body == self.program.entry => BufferKind::Argument,
            "constant" => BufferKind::Constant,
            _ => BufferKind::Temporary,
        };
        let step = self.step_of[node].unwrap_or(self.steps.len());
        let shape = one.instruction.shape.as_ref();
        let sizes = shape.map(|shape| leaves(shape).into_iter().map(|leaf| leaf.bytes()));
        let sizes: Vec<_> = sizes.into_iter().flatten().collect();
        let add = |(leaf, bytes)| {
            self.values.add(Value { node, leaf, bytes, kind, start: step, end: step })
        };
        let values: Rc<[usize]> = sizes.into_iter().enumerate().map(add).collect();
        for (result, operand) in self.in_place(node) {
            self.values.merge(values[result], operand);
        }
        values
    }

    /// The values of an instruction whose results are, or contain, existing values.
    fn derived(&mut self, node: usize) -> Option<Rc<[usize]>> {
        let one = &self.program.nodes[node];
        let operand = |index: usize| self.of_node[*one.operands.get(index)?].clone();
        let found = match one.opcode() {
            "parameter" => {
                let number = usize::try_from(one.instruction.parameter_number).ok()?;
                self.arguments[one.body].as_ref()?.get(number)?.clone()
            }
            "bitcast" | "opt-barrier" | "add-dependency" | "domain" | "async-update" => operand(0)?,
            "tuple" => {
                let parts: Option<Vec<_>> = (0..one.operands.len()).map(operand).collect();
                let parts = parts?;
                // A tuple of tuples of tuples may claim any number of arrays.
                let total = parts.iter().fold(0usize, |sum, part| sum.saturating_add(part.len()));
                if total != self.count(node) {
                    return None;
                }
                parts.iter().flat_map(|part| part.iter().copied()).collect()
            }
            "get-tuple-element" => {
                let of = self.program.nodes[*one.operands.first()?].instruction.shape.as_ref()?;
                operand(0)?.get(range(of, &[one.instruction.tuple_index])?)?.into()
            }
            opcode if opcode.ends_with("-start") => self.started(node)?,
            opcode if opcode.ends_with("-done") => self.done(node)?,
            _ => return None,
        };
        (found.len() == self.count(node)).then_some(found)
    }

    fn finish(mut self) -> Analysis {
        let last = self.steps.len().saturating_sub(1);
        let entry = &self.program.bodies[self.program.entry];
        let results = entry.root.and_then(|root| self.of_node[root].clone()).unwrap_or_default();
        self.alias_parameters(&results);
        for &value in &*results {
            let value = self.values.get(value);
            value.kind = value.kind.max(BufferKind::Result);
            value.end = last;
        }
        let parameters =
            (0..self.program.nodes.len()).map(|node| self.parameters_of(node)).collect();
        let buffers = self.values.into_distinct().into_iter().filter(|value| value.bytes > 0);
        let mut buffers: Vec<_> = buffers.map(|value| buffer(self.program, value, last)).collect();
        buffers.sort_by_key(|buffer| (std::cmp::Reverse(buffer.bytes), buffer.start, buffer.node));
        let live = live(&buffers, self.steps.len());
        // The first of several equal peaks.
        let peak = (0..live.len()).rev().max_by_key(|&step| live[step]).unwrap_or(0);
        let name = |&node: &usize| self.program.nodes[node].instruction.name.clone();
        let steps = self.steps.iter().map(name).collect();
        Analysis {
            memory: Memory { steps, live, peak, buffers },
            steps: self.steps,
            step_of: self.step_of,
            parameters,
            callers: self.callers,
        }
    }

    /// Merges the results that the module places in the memory of parameters.
    fn alias_parameters(&mut self, results: &[usize]) {
        let entry = &self.program.bodies[self.program.entry];
        let Some(shape) = entry.root.and_then(|root| self.node(root).instruction.shape.as_ref())
        else {
            return;
        };
        for alias in self.program.module.aliases.iter().flat_map(|all| &all.entries) {
            let is_parameter = |&node: &usize| {
                let instruction = self.node(node).instruction;
                instruction.opcode == "parameter" && instruction.parameter_number == alias.parameter
            };
            let Some(parameter) = entry.nodes.clone().find(is_parameter) else { continue };
            let of = self.node(parameter).instruction.shape.as_ref();
            let source = of.and_then(|of| range(of, &alias.parameter_index));
            let (Some(source), Some(target)) = (source, range(shape, &alias.output)) else {
                continue;
            };
            let values = self.of_node[parameter].clone().unwrap_or_default();
            let source = values.get(source).unwrap_or_default();
            let target = results.get(target).unwrap_or_default();
            self.merge(source, target);
        }
    }

    fn parameters_of(&mut self, node: usize) -> Vec<usize> {
        let values = self.of_node[node].clone().unwrap_or_default();
        let mut found = Vec::new();
        for &value in &*values {
            let value = self.values.get(value);
            if value.kind == BufferKind::Argument {
                found.push(value.node);
            }
        }
        found
    }
}

fn buffer(program: &ModuleGraph<'_>, value: Value, last: usize) -> Buffer {
    let instruction = program.nodes[value.node].instruction;
    let shape = instruction.shape.as_ref().map(|shape| leaves(shape)[value.leaf].text());
    let is_stored = matches!(value.kind, BufferKind::Argument | BufferKind::Constant);
    Buffer {
        instruction: instruction.name.clone(),
        shape: shape.unwrap_or_default(),
        bytes: value.bytes,
        kind: value.kind,
        start: if is_stored { 0 } else { value.start.min(last) },
        end: if is_stored { last } else { value.end.min(last) },
        node: value.node,
    }
}

/// Bytes of live temporaries and results at each step.
fn live(buffers: &[Buffer], steps: usize) -> Vec<u64> {
    let (mut begins, mut ends) = (vec![0u64; steps], vec![0u64; steps]);
    for buffer in buffers.iter().filter(|buffer| buffer.kind <= BufferKind::Result) {
        if let (Some(begin), Some(end)) = (begins.get_mut(buffer.start), ends.get_mut(buffer.end)) {
            *begin = begin.saturating_add(buffer.bytes);
            *end = end.saturating_add(buffer.bytes);
        }
    }
    let mut bytes = 0u64;
    let at = |(begin, end): (u64, u64)| {
        bytes = bytes.saturating_add(begin);
        let live = bytes;
        bytes = bytes.saturating_sub(end);
        live
    };
    begins.into_iter().zip(ends).map(at).collect()
}
