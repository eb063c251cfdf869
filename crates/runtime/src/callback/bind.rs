//! Callbacks with state, which is bound to an executable.

use super::launch::Callbacks;
use super::{
    CallbackContext, CallbackError, Inputs, Outputs,
    function::{HostFrame, HostFunction, Structure, ViewTree},
};
use crate::{AnyExe, Error, Result};
use std::{any::Any, sync::Arc};

/// A callback with state. A program is traced and compiled without the state; each executable is
/// then bound to one, which can be replaced between calls.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// struct Scale(f32);
///
/// impl Callback for Scale {
///     type Inputs = Spec;
///     type Outputs = Spec;
///
///     fn call(
///         &self,
///         _: &CallbackContext<'_>,
///         x: InputView<'_>,
///         mut y: OutputView<'_>,
///     ) -> Result<(), CallbackError> {
///         for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
///             *y = self.0 * x;
///         }
///         Ok(())
///     }
/// }
///
/// # fn main() -> hloom_runtime::Result<()> {
/// # let platform = Platform::cpu()?;
/// let scaled = |x: Tensor| CallbackBuilder::new("scale", x, Spec::of(x.shape())).bound::<Scale>();
/// let exe = platform.compile(scaled, (Spec::f32([3]),))?;
/// exe.bind_callback(Scale(2.0))?;
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a callback",
    note = "implement `Callback` for it: the structures of its inputs and outputs, and `call`"
)]
pub trait Callback: Send + Sync + 'static {
    /// The structure of the inputs, as a tree of specs.
    type Inputs: ViewTree;
    /// The structure of the outputs, as a tree of specs.
    type Outputs: ViewTree;

    /// Computes the outputs.
    ///
    /// # Errors
    /// The error of the callback; the call of the program returns it.
    fn call(
        &self,
        context: &CallbackContext<'_>,
        inputs: Inputs<'_, Self::Inputs>,
        outputs: Outputs<'_, Self::Outputs>,
    ) -> Result<(), CallbackError>;
}

/// Creates a host function from a state.
pub(crate) trait Prototype: Any + Send + Sync {
    /// The type of the state.
    fn type_name(&self) -> &'static str;
    /// The function; `None` when the state, an `Arc` of the callback, is of another type.
    fn with_state(&self, state: &dyn Any) -> Option<Arc<dyn HostFunction>>;
}

/// A callback without its state.
pub(crate) struct Unbound<C: Callback>(pub Structure<C::Inputs, C::Outputs>);

/// A callback with its state.
struct Bound<C: Callback> {
    structure: Structure<C::Inputs, C::Outputs>,
    state: Arc<C>,
}

impl<C: Callback> Prototype for Unbound<C> {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<C>()
    }

    fn with_state(&self, state: &dyn Any) -> Option<Arc<dyn HostFunction>> {
        let state = state.downcast_ref::<Arc<C>>()?.clone();
        let structure = self.0.clone();
        Some(Arc::new(Bound { structure, state }))
    }
}

impl<C: Callback> HostFunction for Bound<C> {
    fn call(&self, call: HostFrame<'_, '_>) -> Result<(), CallbackError> {
        self.structure
            .show(call, |context, inputs, outputs| self.state.call(context, inputs, outputs))
    }
}

impl AnyExe {
    /// Binds the callbacks of type `C` to a state, replacing the previous one. Calls in flight keep
    /// the previous state.
    ///
    /// The binding belongs to the executable, and is shared by its clones and by executables
    /// derived with [`bind`](crate::Exe::bind). To bind another state independently, use
    /// [`separate_callbacks`](Self::separate_callbacks).
    ///
    /// # Errors
    /// The program has no such callback.
    pub fn bind_callback<C: Callback>(&self, state: C) -> Result<()> {
        Callbacks::bind(self.callbacks(), self.name(), None, Arc::new(state))
    }

    /// As [`bind_callback`](Self::bind_callback), with a shared state.
    ///
    /// # Errors
    /// As [`bind_callback`](Self::bind_callback).
    pub fn bind_shared_callback<C: Callback>(&self, state: Arc<C>) -> Result<()> {
        Callbacks::bind(self.callbacks(), self.name(), None, state)
    }

    /// As [`bind_callback`](Self::bind_callback), only for the callbacks of type `C` with this
    /// name.
    ///
    /// # Errors
    /// As [`bind_callback`](Self::bind_callback).
    pub fn bind_callback_named<C: Callback>(&self, name: &str, state: C) -> Result<()> {
        Callbacks::bind(self.callbacks(), self.name(), Some(name), Arc::new(state))
    }

    /// The same program with its own callback bindings. They start as a copy of these and change
    /// independently.
    pub fn separate_callbacks(&self) -> AnyExe {
        let callbacks = self.callbacks().map(|callbacks| Arc::new(callbacks.separate()));
        self.with_callbacks(callbacks)
    }

    /// Whether the program calls closures, which exist in this process only, so that the executable
    /// cannot be serialized. Callbacks with a bound state can be bound again after loading.
    pub fn has_closures(&self) -> bool {
        self.callbacks().is_some_and(|callbacks| {
            let table = callbacks.table();
            table.slots.iter().any(|slot| slot.live && slot.prototype.is_none())
        })
    }
}

impl Callbacks {
    /// Binds the callbacks of type `C`, or those with a name, of an executable that may have no
    /// callbacks.
    pub(super) fn bind<C: Callback>(
        callbacks: Option<&Callbacks>,
        executable: &str,
        name: Option<&str>,
        state: Arc<C>,
    ) -> Result<()> {
        let missing = |known: Vec<String>| Error::NoSuchCallback {
            executable: executable.into(),
            wanted: match name {
                Some(name) => format!("`{name}` of type {}", std::any::type_name::<C>()),
                None => format!("of type {}", std::any::type_name::<C>()),
            },
            known,
        };
        let Some(callbacks) = callbacks else {
            return Err(missing(Vec::new()));
        };
        callbacks.update(|table| {
            let mut found = false;
            for slot in &mut table.slots {
                if name.is_some_and(|name| slot.name != name) {
                    continue;
                }
                if let Some(function) = slot.prototype.as_ref().and_then(|p| p.with_state(&state)) {
                    slot.function = Some(function);
                    found = true;
                }
            }
            if found {
                return Ok(());
            }
            let of_type = |p: &Arc<dyn Prototype>| format!(" of type {}", p.type_name());
            let known = table.slots.iter().map(|slot| {
                let of_type = slot.prototype.as_ref().map_or(", a closure".into(), of_type);
                format!("`{}`{of_type}", slot.name)
            });
            Err(missing(known.collect()))
        })
    }
}
