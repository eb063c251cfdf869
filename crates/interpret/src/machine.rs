//! The walk over a graph: values by device, and the regions of ops.
//!
//! Outside of manual bodies a program over a mesh computes one value for all devices, which is
//! stored for device 0. In a manual body each node is evaluated for all devices before the next
//! one, so that collectives find the values of their groups.

use crate::{
    Array, InterpretError,
    array::check_size,
    interpreter::{CallEvaluator, HostEvaluator},
};
use hloom_graph::{Graph, NodeId, Op, RegionId, Shape, ValueId};
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// A value with several owners.
pub(crate) type Shared = Rc<Array>;

pub(crate) type Evaluated<T> = Result<T, InterpretError>;

/// The maximum nesting of bodies, which is more than a trace allows.
const MAX_DEPTH: usize = 128;

pub(crate) struct Machine<'m, 'a> {
    pub graph: &'m Graph,
    live: Vec<bool>,
    values: HashMap<(ValueId, usize), Shared>,
    /// The devices that evaluate the current region.
    pub devices: Vec<usize>,
    depth: usize,
    limit: u64,
    left: u64,
    /// A body whose arguments are kept.
    pub watched: Option<RegionId>,
    /// The arguments of the watched body in its first two steps and the last one.
    pub steps: Vec<Vec<Shared>>,
    pub calls: &'m mut BTreeMap<String, CallEvaluator<'a>>,
    pub hosts: &'m mut BTreeMap<String, HostEvaluator<'a>>,
}

impl<'m, 'a> Machine<'m, 'a> {
    pub fn new(
        graph: &'m Graph,
        limit: u64,
        calls: &'m mut BTreeMap<String, CallEvaluator<'a>>,
        hosts: &'m mut BTreeMap<String, HostEvaluator<'a>>,
    ) -> Machine<'m, 'a> {
        Machine {
            graph,
            live: graph.live(),
            values: HashMap::new(),
            devices: vec![0],
            depth: 0,
            limit,
            left: limit,
            watched: None,
            steps: Vec::new(),
            calls,
            hosts,
        }
    }

    /// Evaluates the function itself.
    pub fn run(&mut self, inputs: Vec<Array>) -> Evaluated<()> {
        let inputs = inputs.into_iter().map(Rc::new).collect();
        self.region(Graph::ROOT, &[0], vec![inputs])?;
        Ok(())
    }

    /// A value outside of manual bodies.
    pub fn whole(&self, value: ValueId) -> Array {
        Array::clone(&self.value(value, 0))
    }

    pub fn value(&self, value: ValueId, device: usize) -> Shared {
        let found = self.values.get(&(value, device));
        Rc::clone(found.expect("BUG: operands are evaluated before their users"))
    }

    pub fn operands(&self, node: NodeId, device: usize) -> Vec<Shared> {
        self.graph.operands(node).iter().map(|&value| self.value(value, device)).collect()
    }

    /// The shapes of a node's results.
    pub fn result_shapes(&self, node: NodeId) -> Vec<Shape> {
        self.graph.node_results(node).map(|value| self.graph.shape(value)).collect()
    }

    pub fn set(&mut self, node: NodeId, device: usize, results: impl IntoIterator<Item = Shared>) {
        for (value, result) in self.graph.node_results(node).zip(results) {
            self.values.insert((value, device), result);
        }
    }

    /// Counts steps of an op, and checks the sizes of its results.
    pub fn charge(&mut self, node: NodeId, steps: usize) -> Evaluated<()> {
        for value in self.graph.node_results(node) {
            check_size(self.graph.shape(value))?;
        }
        let left = self.left.checked_sub(u64::try_from(steps).unwrap_or(u64::MAX));
        self.left = left.ok_or_else(|| InterpretError::Limit {
            limit: self.limit,
            op: self.graph.node(node).op.name(),
            location: self.graph.node(node).location,
        })?;
        Ok(())
    }

    /// Sets the results of a node on each device to the results of `evaluate` for its operands and
    /// the shapes of its results.
    pub fn each(
        &mut self,
        node: NodeId,
        evaluate: impl Fn(&[&Array], &[Shape]) -> Evaluated<Vec<Array>>,
    ) -> Evaluated<()> {
        let shapes = self.result_shapes(node);
        for device in self.devices.clone() {
            let made =
                shapes.iter().fold(1, |all, shape| shape.element_count().saturating_add(all));
            self.charge(node, made)?;
            let operands = self.operands(node, device);
            let operands: Vec<&Array> = operands.iter().map(|operand| &**operand).collect();
            let results = evaluate(&operands, &shapes)?;
            self.set(node, device, results.into_iter().map(Rc::new));
        }
        Ok(())
    }

    /// As [`each`](Self::each), for an op with one result that cannot fail.
    pub fn one(
        &mut self,
        node: NodeId,
        evaluate: impl Fn(&[&Array], Shape) -> Array,
    ) -> Evaluated<()> {
        self.each(node, |operands, shapes| Ok(vec![evaluate(operands, shapes[0])]))
    }

    /// Counts the steps that `steps` returns for the operands and the result on each device.
    pub fn charge_products(
        &mut self,
        node: NodeId,
        steps: impl Fn(&[&Array], Shape) -> usize,
    ) -> Evaluated<()> {
        let shape = self.result_shapes(node)[0];
        for device in self.devices.clone() {
            let operands = self.operands(node, device);
            let operands: Vec<&Array> = operands.iter().map(|operand| &**operand).collect();
            self.charge(node, steps(&operands, shape))?;
        }
        Ok(())
    }

    /// Counts the elements of the operands on each device.
    pub fn charge_operands(&mut self, node: NodeId) -> Evaluated<()> {
        let count = |x: &&Array| x.shape().element_count();
        self.charge_products(node, |operands, _| operands.iter().map(count).sum())
    }

    /// Evaluates a region on these devices, with the arguments of each, and returns the results of
    /// each.
    pub fn region(
        &mut self,
        region: RegionId,
        devices: &[usize],
        arguments: Vec<Vec<Shared>>,
    ) -> Evaluated<Vec<Vec<Shared>>> {
        let graph = self.graph;
        let body = graph.region(region);
        if self.depth == MAX_DEPTH {
            return Err(InterpretError::Nesting { depth: MAX_DEPTH });
        }
        if self.watched == Some(region) {
            self.steps.truncate(2);
            self.steps.extend(arguments.first().cloned());
        }
        for (&device, arguments) in devices.iter().zip(arguments) {
            for (&parameter, argument) in body.parameters.iter().zip(arguments) {
                self.values.insert((parameter, device), argument);
            }
        }
        let around = std::mem::replace(&mut self.devices, devices.to_vec());
        self.depth += 1;
        for &node in &body.nodes {
            let op = &graph.node(node).op;
            if self.live[node.index()] && !matches!(op, Op::Parameter(_)) {
                self.evaluate(op, node)?;
            }
        }
        self.depth -= 1;
        self.devices = around;
        let results =
            |&device: &usize| body.results.iter().map(|&value| self.value(value, device)).collect();
        Ok(devices.iter().map(results).collect())
    }

    /// Evaluates a region on one device.
    pub fn region_on(
        &mut self,
        region: RegionId,
        device: usize,
        arguments: Vec<Shared>,
    ) -> Evaluated<Vec<Shared>> {
        Ok(self.region(region, &[device], vec![arguments])?.remove(0))
    }
}
