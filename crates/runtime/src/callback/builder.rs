//! How a callback is put into a program.

use super::{
    Callback, CallbackContext, CallbackError, DeferredCall, Inputs, Outputs,
    bind::Unbound,
    function::{Closure, DeferredClosure, Payload, ViewTree},
    over_mesh::OverMesh,
};
use hloom_graph::{Attribute, Attributes, Effect, FunctionId, Partition, Spec, Tensor, Tree};
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
///
/// Over several devices the others may wait for one that is in a callback. The CPU plugin ends the process when they have waited for
/// a minute; for callbacks that take longer, start it with `XLA_FLAGS=--xla_cpu_collective_call_terminate_timeout_seconds=3600`.
#[must_use = "nothing is called before `run`, `run_deferred` or `bound`"]
#[derive(Debug)]
pub struct CallbackBuilder<I, S> {
    pub(super) name: String,
    pub(super) tensors: Vec<Tensor>,
    pub(super) inputs: I,
    pub(super) outputs: S,
    pub(super) attributes: Attributes,
    pub(super) aliases: Vec<(usize, usize)>,
    pub(super) effect: Effect,
    pub(super) command_buffer: bool,
    pub(super) on_host: bool,
    pub(super) over_mesh: OverMesh,
    pub(super) location: &'static Location<'static>,
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
            on_host: false,
            over_mesh: OverMesh::default(),
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
    /// result needs it, make one of several that are the same, and choose when.
    ///
    /// Calls are the same when they have one name, the same tensors and attributes, and one function: a closure that captures
    /// nothing, one type of [bound](Self::bound) state, or one [`host_fn`](crate::host_fn). Trees whose type does not say all of
    /// their structure, such as `Vec`, keep calls apart.
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

    /// In a program over a mesh, has the callback called on every device with that device's parts: of its inputs and outputs, those
    /// are split that have the axes that `partition` names, and the others are whole.
    ///
    /// Without it a callback sees whole tensors. One with effects is then called once, on the first device, and its outputs are sent
    /// to the others; a pure one is called on every device.
    pub fn per_shard(mut self, partition: impl Into<Partition>) -> Self {
        self.over_mesh = OverMesh::PerShard(Box::new(partition.into()));
        self
    }

    /// Has programs over a mesh not compile, with an error that names the callback.
    pub fn refuse_sharding(mut self) -> Self {
        self.over_mesh = OverMesh::Refused;
        self
    }

    /// Has the inputs copied to the host before a call and the outputs back afterwards, where the program runs on a device (CUDA):
    /// the views then give slices everywhere. The call waits for what stands before it on the stream. On the CPU nothing is copied.
    pub fn on_host(mut self) -> Self {
        self.on_host = true;
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
        let id = stateless::<F>();
        self.run_as(id, function)
    }

    /// Puts a closure into the program, which may complete the call after it has returned, from any thread; gives its outputs.
    pub fn run_deferred<F>(self, function: F) -> S::With<Tensor>
    where
        F: Fn(&CallbackContext<'_>, DeferredCall<I, S>) -> Result<(), CallbackError> + Send + Sync + 'static,
    {
        if self.on_host {
            self.mistake("a call that is completed later has no copies on the host");
        }
        self.put(stateless::<F>(), |structure| {
            Payload::Closure(Arc::new(DeferredClosure { structure, function }))
        })
    }

    /// Puts a callback with state into the program, which the executable is bound to by
    /// [`bind_callback`](crate::Exe::bind_callback); gives its outputs.
    pub fn bound<C>(self) -> S::With<Tensor>
    where
        C: Callback<Inputs = I, Outputs = S>,
    {
        self.put(Some(FunctionId::of_type::<C>()), |structure| {
            Payload::Bound(Arc::new(Unbound::<C>(structure)))
        })
    }

    /// As [`run`](Self::run), with what tells the closure from others.
    pub(super) fn run_as<F>(self, id: Option<FunctionId>, function: F) -> S::With<Tensor>
    where
        F: for<'a> Fn(&CallbackContext<'a>, Inputs<'a, I>, Outputs<'a, S>) -> Result<(), CallbackError>
            + Send
            + Sync
            + 'static,
    {
        self.put(id, |structure| {
            Payload::Closure(Arc::new(Closure { structure, function }))
        })
    }
}

/// What all closures of a type have in common, when they capture nothing.
fn stateless<F: 'static>() -> Option<FunctionId> {
    (size_of::<F>() == 0).then(FunctionId::of_type::<F>)
}
