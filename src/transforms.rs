//! Transformations of functions: gradients, and a function mapped over an axis.
//!
//! They apply while a function is traced: the gradient of a loss and the update of the weights are
//! one program. JAX's names are kept.

#[doc(inline)]
pub use hloom_graph::{
    CheckpointPolicy, Pullback, checkpoint, checkpoint_name, custom_vjp, grad, hessian, jacobian,
    jvp, value_and_grad, value_and_grad_aux, vjp, vmap,
};
