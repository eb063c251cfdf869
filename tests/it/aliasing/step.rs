//! The steps of programs that overwrite parts of a tensor, as Hloom records them and on the host.

use hloom::{
    DType, Tensor,
    ops::{for_loop, optimization_barrier},
};

/// An op, or several of them, on one tensor.
#[derive(Clone, Debug)]
pub enum Step {
    /// `size` elements from `from` on along an axis, perhaps reversed and scaled, are written from
    /// `to` on. They are those of the tensor so many steps before, if that has the same sizes.
    Shift {
        axis: usize,
        size: usize,
        to: usize,
        from: usize,
        before: usize,
        reversed: bool,
        scaled: bool,
    },
    /// A part along an axis with a number added to it.
    Own { axis: usize, start: usize, size: usize },
    /// The same elements with other axes.
    Reshape(Vec<usize>),
    /// The axes in another order.
    Turn(Vec<usize>),
    /// The same elements, by ops that a compiler may remove.
    Same(Same),
    /// Twice the elements and 1.
    Scale,
    /// The elements above 3, and the others negated.
    Fold,
    /// So many times these steps, which keep the sizes.
    Loop(usize, Vec<Step>),
}

/// Ops that change no element.
#[derive(Clone, Copy, Debug)]
pub enum Same {
    Barrier,
    Product,
    SumOfOne,
    Wider,
    Selected,
}

impl Same {
    pub const ALL: [Same; 5] =
        [Same::Barrier, Same::Product, Same::SumOfOne, Same::Wider, Same::Selected];

    fn record(self, x: Tensor) -> Tensor {
        match self {
            Same::Barrier => optimization_barrier(x),
            Same::Product => x * 1,
            Same::SumOfOne => x.insert_axis(0, "_").sum(0),
            Same::Wider => x.convert(DType::F64).convert(DType::F32),
            Same::Selected => x.eq(x).select(x, x),
        }
    }
}

/// A tensor on the host.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    pub sizes: Vec<usize>,
    pub values: Vec<f32>,
}

/// The last of the tensors so far, or the one so many steps before if it is of the same sizes.
fn source<T>(all: &[T], before: usize, sizes: impl Fn(&T) -> Vec<usize>) -> &T {
    let last = all.last().expect("there is a start");
    let earlier = all.len().checked_sub(1 + before).map(|at| &all[at]);
    earlier.filter(|earlier| sizes(earlier) == sizes(last)).unwrap_or(last)
}

/// The steps as Hloom records them, after the tensors so far. `zero` is a scalar that the compiler
/// does not know; start indices that are computed from it are not known either.
pub fn record(steps: &[Step], mut all: Vec<Tensor>, zero: Option<Tensor>) -> Tensor {
    for step in steps {
        let x = *all.last().expect("there is a start");
        let next = match step {
            Step::Shift { axis, size, to, from, before, reversed, scaled } => {
                let read = source(&all, *before, |x| x.shape().sizes().to_vec());
                let mut part = read.slice(*axis, *from as isize..(from + size) as isize);
                part = if *reversed { part.reverse(*axis) } else { part };
                part = if *scaled { part * 2 + 1 } else { part };
                match zero {
                    Some(zero) => x.dynamic_update_slice(part, *axis, zero + *to),
                    None => x.at(*axis, *to as isize..(to + size) as isize).set(part),
                }
            }
            Step::Own { axis, start, size } => {
                x.at(*axis, *start as isize..(start + size) as isize).add(3)
            }
            Step::Reshape(sizes) => x.reshape(&sizes[..]),
            Step::Turn(order) => x.transpose(&order[..]),
            Step::Same(same) => same.record(x),
            Step::Scale => x * 2 + 1,
            Step::Fold => x.gt(3).select(x, -x),
            Step::Loop(count, body) => {
                for_loop(*count, x, |_, x| record(body, [&all[..], &[x]].concat(), zero))
            }
        };
        all.push(next);
    }
    *all.last().expect("there is a start")
}

impl Host {
    /// The places of the elements of a part along an axis, in order.
    fn part(&self, axis: usize, start: usize, size: usize) -> Vec<usize> {
        let inner: usize = self.sizes[axis + 1..].iter().product();
        let outer: usize = self.sizes[..axis].iter().product();
        let row = self.sizes[axis] * inner;
        let places = |outer: usize| {
            (0..size).flat_map(move |i| {
                (0..inner).map(move |inside| outer * row + (start + i) * inner + inside)
            })
        };
        (0..outer).flat_map(places).collect()
    }

    /// The elements in another order of axes.
    fn turned(&self, order: &[usize]) -> Host {
        let mut strides = vec![1; self.sizes.len()];
        for axis in (1..self.sizes.len()).rev() {
            strides[axis - 1] = strides[axis] * self.sizes[axis];
        }
        let sizes: Vec<usize> = order.iter().map(|&axis| self.sizes[axis]).collect();
        let place = |mut at: usize| {
            let mut place = 0;
            for (&axis, size) in order.iter().zip(&sizes).rev() {
                place += at % size * strides[axis];
                at /= size;
            }
            place
        };
        let values = (0..self.values.len()).map(|at| self.values[place(at)]).collect();
        Host { sizes, values }
    }

    /// The steps on the host.
    pub fn apply(self, steps: &[Step]) -> Host {
        applied(vec![self], steps)
    }
}

/// The steps on the host, after the tensors so far.
fn applied(mut all: Vec<Host>, steps: &[Step]) -> Host {
    for step in steps {
        let mut x = all.last().expect("there is a start").clone();
        match step {
            Step::Shift { axis, size, to, from, before, reversed, scaled } => {
                let inner: usize = x.sizes[axis + 1..].iter().product();
                let read = source(&all, *before, |x| x.sizes.clone());
                let places = read.part(*axis, *from, *size).into_iter();
                let mut part: Vec<f32> = places.map(|place| read.values[place]).collect();
                if *reversed {
                    let rows = part.chunks(size * inner);
                    let turned = rows.flat_map(|row| row.chunks(inner).rev().flatten());
                    part = turned.copied().collect();
                }
                for (place, value) in x.part(*axis, *to, *size).into_iter().zip(part) {
                    x.values[place] = if *scaled { value * 2.0 + 1.0 } else { value };
                }
            }
            Step::Own { axis, start, size } => {
                for place in x.part(*axis, *start, *size) {
                    x.values[place] += 3.0;
                }
            }
            Step::Reshape(sizes) => x.sizes.clone_from(sizes),
            Step::Turn(order) => x = x.turned(order),
            Step::Same(_) => {}
            Step::Scale => x.values.iter_mut().for_each(|x| *x = *x * 2.0 + 1.0),
            Step::Fold => {
                x.values.iter_mut().for_each(|x| *x = if *x > 3.0 { *x } else { -*x });
            }
            Step::Loop(count, body) => {
                x = (0..*count).fold(x, |x, _| applied([&all[..], &[x]].concat(), body));
            }
        }
        all.push(x);
    }
    all.pop().expect("there is a start")
}
