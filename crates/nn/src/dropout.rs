//! Dropout ([Srivastava et al. 2014](https://jmlr.org/papers/v15/srivastava14a.html)).
//!
//! ```
//! use hloom_graph::{Key, Spec, TraceScope};
//! use hloom_nn::dropout;
//!
//! let trace = TraceScope::begin("example");
//! let x = trace.parameter("x", &Spec::f32([("batch", 32), ("in", 784)]), false);
//! assert_eq!(dropout(x, Key::new(0), 0.1).shape(), x.shape());
//! ```

use hloom_graph::{Key, Tensor, function_scope, record_error};

/// Sets each element of `x` to 0 with probability `rate`, and divides it by `1 - rate` otherwise,
/// so that its expected value is unchanged. For training; in inference there is no dropout.
#[track_caller]
pub fn dropout(x: Tensor, key: Key, rate: f64) -> Tensor {
    function_scope("nn::dropout", || match rate {
        _ if !(0.0..=1.0).contains(&rate) => {
            record_error("nn::dropout", &[x], format!("the rate is {rate}, not from 0 to 1"))
        }
        0.0 => x,
        1.0 => x.zeros_like(),
        rate => {
            let kept = key.bernoulli(1.0 - rate, x.shape());
            kept.select(x / (1.0 - rate), x.zeros_like())
        }
    })
}
