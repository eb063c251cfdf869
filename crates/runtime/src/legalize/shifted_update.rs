//! Updates of a slice that are computed from other elements of the same tensor: the plugin writes
//! the slice in place while it still reads these elements.

use super::{Change, Pass, Platforms, Replacement, tensors};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, ValueId, op::DynamicUpdateSlice, record};
use hloom_pjrt::PlatformKind;
use std::collections::HashSet;

/// Writes the update into zeros, and selects it there.
///
/// The compiler moves a reshape of the result, or of the tensor, into the fusion that updates it in
/// place. It then no longer sees that the update is read from the memory that is written.
pub(super) const PASS: Pass = Pass {
    name: "shifted_update",
    defects: &["elements_are_overwritten_before_they_are_read"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: None,
    change: Change::Tensors(change),
};

/// The maximum number of values that are visited in the search for reads; larger computations are
/// assumed to read the tensor.
const MAX_VISITED: usize = 4096;

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::DynamicUpdateSlice(_) = graph.node(node).op else { return None };
    let [operand, update, starts @ ..] = graph.operands(node) else { return None };
    let (shape, slice) = (graph.shape(*operand), graph.shape(*update));
    let sizes = slice.sizes().to_vec();
    if !(Overwritten { graph, operand: *operand, starts, sizes }).is_read_by(*update) {
        return None;
    }
    tensors(move |operands| {
        let [operand, update, starts @ ..] = operands else { return None };
        let into = |all: Tensor, part: Tensor| {
            record(DynamicUpdateSlice, &[&[all, part], starts].concat())[0]
        };
        let is_updated =
            into(Tensor::zeros(DType::Bool, shape.axes()), Tensor::ones(DType::Bool, slice.axes()));
        Some(vec![is_updated.select(into(operand.zeros_like(), *update), *operand)])
    })
}

/// A slice that is overwritten.
struct Overwritten<'a> {
    graph: &'a Graph,
    operand: ValueId,
    starts: &'a [ValueId],
    sizes: Vec<usize>,
}

impl Overwritten<'_> {
    /// Whether an update reads the tensor elsewhere than at the elements that it overwrites.
    fn is_read_by(&self, update: ValueId) -> bool {
        let origins = origins(self.graph, self.operand);
        let mut visited = HashSet::new();
        // Values, and whether each element is read at the position of the update's element.
        let mut rest = vec![(update, true)];
        while let Some((value, in_place)) = rest.pop() {
            if !visited.insert((value, in_place)) {
                continue;
            }
            if visited.len() > MAX_VISITED || origins.contains(&value) {
                return true;
            }
            let node = self.graph.value(value).node;
            if in_place && self.is_own_slice(node) {
                continue;
            }
            match Reads::of(&self.graph.node(node).op) {
                // The compiler may replace a loop of one step by its body.
                Reads::Nothing => rest.extend(passed(self.graph, value).map(|from| (from, false))),
                Reads::SamePosition => {
                    rest.extend(self.graph.operands(node).iter().map(|&from| (from, in_place)));
                }
                Reads::Others => {
                    rest.extend(self.graph.operands(node).iter().map(|&from| (from, false)));
                }
            }
        }
        false
    }

    /// Whether a node reads the slice that is overwritten.
    fn is_own_slice(&self, node: NodeId) -> bool {
        let operands = self.graph.operands(node);
        if operands.first() != Some(&self.operand) {
            return false;
        }
        match &self.graph.node(node).op {
            Op::DynamicSlice(slice) => {
                slice.sizes[..] == self.sizes && operands[1..] == *self.starts
            }
            Op::Slice(slice) => {
                let starts = slice.start.iter().zip(self.starts);
                let mut axes = starts.zip(self.sizes.iter().zip(slice.limit.iter()));
                slice.stride.iter().all(|&stride| stride == 1)
                    && axes.all(|((&start, &own), (&size, &limit))| {
                        self.is_number(own, start) && start + size == limit
                    })
            }
            _ => false,
        }
    }

    /// Whether a start index is the constant `number`.
    fn is_number(&self, value: ValueId, number: usize) -> bool {
        match &self.graph.node(self.graph.value(value).node).op {
            Op::Splat(splat) => {
                let bytes = splat.scalar.bytes();
                let expected = (number as u64).to_le_bytes();
                bytes.len() <= expected.len()
                    && expected.starts_with(bytes)
                    && expected[bytes.len()..].iter().all(|&byte| byte == 0)
            }
            _ => false,
        }
    }
}

