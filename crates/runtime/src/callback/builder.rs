//! How a callback is put into a program.

use super::{
    Callback, CallbackContext, CallbackError, DeferredCall, Inputs, Outputs,
    bind::Unbound,
    function::{Closure, DeferredClosure, Payload, Structure, ViewTree},
    handler::{ATTRIBUTES, REPLAYED_TARGET, TARGET},
};
use hloom_graph::{Attribute, Attributes, Effect, Spec, Tensor, Tree, custom_call};
use std::{panic::Location, sync::Arc};

/// Calls a Rust closure from inside the program, on a tree of tensors; `outputs` says what it gives.
///
/// The closure gets views of the program's own memory, in the structure of the two trees: nothing is copied on the CPU. It is
/// called each time the program comes to it, after the callbacks before it in the function, also when nothing needs its outputs;
/// [`CallbackBuilder::pure`] gives the compiler more freedom. It may run on several threads at once. Its error, or its panic,
/// becomes the error of the call of the program: [`Error::Callback`](crate::Error::Callback).
///
/// ```no_run
/// use hloom_runtime::{Platform, callback};
/// use hloom_graph::{Spec, Tensor};
///
/// fn smoothed(x: Tensor) -> Tensor {
///     let spec = Spec::of(x.shape());
///     callback("smooth", x, spec, |_, x, mut y| {
///         let (x, y) = (x.as_slice::<f32>()?, y.as_slice_mut::<f32>()?);
///         for i in 0..x.len() {
///             y[i] = (x[i.saturating_sub(1)] + x[i] + x[(i + 1).min(x.len() - 1)]) / 3.0;
///         }
///         Ok(())
///     })
/// }
/// # fn main() -> hloom_runtime::Result<()> {
/// let exe = Platform::cpu()?.compile(smoothed, (Spec::f32([100]),))?;
/// # Ok(()) }
/// ```
#[track_caller]
pub fn callback<I, S, F>(name: impl Into<String>, inputs: I, outputs: S, function: F) -> S::With<Tensor>
where
    I: Tree<Leaf = Tensor>,
    I::With<Spec>: ViewTree,
    S: ViewTree,
    F: for<'a> Fn(&CallbackContext<'a>, Inputs<'a, I::With<Spec>>, Outputs<'a, S>) -> Result<(), CallbackError>
        + Send
        + Sync
        + 'static,
{
    CallbackBuilder::new(name, inputs, outputs).run(function)
}

/// The outputs of a callback that gives nothing.
pub const NOTHING: [Spec; 0] = [];

/// A callback in the making: [`run`](Self::run), [`run_deferred`](Self::run_deferred) and [`bound`](Self::bound) put it into the
/// program.
#[must_use = "nothing is called before `run`, `run_deferred` or `bound`"]
#[derive(Debug)]
pub struct CallbackBuilder<I, S> {
    name: String,
    tensors: Vec<Tensor>,
    inputs: I,
    outputs: S,
    attributes: Attributes,
    aliases: Vec<(usize, usize)>,
    effect: Effect,
    command_buffer: bool,
    location: &'static Location<'static>,
}

impl<I: ViewTree, S: ViewTree> CallbackBuilder<I, S> {
    /// A callback of a name, which errors and logs say, on a tree of tensors; `outputs` says what it gives.
    #[track_caller]
    pub fn new<T>(name: impl Into<String>, inputs: T, outputs: S) -> CallbackBuilder<I, S>
    where
        T: Tree<Leaf = Tensor, With<Spec> = I>,
    {
        let mut tensors = Vec::new();
        let inputs = inputs.map(&mut |_, tensor| {
            tensors.push(tensor);
            Spec::of(tensor.shape())
        });
        CallbackBuilder {
            name: name.into(),
            tensors,
            inputs,
            outputs,
            attributes: Attributes::new(),
            aliases: Vec::new(),
            effect: Effect::Ordered,
            command_buffer: false,
            location: Location::caller(),
        }
    }

    /// Has the callback count as made at another line of the user's source.
    pub fn at(mut self, location: &'static Location<'static>) -> Self {
        self.location = location;
        self
    }

    /// Says something to the callback, which finds it in [`CallbackContext::attributes`].
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<Attribute>) -> Self {
        self.attributes.insert(name, value);
        self
    }

    /// Gives the output at position `output` the memory of the input at position `input`, which are counted along their trees and
    /// look the same. The callback reads and writes it in place, as an output. Where the input is needed afterwards, the compiler
    /// copies it before.
    pub fn alias(mut self, output: usize, input: usize) -> Self {
        self.aliases.push((output, input));
        self
    }

    /// The outputs depend on nothing but the inputs, and nothing else comes of a call: the compiler may leave it out when no
    /// result needs it, make one of several, and choose when.
    pub fn pure(mut self) -> Self {
        self.effect = Effect::Pure;
        self
    }

    /// The callback is never left out, but it need not wait for others before it, nor they for it.
    pub fn unordered(mut self) -> Self {
        self.effect = Effect::Unordered;
        self
    }

    /// A call always launches the same work on the stream, so that it can be recorded once and replayed (CUDA graphs): no waiting
    /// for the device, no reading of changing state.
    pub fn command_buffer_compatible(mut self) -> Self {
        self.command_buffer = true;
        self
    }

    /// Puts a closure into the program, which does its work before it returns; gives its outputs.
    pub fn run<F>(self, function: F) -> S::With<Tensor>
    where
        F: for<'a> Fn(&CallbackContext<'a>, Inputs<'a, I>, Outputs<'a, S>) -> Result<(), CallbackError>
            + Send
            + Sync
            + 'static,
    {
        let structure = self.structure();
        self.put(Payload::Closure(Arc::new(Closure { structure, function })))
    }

    /// Puts a closure into the program, which may complete the call after it has returned, from any thread; gives its outputs.
    pub fn run_deferred<F>(self, function: F) -> S::With<Tensor>
    where
        F: Fn(&CallbackContext<'_>, DeferredCall<I, S>) -> Result<(), CallbackError> + Send + Sync + 'static,
    {
        let structure = self.structure();
        self.put(Payload::Closure(Arc::new(DeferredClosure { structure, function })))
    }

    /// Puts a callback with state into the program, which the executable is bound to by
    /// [`bind_callback`](crate::Exe::bind_callback); gives its outputs.
    pub fn bound<C>(self) -> S::With<Tensor>
    where
        C: Callback<Inputs = I, Outputs = S>,
    {
        let structure = self.structure();
        self.put(Payload::Bound(Arc::new(Unbound::<C>(structure))))
    }

    fn structure(&self) -> Structure<I, S> {
        Structure::new(self.inputs.clone(), self.outputs.clone())
    }

    fn put(self, payload: Payload) -> S::With<Tensor> {
        let target = if self.command_buffer { REPLAYED_TARGET } else { TARGET };
        let mut call = custom_call(target, self.tensors, self.outputs)
            .effect(self.effect)
            .at(self.location);
        if !self.attributes.is_empty() {
            call = call.attribute(ATTRIBUTES, self.attributes);
        }
        for (output, input) in self.aliases {
            call = call.alias(output, input);
        }
        call.host_call(self.name, Arc::new(payload)).call()
    }
}
