//! The nonlinear function between two linear layers, chosen by name.
//!
//! ```
//! use hloom_nn::Activation;
//!
//! assert_eq!(Activation::from_name("gelu_pytorch_tanh"), Some(Activation::GeluTanh));
//! assert_eq!(Activation::from_name("softplus"), None);
//! ```

use hloom_graph::Tensor;

/// A nonlinear function of one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// x times the logistic function of x.
    Silu,
    /// x times the normal distribution function of x.
    Gelu,
    /// The approximation of [`Gelu`](Self::Gelu) by the hyperbolic tangent.
    GeluTanh,
    /// The larger of x and 0.
    Relu,
}

impl Activation {
    /// The function applied to each element.
    #[track_caller]
    pub fn forward(self, x: Tensor) -> Tensor {
        match self {
            Activation::Silu => x.silu(),
            Activation::Gelu => x.gelu(),
            Activation::GeluTanh => x.gelu_tanh(),
            Activation::Relu => x.relu(),
        }
    }

    /// The function that a model's configuration calls `name`.
    pub fn from_name(name: &str) -> Option<Activation> {
        Some(match name {
            "silu" | "swish" => Activation::Silu,
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Activation::GeluTanh,
            "relu" => Activation::Relu,
            _ => return None,
        })
    }
}
