//! Activation functions, chosen by name.
//!
//! ```
//! use hloom_nn::Activation;
//!
//! assert_eq!(Activation::from_name("gelu_pytorch_tanh"), Some(Activation::GeluTanh));
//! assert_eq!(Activation::from_name("softplus"), None);
//! ```

use hloom_graph::Tensor;

/// An elementwise nonlinear function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// x times the logistic function of x.
    Silu,
    /// x times the normal distribution function of x.
    Gelu,
    /// The tanh approximation of [`Gelu`](Self::Gelu).
    GeluTanh,
    /// The maximum of x and 0.
    Relu,
}

impl Activation {
    /// Applies the function to each element.
    #[track_caller]
    pub fn forward(self, x: Tensor) -> Tensor {
        match self {
            Activation::Silu => x.silu(),
            Activation::Gelu => x.gelu(),
            Activation::GeluTanh => x.gelu_tanh(),
            Activation::Relu => x.relu(),
        }
    }

    /// The function called `name` in model configurations.
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
