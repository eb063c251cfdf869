//! Faults planted into the programs that the plugin compiles. Each appears only where ops are
//! adjacent in the way that a compiler fuses them.

use super::{around, inputs};
use crate::platforms::cpu;
use hloom::{
    graph::{Binary, Graph, NodeId, Op, Rewrite, TraceScope, Unary, ValueId},
    interpret::{Array, Bisector, call, live_op_count},
    prelude::*,
};

/// Replaces the results of a node whose operands a fault fuses it with.
type Fault = fn(&mut Rewrite<'_>, NodeId) -> Option<Vec<ValueId>>;

/// The op that defines a value, if nothing else uses that.
fn only_used_here(rewrite: &Rewrite<'_>, value: ValueId) -> Option<NodeId> {
    let graph = rewrite.from();
    let is_result = graph.root().results.contains(&value);
    (rewrite.users(value).len() == 1 && !is_result).then(|| graph.value(value).node)
}

/// The sum of a product and a number without the number.
fn lost_addend(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    let graph = rewrite.from();
    let Op::Binary(Binary::Add) = graph.node(node).op else { return None };
    let value = graph.operands(node)[0];
    let product = only_used_here(rewrite, value)?;
    let is_product = matches!(graph.node(product).op, Op::Binary(Binary::Mul));
    is_product.then(|| rewrite.value(value).map(|value| vec![value]))?
}

/// The sum of exponentials as that of their logarithms.
fn lost_exponential(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    let graph = rewrite.from();
    let op @ Op::Reduce(_) = &graph.node(node).op else { return None };
    let inner = only_used_here(rewrite, graph.operands(node)[0])?;
    let Op::Unary(Unary::Exp) = graph.node(inner).op else { return None };
    let argument = rewrite.value(graph.operands(inner)[0])?;
    rewrite.add(op.clone(), &[argument])
}

/// The product with a transposed matrix as that with the matrix itself.
fn lost_transpose(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    let graph = rewrite.from();
    let op @ Op::Dot(_) = &graph.node(node).op else { return None };
    let &[left, right] = graph.operands(node) else { return None };
    let inner = only_used_here(rewrite, right)?;
    let Op::Transpose(_) = graph.node(inner).op else { return None };
    let (left, matrix) = (rewrite.value(left)?, rewrite.value(graph.operands(inner)[0])?);
    rewrite.add(op.clone(), &[left, matrix])
}

/// Bisects a program of which the plugin compiles a faulty one; the number of ops left.
fn found(graph: &Graph, fault: Fault) -> usize {
    let mut compiled = |graph: &Graph, inputs: &[Array]| {
        let faulty = graph.rewrite(fault).map_err(|error| error.to_string())?;
        let exe = cpu().compile_graph(&faulty).map_err(|error| error.to_string())?;
        call(cpu(), &exe, inputs).map_err(|error| error.to_string())
    };
    let difference = Bisector::new().run(graph, &inputs(graph), &mut compiled);
    let difference = difference.expect("both evaluate it").expect("the fault shows");
    let (before, after) = (live_op_count(graph), live_op_count(&difference.graph));
    assert_eq!(difference.graph.results().len(), 1);
    eprintln!("{before} ops, {after} left after {} programs", difference.tries);
    eprintln!("{}", difference.graph);
    after
}

/// A program with a part among others.
fn program(part: impl FnOnce(Tensor, Tensor) -> Tensor) -> Graph {
    let trace = TraceScope::begin("planted");
    let x = trace.parameter("x", &Spec::f32([4, 4]), false);
    let w = trace.parameter("w", &Spec::f32([4, 4]), false);
    around(trace, x, |x| part(x.cumsum(0), w.sin()))
}

#[test]
fn a_lost_addend_is_found() {
    let graph = program(|x, w| hloom::ops::for_loop(3, x.exp(), |_, x| (x * w + x).tanh()));
    // By hand: a product and a sum.
    assert!(found(&graph, lost_addend) <= 3);
}

#[test]
fn a_lost_exponential_is_found() {
    let graph = program(|x, w| w * (x.exp() / (w * w).exp().sum_keep(1)));
    // By hand: an exponential and a sum.
    assert!(found(&graph, lost_exponential) <= 3);
}

#[test]
fn a_lost_transpose_is_found() {
    let graph = program(|x, w| x.matmul((w * 2).transpose([1, 0])));
    // By hand: a transpose and a product.
    assert!(found(&graph, lost_transpose) <= 3);
}

#[test]
fn a_fault_in_a_later_step_of_a_loop_is_found() {
    // The addend is 0 in the first step.
    let graph = program(|x, w| {
        let start = (x, Tensor::zeros(DType::F32, x.shape().axes()));
        hloom::ops::for_loop(5, start, |_, (x, sum)| ((x * w + sum).tanh(), sum + w)).0
    });
    // By hand: a product and a sum.
    assert!(found(&graph, lost_addend) <= 3);
}

#[test]
fn a_fault_in_a_carried_value_of_a_scan_is_found() {
    let graph = program(|x, w| {
        let (sum, all) = hloom::ops::scan(w.sum(0), x, 0, |sum: Tensor, row: Tensor| {
            ((sum * row + row).tanh(), sum.exp())
        });
        sum + all.tanh()
    });
    // By hand: a product and a sum.
    assert!(found(&graph, lost_addend) <= 3);
}

#[test]
fn a_fault_in_a_stacked_value_of_a_scan_is_found() {
    let graph = program(|x, w| {
        let (_, all) = hloom::ops::scan(w.sum(0), x, 0, |sum: Tensor, row: Tensor| {
            ((sum + row).tanh(), (sum * row + sum.abs()).sin())
        });
        all * 2 - 1
    });
    // By hand: a product and a sum.
    assert!(found(&graph, lost_addend) <= 3);
}

#[test]
fn a_fault_in_loops_in_loops_is_found() {
    let graph = program(|x, w| {
        let start = (x, Tensor::scalar(0, DType::I32));
        let outer = |(x, i): (Tensor, Tensor)| {
            let (x, _) = hloom::ops::scan(x, w, 0, |x: Tensor, row: Tensor| {
                let row = row.insert_axis(0, "_").broadcast_to(x.shape().axes());
                (hloom::ops::for_loop(2, x, |_, x| (x * row + x).tanh()), ())
            });
            (x, i + 1)
        };
        hloom::ops::while_loop(start, |(_, i)| i.lt(3), outer).0
    });
    // By hand: a product and a sum.
    assert!(found(&graph, lost_addend) <= 3);
}

#[test]
fn a_fault_in_the_branch_that_is_taken_is_found() {
    let graph = program(|x, w| {
        let other = move || w.cumsum(1).tanh();
        hloom::ops::cond(x.sum(..).gt(-1000), || w * ((x * 2).exp() / x.exp().sum_keep(1)), other)
    });
    // By hand: an exponential and a sum.
    assert!(found(&graph, lost_exponential) <= 3);
}

/// The carried value of a scan of more than two steps as that of its start, where it gets an axis.
fn lost_steps(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    let graph = rewrite.from();
    let op @ Op::Reshape(_) = &graph.node(node).op else { return None };
    let result = graph.operands(node)[0];
    let inner = graph.value(result).node;
    let Op::Scan(scan) = &graph.node(inner).op else { return None };
    let operand = graph.operands(inner)[scan.carried];
    let is_long = graph.shape(operand).sizes()[scan.axes[0]] > 2;
    let is_carried = graph.node_results(inner).next() == Some(result);
    let start = rewrite.value(graph.operands(inner)[0])?;
    if is_long && is_carried { rewrite.add(op.clone(), &[start]) } else { None }
}

#[test]
fn a_fault_of_a_scan_as_a_whole_leaves_a_short_one() {
    let graph = {
        let trace = TraceScope::begin("planted");
        let x = trace.parameter("x", &Spec::f32([9, 4]), false);
        around(trace, x, |x| {
            let step = |sum: Tensor, row: Tensor| (sum + row, sum * 2);
            hloom::ops::scan(x.sum(0), x, 0, step).0.insert_axis(0, "_")
        })
    };
    let mut compiled = |graph: &Graph, inputs: &[Array]| {
        let faulty = graph.rewrite(lost_steps).map_err(|error| error.to_string())?;
        let exe = cpu().compile_graph(&faulty).map_err(|error| error.to_string())?;
        call(cpu(), &exe, inputs).map_err(|error| error.to_string())
    };
    let difference = Bisector::new().run(&graph, &inputs(&graph), &mut compiled);
    let difference = difference.expect("both evaluate it").expect("the fault shows");
    // By hand: a scan of three steps that adds, and a new axis.
    assert!(live_op_count(&difference.graph) <= 4, "{difference:?}");
    let scan = difference.graph.nodes().find_map(|(id, node)| match &node.op {
        Op::Scan(scan) => Some(difference.graph.operands(id)[scan.carried]),
        _ => None,
    });
    let steps = difference.graph.shape(scan.expect("it is left")).sizes()[0];
    assert_eq!(steps, 3, "{difference:?}");
}
