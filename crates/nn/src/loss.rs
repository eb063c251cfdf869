//! Loss functions: one value per element or per example, without a reduction, so that the caller
//! takes the mean or the sum over the axes that it wants. The mean of the cross entropy counts the
//! labels that are not ignored: [`cross_entropy_mean`].
//!
//! Losses are computed in `f32`, or in `f64` for `f64`, and have that type.
//!
//! ```
//! use hloom_graph::{Spec, TraceScope};
//! use hloom_nn::loss::cross_entropy_mean;
//!
//! let trace = TraceScope::begin("example");
//! let logits = Spec::f32([("batch", 32), ("seq", 128), ("vocab", 1000)]);
//! let logits = trace.parameter("logits", &logits, false);
//! let labels = trace.parameter("labels", &Spec::i32([("batch", 32), ("seq", 128)]), false);
//! let loss = cross_entropy_mean(logits, labels, "vocab");
//! assert_eq!(loss.shape().to_string(), "f32[]");
//! ```

use crate::wide::wide;
use hloom_graph::{Axis, DType, Operand, Tensor, custom_vjp, function_scope, record_error};

/// The options of [`cross_entropy_with`] and [`cross_entropy_mean_with`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CrossEntropyOptions {
    /// The part of the target that is spread evenly over all classes ([Szegedy et al.
    /// 2015](https://arxiv.org/abs/1512.00567), section 7).
    pub label_smoothing: f64,
    /// A label whose loss is 0, as for padding, and which a mean does not count. Default: -100, as
    /// in PyTorch and the data collators of transformers.
    pub ignore_index: Option<i64>,
}

impl Default for CrossEntropyOptions {
    fn default() -> Self {
        CrossEntropyOptions { label_smoothing: 0.0, ignore_index: Some(-100) }
    }
}

/// The negative logarithm of the probability that the softmax of `logits` along `classes` gives to
/// each label, an integer.
///
/// `labels` have the shape of the logits without `classes`, as has the result. The loss of label
/// -100 is 0, and that of any other label out of range is NaN. A mean over all labels counts the
/// ignored ones too: [`cross_entropy_mean`] does not.
#[track_caller]
pub fn cross_entropy(logits: Tensor, labels: Tensor, classes: impl Into<Axis>) -> Tensor {
    cross_entropy_with(logits, labels, classes, CrossEntropyOptions::default())
}

/// The mean of [`cross_entropy`] over all labels except -100; NaN if there are none.
///
/// ```
/// use hloom_graph::{Spec, TraceScope};
/// use hloom_nn::loss::cross_entropy_mean;
///
/// let trace = TraceScope::begin("example");
/// let logits = trace.parameter("logits", &Spec::f32([("seq", 128), ("vocab", 1000)]), false);
/// let labels = trace.parameter("labels", &Spec::i32([("seq", 128)]), false);
/// assert_eq!(cross_entropy_mean(logits, labels, "vocab").shape().to_string(), "f32[]");
/// ```
#[track_caller]
pub fn cross_entropy_mean(logits: Tensor, labels: Tensor, classes: impl Into<Axis>) -> Tensor {
    cross_entropy_mean_with(logits, labels, classes, CrossEntropyOptions::default())
}

/// As [`cross_entropy_mean`], with options.
#[track_caller]
pub fn cross_entropy_mean_with(
    logits: Tensor,
    labels: Tensor,
    classes: impl Into<Axis>,
    options: CrossEntropyOptions,
) -> Tensor {
    let loss = cross_entropy_with(logits, labels, classes, options);
    match options.ignore_index {
        Some(ignored) => {
            let counted = labels.convert(DType::I64).ne(ignored).convert(loss.dtype());
            loss.sum(..) / counted.sum(..)
        }
        None => loss.mean(..),
    }
}

/// As [`cross_entropy`], with options.
#[track_caller]
pub fn cross_entropy_with(
    logits: Tensor,
    labels: Tensor,
    classes: impl Into<Axis>,
    options: CrossEntropyOptions,
) -> Tensor {
    let axis = classes.into();
    function_scope("nn::cross_entropy", || {
        if !labels.dtype().is_int() || labels.dtype() == DType::Bool {
            let message = format!("labels are integers, not {}", labels.shape());
            return record_error("nn::cross_entropy", &[logits, labels], message);
        }
        let logits = wide(logits);
        // The result does not depend on the maximum that is subtracted.
        let shifted = logits - logits.max_keep(axis).stop_gradient();
        let Ok(at) = shifted.shape().position(axis) else {
            // The maximum has reported the missing axis.
            return shifted;
        };
        let normalizer = shifted.exp().sum(at).log();
        let mut loss = normalizer - at_labels(shifted, labels, at);
        if options.label_smoothing != 0.0 {
            let even = normalizer - shifted.mean(at);
            loss = loss * (1.0 - options.label_smoothing) + even * options.label_smoothing;
        }
        let loss = is_class(labels, shifted.shape().sizes()[at]).select(loss, f64::NAN);
        match options.ignore_index {
            Some(ignored) => labels.convert(DType::I64).eq(ignored).select(loss.zeros_like(), loss),
            None => loss,
        }
    })
}

