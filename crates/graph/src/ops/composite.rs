//! Functions recorded as one node, with what they are made of as its body.

use super::control::{TensorTree, check_carried, handles, leaves, rebuild, usable};
use crate::{
    Attributes, Effect, Graph, RegionId, RegionKind,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    trace::{Rule, emit, in_region_of},
};
use std::{
    borrow::Cow,
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
};

/// A function that passes and kernels can see whole: what nobody wants whole is its body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composite {
    /// Who it is, such as `hloom.softmax`.
    pub name: String,
    /// What the name means changes with this.
    pub version: u32,
    /// What the body was made for.
    pub attributes: Attributes,
    /// The operands to the results. It sees its own arguments alone; equal bodies are one region.
    pub body: RegionId,
}

impl Definition for Composite {
    fn name(&self) -> &'static str {
        "composite"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        check_carried(context.operands, &context.region_parameters(self.body))?;
        context.check_pure(self.body)?;
        Ok(context.region_results(self.body).into())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " of `{}` version {}", self.name, self.version)?;
        match self.attributes.is_empty() {
            true => Ok(()),
            false => write!(out, " {}", self.attributes),
        }
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.name.hash(&mut hasher);
        hasher.write_u32(self.version);
        self.attributes.hash(&mut hasher);
    }

    fn result_count(&self, graph: &Graph, _: usize) -> usize {
        graph
            .regions
            .get(self.body.index())
            .map_or(0, |body| body.results.len())
    }
}

impl Behavior for Composite {
    fn regions(&self) -> Vec<(Cow<'static, str>, RegionId)> {
        vec![("by".into(), self.body)]
    }

    fn map_regions(&mut self, map: &mut dyn FnMut(RegionId) -> RegionId) {
        self.body = map(self.body);
    }

    fn effect(&self) -> Effect {
        Effect::Pure
    }

    fn is_mergeable(&self) -> bool {
        true
    }
}

/// Records what `body` makes of `inputs` as one node called `name`, which passes and kernels can match; where none does, the body is
/// lowered in its place.
///
/// The body sees its own arguments alone and has no effects. `attributes` say what it was made for, as far as the body's ops do not:
/// an axis, an epsilon. Whoever changes what a name means changes its version.
///
/// ```
/// use hloom_graph::{Attributes, Spec, TraceScope, composite};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("n", 4)]), false);
/// let y = composite("acme.swish", 1, Attributes::new(), x, |x| x * x.sigmoid());
/// let z = composite("acme.swish", 1, Attributes::new(), x, |x| x * x.sigmoid());
/// let graph = trace.finish(vec![("y".into(), y + z)])?;
/// assert_eq!(graph.to_string().matches("composite").count(), 1);
/// # Ok::<(), hloom_graph::TraceError>(())
/// ```
#[track_caller]
pub fn composite<I: TensorTree, R: TensorTree>(
    name: &str,
    version: u32,
    attributes: Attributes,
    inputs: I,
    body: impl FnOnce(I) -> R,
) -> R {
    let location = Location::caller();
    let operands = leaves(&inputs);
    let Some(shapes) = usable("composite", &operands, location) else {
        let result = body(rebuild(&inputs, &[]));
        return rebuild(&result, &[]);
    };
    let (traced, result) = in_region_of("composite", RegionKind::Isolated, &shapes, location, |own| {
        let result = body(rebuild(&inputs, own));
        (leaves(&result), result)
    });
    let values = traced.and_then(|body| {
        let name = name.into();
        emit("composite", &operands, location, |builder, _, v| {
            let composite = Composite {
                name,
                version,
                attributes,
                body,
            };
            builder.add_many(composite, v)
        })
    });
    rebuild(&result, &handles(values, leaves(&result).len()))
}
