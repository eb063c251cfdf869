//! Callbacks with state.

use super::{
    CallbackContext, CallbackError, Inputs, Outputs, ViewTree,
    host_function::{HostFrame, HostFunction, Prototype, Shapes},
    structure::Structure,
};
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
    fn shapes(&self) -> Shapes {
        self.structure.shapes()
    }

    fn call(&self, call: HostFrame<'_, '_>) -> Result<(), CallbackError> {
        self.structure
            .show(call, |context, inputs, outputs| self.state.call(context, inputs, outputs))
    }
}
