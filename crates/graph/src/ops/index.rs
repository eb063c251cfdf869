//! Elements picked by other tensors.

use crate::{
    Axis, DType, Dims, GatherDims, Name, Op, PerAxis, Shape, Tensor,
    trace::{Rule, apply, emit},
};
use std::panic::Location;

/// Where a dynamic slice starts along an axis: an integer scalar of the program, or a number known now.
pub trait StartIndex {
    /// The start as a scalar tensor.
    #[track_caller]
    fn start(self) -> Tensor;
}

impl StartIndex for Tensor {
    fn start(self) -> Tensor {
        self
    }
}

impl StartIndex for i32 {
    #[track_caller]
    fn start(self) -> Tensor {
        Tensor::scalar(self, DType::I32)
    }
}

impl StartIndex for usize {
    #[track_caller]
    fn start(self) -> Tensor {
        Tensor::scalar(self, DType::I32)
    }
}

/// Starts along all axes of a tensor of `rank`, of one integer type: 0 where none is given.
#[track_caller]
fn all_starts(rank: usize, given: &[(usize, Tensor)]) -> Vec<Tensor> {
    let dtypes: Vec<DType> = given.iter().map(|(_, start)| start.dtype()).collect();
    let dtype = match dtypes.split_first() {
        Some((&first, rest)) if rest.iter().all(|&d| d == first) => first,
        Some(_) => DType::I64,
        None => DType::I32,
    };
    let mut starts = Vec::with_capacity(rank);
    for axis in 0..rank {
        starts.push(match given.iter().find(|(at, _)| *at == axis) {
            Some((_, start)) => start.convert(dtype),
            None => Tensor::scalar(0, if dtype.is_int() { dtype } else { DType::I32 }),
        });
    }
    starts
}

fn check_starts(starts: &[Shape]) -> Rule<()> {
    for start in starts {
        if !start.dtype().is_int() || start.rank() != 0 {
            return Err(format!("a start is an integer scalar, not {start}").into());
        }
    }
    Ok(())
}

fn check_indices(indices: &Shape) -> Rule<()> {
    match indices.dtype().is_int() {
        true => Ok(()),
        false => Err(format!("indices are integers, not {}", indices.dtype()).into()),
    }
}

/// `x.take(indices, axis)`: the dimension numbers and the result's shape.
fn take(x: &Shape, indices: &Shape, axis: Axis) -> Rule<(Op, Shape)> {
    check_indices(indices)?;
    let at = x.position(axis)?;
    if x.sizes()[at] == 0 && indices.element_count() > 0 {
        return Err(format!("axis {axis} has no elements to take").into());
    }
    let mut dims = GatherDims {
        index_vector_dim: indices.rank(),
        ..GatherDims::default()
    };
    for (i, name) in indices.names().iter().enumerate() {
        let Some(name) = *name else { continue };
        if let Ok(shared) = x.position(name)
            && shared != at
        {
            if x.sizes()[shared] != indices.sizes()[i] {
                let (a, b) = (x.sizes()[shared], indices.sizes()[i]);
                return Err(format!("axis `{name}` has size {a} on the left and {b} on the right").into());
            }
            dims.operand_batching_dims.push(shared).ok_or("too many axes")?;
            dims.start_indices_batching_dims.push(i).ok_or("too many axes")?;
        }
    }
    let batched = !dims.operand_batching_dims.is_empty();
    dims.collapsed_slice_dims = PerAxis::collect([at]);
    dims.start_index_map = PerAxis::collect([at]);
    let mut own: Vec<usize> = Vec::new();
    for (i, &size) in x.sizes().iter().enumerate() {
        let whole = i != at && !dims.operand_batching_dims.contains(&i);
        dims.slice_sizes
            .push(if whole { size } else { 1 })
            .ok_or("too many axes")?;
        if whole {
            own.push(i);
        }
    }
    // The indices' axes stand where the axis stood; when some go in step with the left's, they all come first.
    let before = if batched { 0 } else { at };
    let axis_of = |shape: &Shape, i: usize| -> (Option<Name>, usize) { (shape.names()[i], shape.sizes()[i]) };
    let mut axes: Vec<(Option<Name>, usize)> = own[..before].iter().map(|&i| axis_of(x, i)).collect();
    axes.extend((0..indices.rank()).map(|i| axis_of(indices, i)));
    axes.extend(own[before..].iter().map(|&i| axis_of(x, i)));
    let shape = Shape::scalar(x.dtype()).with_dims(Dims::new(axes)?);
    dims.offset_dims = PerAxis::collect((0..before).chain(before + indices.rank()..shape.rank()));
    // A pair of batch axes is listed in the order of the operand's axes.
    let mut pairs: Vec<(usize, usize)> = dims
        .operand_batching_dims
        .iter()
        .copied()
        .zip(dims.start_indices_batching_dims.iter().copied())
        .collect();
    pairs.sort_unstable();
    dims.operand_batching_dims = PerAxis::collect(pairs.iter().map(|p| p.0));
    dims.start_indices_batching_dims = PerAxis::collect(pairs.iter().map(|p| p.1));
    Ok((Op::Gather(Box::new(dims)), shape))
}

impl Tensor {
    /// `size` elements from `start` on along an axis; the start is clamped so that they all exist.
    #[track_caller]
    pub fn dynamic_slice(self, axis: impl Into<Axis>, start: impl StartIndex, size: usize) -> Tensor {
        self.dynamic_slice_along(&[(axis.into(), start.start(), size)])
    }

