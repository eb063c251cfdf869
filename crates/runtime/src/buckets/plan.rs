//! The axes of inputs and results that belong to buckets.

use super::sizes::{AxisSizes, Buckets};
use crate::Signature;
use hloom_graph::{Name, OperandInfo, Shape, TraceError};
use std::panic::Location;

/// The axes of the inputs and results of a function that depend on the bucket.
pub(super) struct Plan<const N: usize> {
    pub buckets: Buckets<N>,
    /// The inputs of the function, without the lengths.
    pub inputs: Vec<PlannedInput<N>>,
    outputs: Vec<PlannedOutput<N>>,
    location: &'static Location<'static>,
}

pub(super) struct PlannedInput<const N: usize> {
    pub name: String,
    /// The shape in the smallest bucket.
    pub shape: Shape,
    pub donated: bool,
    /// The positions of the axes with buckets.
    pub axes: [Option<usize>; N],
}

struct PlannedOutput<const N: usize> {
    name: String,
    /// The shape in the smallest bucket.
    shape: Shape,
    /// The positions of the axes with buckets.
    axes: [Option<usize>; N],
    /// Whether it is a donated input, updated in place.
    reuses: bool,
}

/// The function's inputs and results in one bucket.
pub(super) struct Sample<const N: usize> {
    pub sizes: [usize; N],
    pub signature: Signature,
}

impl<const N: usize> Plan<N> {
    /// The plan of a function, from samples of the smallest bucket and of others.
    pub fn new(
        buckets: Buckets<N>,
        base: &Sample<N>,
        others: &[Sample<N>],
        location: &'static Location<'static>,
    ) -> Result<Plan<N>, TraceError> {
        let count = base.signature.inputs.len() - N;
        let inputs = base.signature.inputs[..count].iter().map(|input| PlannedInput {
            name: input.name.clone(),
            shape: input.shape,
            donated: input.donated,
            axes: names(&buckets).map(|axis| input.shape.position(axis).ok()),
        });
        let inputs: Vec<_> = inputs.collect();
        for (i, AxisSizes { axis, .. }) in buckets.axes.iter().enumerate() {
            if inputs.iter().all(|input| input.axes[i].is_none()) {
                let message = format!("no argument has an axis `{axis}` to pad");
                let known = inputs
                    .iter()
                    .map(|input| OperandInfo::argument("argument", &input.name, input.shape));
                return Err(error(message, known.collect(), location));
            }
        }
        let outputs = base.signature.outputs.iter().map(|output| PlannedOutput {
            name: output.name.clone(),
            shape: output.shape,
            // An axis whose size does not change with the bucket is not an axis with buckets.
            axes: std::array::from_fn(|i| {
                let position = output.shape.position(buckets.axes[i].axis).ok()?;
                let size = output.shape.sizes()[position];
                (size == base.sizes[i]).then_some(position)
            }),
            reuses: output.reuses.is_some(),
        });
        let mut plan = Plan { outputs: outputs.collect(), buckets, inputs, location };
        for other in others {
            plan.drop_constant_axes(base, other);
        }
        others.iter().try_for_each(|other| plan.check(other))?;
        Ok(plan)
    }

    /// Removes axes of results that have the same size in two buckets.
    fn drop_constant_axes(&mut self, base: &Sample<N>, other: &Sample<N>) {
        for (planned, found) in self.outputs.iter_mut().zip(&other.signature.outputs) {
            for i in (0..N).filter(|&i| base.sizes[i] != other.sizes[i]) {
                let size = planned.axes[i].and_then(|at| found.shape.sizes().get(at));
                if size == Some(&base.sizes[i]) {
                    planned.axes[i] = None;
                }
            }
        }
    }

    /// Checks that results have, in another bucket, the sizes that the plan expects.
    pub fn check(&self, other: &Sample<N>) -> Result<(), TraceError> {
        let smallest = self.buckets.axes.each_ref().map(AxisSizes::smallest);
        let describe = |sizes: [usize; N]| {
            let names = names(&self.buckets);
            let axes = names.iter().zip(sizes).map(|(axis, size)| format!("{axis}={size}"));
            axes.collect::<Vec<_>>().join(", ")
        };
        let (here, there) = (describe(smallest), describe(other.sizes));
        let found = &other.signature.outputs;
        if found.len() != self.outputs.len() {
            let (count, of) = (self.outputs.len(), found.len());
            let message = format!("{count} results for {here}, and {of} for {there}");
            return Err(error(message, Vec::new(), self.location));
        }
        for (planned, found) in self.outputs.iter().zip(found) {
            if self.has_expected_sizes(planned, found.shape, other.sizes) {
                continue;
            }
            let name = &planned.name;
            let axes: Vec<String> =
                names(&self.buckets).iter().map(|axis| format!("`{axis}`")).collect();
            let message = format!(
                "a size of the result `{name}` depends on the bucket: only an axis of the name {} \
                 with the bucket's size can be cut to the true length",
                axes.join(" or ")
            );
            let shapes = vec![
                OperandInfo::argument(&format!("with {here}"), name, planned.shape),
                OperandInfo::argument(&format!("with {there}"), name, found.shape),
            ];
            return Err(error(message, shapes, self.location));
        }
        Ok(())
    }

    fn has_expected_sizes(
        &self,
        planned: &PlannedOutput<N>,
        found: Shape,
        bucket: [usize; N],
    ) -> bool {
        let expected = |at: usize| {
            let axis = planned.axes.iter().position(|&axis| axis == Some(at));
            axis.map_or(planned.shape.sizes()[at], |axis| bucket[axis])
        };
        found.dtype() == planned.shape.dtype()
            && found.names() == planned.shape.names()
            && found.sizes().iter().enumerate().all(|(at, &size)| size == expected(at))
    }

    /// The axes to cut of the result at this position: none of an updated donated input.
    pub fn cut_axes(&self, output: usize) -> Option<[Option<usize>; N]> {
        let output = &self.outputs[output];
        let is_cut = !output.reuses && output.axes.iter().any(Option::is_some);
        is_cut.then_some(output.axes)
    }
}

fn names<const N: usize>(buckets: &Buckets<N>) -> [Name; N] {
    buckets.axes.each_ref().map(|axis| axis.axis)
}

/// An error of `compile_buckets`.
pub(super) fn error(
    message: String,
    operands: Vec<OperandInfo>,
    location: &'static Location<'static>,
) -> TraceError {
    let mut error = TraceError::new("compile_buckets", message, location);
    error.operands = operands;
    error
}