/// The values whose memory a value may share, itself included: the compiler may find that an op
/// changes nothing, such as the sum along an axis of size 1 or the product with 1, or that a loop
/// has one step.
fn origins(graph: &Graph, value: ValueId) -> HashSet<ValueId> {
    let mut found = HashSet::new();
    let mut rest = vec![value];
    // Constants are copied before they are overwritten.
    let is_constant = |value: ValueId| {
        let op = &graph.node(graph.value(value).node).op;
        matches!(op, Op::Constant(_) | Op::Splat(_) | Op::Iota(_))
    };
    while let Some(value) = rest.pop() {
        if !is_constant(value) && found.len() <= MAX_VISITED && found.insert(value) {
            rest.extend(sources(graph, value));
        }
    }
    found
}

/// The values that an op may return unchanged as this result.
fn sources(graph: &Graph, value: ValueId) -> Vec<ValueId> {
    let node = graph.value(value).node;
    let operands = graph.operands(node);
    let at = graph.node_results(node).position(|result| result == value).unwrap_or(0);
    let count = |value: ValueId| graph.shape(value).element_count();
    let of_as_many = || operands.iter().copied().filter(|&from| count(from) == count(value));
    let operand = |at: usize| operands.get(at).copied().into_iter().collect();
    match &graph.node(node).op {
        Op::Parameter(_) => passed(graph, value).into_iter().collect(),
        // With one element along the axis, or without updates, the result is the operand.
        Op::Sort(_) | Op::SortBy(_) | Op::Scatter(_) | Op::ScatterBy(_) => operand(at),
        // A slice, a pad or a concatenation may have exactly the elements of an operand.
        Op::Slice(_) | Op::DynamicSlice(_) | Op::Pad(_) => operand(0),
        Op::Concatenate(_) => operands.to_vec(),
        Op::DynamicUpdateSlice(_) => match *operands {
            // The update may be empty, or replace the whole tensor.
            [tensor, update, ..] if count(update) == 0 => vec![tensor],
            [_, update, ..] if count(update) == count(value) => vec![update],
            _ => Vec::new(),
        },
        Op::OptimizationBarrier(_) => operand(at),
        Op::Composite(composite) => vec![graph.region(composite.body).results[at]],
        Op::Case(case) => {
            case.branches.iter().map(|&body| graph.region(body).results[at]).collect()
        }
        Op::ForLoop(repeat) if repeat.count == 0 => operand(at),
        Op::ForLoop(repeat) => vec![graph.region(repeat.body).results[at]],
        Op::While(repeat) => [vec![graph.region(repeat.body).results[at]], operand(at)].concat(),
        Op::Scan(scan) if at < scan.carried => vec![graph.region(scan.body).results[at]],
        Op::Scan(_)
        | Op::Constant(_)
        | Op::Splat(_)
        | Op::Iota(_)
        | Op::ArgReduce(_)
        | Op::Cholesky(_)
        | Op::CustomCall(_)
        | Op::Manual(_) => Vec::new(),
        // Any other op may find that it changes nothing.
        _ => of_as_many().collect(),
    }
}

/// The operand that a parameter of a body has in the first step.
fn passed(graph: &Graph, parameter: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.value(parameter).node);
    let (Op::Parameter(_), region) = (&node.op, node.region) else { return None };
    let body = graph.region(region);
    let at = body.parameters.iter().position(|&value| value == parameter)?;
    let around = graph.region(body.parent?);
    let owns = |node: &&NodeId| graph.node(**node).op.regions().any(|owned| owned == region);
    let owner = *around.nodes.iter().find(owns)?;
    let at = match &graph.node(owner).op {
        // The first parameter is the index.
        Op::ForLoop(_) => at.checked_sub(1)?,
        Op::Scan(scan) if at >= scan.carried => return None,
        Op::While(_) | Op::Scan(_) | Op::Composite(_) => at,
        _ => return None,
    };
    graph.operands(owner).get(at).copied()
}

/// The elements of its operands that an op reads for one of its result, within one fusion.
enum Reads {
    /// The op is not part of the fusion: its operands are in memory before.
    Nothing,
    SamePosition,
    Others,
}

impl Reads {
    fn of(op: &Op) -> Reads {
        match op {
            Op::Parameter(_)
            | Op::Constant(_)
            | Op::Splat(_)
            | Op::Iota(_)
            | Op::Dot(_)
            | Op::Convolution(_)
            | Op::Cholesky(_)
            | Op::TriangularSolve(_)
            | Op::Fft(_)
            | Op::CustomCall(_)
            | Op::While(_) => Reads::Nothing,
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::Clamp(_)
            | Op::Convert(_)
            | Op::ReducePrecision(_) => Reads::SamePosition,
            // The safe assumption about any other op.
            _ => Reads::Others,
        }
    }
}
