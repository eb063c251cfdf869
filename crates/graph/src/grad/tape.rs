//! The forward pass: records a function again, and remembers what the backward pass needs.

use super::{loops::Reverse, pull::Pull, rules::Rules};
use crate::{
    DType, Op, RegionId, Tensor, ValueId,
    body::{Body, Recorded},
    graph::record_at,
    op::Sort,
    trace::{at, in_region_of, shape_of},
};
use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

/// A value of the function, and its place in the table of cotangents if it depends on the inputs.
#[derive(Clone, Copy)]
pub(super) struct Tracked {
    pub tensor: Tensor,
    pub slot: Option<usize>,
}

/// A recorded node that depends on the inputs.
pub(super) struct Step {
    pub node: Rc<Recorded>,
    pub operands: Vec<Tracked>,
    /// The values of outside that the regions of the node use.
    pub captured: Vec<(ValueId, Tracked)>,
    pub results: Vec<Tracked>,
    /// Values that the op's rule needs besides operands and results.
    pub residuals: Vec<Tensor>,
    /// The backward pass of a loop.
    pub reverse: Option<Box<Reverse>>,
}

/// The nodes of a function in the order of recording.
#[derive(Default)]
pub(super) struct Tape {
    known: HashMap<ValueId, Tracked>,
    steps: Vec<Step>,
    slots: usize,
}

