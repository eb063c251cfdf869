//! Products.

use super::positions;
use crate::{
    Axis, DType, Dims, DotDims, IntoAxes, Name, Op, PerAxis, Precision, Shape, Tensor,
    trace::{Rule, apply},
};

/// How a product is computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct DotOptions {
    /// How exact the products of floats are.
    pub precision: Precision,
    /// The element type of the sums and of the result; the operands' own when `None`.
    pub accumulate: Option<DType>,
}

/// The product's node and shape: batch axes, then the left's own, then the right's own.
fn product(left: &Shape, right: &Shape, dims: DotDims, accumulate: Option<DType>) -> Rule<(Op, Shape)> {
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
        return Err(format!("products of {} cannot be summed in {dtype}", left.dtype()).into());
    }
    let pairs = |l: &[usize], r: &[usize]| -> Rule<()> {
        for (&l, &r) in l.iter().zip(r) {
            let (a, b) = (left.sizes()[l], right.sizes()[r]);
            if a != b {
                return Err(match left.names()[l] {
                    Some(name) => format!("axis `{name}` has size {a} on the left and {b} on the right"),
                    None => format!("axis {l} of the left has size {a} and axis {r} of the right has {b}"),
                }
                .into());
            }
        }
        Ok(())
    };
    pairs(&dims.left_contracting, &dims.right_contracting)?;
    pairs(&dims.left_batch, &dims.right_batch)?;
    let own = |shape: &Shape, contracting: &[usize], batch: &[usize]| -> Vec<(Option<Name>, usize)> {
        let free = (0..shape.rank()).filter(|i| !contracting.contains(i) && !batch.contains(i));
        free.map(|i| (shape.names()[i], shape.sizes()[i])).collect()
    };
    let batch = dims
        .left_batch
        .iter()
        .zip(dims.right_batch.iter())
        .map(|(&l, &r)| (left.names()[l].or(right.names()[r]), left.sizes()[l]));
    let axes = batch
        .chain(own(left, &dims.left_contracting, &dims.left_batch))
        .chain(own(right, &dims.right_contracting, &dims.right_batch));
    Ok((
        Op::Dot(Box::new(dims)),
        Shape::scalar(dtype).with_dims(Dims::new(axes)?),
    ))
}

fn by_name(left: &Shape, right: &Shape, axes: &[Axis], options: DotOptions) -> Rule<(Op, Shape)> {
    let left_contracting = positions(left, axes)?;
    let right_contracting = positions(right, axes)?;
    let mut dims = DotDims {
        precision: options.precision,
        ..DotDims::default()
    };
    dims.left_contracting = PerAxis::collect(left_contracting.iter().copied());
    dims.right_contracting = PerAxis::collect(right_contracting.iter().copied());
    let shared = left
        .names()
        .iter()
        .enumerate()
        .filter(|(l, _)| !left_contracting.contains(l));
    for (l, name) in shared {
        let Some(name) = *name else { continue };
        if let Ok(r) = right.position(name)
            && !right_contracting.contains(&r)
        {
            dims.left_batch.push(l).ok_or("too many axes")?;
            dims.right_batch.push(r).ok_or("too many axes")?;
        }
    }
    product(left, right, dims, options.accumulate)
}

impl Tensor {
    /// The product that sums over the given axes, which both sides have, and goes in step over all other names that both sides
    /// share. The result has the shared axes, then the left's own, then the right's own.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("batch", 32), ("in", 784)]), false);
    /// let weight = trace.parameter("weight", &Spec::f32([("out", 128), ("in", 784)]), false);
    /// assert_eq!(x.dot(weight, "in").shape().to_string(), "f32[batch=32, out=128]");
    /// ```
    #[track_caller]
    pub fn dot(self, right: Tensor, axes: impl IntoAxes) -> Tensor {
        self.dot_with(right, axes, DotOptions::default())
    }

    /// As [`dot`](Self::dot), with a precision and a type to accumulate in.
    #[track_caller]
    pub fn dot_with(self, right: Tensor, axes: impl IntoAxes, options: DotOptions) -> Tensor {
        let axes = axes.into_axes(self.rank());
        apply("dot", &[self, right], |s| by_name(&s[0], &s[1], &axes, options))
    }

    /// The product that sums over pairs of axes (left, right) and goes in step over other pairs. The result has the batch axes,
    /// then the left's own, then the right's own.
    #[track_caller]
    pub fn dot_general<A: Into<Axis> + Copy, B: Into<Axis> + Copy>(
        self,
        right: Tensor,
        contract: &[(A, A)],
        batch: &[(B, B)],
        options: DotOptions,
    ) -> Tensor {
        apply("dot_general", &[self, right], |s| {
            let side =
                |shape: &Shape, contract: Vec<Axis>, batch: Vec<Axis>| -> Rule<(PerAxis<usize>, PerAxis<usize>)> {
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
            let precision = options.precision;
            let dims = DotDims {
                left_contracting,
                right_contracting,
                left_batch,
                right_batch,
                precision,
            };
            product(&s[0], &s[1], dims, options.accumulate)
        })
    }

    /// The matrix product of the last two axes, as NumPy's `matmul`: vectors take part as a row on the left and a column on the
    /// right, and leading axes go in step. Leading axes have the same sizes on both sides, or one side has none.
    #[track_caller]
    pub fn matmul(self, right: Tensor) -> Tensor {
        apply("matmul", &[self, right], |s| {
            let (l, r) = (s[0].rank(), s[1].rank());
            if l == 0 || r == 0 {
                return Err("a scalar has no matrix product; use `*`".into());
            }
            let batch = if l > 2 && r > 2 { l - 2 } else { 0 };
            if batch > 0 && l != r {
                return Err(format!("{batch} and {} leading axes do not go in step", r - 2).into());
            }
            if batch == 0 && r > 2 && l > 1 {
                return Err("a right side with leading axes needs the same on the left; use `dot_general`".into());
            }
            let dims = DotDims {
                left_contracting: PerAxis::collect([l - 1]),
                right_contracting: PerAxis::collect([r.saturating_sub(2)]),
                left_batch: PerAxis::collect(0..batch),
                right_batch: PerAxis::collect(0..batch),
                precision: Precision::Default,
            };
            product(&s[0], &s[1], dims, None)
        })
    }
}
