//! The steps of programs that overwrite parts of a tensor, as Hloom records them and on the host.

use hloom::{Tensor, for_loop};

/// An op, or several of them, on one tensor.
#[derive(Clone, Debug)]
pub enum Step {
    /// `size` elements from `from` on along an axis, perhaps reversed and scaled, are written from
    /// `to` on.
    Shift { axis: usize, size: usize, to: usize, from: usize, reversed: bool, scaled: bool },
    /// A part along an axis with a number added to it.
    Own { axis: usize, start: usize, size: usize },
    /// The same elements with other axes.
    Reshape(Vec<usize>),
    /// Twice the elements and 1.
    Scale,
    /// The elements above 3, and the others negated.
    Fold,
    /// So many times these steps, which keep the sizes.
    Loop(usize, Vec<Step>),
}

/// A tensor on the host.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    pub sizes: Vec<usize>,
    pub values: Vec<f32>,
}

/// The steps as Hloom records them. `zero` is a scalar that the compiler does not know; start
/// indices that are computed from it are not known either.
pub fn record(steps: &[Step], mut x: Tensor, zero: Option<Tensor>) -> Tensor {
    for step in steps {
        x = match step {
            Step::Shift { axis, size, to, from, reversed, scaled } => {
                let mut part = x.slice(*axis, *from as isize..(from + size) as isize);
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
            Step::Scale => x * 2 + 1,
            Step::Fold => x.gt(3).select(x, -x),
            Step::Loop(count, body) => for_loop(*count, x, |_, x| record(body, x, zero)),
        };
    }
    x
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

    /// The steps on the host.
    pub fn apply(mut self, steps: &[Step]) -> Host {
        for step in steps {
            match step {
                Step::Shift { axis, size, to, from, reversed, scaled } => {
                    let inner: usize = self.sizes[axis + 1..].iter().product();
                    let mut part: Vec<f32> = self
                        .part(*axis, *from, *size)
                        .into_iter()
                        .map(|place| self.values[place])
                        .collect();
                    if *reversed {
                        let rows = part.chunks(size * inner);
                        let turned = rows.flat_map(|row| row.chunks(inner).rev().flatten());
                        part = turned.copied().collect();
                    }
                    for (place, value) in self.part(*axis, *to, *size).into_iter().zip(part) {
                        self.values[place] = if *scaled { value * 2.0 + 1.0 } else { value };
                    }
                }
                Step::Own { axis, start, size } => {
                    for place in self.part(*axis, *start, *size) {
                        self.values[place] += 3.0;
                    }
                }
                Step::Reshape(sizes) => self.sizes.clone_from(sizes),
                Step::Scale => self.values.iter_mut().for_each(|x| *x = *x * 2.0 + 1.0),
                Step::Fold => {
                    self.values.iter_mut().for_each(|x| *x = if *x > 3.0 { *x } else { -*x });
                }
                Step::Loop(count, body) => {
                    self = (0..*count).fold(self, |x, _| x.apply(body));
                }
            }
        }
        self
    }
}
