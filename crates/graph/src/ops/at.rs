//! Elements at selected indices, as JAX's `x.at[..]`.

use super::{
    Binary, GatherDims, ScalarValue, ScatterDims, ScatterUpdate, Selection,
    broadcast::rename,
    elementwise::aligned_values,
    from_end::counted_from_end,
    index_update::{fitted, scattered},
    selection::Selections,
    take::Selected,
};
use crate::{
    Axis, DType, Operand, PerAxis, Shape, Tensor, concatenate,
    trace::{apply, emit, function_scope, shape_of},
};
use std::panic::Location;

/// Elements of a tensor that are selected along some of its axes: to be read, or to be updated in a
/// new tensor. [`Tensor::at`] creates it.
///
/// Index tensors are broadcast together as the operands of an elementwise op. Their axes replace
/// the axes that they select from where these are adjacent, and are the first axes of the result
/// where they are not. Axis names that both the indices and the tensor have are batch axes, and
/// then all axes of the indices come first too. Ranges keep an axis, single indices remove it.
///
/// Negative indices count from the end; reads at indices that are still out of range are clamped,
/// and updates dropped, as in JAX and as everywhere in Hloom. A single index or a range is known
/// while tracing: out of range, it is an error.
///
/// | JAX | Hloom |
/// |---|---|
/// | `x.at[i].set(y)` | `x.at(0, i).set(y)` |
/// | `x.at[i, j].add(1)` | `x.at(0, i).at(1, j).add(1)` |
/// | `x.at[:, 2:5].mul(y)` | `x.at(1, 2..5).mul(y)` |
/// | `x.at[i].get()` | `x.at(0, i).get()` |
/// | `x.at[i].get(mode="fill", fill_value=0)` | `x.at(0, i).get_or(0)` |
#[derive(Clone, Debug)]
#[must_use = "nothing is read or updated before `get`, `set` or another update"]
pub struct At {
    tensor: Tensor,
    selected: Vec<(Axis, Selection)>,
    counts_from_end: bool,
    indices_are_sorted: bool,
    unique_indices: bool,
}

/// The location of the selected elements.
enum SelectedElements {
    /// A slice that is known.
    Slice(Selections),
    /// Slices at indices of the program.
    Windows(Tensor, Box<GatherDims>),
}

/// The names of the methods in errors.
const fn method(update: ScatterUpdate) -> &'static str {
    match update {
        ScatterUpdate::Set => "at.set",
        ScatterUpdate::Add => "at.add",
        ScatterUpdate::Mul => "at.mul",
        ScatterUpdate::Max => "at.max",
        ScatterUpdate::Min => "at.min",
    }
}

macro_rules! updates {
    ($($(#[$doc:meta])* $method:ident $update:ident),* $(,)?) => {
        /// The tensor with the selected elements updated. Updates are broadcast to the selected
        /// elements, or are a number.
        #[expect(clippy::should_implement_trait, reason = "these are the names of JAX")]
        #[hloom_derive::tensor_methods(at_updates)]
        impl At { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, updates: impl Operand) -> Tensor {
                self.updated(method(ScatterUpdate::$update), ScatterUpdate::$update, updates)
            }
        )* }
    };
}

updates!(
    /// Replaces the selected elements; of several updates of one element, any one does.
    set Set,
    /// Adds to the selected elements.
    add Add,
    /// Multiplies the selected elements.
    mul Mul,
    /// The larger of the selected elements and the updates; NaN propagates.
    max Max,
    /// The smaller of the selected elements and the updates; NaN propagates.
    min Min,
);

#[hloom_derive::tensor_methods(at)]
impl Tensor {
    /// Selects elements along an axis, by an index, a range or a tensor of indices, to be read or
    /// updated.
    ///
    /// ```
    /// use hloom_graph::{Spec, TraceScope};
    ///
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("row", 8), ("column", 4)]), false);
    /// let rows = trace.parameter("rows", &Spec::i32([("n", 3)]), false);
    /// assert_eq!(x.at("row", rows).get().shape().to_string(), "f32[n=3, column=4]");
    /// let cleared = x.at("row", rows).at("column", ..2).set(0);
    /// assert_eq!(cleared.shape(), x.shape());
    /// let counted = x.at("row", rows).at("column", -1).add(1);
    /// # assert!(!counted.is_poisoned());
    /// ```
    #[lazy(by_hand)]
    pub fn at(self, axis: impl Into<Axis>, selection: impl Into<Selection>) -> At {
        At {
            tensor: self,
            selected: vec![(axis.into(), selection.into())],
            counts_from_end: true,
            indices_are_sorted: false,
            unique_indices: false,
        }
    }
}

