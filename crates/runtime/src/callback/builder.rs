//! Adding callbacks to a program.

use super::{
    Callback, CallbackContext, CallbackError, DeferredCall, Inputs, Outputs,
    closure::{Closure, DeferredClosure},
    host_function::Payload,
    over_mesh::OverMesh,
    stateful::Unbound,
    structure::ViewTree,
};
use hloom_graph::{Attribute, Attributes, Effect, FunctionId, PartitionSpec, Spec, Tensor, Tree};
use std::{panic::Location, sync::Arc};

/// Calls a Rust closure from inside the program, on a tree of tensors; `outputs` has the specs of
/// its results.
///
/// The closure receives views of the program's own memory, in the structure of the two trees: on
/// the CPU nothing is copied. It is called at each execution of the call, after the callbacks
/// before it in the function, even when no result needs its outputs; [`CallbackBuilder::pure`]
/// relaxes this. It may run on several threads at once. Its error or panic becomes the error of the
/// call of the program: [`Error::Callback`](crate::Error::Callback).
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
pub fn callback<I, S, F>(
    name: impl Into<String>,
    inputs: I,
    outputs: S,
    function: F,
) -> S::With<Tensor>
where
    I: Tree<Leaf = Tensor>,
    I::With<Spec>: ViewTree,
    S: ViewTree,
    F: for<'a> Fn(
            &CallbackContext<'a>,
            Inputs<'a, I::With<Spec>>,
            Outputs<'a, S>,
        ) -> Result<(), CallbackError>
        + Send
        + Sync
        + 'static,
{
    CallbackBuilder::new(name, inputs, outputs).run(function)
}

/// The specs of a callback that has no results.
pub const NO_RESULTS: [Spec; 0] = [];

/// Builds a callback; [`run`](Self::run), [`run_deferred`](Self::run_deferred) and
/// [`bound`](Self::bound) add it to the program.
///
/// Over several devices, the others may wait for one that is in a callback. The CPU plugin aborts
/// the process when they have waited for a minute; for callbacks that take longer, start it with
/// `XLA_FLAGS=--xla_cpu_collective_call_terminate_timeout_seconds=3600`.
#[must_use = "nothing is called before `run`, `run_deferred` or `bound`"]
#[derive(Debug)]
pub struct CallbackBuilder<I, S> {
    pub(super) name: String,
    pub(super) tensors: Vec<Tensor>,
    pub(super) inputs: I,
    pub(super) outputs: S,
    pub(super) attributes: Attributes,
    pub(super) frontend_attributes: Vec<(String, String)>,
    pub(super) aliases: Vec<(usize, usize)>,
    pub(super) effect: Effect,
    pub(super) command_buffer: bool,
    pub(super) on_host: bool,
    pub(super) over_mesh: OverMesh,
    pub(super) location: &'static Location<'static>,
}

