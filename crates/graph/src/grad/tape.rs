//! The forward pass: records a function again, and remembers the values that the backward pass
//! needs.

use super::{checkpoint::Saved, loops::ReverseLoop};
use crate::{
    DType, Op, RegionId, Tensor, ValueId,
    body::{Body, Recorded},
    graph::record_at,
    ops::ReverseManual,
    trace::{in_region_of, shape_of},
};
use std::{collections::HashMap, rc::Rc};

/// A value of the function, and its slot in the table of cotangents if it depends on the inputs.
#[derive(Clone, Copy)]
pub(crate) struct Tracked {
    pub tensor: Tensor,
    pub slot: Option<usize>,
}

/// A recorded node that depends on the inputs.
pub(crate) struct Step {
    pub node: Rc<Recorded>,
    pub operands: Vec<Tracked>,
    /// The captured values: those of enclosing regions that the regions of the node use.
    pub captured: Vec<(ValueId, Tracked)>,
    pub results: Vec<Tracked>,
    /// Values that the op's rule needs besides operands and results.
    pub residuals: Vec<Tensor>,
    /// The backward pass that was traced with the forward pass.
    pub reverse: Option<Reverse>,
}

/// A backward pass that is traced with the forward pass.
pub(crate) enum Reverse {
    Loop(Box<ReverseLoop>),
    Manual(Box<ReverseManual>),
}

/// The nodes of a function in the order of recording.
#[derive(Default)]
pub(crate) struct Tape {
    known: HashMap<ValueId, Tracked>,
    pub steps: Vec<Step>,
    pub slots: usize,
    /// The values that a checkpoint saves, while it is recorded.
    saved: Option<Saved>,
}