/// Whether each label is one of `classes` classes.
#[track_caller]
fn is_class(labels: Tensor, classes: usize) -> Tensor {
    let classes = i64::try_from(classes).unwrap_or(i64::MAX);
    let labels = labels.convert(DType::I64);
    labels.ge(0) & labels.lt(classes)
}

/// The element of each label along an axis, as a sum over a mask: its derivative needs no scatter.
#[track_caller]
fn at_labels(x: Tensor, labels: Tensor, axis: usize) -> Tensor {
    let shape = x.shape();
    let name = shape.names()[axis].map_or("_", |name| name.as_str());
    let last = shape.sizes()[axis] as i64 - 1;
    let labels = labels.convert(DType::I64).clamp(0, last.max(0)).convert(DType::I32);
    let labels = labels.insert_axis(axis as isize, name);
    let is_label = Tensor::iota(DType::I32, shape.axes(), axis).eq(labels);
    is_label.select(x, 0).sum(axis)
}

/// The cross entropy between target probabilities and the softmax of `logits` along `classes`,
/// which the result lacks. Both have the same shape. A class with target 0 adds nothing, also with
/// a logit of minus infinity.
#[track_caller]
pub fn soft_cross_entropy(logits: Tensor, targets: Tensor, classes: impl Into<Axis>) -> Tensor {
    let axis = classes.into();
    function_scope("nn::soft_cross_entropy", || {
        let (targets, log) = (wide(targets), wide(logits).log_softmax(axis));
        let is_impossible = targets.eq(0.0) & log.eq(f64::NEG_INFINITY);
        -(targets * is_impossible.select(log.zeros_like(), log)).sum(axis)
    })
}

/// The squares of the differences.
#[track_caller]
#[doc(alias = "mse_loss")]
pub fn squared_error(predictions: Tensor, targets: impl Operand) -> Tensor {
    function_scope("nn::squared_error", || difference(predictions, targets).square())
}

/// The magnitudes of the differences.
#[track_caller]
#[doc(alias = "l1_loss")]
pub fn absolute_error(predictions: Tensor, targets: impl Operand) -> Tensor {
    function_scope("nn::absolute_error", || difference(predictions, targets).abs())
}

/// Half the square of the difference up to `delta`, and linear beyond, with the slope at `delta`
/// ([Huber 1964](https://doi.org/10.1214/aoms/1177703732)).
#[track_caller]
pub fn huber(predictions: Tensor, targets: impl Operand, delta: f64) -> Tensor {
    function_scope("nn::huber", || {
        let distance = difference(predictions, targets).abs();
        let near = distance.minimum(delta);
        near * near * 0.5 + (distance - near) * delta
    })
}

/// The cross entropy between targets from 0 to 1 and the logistic function of `logits`, stable for
/// logits of any size.
#[track_caller]
#[doc(alias = "sigmoid_binary_cross_entropy")]
pub fn bce_with_logits(logits: Tensor, targets: impl Operand) -> Tensor {
    function_scope("nn::bce_with_logits", || {
        let targets = wide(targets.like(logits));
        let x = wide(logits);
        let axes = (x * targets).shape().axes();
        let forward = |(x, targets): (Tensor, Tensor)| {
            // The weight of the class opposite to the logit's sign: for an infinite logit, it is 0
            // or the loss is infinite.
            let share = x.ge(0.0).select(1.0 - targets, targets);
            let distance = share.eq(0.0).select(share, share * x.abs());
            (distance + (-x.abs()).exp().log1p(), (x, targets))
        };
        // The rules of the maximum and of the magnitude would each choose a side at 0.
        let backward =
            |(x, targets): (Tensor, Tensor), g: Tensor| (g * (x.sigmoid() - targets), -(g * x));
        custom_vjp((x.broadcast_to(axes), targets.broadcast_to(axes)), forward, backward)
    })
}

/// The terms of the Kullback-Leibler divergence of a distribution, given as logarithms, from
/// `targets`: `targets * (log(targets) - log_predictions)`, 0 where a target is 0. Their sum along
/// the classes is the divergence.
#[track_caller]
pub fn kl_divergence(log_predictions: Tensor, targets: Tensor) -> Tensor {
    function_scope("nn::kl_divergence", || {
        let targets = wide(targets);
        let is_some = targets.gt(0.0);
        let log = is_some.select(targets, 1.0).log();
        // A product with infinity has a derivative that is NaN even if it is not selected.
        let predicted = is_some.select(wide(log_predictions), 0.0);
        is_some.select(targets * (log - predicted), 0.0)
    })
}

/// The amount by which `predictions * targets` is less than 1, for targets of -1 and 1.
#[track_caller]
pub fn hinge(predictions: Tensor, targets: Tensor) -> Tensor {
    function_scope("nn::hinge", || (1.0 - wide(predictions) * wide(targets)).maximum(0.0))
}

#[track_caller]
fn difference(predictions: Tensor, targets: impl Operand) -> Tensor {
    wide(predictions) - wide(targets.like(predictions))
}