impl<I: ViewTree, S: ViewTree> CallbackBuilder<I, S> {
    /// A callback on a tree of tensors, with a name for errors and logs; `outputs` has the specs of
    /// its results.
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
            frontend_attributes: Vec::new(),
            aliases: Vec::new(),
            effect: Effect::Ordered,
            command_buffer: false,
            on_host: false,
            over_mesh: OverMesh::default(),
            location: Location::caller(),
        }
    }

    /// Sets the source location that errors report.
    pub fn at(mut self, location: &'static Location<'static>) -> Self {
        self.location = location;
        self
    }

    /// Adds an attribute, which the callback reads from [`CallbackContext::attributes`].
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<Attribute>) -> Self {
        self.attributes.insert(name, value);
        self
    }

    /// Adds a frontend attribute, which passes of the compiler read: see
    /// [`CustomCallBuilder::frontend_attribute`][custom call].
    ///
    /// [custom call]: hloom_graph::CustomCallBuilder::frontend_attribute
    pub fn frontend_attribute(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.frontend_attributes.push((name.into(), text.into()));
        self
    }

    /// Aliases the output at position `output` to the memory of the input at position `input`;
    /// positions count the leaves of the trees, and both must have the same shape and type. The
    /// callback reads and writes it in place, as an output. Where the input is needed afterwards,
    /// the compiler copies it first.
    pub fn alias(mut self, output: usize, input: usize) -> Self {
        self.aliases.push((output, input));
        self
    }

    /// The outputs depend on the inputs only, and a call has no side effects: the compiler may
    /// remove it when no result needs it (dead code), merge identical calls (CSE), and reorder it.
    ///
    /// Calls are identical when they have the same name, tensors, attributes and function: a
    /// closure without captures, one type of [bound](Self::bound) state, or one
    /// [`host_fn`](crate::host_fn). Calls on trees whose type does not determine their structure,
    /// such as `Vec`, are not merged.
    pub fn pure(mut self) -> Self {
        self.effect = Effect::Pure;
        self
    }

    /// The callback is never removed, but is not ordered with respect to other callbacks.
    pub fn unordered(mut self) -> Self {
        self.effect = Effect::Unordered;
        self
    }

    /// Every call launches the same work on the stream, so that it can be recorded once and
    /// replayed (CUDA graphs): it neither waits for the device nor reads changing state, and on a
    /// device it has no [`scratch`](CallbackContext::scratch) memory, which ends with the call.
    pub fn command_buffer_compatible(mut self) -> Self {
        self.command_buffer = true;
        self
    }

    /// In a program over a mesh, calls the callback on every device with that device's shards:
    /// inputs and outputs with the axes that `partition` names are sharded, and the others are
    /// replicated.
    ///
    /// Without it, a callback receives whole tensors. A callback with effects is then called once,
    /// on the first device, and its outputs are sent to the others; a pure one is called on every
    /// device.
    pub fn per_shard(mut self, partition: impl Into<PartitionSpec>) -> Self {
        self.over_mesh = OverMesh::PerShard(Box::new(partition.into()));
        self
    }

    /// Makes compiling for a mesh an error that names the callback.
    pub fn refuse_sharding(mut self) -> Self {
        self.over_mesh = OverMesh::Refused;
        self
    }

    /// Copies the inputs to the host before a call and the outputs back afterwards, where the
    /// program runs on a device (CUDA), in pinned memory up to 256 MiB: the views then return
    /// slices everywhere. The call waits for the earlier work on the stream. On the CPU nothing is
    /// copied.
    pub fn on_host(mut self) -> Self {
        self.on_host = true;
        self
    }

    /// Adds a closure that completes its work before it returns; returns its outputs.
    pub fn run<F>(self, function: F) -> S::With<Tensor>
    where
        F: for<'a> Fn(
                &CallbackContext<'a>,
                Inputs<'a, I>,
                Outputs<'a, S>,
            ) -> Result<(), CallbackError>
            + Send
            + Sync
            + 'static,
    {
        let id = stateless::<F>();
        self.run_as(id, function)
    }

    /// Adds a closure that may complete the call after it has returned, from any thread; returns
    /// its outputs.
    pub fn run_deferred<F>(self, function: F) -> S::With<Tensor>
    where
        F: Fn(&CallbackContext<'_>, DeferredCall<I, S>) -> Result<(), CallbackError>
            + Send
            + Sync
            + 'static,
    {
        if self.on_host {
            self.record_error("a call that is completed later has no copies on the host");
        }
        if self.command_buffer {
            self.record_error("a command buffer cannot record what a call does later");
        }
        self.put(stateless::<F>(), |structure| {
            Payload::Closure(Arc::new(DeferredClosure { structure, function }))
        })
    }

    /// Adds a callback with state, which [`bind_callback`](crate::Exe::bind_callback) binds;
    /// returns its outputs.
    pub fn bound<C>(self) -> S::With<Tensor>
    where
        C: Callback<Inputs = I, Outputs = S>,
    {
        self.put(Some(FunctionId::of_type::<C>()), |structure| {
            Payload::Bound(Arc::new(Unbound::<C>(structure)))
        })
    }

    /// As [`run`](Self::run), with the identity of the closure.
    pub(super) fn run_as<F>(self, id: Option<FunctionId>, function: F) -> S::With<Tensor>
    where
        F: for<'a> Fn(
                &CallbackContext<'a>,
                Inputs<'a, I>,
                Outputs<'a, S>,
            ) -> Result<(), CallbackError>
            + Send
            + Sync
            + 'static,
    {
        self.put(id, |structure| Payload::Closure(Arc::new(Closure { structure, function })))
    }
}

/// The identity shared by all closures of a type without captures.
fn stateless<F: 'static>() -> Option<FunctionId> {
    (size_of::<F>() == 0).then(FunctionId::of_type::<F>)
}