/// Whether values of this type have derivatives.
pub(crate) fn is_differentiable(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

impl Tracked {
    pub fn constant(tensor: Tensor) -> Tracked {
        Tracked { tensor, slot: None }
    }
}

impl Tape {
    /// A tape without nodes, which saves values by a checkpoint's policy.
    pub fn saving(saved: Saved) -> Tape {
        Tape { saved: Some(saved), ..Tape::default() }
    }

    /// Tracks a value on which results may depend; a value without derivatives is a constant.
    pub fn track(&mut self, tensor: Tensor) -> Tracked {
        let slot = shape_of(tensor).filter(|shape| is_differentiable(shape.dtype())).map(|_| {
            self.slots += 1;
            self.slots - 1
        });
        Tracked { tensor, slot }
    }

    /// A value of the function, or a captured value, which is a constant.
    pub fn get(&self, value: ValueId) -> Tracked {
        self.known.get(&value).copied().unwrap_or_else(|| Tracked::constant(Tensor::of(value)))
    }

    /// Records the nodes of a body for these arguments, and returns its results.
    pub fn run(&mut self, body: &Body, arguments: &[Tracked]) -> Vec<Tracked> {
        for (&parameter, &argument) in body.parameters.iter().zip(arguments) {
            self.set(parameter, argument);
        }
        self.nodes(body)
    }

    /// Sets a value of the function.
    pub fn set(&mut self, value: ValueId, tracked: Tracked) {
        self.known.insert(value, tracked);
    }

    /// Sets captured values, and tracks those that are tracked outside of the function.
    pub fn bind(&mut self, captured: &[(ValueId, Tracked)]) -> Vec<Tracked> {
        let mut bound = Vec::with_capacity(captured.len());
        for &(value, outside) in captured {
            let own = match outside.slot {
                Some(_) => self.track(outside.tensor),
                None => outside,
            };
            self.set(value, own);
            bound.push(own);
        }
        bound
    }

    /// Records the nodes of a body, whose parameters are set, and returns its results.
    pub fn nodes(&mut self, body: &Body) -> Vec<Tracked> {
        self.record(&body.nodes);
        body.results.iter().map(|&value| self.get(value)).collect()
    }

    /// Records nodes of the function.
    pub fn record(&mut self, nodes: &[Rc<Recorded>]) {
        for node in nodes {
            let results = if self.depends(node) {
                node.op.definition().record(self, node)
            } else {
                self.constant(node)
            };
            for (&value, result) in node.results.iter().zip(results) {
                self.known.insert(value, result);
            }
        }
    }

    fn depends(&self, node: &Recorded) -> bool {
        let free = node.regions.values().flat_map(Body::free);
        node.operands.iter().copied().chain(free).any(|value| self.get(value).slot.is_some())
    }

    pub fn operands(&self, node: &Recorded) -> Vec<Tracked> {
        node.operands.iter().map(|&value| self.get(value)).collect()
    }

    /// The captured values that the regions of a node use and that are known.
    pub fn captured(&self, node: &Recorded) -> Vec<(ValueId, Tracked)> {
        let mut free: Vec<ValueId> = node.regions.values().flat_map(Body::free).collect();
        free.sort_unstable();
        free.dedup();
        free.into_iter().map(|value| (value, self.get(value))).collect()
    }

    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Records a node that does not depend on the inputs.
    fn constant(&mut self, node: &Recorded) -> Vec<Tracked> {
        if self.saved.is_some()
            && let Op::Composite(op) = &node.op
            && (op.rules().expand)(self, node)
        {
            return self.run(&node.regions[&op.body], &self.operands(node));
        }
        self.recorded(node).into_iter().map(Tracked::constant).collect()
    }

    /// Whether a checkpoint that is recorded saves the results of a node.
    pub fn saves(&self, node: &Recorded) -> bool {
        self.saved.as_ref().is_some_and(|saved| saved.has(node))
    }

    /// Records a node whose rule needs only its operands and results.
    pub fn plain(&mut self, node: &Rc<Recorded>) -> Vec<Tracked> {
        let tensors = self.recorded(node);
        self.tracked_step(node, tensors, Vec::new())
    }

    /// The results of a node that was recorded, which depend on the inputs.
    pub fn tracked_step(
        &mut self,
        node: &Rc<Recorded>,
        tensors: Vec<Tensor>,
        residuals: Vec<Tensor>,
    ) -> Vec<Tracked> {
        let results: Vec<Tracked> = tensors.into_iter().map(|tensor| self.track(tensor)).collect();
        let (operands, captured) = (self.operands(node), self.captured(node));
        let node = Rc::clone(node);
        let own = results.clone();
        self.push(Step { node, operands, captured, results: own, residuals, reverse: None });
        results
    }

    /// Records a node unchanged, or takes its results from those that a checkpoint saved.
    fn recorded(&mut self, node: &Recorded) -> Vec<Tensor> {
        match self.saved.take() {
            Some(mut saved) if saved.has(node) => {
                let tensors = saved.results(node, || self.copied(node));
                self.saved = Some(saved);
                tensors
            }
            saved => {
                self.saved = saved;
                self.copied(node)
            }
        }
    }

    /// Records nodes for these values of the function.
    pub fn replay(&mut self, values: &[ValueId], tensors: &[Tensor], nodes: &[Rc<Recorded>]) {
        for (&value, &tensor) in values.iter().zip(tensors) {
            self.set(value, Tracked::constant(tensor));
        }
        for node in nodes {
            let results = self.copied(node);
            for (&value, tensor) in node.results.iter().zip(results) {
                self.set(value, Tracked::constant(tensor));
            }
        }
    }

    /// The values that were saved.
    pub fn saved(self) -> Option<Saved> {
        self.saved
    }

    /// The tensors of these values.
    pub fn tensors(&self, values: &[ValueId]) -> Vec<Tensor> {
        values.iter().map(|&value| self.get(value).tensor).collect()
    }

    /// Records a node unchanged.
    pub fn copied(&mut self, node: &Recorded) -> Vec<Tensor> {
        let operands: Vec<Tensor> = self.operands(node).iter().map(|x| x.tensor).collect();
        let mut op = node.op.clone();
        let mut is_sound = true;
        op.map_regions(&mut |region| {
            let copy = node.regions.get(&region).and_then(|body| self.copy(node, body));
            is_sound &= copy.is_some();
            copy.unwrap_or(region)
        });
        if is_sound {
            record_at(node.location, op, &operands, None)
        } else {
            vec![Tensor::poisoned(); node.results.len()]
        }
    }

    /// A copy of a region that a node owns, in which nothing is tracked.
    fn copy(&mut self, node: &Recorded, body: &Body) -> Option<RegionId> {
        let (name, kind) = (node.op.name(), body.kind);
        in_region_of(name, kind, &body.shapes, &[], node.location, |parameters| {
            for (&parameter, &tensor) in body.parameters.iter().zip(parameters) {
                self.known.insert(parameter, Tracked::constant(tensor));
            }
            for inner in &body.nodes {
                let results = self.copied(inner);
                for (&value, tensor) in inner.results.iter().zip(results) {
                    self.known.insert(value, Tracked::constant(tensor));
                }
            }
            (body.results.iter().map(|&value| self.get(value).tensor).collect(), ())
        })
        .0
    }
}
