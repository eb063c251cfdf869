//! Custom calls.

mod check;
mod own;

use crate::{
    Attribute, BackendConfig, CustomCall, Effect, FunctionId, Graph, HostCall, Op, OutputAlias,
    RegionId, Spec, Tensor, TraceError, Tree, ValueId,
    body::Recorded,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes, hash_shape},
    grad::{Pull, Vjp, keeps_operands},
    trace::{Builder, Rule, emit, fail},
    vmap::{Batch, Lane, Lanes, batched_if_any},
};
use check::check;
pub(super) use own::OwnTarget;
pub use own::linear_algebra_name;
use own::no_known_derivative;
use std::{
    any::Any,
    borrow::Cow,
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
    sync::Arc,
};

impl Definition for CustomCall {
    fn name(&self) -> &'static str {
        "custom_call"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        check(self, &self.target, context.operands)?;
        Ok(self.results.as_slice().into())
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " of `{}`", self.target)?;
        match &self.config {
            BackendConfig::Typed(attributes) if attributes.is_empty() => {}
            BackendConfig::Typed(attributes) => write!(out, " {attributes}")?,
            BackendConfig::Opaque { api_version, config } => {
                write!(out, " by version {api_version} {config:?}")?
            }
        }
        for OutputAlias { result, operand } in &self.aliases {
            write!(out, ", result {result} in the memory of operand {operand}")?;
        }
        if !self.frontend_attributes.is_empty() {
            write!(out, ", frontend {:?}", self.frontend_attributes)?;
        }
        match self.effect {
            Effect::Pure => Ok(()),
            Effect::Unordered => out.write_str(", with an effect"),
            Effect::Ordered => out.write_str(", in order"),
        }
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.target.hash(&mut hasher);
        self.config.hash(&mut hasher);
        hasher.write_u8(self.effect as u8);
        self.aliases.hash(&mut hasher);
        self.frontend_attributes.hash(&mut hasher);
        self.results.iter().for_each(|shape| hash_shape(hasher, shape));
    }

    fn result_count(&self, _: &Graph, _: usize) -> usize {
        self.results.len()
    }
}

impl Behavior for CustomCall {
    fn regions(&self) -> Vec<(Cow<'static, str>, RegionId)> {
        Vec::new()
    }

    fn map_regions(&mut self, _: &mut dyn FnMut(RegionId) -> RegionId) {}

    fn effect(&self) -> Effect {
        self.effect
    }

    fn is_mergeable(&self) -> bool {
        self.effect == Effect::Pure
    }
}

impl Batch for CustomCall {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        if node.has_effect() || node.op.host_slot().is_some() {
            return lanes.refuse(node, "calls a function of the host; `map` does so in turn");
        }
        lanes.in_turn(node)
    }

    batched_if_any!();
}

impl Vjp for CustomCall {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        match OwnTarget::of(&self.target) {
            Some(own) => (own.pull)(pull),
            None => no_known_derivative(pull),
        }
    }
}

/// A builder of a custom call; [`call`](Self::call) adds it to the program.
#[must_use = "nothing is called before `call`"]
#[derive(Clone)]
pub struct CustomCallBuilder<S> {
    call: CustomCall,
    host: Option<HostCall>,
    operands: Vec<Tensor>,
    results: S,
    location: &'static Location<'static>,
}

/// Calls a target registered with the plugin, such as an XLA FFI handler of a library, on a tree of
/// tensors; `results` are the specs of its results.
///
/// By default it is pure and called through the typed FFI. The plugin rejects an unknown target
/// when the program is compiled. Names that begin with `hloom.` are reserved for Hloom's own
/// targets. Operands and results are dense and row-major.
///
/// ```
/// use hloom_graph::{Spec, Tensor, custom_call};
///
/// fn smooth(x: Tensor) -> Tensor {
///     custom_call("acme.smooth", x, Spec::of(x.shape())).attribute("window", 3i64).call()
/// }
/// ```
#[track_caller]
pub fn custom_call<S: Tree<Leaf = Spec>>(
    target: impl Into<String>,
    operands: impl Tree<Leaf = Tensor>,
    results: S,
) -> CustomCallBuilder<S> {
    let mut tensors = Vec::new();
    operands.visit(&mut |_, &tensor| tensors.push(tensor));
    CustomCallBuilder {
        call: CustomCall::new(target, []),
        host: None,
        operands: tensors,
        results,
        location: Location::caller(),
    }
}

