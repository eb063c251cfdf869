//! Products of groups of rows with a matrix each.

mod reverse;
mod visits;

use super::{
    DotOptions,
    blocks::{self, Contracted},
    while_loop,
};
use crate::{
    Attributes, Axis, BlockKind, DType, Name, Shape, Tensor,
    op::OwnComposite,
    trace::{OpError, Rule, emit, function_scope},
};
pub(super) use reverse::{RAGGED_DOT_RULES, RAGGED_OUTER_RULES};
use std::panic::Location;
use visits::{MIN_BLOCK, Visits, ends, matrix};

/// The positions and sizes of a product's axes.
struct Product {
    rows: usize,
    groups: usize,
    outputs: usize,
    /// The contracted axis of a group's matrix.
    contracted: usize,
    /// The kind of the matrices' blocks, if they have blocks.
    kind: Option<BlockKind>,
    /// The names of the rows and of the outputs.
    names: [Option<Name>; 2],
}

#[hloom_derive::tensor_methods(ragged_dot)]
impl Tensor {
    /// The products of groups of rows with one matrix for each group, as in a mixture of experts
    /// whose tokens are sorted by expert. The work grows with the number of rows, not with rows
    /// times groups.
    ///
    /// - `self`: `[row, in]`; the first `group_sizes[0]` rows are group 0, the next ones group 1,
    ///   and so on. Rows after the last group give zeros.
    /// - `matrices`: `[group, ..]` with the contracted axis and the axis of the results, in either
    ///   order, of the type of `self` or of quantised blocks.
    /// - `group_sizes`: integers, `[group]`; negative ones count as 0.
    /// - `contract`: the contracted axes of `self` and of `matrices`.
    ///
    /// The result is `[row, out]` in the type of the operands; sums of 16-bit floats are rounded
    /// once. It is recorded as the composite `hloom.ragged_dot`: a loop over blocks of rows and the
    /// groups in them, or over the rows where they are few. The matrices of groups without rows are
    /// not read.
    ///
    /// ```
    /// use hloom_graph::{DType, Spec, TraceScope};
    ///
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("token", 100), ("in", 16)]), false);
    /// let w = Spec::f32([("expert", 4), ("out", 32), ("in", 16)]);
    /// let w = trace.parameter("w", &w, false);
    /// let sizes = trace.parameter("sizes", &Spec::i32([("expert", 4)]), false);
    /// let y = x.ragged_dot(w, sizes, ("in", "in"));
    /// assert_eq!(y.shape().to_string(), "f32[token=100, out=32]");
    /// ```
    #[track_caller]
    pub fn ragged_dot(
        self,
        matrices: Tensor,
        group_sizes: Tensor,
        contract: (impl Into<Axis>, impl Into<Axis>),
    ) -> Tensor {
        let contract = (contract.0.into(), contract.1.into());
        let operands = [self, matrices, group_sizes];
        let product =
            emit("ragged_dot", &operands, Location::caller(), |_, s, _| Product::new(s, contract));
        let Some(product) = product else { return Tensor::poisoned() };
        function_scope("ragged_dot", || {
            // Moves the contracted axis of the rows to the end.
            let rows = match self.shape().position(contract.0) {
                Ok(0) => self.swap_axes(0, 1),
                _ => self,
            };
            let sizes = group_sizes.convert(DType::I32);
            let matrices = match product.kind {
                Some(_) => blocks::bytes(matrices),
                None => matrices,
            };
            let inputs = [rows, matrices, sizes].map(|x| x.with_names(&vec![None; x.rank()]));
            let mut attributes = Attributes::new().with("contracted", product.contracted as i64);
            if let Some(kind) = product.kind {
                attributes.insert("kind", kind.name());
            }
            let result = OwnComposite::RAGGED_DOT.call(1, attributes, &inputs, |inputs| {
                product.decomposed(inputs[0], inputs[1], inputs[2])
            });
            result.with_names(&product.names)
        })
    }
}

impl Product {
    fn new(shapes: &[Shape], contract: (Axis, Axis)) -> Rule<Product> {
        let [x, w, sizes] = shapes else { return Err("takes three operands".into()) };
        if x.rank() != 2 || w.rank() != 3 || sizes.rank() != 1 {
            return Err(format!(
                "takes rows of rank 2, matrices of rank 3 and sizes of rank 1, not {x}, {w} and \
                 {sizes}"
            )
            .into());
        }
        if !sizes.dtype().is_int() || sizes.dtype() == DType::Bool {
            return Err(format!("the sizes of groups are integers, not {sizes}").into());
        }
        let (inner, contracted) = (x.position(contract.0)?, w.position(contract.1)?);
        if contracted == 0 {
            return Err(format!("axis {} of {w} has the groups", contract.1).into());
        }
        let (of_x, of_w) = (x.sizes()[inner], w.sizes()[contracted]);
        if of_x != of_w {
            return Err(format!(
                "axis {} has size {of_x} in the rows and axis {} has {of_w} in the matrices",
                contract.0, contract.1
            )
            .into());
        }
        if sizes.sizes()[0] != w.sizes()[0] {
            return Err(OpError(format!(
                "there are {} sizes of groups and {} matrices",
                sizes.sizes()[0],
                w.sizes()[0]
            )));
        }
        let kind = w.dtype().block();
        if kind.is_some() {
            blocks::check_factor(x, w)?;
        } else if x.dtype() != w.dtype() {
            let (l, r) = (x.dtype(), w.dtype());
            return Err(format!("element types {l} and {r} differ; use `.convert(..)`").into());
        }
        let outputs = 3 - contracted;
        Ok(Product {
            rows: x.sizes()[1 - inner],
            groups: w.sizes()[0],
            outputs: w.sizes()[outputs],
            contracted,
            kind,
            names: [x.names()[1 - inner], w.names()[outputs]],
        })
    }

