//! Concatenation.

use super::slice::resized;
use crate::{
    Axis, Dims, Name, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    trace::{Rule, apply, function_scope},
    vmap::spread_all,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// Concatenates operands along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Concatenate {
    /// The axis.
    pub axis: usize,
}

impl Definition for Concatenate {
    fn name(&self) -> &'static str {
        "concatenate"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let Some((first, rest)) = context.operands.split_first() else {
            return Err("no tensor to concatenate".into());
        };
        if self.axis >= first.rank() {
            return Err(format!("there is no axis {} in {first}", self.axis).into());
        }
        let mut names: Vec<Option<Name>> = first.names().to_vec();
        let mut size = first.sizes()[self.axis];
        for shape in rest {
            let is_like_first = shape.dtype() == first.dtype()
                && shape.rank() == first.rank()
                && (0..first.rank())
                    .all(|i| i == self.axis || shape.sizes()[i] == first.sizes()[i]);
            if !is_like_first {
                let axis = first.label(self.axis);
                return Err(format!(
                    "{first} and {shape} differ in more than the size of axis {axis}"
                )
                .into());
            }
            for (name, &other) in names.iter_mut().zip(shape.names()) {
                if name.is_some() && other.is_some() && *name != other {
                    return Err(format!("the axes of {first} and {shape} have other names").into());
                }
                *name = name.or(other);
            }
            size = size.checked_add(shape.sizes()[self.axis]).ok_or("the result is too large")?;
        }
        let named =
            first.with_dims(Dims::new(names.into_iter().zip(first.sizes().iter().copied()))?);
        one(resized(&named, self.axis, size)?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.axis);
    }
}

plain!(Concatenate);
spread_all!(Concatenate, |op| Concatenate { axis: op.axis + 1 });

impl Vjp for Concatenate {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let g = pull.g();
        let mut from = 0;
        let mut part = |index: usize| {
            let size = pull.shape(index).sizes()[self.axis] as isize;
            from += size;
            pull.wants(index).then(|| g.slice(self.axis as isize, from - size..from))
        };
        (0..pull.step.operands.len()).map(&mut part).collect()
    }
}

/// Concatenates tensors along an axis; all other sizes are equal, and names agree where both sides
/// have them.
#[track_caller]
pub fn concatenate(parts: &[Tensor], axis: impl Into<Axis>) -> Tensor {
    let axis = axis.into();
    apply("concatenate", parts, |s| {
        let first: &Shape = s.first().ok_or("no tensor to concatenate")?;
        let axis = first.position(axis)?;
        Ok(Concatenate { axis })
    })
}

/// Stacks tensors of one shape along a new first axis called `name` (`_` for none).
#[track_caller]
pub fn stack(parts: &[Tensor], name: &str) -> Tensor {
    function_scope("stack", || {
        let mut expanded = Vec::with_capacity(parts.len());
        for part in parts {
            expanded.push(part.insert_axis(0, name));
        }
        concatenate(&expanded, 0)
    })
}
