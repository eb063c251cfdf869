//! Liveness analysis.

use crate::{Graph, NodeId, ValueId};

impl Graph {
    /// For each node, whether it is live: a result of the function needs it, or it has an effect,
    /// or one of its regions contains an op with an effect.
    pub fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        let needed = self.root().results.iter().map(|&value| self.value(value).node);
        let mut stack: Vec<NodeId> = needed.chain(self.effects()).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut live[node.index()], true) {
                continue;
            }
            let giver = |&value: &ValueId| self.value(value).node;
            stack.extend(self.operands(node).iter().map(giver));
            for region in self.node(node).op.regions() {
                stack.extend(self.region(region).results.iter().map(giver));
                stack.extend(self.region(region).parameters.iter().map(giver));
            }
        }
        for &parameter in &self.root().parameters {
            live[self.value(parameter).node.index()] = true;
        }
        live
    }

    /// The nodes that have an effect, and those that own a region with one.
    fn effects(&self) -> Vec<NodeId> {
        if !self.has_effects() {
            return Vec::new();
        }
        let mut owners = vec![None; self.regions.len()];
        for (id, node) in self.nodes() {
            for region in node.op.regions() {
                owners[region.index()] = Some(id);
            }
        }
        let mut found = Vec::new();
        for (id, node) in self.nodes().filter(|(_, node)| node.op.has_effect()) {
            let mut around = Vec::new();
            let mut region = node.region;
            // A region without an owner was traced only for its shapes.
            let reached = loop {
                if region == Graph::ROOT {
                    break true;
                }
                let Some(owner) = owners[region.index()] else {
                    break false;
                };
                around.push(owner);
                region = self.node(owner).region;
            };
            if reached {
                found.push(id);
                found.extend(around);
            }
        }
        found
    }
}
