//! Composites: functions recorded as one node with a body.

use super::control::{TensorTree, check_carried, handles, leaves, rebuild};
use super::ragged_dot::{self, RAGGED_DOT, RAGGED_OUTER};
use crate::{
    Attributes, Effect, Graph, RegionId, RegionKind, Shape, Tensor, ValueId,
    body::Recorded,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    grad::{
        CHECKPOINT, CHECKPOINT_NAME, CUSTOM_VJP, Pull, STOP_GRADIENT, Tape, Tracked, Vjp,
        checkpoint_pulled, custom_vjp_pulled,
    },
    trace::{Builder, Rule, at, emit, in_region_of},
};
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

impl Vjp for Composite {
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
        match &*self.name {
            STOP_GRADIENT => tape.copied(node).into_iter().map(Tracked::constant).collect(),
            CHECKPOINT => tape.checkpoint(node, self),
            CUSTOM_VJP => tape.custom_vjp(node, self),
            _ if tape.is_expanded(node, self) => {
                let operands = tape.operands(node);
                tape.run(&node.regions[&self.body], &operands)
            }
            _ => tape.plain(node),
        }
    }

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        match &*self.name {
            CHECKPOINT => checkpoint_pulled(pull, self),
            CHECKPOINT_NAME => pull.one(pull.g()),
            CUSTOM_VJP => custom_vjp_pulled(pull, self),
            RAGGED_DOT => ragged_dot::pulled(pull, self),
            RAGGED_OUTER => ragged_dot::pulled_outer(pull),
            _ => Vec::new(),
        }
    }
}

/// Records `body` applied to `inputs` as one node called `name`, which passes and kernels can
/// match; where none does, the body is lowered in its place.
///
/// The body uses only its own parameters and has no effects. `attributes` hold the parameters of
/// the function that the body's ops do not show: an axis, an epsilon. A change of a function's
/// semantics needs a new version.
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
    let shapes =
        emit("composite", &operands, location, |_, shapes, _| match name.starts_with(RESERVED) {
            true => {
                Err(format!("`{name}`: names that begin with `{RESERVED}` are reserved").into())
            }
            false => Ok(shapes.to_vec()),
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

/// Begins the names of Hloom's own composites, which kernels replace without a look at the body.
const RESERVED: &str = "hloom.";

/// As [`composite`], for functions with one result whose body depends only on the name, the
/// version, the attributes and the shapes of the inputs, as those of a library do: it is traced
/// once for each combination, and later nodes reuse it.
#[track_caller]
pub fn shared_composite(
    name: &'static str,
    version: u32,
    attributes: Attributes,
    inputs: &[Tensor],
    body: impl FnOnce(&[Tensor]) -> Tensor,
) -> Tensor {
    let location = Location::caller();
    let mut composite =
        Composite { name: Cow::Borrowed(name), version, attributes, body: Graph::ROOT };
    let found = emit("composite", inputs, location, |builder, shapes, values| {
        let region = builder.region();
        match builder.graph().shared_body(&composite, shapes, region) {
            Some(body) => {
                composite.body = body;
                shared(builder, &composite, values).map(Ok)
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
            (vec![at(location, || body(own))], ())
        });
    let value = traced.and_then(|traced| {
        emit("composite", inputs, location, |builder, _, values| {
            composite.body = builder.graph().canonical_body(traced);
            builder.graph().share_body(composite.clone());
            shared(builder, &composite, values)
        })
    });
    Tensor::or_poisoned(value)
}

/// The composite's node, for a body traced for these operands.
fn shared(builder: &mut Builder<'_>, composite: &Composite, operands: &[ValueId]) -> Rule<ValueId> {
    let (region, location) = (builder.region(), builder.location());
    let results = |_: &crate::Op, graph: &Graph| {
        let results = &graph.region(composite.body).results;
        Ok(results.iter().map(|&value| graph.shape(value)).collect())
    };
    let graph = builder.graph();
    let node = graph.add_of(composite.clone().into(), operands, region, location, results)?;
    Ok(graph.node_results(node).next().expect("the body has one result"))
}
