//! The derivatives of loops whose number of steps is known.

use super::{ForLoop, Scan};
use crate::{
    DType, Shape, Tensor, ValueId,
    body::Recorded,
    grad::{Loop, Pull, Tape, Tracked, Vjp, reversed},
    trace::called_from,
};
use std::rc::Rc;

impl Vjp for ForLoop {
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
        let mut operands = tape.operands(node);
        if self.count == 0 {
            return operands;
        }
        let indices = called_from(node.location, || Tensor::iota(DType::I32, [self.count], 0));
        operands.push(Tracked::constant(indices));
        let body = &node.regions[&self.body];
        let mut parameters: Vec<(ValueId, Shape)> =
            body.parameters.iter().copied().zip(body.shapes.iter().copied()).collect();
        // The index is the element of the scan.
        parameters.rotate_left(1);
        let carried = body.parameters.len() - 1;
        let looped = Loop { body, parameters, carried, axes: vec![0], operands };
        tape.looped(node, looped)
    }

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        reversed(pull)
    }
}

impl Vjp for Scan {
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
        let body = &node.regions[&self.body];
        let parameters = body.parameters.iter().copied().zip(body.shapes.iter().copied());
        let looped = Loop {
            body,
            parameters: parameters.collect(),
            carried: self.carried,
            axes: self.axes.clone(),
            operands: tape.operands(node),
        };
        tape.looped(node, looped)
    }

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        reversed(pull)
    }
}