#[hloom_derive::tensor_methods(at_selections)]
impl At {
    /// Selects along another axis too.
    pub fn at(mut self, axis: impl Into<Axis>, selection: impl Into<Selection>) -> At {
        self.selected.push((axis.into(), selection.into()));
        self
    }

    /// Promises that the index vectors are in ascending order, which may be faster. If they are
    /// not, the result is unspecified.
    pub fn indices_are_sorted(mut self) -> At {
        self.indices_are_sorted = true;
        self
    }

    /// Promises that no element is selected twice, which may be faster for updates. If one is, the
    /// result is unspecified.
    pub fn unique_indices(mut self) -> At {
        self.unique_indices = true;
        self
    }

    /// Treats negative indices as out of range instead of counting them from the end: callers
    /// compute negative indices for elements that are to be skipped.
    pub(super) fn without_negatives(mut self) -> At {
        self.counts_from_end = false;
        self
    }

    /// The selected elements; indices out of range are clamped.
    #[track_caller]
    pub fn get(self) -> Tensor {
        function_scope("at.get", || match self.place("at.get") {
            Some((SelectedElements::Slice(slice), _)) => self.slice("at.get", &slice),
            Some((SelectedElements::Windows(indices, dims), _)) => {
                apply("at.get", &[self.tensor, indices], |_| Ok(*dims))
            }
            None => Tensor::poisoned(),
        })
    }

    /// The selected elements, with `fill` where an index is out of range.
    #[track_caller]
    pub fn get_or(self, fill: impl ScalarValue) -> Tensor {
        function_scope("at.get_or", || match self.place("at.get_or") {
            Some((SelectedElements::Slice(slice), _)) => self.slice("at.get_or", &slice),
            Some((SelectedElements::Windows(indices, dims), _)) => {
                self.tensor.gather_or(indices, *dims, fill)
            }
            None => Tensor::poisoned(),
        })
    }

    /// The tensor with the selected elements updated.
    #[track_caller]
    pub(super) fn updated(
        self,
        op: &'static str,
        update: ScatterUpdate,
        updates: impl Operand,
    ) -> Tensor {
        function_scope(op, || {
            let Some((place, selected)) = self.place(op) else {
                return Tensor::poisoned();
            };
            let updates = updates.like(Tensor::zeros(selected.dtype(), [0usize; 0]));
            match place {
                SelectedElements::Slice(slice) => {
                    self.slice_updated(op, update, updates, (&slice, selected))
                }
                SelectedElements::Windows(indices, dims) => {
                    let dims =
                        ScatterDims { unique_indices: self.unique_indices, ..dims.to_scatter() };
                    scattered(op, [self.tensor, indices, updates], selected, update, dims)
                }
            }
        })
    }

    /// The location of the selected elements, and their shape.
    #[track_caller]
    fn place(&self, op: &'static str) -> Option<(SelectedElements, Shape)> {
        let tensors = self.selected.iter().filter_map(|(_, selection)| match selection {
            Selection::Indices(indices) => Some(*indices),
            _ => None,
        });
        let all: Vec<Tensor> = std::iter::once(self.tensor).chain(tensors).collect();
        let checked = emit(op, &all, Location::caller(), |_, s, _| {
            let selections = Selections::new(&s[0], &self.selected, &s[1..])?;
            let shape = selections.shape(&s[0])?;
            Ok((selections, shape))
        });
        let (selections, shape) = checked?;
        if selections.indexed.is_empty() {
            return Some((SelectedElements::Slice(selections), shape));
        }
        let x = shape_of(self.tensor)?;
        let indices = self.common_indices(op, &selections, &x, &all[1..])?;
        let dtype = indices.first()?.dtype();
        let Selections { starts, indexed, removed, sizes } = &selections;
        let mut map = PerAxis::collect(indexed.iter().copied());
        let mut vectors = indices.clone();
        let common = shape_of(indices[0])?;
        for (axis, &start) in starts.iter().enumerate().filter(|(_, start)| **start > 0) {
            map.push(axis)?;
            vectors.push(Tensor::full(start, dtype, common.axes()));
        }
        let located = match vectors.as_slice() {
            [one] => *one,
            several => {
                let column = |vector: &Tensor| vector.insert_axis(-1, "_");
                concatenate(&several.iter().map(column).collect::<Vec<_>>(), -1)
            }
        };
        let placed = emit(op, &[self.tensor, located], Location::caller(), |_, s, _| {
            let sizes = PerAxis::collect(sizes.iter().copied());
            let selected = Selected { x: &s[0], indices: &common, axes: removed, map, sizes };
            let mut dims = selected.dims()?;
            dims.indices_are_sorted = self.indices_are_sorted;
            let shape = dims.result(&s[0], &s[1])?;
            Ok((dims, shape))
        });
        let (dims, shape) = placed?;
        Some((SelectedElements::Windows(located, Box::new(dims)), shape))
    }

