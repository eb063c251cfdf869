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
    /// The square of [`Relu`](Self::Relu).
    ReluSquared,
    /// x between 0 and 6.
    Relu6,
    /// x, or a hundredth of it where it is negative.
    LeakyRelu,
    /// x, or the exponential of x minus 1 where it is negative.
    Elu,
    /// [`Elu`](Self::Elu) with the constants of self-normalising networks.
    Selu,
    /// x times the logistic function of 1.702 x.
    QuickGelu,
    /// x times the hyperbolic tangent of softplus(x).
    Mish,
    /// x times the piecewise linear approximation of the logistic function.
    HardSwish,
    /// The logistic function.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// x itself.
    Linear,
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
            Activation::ReluSquared => x.relu().square(),
            Activation::Relu6 => x.relu6(),
            Activation::LeakyRelu => x.leaky_relu(0.01),
            Activation::Elu => x.elu(1.0),
            Activation::Selu => x.selu(),
            Activation::QuickGelu => x.quick_gelu(),
            Activation::Mish => x.mish(),
            Activation::HardSwish => x.hard_swish(),
            Activation::Sigmoid => x.sigmoid(),
            Activation::Tanh => x.tanh(),
            Activation::Linear => x,
        }
    }

    /// The function called `name` in model configurations.
    pub fn from_name(name: &str) -> Option<Activation> {
        Some(match name {
            "silu" | "swish" => Activation::Silu,
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Activation::GeluTanh,
            "relu" => Activation::Relu,
            "relu2" => Activation::ReluSquared,
            "relu6" => Activation::Relu6,
            "leaky_relu" => Activation::LeakyRelu,
            "elu" => Activation::Elu,
            "selu" => Activation::Selu,
            "quick_gelu" => Activation::QuickGelu,
            "mish" => Activation::Mish,
            "hardswish" => Activation::HardSwish,
            "sigmoid" => Activation::Sigmoid,
            "tanh" => Activation::Tanh,
            "linear" => Activation::Linear,
            _ => return None,
        })
    }
}