    /// Multiplies rows, or one row as a vector, by a matrix.
    #[track_caller]
    fn times(&self, rows: Tensor, matrix: Tensor) -> Tensor {
        let dtype = rows.dtype();
        if let Some(kind) = self.kind {
            let contracted =
                if self.contracted == 2 { Contracted::Columns } else { Contracted::Rows };
            let x = if rows.rank() == 1 { rows.insert_axis(0, "_") } else { rows };
            let product = blocks::times(x, matrix, kind, (contracted, dtype));
            return if rows.rank() == 1 { product.squeeze(0) } else { product };
        }
        let is_half = dtype.is_float() && dtype.size() == 2;
        let options =
            DotOptions { accumulate: is_half.then_some(DType::F32), ..DotOptions::default() };
        let none: &[(usize, usize)] = &[];
        let inputs = self.contracted - 1;
        let product = match rows.rank() {
            1 => matrix.dot_general(rows, &[(inputs, 0)], none, options),
            _ => rows.dot_general(matrix, &[(1, inputs)], none, options),
        };
        product.convert(dtype)
    }

    #[track_caller]
    fn decomposed(&self, x: Tensor, w: Tensor, sizes: Tensor) -> Tensor {
        if self.rows == 0 || self.groups == 0 || self.outputs == 0 {
            return Tensor::zeros(x.dtype(), [self.rows, self.outputs]);
        }
        if self.rows <= MIN_BLOCK.min(self.groups) {
            self.by_row(x, w, sizes)
        } else {
            self.by_block(x, w, sizes)
        }
    }

    /// Visits each row: a few rows usually have a group each, as the experts of one token.
    #[track_caller]
    fn by_row(&self, x: Tensor, w: Tensor, sizes: Tensor) -> Tensor {
        let ends = ends(sizes, self.rows);
        let row = Tensor::scalar(0, DType::I32);
        let out = Tensor::zeros(x.dtype(), [self.rows, self.outputs]);
        let (_, out) = while_loop(
            (row, out),
            |(row, _)| row.lt(self.rows),
            |(row, out)| {
                let group = ends.le(row).convert(DType::I32).sum(0);
                let own = x.dynamic_slice(0, row, 1).squeeze(0);
                let product = self.times(own, matrix(w, group));
                let has_group = group.lt(self.groups).broadcast_to([self.outputs]);
                let product = has_group.select(product, 0).insert_axis(0, "_");
                (row + 1, out.dynamic_update_slice(product, 0, row))
            },
        );
        out
    }

    /// Visits each block of rows once for every group that has rows in it.
    #[track_caller]
    fn by_block(&self, x: Tensor, w: Tensor, sizes: Tensor) -> Tensor {
        let visits = Visits::new(sizes, self.rows, self.groups);
        let x = visits.padded(x);
        let out = Tensor::zeros(x.dtype(), [x.size(0), self.outputs]);
        let out = visits.each(out, |visit, out| {
            let rows = x.dynamic_slice(0, visit.row, visits.block);
            let product = self.times(rows, matrix(w, visit.group));
            let is_own = visit.is_own.broadcast_to([visits.block, self.outputs]);
            let mixed = is_own.select(product, out.dynamic_slice(0, visit.row, visits.block));
            out.dynamic_update_slice(mixed, 0, visit.row)
        });
        out.slice(0, ..self.rows as isize)
    }
}

/// The sums over the rows of each group of the outer products of the rows of both, `[row, left]`
/// and `[row, right]`: `[group, left, right]`.
#[track_caller]
pub(crate) fn ragged_outer(left: Tensor, right: Tensor, group_sizes: Tensor) -> Tensor {
    let inputs = [left, right, group_sizes];
    OwnComposite::RAGGED_OUTER.call(1, Attributes::new(), &inputs, |inputs| {
        let [left, right, sizes] = [inputs[0], inputs[1], inputs[2]];
        let (rows, groups, dtype) = (left.size(0), sizes.size(0), left.dtype());
        let is_half = dtype.is_float() && dtype.size() == 2;
        let sum = if is_half { DType::F32 } else { dtype };
        let out = Tensor::zeros(sum, [groups, left.size(1), right.size(1)]);
        if rows == 0 || out.shape().element_count() == 0 {
            return out.convert(dtype);
        }
        let visits = Visits::new(sizes, rows, groups);
        let (left, right) = (visits.padded(left), visits.padded(right));
        let options =
            DotOptions { accumulate: is_half.then_some(DType::F32), ..DotOptions::default() };
        let none: &[(usize, usize)] = &[];
        let out = visits.each(out, |visit, out| {
            let rows = |x: Tensor| x.dynamic_slice(0, visit.row, visits.block);
            let own = rows(left);
            let own = visit.is_own.broadcast_to(own.shape().axes()).select(own, 0);
            let product = own.dot_general(rows(right), &[(0, 0)], none, options);
            let total = out.dynamic_slice(0, visit.group, 1) + product.insert_axis(0, "_");
            out.dynamic_update_slice(total, 0, visit.group)
        });
        out.convert(dtype)
    })
}
