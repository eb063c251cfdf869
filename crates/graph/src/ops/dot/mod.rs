//! Dot products.

mod batch;
mod reverse;

use super::{blocks, positions};
use crate::{
    Axis, DType, Dims, IntoAxes, Name, PerAxis, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{Rule, apply},
};
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
};

/// The contracted and batch axes of a dot product, by index, and its precision options.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DotDims {
    /// Contracted axes of the left operand.
    pub left_contracting: PerAxis<usize>,
    /// Contracted axes of the right operand.
    pub right_contracting: PerAxis<usize>,
    /// Batch axes of the left operand.
    pub left_batch: PerAxis<usize>,
    /// Batch axes of the right operand.
    pub right_batch: PerAxis<usize>,
    /// The precision of float products.
    pub precision: Precision,
    /// The element type of accumulation and of the result; the operands' own if `None`.
    pub accumulate: Option<DType>,
}

/// The precision of float products; the platform chooses what each level means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Precision {
    /// The fastest precision of the platform.
    #[default]
    Default,
    /// More precise, slower.
    High,
    /// As precise as the element type allows.
    Highest,
}

/// Options of a dot product.
#[derive(Clone, Copy, Debug, Default)]
pub struct DotOptions {
    /// The precision of float products.
    pub precision: Precision,
    /// The element type of accumulation and of the result; the operands' own if `None`.
    pub accumulate: Option<DType>,
}

impl DotDims {
    /// Returns an error if axes do not exist, are used twice, or have no counterpart.
    fn check_axes(&self, left: &Shape, right: &Shape) -> Rule<()> {
        let are_axes = |shape: &Shape, contracting: &[usize], batch: &[usize]| {
            let all: Vec<usize> = contracting.iter().chain(batch).copied().collect();
            all.iter().enumerate().all(|(i, axis)| *axis < shape.rank() && !all[..i].contains(axis))
        };
        let are_pairs = self.left_contracting.len() == self.right_contracting.len()
            && self.left_batch.len() == self.right_batch.len();
        let fit = are_pairs
            && are_axes(left, &self.left_contracting, &self.left_batch)
            && are_axes(right, &self.right_contracting, &self.right_batch);
        if fit {
            Ok(())
        } else {
            Err(format!("{self:?} does not pair axes of {left} and {right}").into())
        }
    }

    /// The shape of the result: batch axes, then the left free axes, then the right free axes.
    pub(super) fn result(&self, left: &Shape, right: &Shape) -> Rule<Shape> {
        let dtype = sum_type(left, right, self.accumulate)?;
        let pairs = |l: &[usize], r: &[usize]| -> Rule<()> {
            for (&l, &r) in l.iter().zip(r) {
                let (a, b) = (left.sizes()[l], right.sizes()[r]);
                if a != b {
                    return Err(match left.names()[l] {
                        Some(name) => {
                            format!("axis `{name}` has size {a} on the left and {b} on the right")
                        }
                        None => format!(
                            "axis {l} of the left has size {a} and axis {r} of the right has {b}"
                        ),
                    }
                    .into());
                }
            }
            Ok(())
        };
        self.check_axes(left, right)?;
        pairs(&self.left_contracting, &self.right_contracting)?;
        pairs(&self.left_batch, &self.right_batch)?;
        let own =
            |shape: &Shape, contracting: &[usize], batch: &[usize]| -> Vec<(Option<Name>, usize)> {
                let free =
                    (0..shape.rank()).filter(|i| !contracting.contains(i) && !batch.contains(i));
                free.map(|i| (shape.names()[i], shape.sizes()[i])).collect()
            };
        let batch = self
            .left_batch
            .iter()
            .zip(self.right_batch.iter())
            .map(|(&l, &r)| (left.names()[l].or(right.names()[r]), left.sizes()[l]));
        let axes = batch.chain(own(left, &self.left_contracting, &self.left_batch)).chain(own(
            right,
            &self.right_contracting,
            &self.right_batch,
        ));
        Ok(Shape::scalar(dtype).with_dims(Dims::new(axes)?))
    }
}