    /// The index tensors with common axes and one type that holds every index without wrapping
    /// around; negative indices are counted from the end.
    #[track_caller]
    fn common_indices(
        &self,
        op: &'static str,
        selections: &Selections,
        x: &Shape,
        indices: &[Tensor],
    ) -> Option<Vec<Tensor>> {
        let largest = x.sizes().iter().copied().max().unwrap_or(0);
        let wide = match i32::try_from(largest) {
            Ok(_) => DType::I32,
            Err(_) => DType::I64,
        };
        let counted = |(&i, &axis): (&Tensor, &usize)| {
            let i = if i.dtype().bits() < wide.bits().max(32) { i.convert(wide) } else { i };
            if self.counts_from_end { counted_from_end(i, x.sizes()[axis]) } else { i }
        };
        let indices: Vec<Tensor> = indices.iter().zip(&selections.indexed).map(counted).collect();
        let is_mixed = indices.iter().any(|i| i.dtype() != indices[0].dtype());
        let of_one_type = |(&i, &axis): (&Tensor, &usize)| match i.dtype() {
            _ if !is_mixed => i,
            // Clamped to the axis' size, which is out of range too, so that no index becomes
            // negative.
            dtype if dtype.is_unsigned_int() => i.minimum(x.sizes()[axis]).convert(DType::I64),
            _ => i.convert(DType::I64),
        };
        let indices: Vec<Tensor> =
            indices.iter().zip(&selections.indexed).map(of_one_type).collect();
        let common = emit(op, &indices, Location::caller(), |builder, _, v| {
            let mut values = v.to_vec();
            aligned_values(builder, &mut values)?;
            Ok(values)
        });
        Some(super::handles(Some(common?), indices.len()))
    }

    /// The elements of a slice without the removed axes.
    #[track_caller]
    fn slice(&self, op: &'static str, slice: &Selections) -> Tensor {
        let value = emit(op, &[self.tensor], Location::caller(), |builder, s, v| {
            let shape = slice.shape(&s[0])?;
            let part = slice.read(builder, &s[0], v[0])?;
            rename(builder, part, shape.axes())
        });
        Tensor::or_poisoned(value)
    }

    #[track_caller]
    fn slice_updated(
        &self,
        op: &'static str,
        update: ScatterUpdate,
        updates: Tensor,
        (slice, selected): (&Selections, Shape),
    ) -> Tensor {
        let value = emit(op, &[self.tensor, updates], Location::caller(), |builder, s, v| {
            update.check(&s[0])?;
            let updates = fitted(builder, v[1], &selected)?;
            let kept = s[0].with_sizes(slice.sizes.iter().copied())?;
            let updates = rename(builder, updates, kept.axes())?;
            let mut combine = |binary: Binary| {
                let part = slice.read(builder, &s[0], v[0])?;
                builder.add(binary, &[part, updates])
            };
            let part = match update {
                ScatterUpdate::Set => updates,
                ScatterUpdate::Add => combine(Binary::Add)?,
                ScatterUpdate::Mul => combine(Binary::Mul)?,
                ScatterUpdate::Max => combine(Binary::Maximum)?,
                ScatterUpdate::Min => combine(Binary::Minimum)?,
            };
            slice.write(builder, &s[0], v[0], part)
        });
        Tensor::or_poisoned(value)
    }
}
