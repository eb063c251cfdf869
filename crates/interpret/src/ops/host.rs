//! Calls outside of the program: evaluators that the interpreter's user passes, and linear algebra.

use super::host_algebra;
use crate::{
    Array, InterpretError,
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
};
use hloom_graph::{CustomCall, NodeId};
use std::rc::Rc;

fn custom_call(m: &mut Machine<'_, '_>, n: NodeId, call: &CustomCall) -> Evaluated<()> {
    let location = m.graph.node(n).location;
    let slot = m.graph.node(n).op.host_slot();
    let host = slot.and_then(|slot| m.graph.host_calls().get(slot));
    let shapes = m.result_shapes(n);
    for device in m.devices.clone() {
        m.charge(n, 1)?;
        let operands = m.operands(n, device);
        let operands: Vec<&Array> = operands.iter().map(|operand| &**operand).collect();
        let (name, results) = match host {
            Some(host) => {
                let evaluate = m.hosts.get_mut(&host.name).ok_or_else(|| {
                    InterpretError::HostCall { name: host.name.clone(), location }
                })?;
                (&host.name, evaluate(&operands))
            }
            None => {
                let results = match m.calls.get_mut(&call.target) {
                    Some(evaluate) => Some(evaluate(call, &operands)),
                    None => {
                        m.charge(n, host_algebra::products(call, &operands))?;
                        host_algebra::evaluated(call, &operands, &shapes)
                    }
                };
                let missing =
                    || InterpretError::CustomCall { target: call.target.clone(), location };
                (&call.target, results.ok_or_else(missing)?)
            }
        };
        let wrong = |message| InterpretError::Evaluator { name: name.clone(), message };
        let results = results.map_err(wrong)?;
        let fits = results.len() == shapes.len()
            && results.iter().zip(&shapes).all(|(x, shape)| x.shape().same_layout(shape));
        if !fits {
            let found: Vec<_> = results.iter().map(Array::shape).collect();
            return Err(wrong(format!("it returned {found:?}, not {shapes:?}")));
        }
        let results = results.iter().zip(&shapes).map(|(x, &shape)| Rc::new(x.reshaped(shape)));
        m.set(n, device, results.collect::<Vec<_>>());
    }
    Ok(())
}

impl Evaluate for CustomCall {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        custom_call(m, n, self)
    }
}