impl Definition for DotDims {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [left, right] = context.operands()?;
        one(self.result(left, right)?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        let contracted = (list(&self.left_contracting), list(&self.right_contracting));
        write!(out, " contract {} {}", contracted.0, contracted.1)?;
        if !self.left_batch.is_empty() {
            write!(out, " batch {} {}", list(&self.left_batch), list(&self.right_batch))?;
        }
        match self.precision {
            Precision::Default => Ok(()),
            precision => write!(out, " precision {precision:?}"),
        }
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        for axes in
            [&self.left_contracting, &self.right_contracting, &self.left_batch, &self.right_batch]
        {
            hash_sizes(hasher, axes);
        }
        hasher.write_u8(self.precision as u8);
        self.accumulate.hash(&mut &mut *hasher);
    }
}

plain!(DotDims);

/// The element type of the sums of products.
pub(super) fn sum_type(left: &Shape, right: &Shape, accumulate: Option<DType>) -> Rule<DType> {
    if left.dtype() != right.dtype() {
        let (l, r) = (left.dtype(), right.dtype());
        return Err(format!("element types {l} and {r} differ; use `.convert(..)`").into());
    }
    if left.dtype() == DType::Bool {
        return Err("takes numbers, not bool; use `&` and `any`, or `.convert(..)`".into());
    }
    let dtype = accumulate.unwrap_or(left.dtype());
    if dtype.is_complex() != left.dtype().is_complex()
        || dtype.is_int() != left.dtype().is_int()
        || dtype == DType::Bool
    {
        Err(format!("products of {} cannot be summed in {dtype}", left.dtype()).into())
    } else {
        Ok(dtype)
    }
}

fn by_name(left: &Shape, right: &Shape, axes: &[Axis], options: DotOptions) -> Rule<DotDims> {
    let left_contracting = positions(left, axes)?;
    let right_contracting = positions(right, axes)?;
    let mut dims = DotDims {
        precision: options.precision,
        accumulate: options.accumulate,
        ..DotDims::default()
    };
    dims.left_contracting = PerAxis::collect(left_contracting.iter().copied());
    dims.right_contracting = PerAxis::collect(right_contracting.iter().copied());
    let shared = left.names().iter().enumerate().filter(|(l, _)| !left_contracting.contains(l));
    for (l, name) in shared {
        let Some(name) = *name else { continue };
        if let Ok(r) = right.position(name)
            && !right_contracting.contains(&r)
        {
            dims.left_batch.push(l).ok_or("too many axes")?;
            dims.right_batch.push(r).ok_or("too many axes")?;
        }
    }
    Ok(dims)
}

/// Records the product of two tensors; `dims` gives the dimension numbers.
#[track_caller]
fn product(
    op: &'static str,
    operands: [Tensor; 2],
    dims: impl FnOnce(&[Shape]) -> Rule<DotDims>,
) -> Tensor {
    if operands.iter().any(|&x| blocks::kind_of(x).is_some()) {
        blocks::dot(op, operands, dims)
    } else {
        apply(op, &operands, dims)
    }
}