/// Whether values of this type have derivatives.
pub(super) fn is_differentiable(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

impl Tracked {
    pub fn constant(tensor: Tensor) -> Tracked {
        Tracked { tensor, slot: None }
    }
}

impl Tape {
    /// A value on which results may depend; one without derivatives is a constant.
    pub fn track(&mut self, tensor: Tensor) -> Tracked {
        let slot = shape_of(tensor).filter(|shape| is_differentiable(shape.dtype())).map(|_| {
            self.slots += 1;
            self.slots - 1
        });
        Tracked { tensor, slot }
    }

    /// A value of the function, or one of outside, which is a constant.
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

    /// Sets values of the function, and tracks those that are tracked outside.
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
        for node in &body.nodes {
            let results = match self.depends(node) {
                true => self.step(node),
                false => self.copied(node).into_iter().map(Tracked::constant).collect(),
            };
            for (&value, result) in node.results.iter().zip(results) {
                self.known.insert(value, result);
            }
        }
        body.results.iter().map(|&value| self.get(value)).collect()
    }

    fn depends(&self, node: &Recorded) -> bool {
        let free = node.regions.values().flat_map(Body::free);
        node.operands.iter().copied().chain(free).any(|value| self.get(value).slot.is_some())
    }

    pub fn operands(&self, node: &Recorded) -> Vec<Tracked> {
        node.operands.iter().map(|&value| self.get(value)).collect()
    }

    /// The known values of outside that the regions of a node use.
    pub fn captured(&self, node: &Recorded) -> Vec<(ValueId, Tracked)> {
        let free: BTreeSet<ValueId> = node.regions.values().flat_map(Body::free).collect();
        free.into_iter().map(|value| (value, self.get(value))).collect()
    }

    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Records a node that depends on the inputs.
    fn step(&mut self, node: &Rc<Recorded>) -> Vec<Tracked> {
        let operands = self.operands(node);
        if let Op::Composite(op) = &node.op {
            if op.name == super::STOP_GRADIENT {
                return self.copied(node).into_iter().map(Tracked::constant).collect();
            }
            return self.run(&node.regions[&op.body], &operands);
        }
        if let Op::Scan(op) = &node.op {
            return self.scan(node, op);
        }
        if let Op::ForLoop(op) = &node.op {
            return self.for_loop(node, *op);
        }
        let captured = self.captured(node);
        let (tensors, residuals) = if let Op::Sort(op) = &node.op {
            self.sorted(node, *op)
        } else {
            (self.copied(node), Vec::new())
        };
        let results: Vec<Tracked> = tensors.into_iter().map(|tensor| self.track(tensor)).collect();
        let node = Rc::clone(node);
        let own = results.clone();
        self.push(Step { node, operands, captured, results: own, residuals, reverse: None });
        results
    }

    /// Sorts also the positions: the permutation.
    fn sorted(&mut self, node: &Recorded, op: Sort) -> (Vec<Tensor>, Vec<Tensor>) {
        let mut operands: Vec<Tensor> = self.operands(node).iter().map(|x| x.tensor).collect();
        let positions = operands.first().and_then(|&key| shape_of(key)).map(|shape| {
            let count = shape.sizes().get(op.axis).copied().unwrap_or(0);
            let dtype = if i32::try_from(count).is_ok() { DType::I32 } else { DType::I64 };
            at(node.location, || Tensor::iota(dtype, shape.axes(), op.axis))
        });
        operands.extend(positions);
        let mut tensors = record_at(node.location, op.into(), &operands, None);
        let residuals = tensors.split_off(node.results.len().min(tensors.len()));
        (tensors, residuals)
    }

    /// Records a node as it is.
    pub fn copied(&mut self, node: &Recorded) -> Vec<Tensor> {
        let operands: Vec<Tensor> = self.operands(node).iter().map(|x| x.tensor).collect();
        let mut op = node.op.clone();
        let mut is_sound = true;
        op.map_regions(&mut |region| {
            let copy = node.regions.get(&region).and_then(|body| self.copy(node, body));
            is_sound &= copy.is_some();
            copy.unwrap_or(region)
        });
        match is_sound {
            true => record_at(node.location, op, &operands, None),
            false => vec![Tensor::poisoned(); node.results.len()],
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

    /// The cotangents of all tracked values, from those of results: each with its value's element
    /// type and sizes, and without names of axes.
    pub fn pull(&self, results: &[(Tracked, Tensor)]) -> Cotangents {
        let mut cotangents = Cotangents(vec![None; self.slots]);
        for &(result, cotangent) in results {
            cotangents.add(result, bare(cotangent));
        }
        for step in self.steps.iter().rev() {
            let own: Vec<Option<Tensor>> =
                step.results.iter().map(|&result| cotangents.get(result)).collect();
            if own.iter().all(Option::is_none) {
                continue;
            }
            // After an error nothing has a shape.
            let has_failed = own.iter().flatten().any(|cotangent| cotangent.has_failed());
            at(step.node.location, || {
                let captured = step.captured.iter().map(|captured| captured.1);
                let operands = step.operands.iter().copied().chain(captured);
                let given = match has_failed {
                    true => vec![Some(Tensor::poisoned()); operands.clone().count()],
                    false => step.node.op.visit(&mut Rules, &Pull::new(step, own)),
                };
                for (operand, cotangent) in operands.zip(given) {
                    if let Some(cotangent) = cotangent {
                        cotangents.add(operand, cotangent);
                    }
                }
            });
        }
        cotangents
    }
}

/// The sums of the cotangents of tracked values, by slot; none is zero.
pub(super) struct Cotangents(Vec<Option<Tensor>>);

impl Cotangents {
    pub fn get(&self, value: Tracked) -> Option<Tensor> {
        self.0[value.slot?]
    }

    fn add(&mut self, value: Tracked, cotangent: Tensor) {
        let Some(slot) = value.slot else { return };
        let sum = self.0[slot].map_or(cotangent, |other| other + cotangent);
        self.0[slot] = Some(sum);
    }

    /// The cotangent without names of axes; zeros if there is none.
    pub fn bare(&self, value: Tracked) -> Tensor {
        self.get(value).unwrap_or_else(|| bare(value.tensor).full_like(0))
    }

    /// The cotangent with the axes of its value; zeros if there is none.
    pub fn of(&self, value: Tracked) -> Tensor {
        let Some(shape) = shape_of(value.tensor) else { return Tensor::poisoned() };
        match self.get(value) {
            Some(cotangent) if cotangent.shape().axes() == shape.axes() => cotangent,
            Some(cotangent) => cotangent.reshape(shape.axes()),
            None => Tensor::zeros(shape.dtype(), shape.axes()),
        }
    }
}

/// The tensor without names of axes, so that ops align it by position.
pub(super) fn bare(tensor: Tensor) -> Tensor {
    match shape_of(tensor) {
        Some(shape) if shape.names().iter().any(Option::is_some) => tensor.reshape(shape.sizes()),
        _ => tensor,
    }
}