    /// A block of a tensor: along each given axis `size` elements from `start` on, all of the other axes.
    #[track_caller]
    pub fn dynamic_slice_along(self, blocks: &[(Axis, Tensor, usize)]) -> Tensor {
        let shape = self.shape();
        // An axis that is not there is found again, and reported, by the rule.
        let given: Vec<(usize, Tensor)> = blocks
            .iter()
            .filter_map(|(axis, start, _)| Some((shape.position(*axis).ok()?, *start)))
            .collect();
        let mut operands = vec![self];
        operands.extend(all_starts(shape.rank(), &given));
        apply("dynamic_slice", &operands, |s| {
            let mut result = s[0];
            let axes: Vec<Axis> = blocks.iter().map(|b| b.0).collect();
            for (at, (axis, _, size)) in super::positions(&s[0], &axes)?.into_iter().zip(blocks) {
                if *size > s[0].sizes()[at] {
                    return Err(format!("{size} elements are more than axis {axis} has").into());
                }
                result = super::slice::resized(&result, at, *size)?;
            }
            check_starts(&s[1..])?;
            Ok((
                Op::DynamicSlice(PerAxis::collect(result.sizes().iter().copied())),
                result,
            ))
        })
    }

    /// The tensor with `update` written over it from `start` on along an axis; the start is clamped so that it fits. The other
    /// axes of the update start at 0.
    #[track_caller]
    pub fn dynamic_update_slice(self, update: Tensor, axis: impl Into<Axis>, start: impl StartIndex) -> Tensor {
        self.dynamic_update_slice_along(update, &[(axis.into(), start.start())])
    }

    /// The tensor with `update` written over it at a start along each given axis, 0 along the others.
    #[track_caller]
    pub fn dynamic_update_slice_along(self, update: Tensor, starts: &[(Axis, Tensor)]) -> Tensor {
        let shape = self.shape();
        let given: Vec<(usize, Tensor)> = starts
            .iter()
            .filter_map(|(axis, start)| Some((shape.position(*axis).ok()?, *start)))
            .collect();
        let mut operands = vec![self, update];
        operands.extend(all_starts(shape.rank(), &given));
        apply("dynamic_update_slice", &operands, |s| {
            let axes: Vec<Axis> = starts.iter().map(|p| p.0).collect();
            super::positions(&s[0], &axes)?;
            check_starts(&s[2..])?;
            let names_agree = |(a, b): (&Option<Name>, &Option<Name>)| a.is_none() || b.is_none() || a == b;
            let fits = s[0].dtype() == s[1].dtype()
                && s[0].rank() == s[1].rank()
                && s[0].names().iter().zip(s[1].names()).all(names_agree)
                && s[0].sizes().iter().zip(s[1].sizes()).all(|(a, b)| a >= b);
            match fits {
                true => Ok((Op::DynamicUpdateSlice, s[0])),
                false => Err(format!("{} does not fit into {}", s[1], s[0]).into()),
            }
        })
    }

    /// The elements at `indices` along an axis: the indices' axes take the axis' place. Axis names that both sides have go in
    /// step, and then all axes of the indices come first. Indices out of range are clamped.
    #[track_caller]
    pub fn take(self, indices: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        apply("take", &[self, indices], |s| take(&s[0], &s[1], axis))
    }

    /// For each position of `indices`, the element whose index along `axis` it holds; all other axes are the same on both sides.
    /// Indices out of range are clamped.
    #[track_caller]
    pub fn take_along_axis(self, indices: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        apply("take_along_axis", &[self, indices], |s| {
            check_indices(&s[1])?;
            let at = s[0].position(axis)?;
            let rank = s[0].rank();
            let others = || (0..rank).filter(|&i| i != at);
            if s[1].rank() != rank || others().any(|i| s[0].sizes()[i] != s[1].sizes()[i]) {
                return Err(format!("{} and {} differ in more than the size of axis {axis}", s[0], s[1]).into());
            }
            if s[0].sizes()[at] == 0 && s[1].element_count() > 0 {
                return Err(format!("axis {axis} has no elements to take").into());
            }
            let dims = GatherDims {
                collapsed_slice_dims: PerAxis::collect([at]),
                operand_batching_dims: PerAxis::collect(others()),
                start_indices_batching_dims: PerAxis::collect(others()),
                start_index_map: PerAxis::collect([at]),
                index_vector_dim: rank,
                slice_sizes: PerAxis::collect((0..rank).map(|_| 1)),
                ..GatherDims::default()
            };
            let shape = s[0].with_dims(s[0].axes());
            Ok((
                Op::Gather(Box::new(dims)),
                super::slice::resized(&shape, at, s[1].sizes()[at])?,
            ))
        })
    }

    /// 1 where the position along a new last axis called `name` (`_` for none) equals the index, else 0; an index out of range
    /// gives zeros only. The indices are integers.
    #[track_caller]
    pub fn one_hot(self, name: &str, size: usize, dtype: DType) -> Tensor {
        let checked = emit("one_hot", &[self], Location::caller(), |_, s, v| {
            check_indices(&s[0])?;
            Ok(v[0])
        });
        // A narrow type would count round to 0 again before `size`.
        let indices = match Tensor::or_poisoned(checked) {
            indices if indices.dtype().bits() < 32 => indices.convert(DType::I32),
            indices => indices,
        };
        let wide = indices.insert_axis(-1, name);
        if wide.is_poisoned() {
            return wide;
        }
        let counted = Tensor::iota(wide.dtype(), [(name, size)], 0);
        wide.eq(counted).convert(dtype)
    }
}
