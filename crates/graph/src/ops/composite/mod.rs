//! Composites: functions recorded as one node with a body.

mod own;

use super::control::{TensorTree, check_carried, handles, leaves, rebuild};
use crate::{
    Attributes, Effect, Graph, RegionId, RegionKind, Shape, Tensor, ValueId,
    body::Recorded,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    grad::{Pull, Tape, Tracked, Vjp},
    trace::{Builder, Rule, called_from, emit, in_region_of, record_error},
    vmap::{Batch, Lane, Lanes, batched_if_any},
};
pub use own::OwnComposite;
pub(crate) use own::{CompositeRules, EXPANDED, expanded_lanes};
use std::{
    borrow::Cow,
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
    rc::Rc,
};

/// A function that passes and kernels can match as a whole; otherwise its body is lowered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composite {
    /// The identity of the function, such as `hloom.softmax`.
    pub name: Cow<'static, str>,
    /// The version of the function's semantics.
    pub version: u32,
    /// The parameters for which the body was traced.
    pub attributes: Attributes,
    /// Maps the operands to the results. It uses only its own parameters; equal bodies are one
    /// region.
    pub body: RegionId,
}

impl Definition for Composite {
    fn name(&self) -> &'static str {
        "composite"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        check_carried(context.operands, &context.region_parameters(self.body))?;
        if let Some((name, what)) = self.attributes.foreign() {
            return Err(format!(
                "attribute `{name}`: composites have no attributes that are {what}"
            )
            .into());
        }
        context.check_pure(self.body)?;
        Ok(context.region_results(self.body).into())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " of `{}` version {}", self.name, self.version)?;
        if self.attributes.is_empty() { Ok(()) } else { write!(out, " {}", self.attributes) }
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.name.hash(&mut hasher);
        hasher.write_u32(self.version);
        self.attributes.hash(&mut hasher);
    }

    fn result_count(&self, graph: &Graph, _: usize) -> usize {
        graph.regions.get(self.body.index()).map_or(0, |body| body.results.len())
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

impl Batch for Composite {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        (self.rules().batch)(self, lanes, node)
    }

    batched_if_any!();
}

impl Vjp for Composite {
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
        (self.rules().record)(self, tape, node)
    }

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        (self.rules().pull)(self, pull)
    }
}

/// Records `body` applied to `inputs` as one node called `name`, which passes and kernels can
/// match; where none does, the body is lowered instead.
///
/// The body uses only its own parameters and has no effects. `attributes` hold the parameters of
/// the function that cannot be read from the body's ops: an axis, an epsilon. A change of a
/// function's semantics needs a new version.
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
    let shapes = emit("composite", &operands, location, |_, shapes, _| match reserved(name) {
        Some(why) => Err(why.into()),
        None => Ok(shapes.to_vec()),
    });
    let Some(shapes) = shapes else {
        let result = body(rebuild(&inputs, &[]));
        return rebuild(&result, &[]);
    };
    let (traced, result) =
        in_region_of("composite", RegionKind::Isolated, &shapes, &operands, location, |own| {
            let result = body(rebuild(&inputs, own));
            (leaves(&result), result)
        });
    let values = traced.and_then(|body| {
        let name = Cow::Owned(name.to_owned());
        emit("composite", &operands, location, |builder, _, v| {
            let composite = Composite { name, version, attributes, body };
            builder.add_many(composite, v)
        })
    });
    rebuild(&result, &handles(values, leaves(&result).len()))
}

/// The prefix of the names of Hloom's own composites, which kernels replace without checking the
/// body, and of its own targets of custom calls.
pub(super) const RESERVED: &str = "hloom.";

/// The reason why a composite of a user cannot have this name.
fn reserved(name: &str) -> Option<String> {
    name.starts_with(RESERVED)
        .then(|| format!("`{name}`: names that begin with `{RESERVED}` are reserved"))
}

/// As [`composite`], for functions with one result whose body depends only on the name, the
/// version, the attributes and the shapes of the inputs, as in a library: the body is traced once
/// for each combination, and later nodes reuse it.
#[track_caller]
pub fn shared_composite(
    name: &'static str,
    version: u32,
    attributes: Attributes,
    inputs: &[Tensor],
    body: impl FnOnce(&[Tensor]) -> Tensor,
) -> Tensor {
    match reserved(name) {
        Some(why) => record_error("composite", inputs, why),
        None => shared(name, version, attributes, inputs, Location::caller(), body),
    }
}

fn shared(
    name: &'static str,
    version: u32,
    attributes: Attributes,
    inputs: &[Tensor],
    location: &'static Location<'static>,
    body: impl FnOnce(&[Tensor]) -> Tensor,
) -> Tensor {
    let mut composite =
        Composite { name: Cow::Borrowed(name), version, attributes, body: Graph::ROOT };
    let found = emit("composite", inputs, location, |builder, shapes, values| {
        let region = builder.region();
        match builder.graph().shared_body(&composite, shapes, region) {
            Some(body) => {
                composite.body = body;
                shared_node(builder, &composite, values).map(Ok)
            }
            None => Ok(Err(shapes.to_vec())),
        }
    });
    let shapes: Vec<Shape> = match found {
        Some(Err(shapes)) => shapes,
        Some(Ok(value)) => return Tensor::or_poisoned(Some(value)),
        None => return Tensor::or_poisoned(None),
    };
    let (traced, ()) =
        in_region_of("composite", RegionKind::Isolated, &shapes, inputs, location, |own| {
            (vec![called_from(location, || body(own))], ())
        });
    let value = traced.and_then(|traced| {
        emit("composite", inputs, location, |builder, _, values| {
            composite.body = builder.graph().canonical_body(traced);
            builder.graph().share_body(composite.clone());
            shared_node(builder, &composite, values)
        })
    });
    Tensor::or_poisoned(value)
}

/// The composite's node, for a body traced for these operands.
fn shared_node(
    builder: &mut Builder<'_>,
    composite: &Composite,
    operands: &[ValueId],
) -> Rule<ValueId> {
    let (region, location) = (builder.region(), builder.location());
    let results = |_: &crate::Op, graph: &Graph| {
        let results = &graph.region(composite.body).results;
        Ok(results.iter().map(|&value| graph.shape(value)).collect())
    };
    let graph = builder.graph();
    let node = graph.add_of(composite.clone().into(), operands, region, location, results)?;
    Ok(graph.node_results(node).next().expect("the body has one result"))
}
