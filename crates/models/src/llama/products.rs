//! The products of a decoder layer with its weights.

use hloom_graph::{Reduction, Tensor};
use hloom_nn::Linear;

/// How the linear layers of a decoder layer are computed.
#[derive(Clone, Copy, Default)]
pub(super) struct Products {
    /// The mesh axes that split the features between the layers of a block: those of one device
    /// inside of [`manual`](hloom_graph::manual), none for whole weights.
    pub over: &'static [&'static str],
}

impl Products {
    /// The result of a layer for whole inputs: on each device, its part of the outputs.
    #[track_caller]
    pub fn outputs(self, linear: &Linear, x: Tensor) -> Tensor {
        linear.forward(x)
    }

    /// The result of a layer whose inputs may be split over the devices: the sum of their
    /// products, in the element type of `x`, plus the bias.
    #[track_caller]
    pub fn summed(self, linear: &Linear, x: Tensor) -> Tensor {
        if self.over.is_empty() {
            return linear.forward(x);
        }
        let y = Linear { weight: linear.weight, bias: None }.forward(x);
        let y = y.all_reduce(Reduction::Sum, self.over);
        match linear.bias {
            Some(bias) => y + bias.convert(y.dtype()).named(["in"]),
            None => y,
        }
    }
}