impl<S: Tree<Leaf = Spec>> CustomCallBuilder<S> {
    /// Adds an attribute. For the typed FFI only.
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<Attribute>) -> Self {
        match &mut self.call.config {
            BackendConfig::Typed(attributes) => attributes.insert(name, value),
            BackendConfig::Opaque { .. } => {
                self.call.config = BackendConfig::Typed([(name, value)].into_iter().collect())
            }
        }
        self
    }

    /// Adds a frontend attribute: text that passes of the compiler read, such as
    /// `_xla_stream_annotation`, and that stays in the optimized program. The target does not
    /// receive it.
    pub fn frontend_attribute(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.call.frontend_attributes.insert(name.into(), text.into());
        self
    }

    /// Calls the target through an older interface, of version 1, 2 or 3 as in StableHLO's
    /// `CustomCallApiVersion`, with a string instead of attributes.
    pub fn opaque(mut self, api_version: u32, config: impl Into<String>) -> Self {
        let config = config.into();
        self.call.config = BackendConfig::Opaque { api_version, config };
        self
    }

    /// Sets the side effect of the call; none by default.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.call.effect = effect;
        self
    }

    /// Lets the result at index `result` share the memory of the operand at index `operand`, which
    /// are counted in tree order and have the same type. If the operand is used afterwards, the
    /// compiler copies it first.
    pub fn alias(mut self, result: usize, operand: usize) -> Self {
        self.call.aliases.push(OutputAlias { result, operand });
        self
    }

    /// Makes the graph carry the host function that the target calls: the target finds its index in
    /// [`Graph::host_calls`](crate::Graph::host_calls) in the attribute [`HostCall::SLOT`]. `id` is
    /// the identity of the function. For the typed FFI only.
    pub fn host_call(
        mut self,
        name: impl Into<String>,
        function: Arc<dyn Any + Send + Sync>,
        id: Option<FunctionId>,
    ) -> Self {
        self.host = Some(HostCall { name: name.into(), location: self.location, function, id });
        self
    }

    /// Sets the user source line of the call.
    pub fn at(mut self, location: &'static Location<'static>) -> Self {
        self.location = location;
        self
    }

    /// Adds the call to the program and returns its results.
    pub fn call(self) -> S::With<Tensor> {
        let CustomCallBuilder { mut call, host, operands, results, location } = self;
        let op = if host.is_some() { "callback" } else { "custom_call" };
        let mut invalid: Option<TraceError> = None;
        results.visit(&mut |_, spec| {
            invalid = invalid.take().or_else(|| spec.error());
            call.results.push(spec.shape());
        });
        let values = match invalid {
            Some(error) => {
                fail(error);
                None
            }
            None => emit(op, &operands, location, |builder, operands, values| {
                let named = host.as_ref().map_or(&call.target, |host| &host.name);
                check(&call, named, operands)?;
                match host {
                    Some(host) => builder.host_call(call, host, values),
                    None => builder.add_many(call, values),
                }
            }),
        };
        let mut values = values.into_iter().flatten();
        results.map(&mut |_, _| Tensor::or_poisoned(values.next()))
    }
}

impl Builder<'_> {
    /// Adds a call of a host function, or finds an identical one.
    pub(crate) fn host_call(
        &mut self,
        mut call: CustomCall,
        mut host: HostCall,
        values: &[ValueId],
    ) -> Rule<Vec<ValueId>> {
        host.location = self.location();
        let in_slot = |call: &mut CustomCall, slot: usize| {
            if let BackendConfig::Typed(attributes) = &mut call.config {
                attributes.insert(HostCall::SLOT, slot as i64);
            }
            Op::CustomCall(Box::new(call.clone()))
        };
        if call.effect == Effect::Pure {
            for slot in self.graph().same_host_calls(&host) {
                let op = in_slot(&mut call, slot);
                if let Some(results) = self.find_many(&op, values) {
                    return Ok(results);
                }
            }
        }
        let slot = self.graph().add_host_call(host);
        let op = in_slot(&mut call, slot);
        self.add_many(op, values)
    }
}

impl<S: fmt::Debug> fmt::Debug for CustomCallBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomCallBuilder")
            .field("call", &self.call)
            .field("operands", &self.operands)
            .field("results", &self.results)
            .finish_non_exhaustive()
    }
}
