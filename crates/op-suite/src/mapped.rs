//! Ops under `vmap`: the inputs of a case among others along a new axis, whose results are compared
//! with those of the op on its own.

use crate::{Case, Row, Values};
use hloom::{prelude::*, vmap};

/// The place of a case along the mapped axis.
#[derive(Clone, Copy)]
pub struct Mapped {
    /// Its index.
    pub own: usize,
    /// Whether only the first input has the axis, and the others are the same for every index.
    pub only_first: bool,
}

/// The size of the mapped axis.
pub const LANES: usize = 3;

impl Mapped {
    fn has(self, input: usize) -> bool {
        input == 0 || !self.only_first
    }

    /// The inputs of a case among its own elements in reverse order.
    pub fn inputs(self, case: &Case) -> Vec<Values> {
        let stacked = |(i, x): (usize, &Values)| {
            if !self.has(i) {
                return Values { shape: x.shape, bytes: x.bytes.clone() };
            }
            let width = x.bytes.len().checked_div(x.shape.element_count()).unwrap_or(1).max(1);
            let other: Vec<u8> = x.bytes.chunks(width).rev().flatten().copied().collect();
            let lanes = (0..LANES).flat_map(|i| if i == self.own { &x.bytes } else { &other });
            let sizes = [&[LANES], x.shape.sizes()].concat();
            let shape = Shape::new(x.shape.dtype(), sizes).expect("there is room for an axis");
            Values { shape, bytes: lanes.copied().collect() }
        };
        case.inputs.iter().enumerate().map(stacked).collect()
    }

    /// The op's results for all indices.
    pub fn apply(self, row: &Row, inputs: &[Tensor]) -> Vec<Tensor> {
        let with_axis = |i: &usize| self.has(*i);
        let sources: Vec<Tensor> = (0..inputs.len()).filter(with_axis).map(|i| inputs[i]).collect();
        vmap(sources, 0, |own| {
            let mut own = own.into_iter();
            let of_each = |(i, &x): (usize, &Tensor)| {
                if self.has(i) { own.next().expect("there is one of each") } else { x }
            };
            (row.op)(&inputs.iter().enumerate().map(of_each).collect::<Vec<Tensor>>())
        })
    }

    /// The results at the case's index.
    pub fn own(self, (shape, bytes): (Shape, Vec<u8>)) -> (Shape, Vec<u8>) {
        assert_eq!(shape.sizes().first(), Some(&LANES), "the mapped axis is the first: {shape}");
        let count = bytes.len() / LANES;
        let own = Shape::new(shape.dtype(), &shape.sizes()[1..]).expect("a part of a shape");
        (own, bytes[self.own * count..][..count].to_vec())
    }
}
