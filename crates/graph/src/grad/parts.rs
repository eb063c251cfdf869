//! The parts of a step of a loop.

use super::{
    loops::Loop,
    tape::{Tracked, is_differentiable},
};
use crate::{
    DType, Op, Shape, Tensor, ValueId,
    body::{Body, Recorded},
    op::OwnComposite,
    trace::shape_of,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The values of a step that depend on the inputs of the function.
pub(super) struct Active {
    pub parameters: Vec<bool>,
    pub results: Vec<bool>,
    /// The shapes of all results.
    pub shapes: Vec<Shape>,
}

impl Loop<'_> {
    pub(super) fn active(&self, captured: &[(ValueId, Tracked)]) -> Active {
        let mut shapes: HashMap<ValueId, Shape> = self.parameters.iter().copied().collect();
        let shape = |value: ValueId| shape_of(Tensor::of(value));
        shapes.extend(self.body.results.iter().filter_map(|&value| Some((value, shape(value)?))));
        let is_float =
            |value: &ValueId| shape(*value).is_some_and(|s| is_differentiable(s.dtype()));
        let mut parameters: Vec<bool> = self.operands.iter().map(|x| x.slot.is_some()).collect();
        loop {
            let mut active: HashSet<ValueId> =
                captured.iter().filter(|x| x.1.slot.is_some()).map(|x| x.0).collect();
            let own = self.parameters.iter().zip(&parameters).filter(|(_, active)| **active);
            active.extend(own.map(|(parameter, _)| parameter.0));
            for node in &self.body.nodes {
                let depends = node.operands.iter().any(|x| active.contains(x))
                    || node.regions.values().flat_map(Body::free).any(|x| active.contains(&x));
                let is_stopped =
                    matches!(&node.op, Op::Composite(op) if op.is(OwnComposite::STOP_GRADIENT));
                if depends && !is_stopped {
                    active.extend(node.results.iter().filter(|value| is_float(value)));
                }
            }
            let results: Vec<bool> =
                self.body.results.iter().map(|value| active.contains(value)).collect();
            let before = parameters.clone();
            parameters.iter_mut().zip(&results).take(self.carried).for_each(|(p, r)| *p |= r);
            if parameters == before {
                let shapes = self.body.results.iter();
                let shapes = shapes.map(|&v| shape(v).unwrap_or(Shape::scalar(DType::F32)));
                // A carried value has one cotangent, before and after a step.
                let carried = parameters.iter().take(self.carried).copied();
                let results = carried.chain(results[self.carried..].iter().copied()).collect();
                return Active { parameters, results, shapes: shapes.collect() };
            }
        }
    }
}

/// The nodes of a step with its backward pass.
pub(crate) struct Parts {
    /// The nodes whose values are the same in all steps.
    pub fixed: Vec<Rc<Recorded>>,
    pub forward: Vec<Rc<Recorded>>,
    pub backward: Vec<Rc<Recorded>>,
    /// The values of a step that its backward pass uses.
    pub needed: Vec<ValueId>,
}

impl Parts {
    /// Partitions the nodes of `joint`, whose first `count` parameters and `results` results are
    /// those of the step.
    pub fn of(joint: &Body, count: usize, results: usize) -> Parts {
        let mut parts = Parts { fixed: vec![], forward: vec![], backward: vec![], needed: vec![] };
        let mut changing: HashSet<ValueId> = joint.parameters[..count].iter().copied().collect();
        let mut cotangents: HashSet<ValueId> = joint.parameters[count..].iter().copied().collect();
        let mut used: HashSet<ValueId> = HashSet::new();
        for node in &joint.nodes {
            let free = node.regions.values().flat_map(Body::free);
            let uses: Vec<ValueId> = node.operands.iter().copied().chain(free).collect();
            if uses.is_empty() && node.regions.is_empty() && !node.has_effect() {
                // Constants are recorded in both bodies: they need no memory.
                parts.fixed.push(Rc::clone(node));
                parts.forward.push(Rc::clone(node));
                parts.backward.push(Rc::clone(node));
            } else if uses.iter().any(|value| cotangents.contains(value)) {
                cotangents.extend(&node.results);
                used.extend(uses);
                parts.backward.push(Rc::clone(node));
            } else if node.has_effect() || uses.iter().any(|value| changing.contains(value)) {
                changing.extend(&node.results);
                parts.forward.push(Rc::clone(node));
            } else {
                parts.fixed.push(Rc::clone(node));
            }
        }
        used.extend(&joint.results[results..]);
        let all = joint.parameters.iter().chain(joint.nodes.iter().flat_map(|n| &n.results));
        parts.needed = all.copied().filter(|v| changing.contains(v) && used.contains(v)).collect();
        parts
    }
}
