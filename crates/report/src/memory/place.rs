//! Values in the memory of others: those of transfers in two parts, and updates in place.

use super::{
    BufferKind,
    leaves::{count, leaves, range},
    walk::Walk,
};
use std::{collections::HashSet, rc::Rc};

impl Walk<'_, '_> {
    /// The values of an instruction that starts a transfer: its results are in the memory of
    /// operands of the same size.
    pub(super) fn started(&mut self, node: usize) -> Option<Rc<[usize]>> {
        let one = &self.program.nodes[node];
        one.instruction.shape.as_ref().filter(|shape| shape.parts.len() > 1)?;
        let operands: Vec<_> = one.operands.clone();
        let given: Vec<_> = operands
            .iter()
            .filter_map(|&o| self.of_node[o].clone())
            .flat_map(|v| v.to_vec())
            .collect();
        let is_copy = one.opcode() == "copy-start";
        let mut values = self.fresh(node).to_vec();
        // A copy names its destination first, all others their operands.
        let place = usize::from(is_copy);
        for (offset, operand) in given.into_iter().enumerate() {
            let Some(&value) = values.get(place + offset) else { break };
            if self.values.get(value).bytes == self.values.get(operand).bytes {
                self.values.get(value).bytes = 0;
                values[place + offset] = operand;
            }
        }
        Some(values.into())
    }

    /// The values of an instruction that ends a transfer: the arrays of its start that have the
    /// sizes of the result.
    pub(super) fn done(&mut self, node: usize) -> Option<Rc<[usize]>> {
        let one = &self.program.nodes[node];
        let start = *one.operands.first()?;
        let given = self.of_node[start].clone()?;
        let sizes: Vec<_> =
            leaves(one.instruction.shape.as_ref()?).iter().map(|leaf| leaf.bytes()).collect();
        let inputs: HashSet<usize> = self.program.nodes[start]
            .operands
            .iter()
            .filter_map(|&operand| self.of_node[operand].clone())
            .flat_map(|values| values.to_vec())
            .collect();
        let fits = |window: &&[usize]| {
            let mut pairs = window.iter().zip(&sizes);
            let is_input = window.iter().any(|value| inputs.contains(value));
            !is_input && pairs.all(|(&value, &bytes)| self.values.get(value).bytes == bytes)
        };
        let found = given.windows(sizes.len().max(1)).find(fits)?;
        Some(found.into())
    }

    /// The results that are written over an operand's value: arrays of the result, and values.
    pub(super) fn in_place(&mut self, node: usize) -> Vec<(usize, usize)> {
        let one = &self.program.nodes[node];
        let Some(shape) = &one.instruction.shape else { return Vec::new() };
        let mut found = Vec::new();
        for alias in &one.instruction.aliases {
            let operand = usize::try_from(alias.operand).ok();
            let operand = operand.and_then(|index| one.operands.get(index).copied());
            let Some(operand) = operand else { continue };
            let of = self.program.nodes[operand].instruction.shape.as_ref();
            let source = of.and_then(|of| range(of, &alias.operand_index));
            let (Some(source), Some(target)) = (source, range(shape, &alias.output)) else {
                continue;
            };
            let values = self.of_node[operand].clone().unwrap_or_default();
            let values = values.get(source).unwrap_or_default();
            found.extend(target.zip(values.iter().copied()));
        }
        let updated: Vec<_> = match one.opcode() {
            "dynamic-update-slice" | "scatter" => {
                one.operands.first().map(|&o| (0, o)).into_iter().collect()
            }
            "fusion" => self.fused_updates(node),
            _ => Vec::new(),
        };
        for (leaf, operand) in updated {
            let values = self.of_node[operand].clone().unwrap_or_default();
            let [value] = *values else { continue };
            let is_last = self.program.nodes[operand].last_user == Some(node);
            let is_own = self.values.get(value).kind == BufferKind::Temporary;
            if is_last && is_own && leaf < count(shape) {
                found.push((leaf, value));
            }
        }
        found
    }

    /// The updates at the end of a fusion: arrays of the result, and operands.
    fn fused_updates(&self, node: usize) -> Vec<(usize, usize)> {
        let one = &self.program.nodes[node];
        let body = one.called.first().map(|&body| &self.program.bodies[body]);
        let Some(root) = body.and_then(|body| body.root) else { return Vec::new() };
        let results = match self.node(root).opcode() {
            "tuple" => self.node(root).operands.clone(),
            _ => vec![root],
        };
        let through = |mut at: usize| {
            // Operands come before their users, so this ends.
            while let ("bitcast", Some(&next)) =
                (self.node(at).opcode(), self.node(at).operands.first())
            {
                if next >= at {
                    break;
                }
                at = next;
            }
            at
        };
        let updated = |(leaf, result): (usize, usize)| {
            let update = self.node(through(result));
            if !["dynamic-update-slice", "scatter"].contains(&update.opcode()) {
                return None;
            }
            let source = self.node(through(*update.operands.first()?));
            if source.opcode() != "parameter" {
                return None;
            }
            let number = usize::try_from(source.instruction.parameter_number).ok()?;
            Some((leaf, *one.operands.get(number)?))
        };
        results.into_iter().enumerate().filter_map(updated).collect()
    }
}
