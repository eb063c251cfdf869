//! Functions recorded as one composite, including those that capture tensors.

use super::tape::Tape;
use crate::{
    Attributes, RegionId, RegionKind, Tensor, ValueId,
    body::{Body, Recorded},
    graph::record_at,
    op::{Composite, OwnComposite},
    trace::{emit, in_region_of},
};
use std::{borrow::Cow, panic::Location, rc::Rc};

/// A traced function, and the values that it captures.
pub(super) struct Closed {
    body: Body,
    /// Captured constants, which are recorded again inside: they need no memory.
    constants: Vec<Rc<Recorded>>,
    captured: Vec<ValueId>,
}

impl Closed {
    pub fn of(region: RegionId) -> Option<Closed> {
        let body = Body::of(region)?;
        let (mut constants, mut captured) = (Vec::new(), Vec::new());
        let mut free: Vec<ValueId> = body.free().into_iter().collect();
        free.sort_unstable();
        for value in free {
            match Recorded::constant(value) {
                Some(constant) => constants.push(constant),
                None => captured.push(value),
            }
        }
        Some(Closed { body, constants, captured })
    }

    /// Records the function `op` as a composite, of these inputs and the captured values.
    pub fn record(
        &self,
        op: &'static str,
        composite: OwnComposite,
        attributes: Attributes,
        inputs: &[Tensor],
        location: &'static Location<'static>,
    ) -> Option<Vec<Tensor>> {
        let captured = self.captured.iter().map(|&value| Tensor::of(value));
        let operands: Vec<Tensor> = inputs.iter().copied().chain(captured).collect();
        let shapes = emit(op, &operands, location, |_, shapes, _| {
            if self.body.has_effect() {
                Err("the function has an effect, which derivatives would repeat".into())
            } else {
                Ok(shapes.to_vec())
            }
        })?;
        let values = [&self.body.parameters[..], &self.captured].concat();
        let kind = RegionKind::Isolated;
        let (body, ()) = in_region_of(op, kind, &shapes, &[], location, |own| {
            let mut tape = Tape::default();
            tape.replay(&values, own, &self.constants);
            tape.replay(&[], &[], &self.body.nodes);
            (tape.tensors(&self.body.results), ())
        });
        let composite = Composite {
            name: Cow::Borrowed(composite.name()),
            version: 1,
            attributes,
            body: body?,
        };
        Some(record_at(location, composite.into(), &operands, None))
    }
}