#[hloom_derive::tensor_methods(dot)]
impl Tensor {
    /// The dot product that contracts the given axes, which both sides have; all other names that
    /// both sides share are batch axes. The result has the batch axes, then the left free axes,
    /// then the right free axes.
    ///
    /// So two tensors `[batch, in]` give one product for each batch element, `[batch]`. For the
    /// products of each row with every other one, [`rename`](Self::rename) an axis of one side:
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// # let trace = TraceScope::begin("example");
    /// let a = trace.parameter("a", &Spec::f32([("batch", 32), ("in", 64)]), false);
    /// let b = trace.parameter("b", &Spec::f32([("batch", 32), ("in", 64)]), false);
    /// assert_eq!(a.dot(b, "in").shape().to_string(), "f32[batch=32]");
    /// let similarities = a.dot(b.rename("batch", "other"), "in");
    /// assert_eq!(similarities.shape().to_string(), "f32[batch=32, other=32]");
    /// ```
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("batch", 32), ("in", 784)]), false);
    /// let weight = trace.parameter("weight", &Spec::f32([("out", 128), ("in", 784)]), false);
    /// assert_eq!(x.dot(weight, "in").shape().to_string(), "f32[batch=32, out=128]");
    /// ```
    #[doc(alias = "einsum")]
    #[lazy(by_hand)]
    #[track_caller]
    pub fn dot(self, right: Tensor, axes: impl IntoAxes) -> Tensor {
        self.dot_with(right, axes, DotOptions::default())
    }

    /// As [`dot`](Self::dot), with a precision and an accumulation type.
    #[track_caller]
    pub fn dot_with(self, right: Tensor, axes: impl IntoAxes, options: DotOptions) -> Tensor {
        let axes = axes.into_axes(self.rank());
        product("dot", [self, right], |s| by_name(&s[0], &s[1], &axes, options))
    }

    /// The dot product that contracts the pairs of axes (left, right) in `contract`; the pairs in
    /// `batch` are batch axes. The result has the batch axes, then the left free axes, then the
    /// right free axes.
    #[track_caller]
    pub fn dot_general<A: Into<Axis> + Copy, B: Into<Axis> + Copy>(
        self,
        right: Tensor,
        contract: &[(A, A)],
        batch: &[(B, B)],
        options: DotOptions,
    ) -> Tensor {
        product("dot_general", [self, right], |s| {
            let side = |shape: &Shape,
                        contract: Vec<Axis>,
                        batch: Vec<Axis>|
             -> Rule<(PerAxis<usize>, PerAxis<usize>)> {
                let all: Vec<Axis> = contract.iter().chain(&batch).copied().collect();
                let all = positions(shape, &all)?;
                let (contract, batch) = all.split_at(contract.len());
                Ok((
                    PerAxis::collect(contract.iter().copied()),
                    PerAxis::collect(batch.iter().copied()),
                ))
            };
            let lefts = (
                contract.iter().map(|p| p.0.into()).collect(),
                batch.iter().map(|p| p.0.into()).collect(),
            );
            let rights = (
                contract.iter().map(|p| p.1.into()).collect(),
                batch.iter().map(|p| p.1.into()).collect(),
            );
            let (left_contracting, left_batch) = side(&s[0], lefts.0, lefts.1)?;
            let (right_contracting, right_batch) = side(&s[1], rights.0, rights.1)?;
            Ok(DotDims {
                left_contracting,
                right_contracting,
                left_batch,
                right_batch,
                precision: options.precision,
                accumulate: options.accumulate,
            })
        })
    }

    /// The matrix product of the last two axes, as NumPy's `matmul`: a vector is a row on the left
    /// and a column on the right, and leading axes are batch axes. Leading axes have the same sizes
    /// on both sides, or one side has none.
    #[lazy(by_hand)]
    #[track_caller]
    pub fn matmul(self, right: Tensor) -> Tensor {
        product("matmul", [self, right], |s| {
            let (l, r) = (s[0].rank(), s[1].rank());
            if l == 0 || r == 0 {
                return Err("a scalar has no matrix product; use `*`".into());
            }
            let batch = if l > 2 && r > 2 { l - 2 } else { 0 };
            if batch > 0 && l != r {
                return Err(format!("{batch} and {} leading axes do not match", r - 2).into());
            }
            if batch == 0 && r > 2 && l > 1 {
                return Err(
                    "a right side with leading axes needs the same on the left; use `dot_general`"
                        .into(),
                );
            }
            Ok(DotDims {
                left_contracting: PerAxis::collect([l - 1]),
                right_contracting: PerAxis::collect([r.saturating_sub(2)]),
                left_batch: PerAxis::collect(0..batch),
                right_batch: PerAxis::collect(0..batch),
                ..DotDims::default()
            })
        })
    }

    /// The product that contracts the last `count` axes with the first `count` of `right`, in
    /// order, as NumPy's `tensordot`. The result has the other axes of both.
    #[track_caller]
    pub fn tensordot(self, right: Tensor, count: usize) -> Tensor {
        product("tensordot", [self, right], |s| {
            let first = s[0].rank().checked_sub(count).filter(|_| count <= s[1].rank());
            let Some(first) = first else {
                return Err(
                    format!("{} and {} have no {count} axes to contract", s[0], s[1]).into()
                );
            };
            Ok(DotDims {
                left_contracting: PerAxis::collect(first..s[0].rank()),
                right_contracting: PerAxis::collect(0..count),
                ..DotDims::default()
            })
        })
    }
}
