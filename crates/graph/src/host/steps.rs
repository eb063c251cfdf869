//! Programs as sequences of steps, for platforms that cannot call the host: each step computes the
//! inputs of a host call, which is made between two steps.

use crate::{
    BackendConfig, Graph, Node, NodeId, Op, OutputAlias, Parameter, RegionId, ResultInfo, Spec,
    TraceError,
    ops::{Argument, OptimizationBarrier},
};

/// A step of a program: the part that computes the inputs of a host call, and the call.
#[derive(Clone, Debug)]
pub struct HostStep {
    /// Computes the inputs of the call. Its parameters are the program's arguments, followed by
    /// the results of all earlier calls.
    pub inputs: Graph,
    /// The index of the function in [`Graph::host_calls`].
    pub slot: usize,
    /// The results of the call.
    pub outputs: Vec<Spec>,
    /// Results that share the memory of an input.
    pub aliases: Vec<OutputAlias>,
}

impl Graph {
    /// The steps of the program, one for each host call, in order, and the graph of the results
    /// after the last call. Each graph takes the arguments, followed by the results of all earlier
    /// calls. Nodes that several graphs need are computed in each of them.
    ///
    /// # Errors
    /// A call is inside a loop, a branch or a manual computation.
    pub fn host_steps(&self) -> Result<(Vec<HostStep>, Graph), TraceError> {
        let live = self.live();
        let calls: Vec<(NodeId, usize)> = self
            .nodes()
            .filter(|(id, _)| live[id.index()])
            .filter_map(|(id, node)| Some((id, node.op.host_slot()?)))
            .collect();
        let inside = calls.iter().find(|(id, _)| self.node(*id).region != Graph::ROOT);
        if let Some(&(id, slot)) = inside {
            let message = format!(
                "callback `{}` is inside of a body, which cannot be left and entered again",
                self.host_calls[slot].name
            );
            return Err(TraceError::new("host_steps", message, self.node(id).location));
        }
        let mut rest = self.clone();
        let mut steps = Vec::with_capacity(calls.len());
        for (at, &(call, slot)) in calls.iter().enumerate() {
            let mut inputs = rest.clone();
            for &(later, _) in &calls[at..] {
                inputs.nodes[later.index()].op = OptimizationBarrier.into();
            }
            let names = (0..).map(|position| ResultInfo {
                name: format!("{}.{position}", self.host_calls[slot].name),
                reuses: None,
            });
            inputs.regions[0].results = self.operands(call).to_vec();
            inputs.results = names.take(self.operands(call).len()).collect();
            inputs.name = format!("{}.{at}", self.name);
            // Only the last graph may reuse the memory of arguments.
            inputs.parameters.iter_mut().for_each(|parameter| parameter.donated = false);
            let mut aliases = Vec::new();
            if let Op::CustomCall(call) = &self.node(call).op {
                aliases.clone_from(&call.aliases);
            }
            steps.push(HostStep {
                inputs,
                slot,
                outputs: self.node_results(call).map(|value| Spec::of(self.shape(value))).collect(),
                aliases,
            });
            rest.pass_in(call, &self.host_calls[slot].name);
        }
        Ok((steps, rest))
    }

    /// Turns the results of a node into arguments of the function.
    fn pass_in(&mut self, call: NodeId, name: &str) {
        let location = self.node(call).location;
        for (position, value) in self.node_results(call).enumerate() {
            let at = self.root().parameters.len() as u32;
            let id = NodeId(self.nodes.len() as u32);
            self.nodes.push(Node {
                op: Argument(at).into(),
                location,
                region: RegionId(0),
                operands: 0..0,
                results: value.0..value.0 + 1,
            });
            self.set_giver(value, id);
            self.regions[0].nodes.push(id);
            self.regions[0].parameters.push(value);
            let spec = Spec::of(self.shape(value));
            self.parameters.push(Parameter {
                name: format!("{name}.{position}"),
                spec,
                donated: false,
                sharding: None,
            });
        }
        let node = &mut self.nodes[call.index()];
        node.op = OptimizationBarrier.into();
        node.results = 0..0;
    }

    /// For each host function that the graph carries, whether the program calls it.
    pub fn live_host_calls(&self) -> Vec<bool> {
        let mut called = vec![false; self.host_calls.len()];
        if called.is_empty() {
            return called;
        }
        let live = self.live();
        for (_, node) in self.nodes().filter(|(id, _)| live[id.index()]) {
            if let Some(called) = node.op.host_slot().and_then(|slot| called.get_mut(slot)) {
                *called = true;
            }
        }
        called
    }

    /// The attributes that the program passes to the host function in a slot, under the attribute
    /// `name`.
    pub fn host_call_attributes(&self, slot: usize, name: &str) -> crate::Attributes {
        let call = self.nodes().find(|(_, node)| node.op.host_slot() == Some(slot));
        if let Some(Op::CustomCall(call)) = call.map(|(_, node)| &node.op)
            && let BackendConfig::Typed(attributes) = &call.config
        {
            return attributes.dictionary(name).cloned().unwrap_or_default();
        }
        crate::Attributes::new()
    }
}
