//! Operands as errors describe them.

use super::Trace;
use crate::{Graph, Op, OperandInfo, Tensor, Value, ValueId};

impl Trace {
    /// The operands of an op that failed, except those that are not of this trace.
    pub(super) fn operands(&self, operands: &[Tensor]) -> Vec<OperandInfo> {
        let count = operands.len();
        let info = |(i, tensor): (usize, &Tensor)| {
            (tensor.trace_id() == self.id && !tensor.has_failed()).then(|| {
                let label = match (count, i) {
                    (1, _) => "operand".into(),
                    (2, 0) => "left".into(),
                    (2, _) => "right".into(),
                    _ => format!("operand {i}"),
                };
                let value = tensor.value();
                OperandInfo { label, shape: self.graph.shape(value), name: self.origin(value) }
            })
        };
        operands.iter().enumerate().filter_map(info).collect()
    }

    /// The name of the argument that a value is, perhaps with other axis names or another element
    /// type; for a dot product, a description of its operands.
    fn origin(&self, of: ValueId) -> Option<String> {
        let mut value = of;
        loop {
            let Value { shape, node: id } = self.graph.value(value);
            let node = self.graph.node(id);
            if let Op::Reshape(_) | Op::Convert(_) = node.op {
                let source = self.graph.operands(id)[0];
                if self.graph.shape(source).sizes() != shape.sizes() {
                    return None;
                }
                value = source;
                continue;
            }
            if let Op::Dot(_) = node.op {
                // The axes of the result do not occur in the user's program, so those of the
                // operands are shown.
                let sides = self.graph.operands(id).iter().map(|&side| self.graph.shape(side));
                let sides: Vec<String> = sides.map(|side| side.to_string()).collect();
                return Some(format!("dot of {}, at {}", sides.join(" and "), node.location));
            }
            let Op::Parameter(at) = &node.op else { return None };
            let at = at.0 as usize;
            if node.region == Graph::ROOT {
                let name = &self.graph.parameters.get(at)?.name;
                let (was, is) = (shape.dtype(), self.graph.shape(of).dtype());
                return Some(if was == is {
                    name.clone()
                } else {
                    format!("{name}, converted from {was}")
                });
            }
            // A body's parameter is the operand of the op that the body is traced for.
            let bound = self.bound.iter().rev().find(|(body, _)| *body == node.region)?;
            value = *bound.1.get(at)?;
        }
    }
}
