//! Random choices, most of which are valid: shapes, axes, numbers.

use fastrand::Rng;
use hloom::{Axis, DType, Name, Spec, Tensor, ops::Dims};
use std::cell::RefCell;

/// Makes the choices of one program.
pub struct Generator {
    rng: RefCell<Rng>,
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "_"];
const SIZES: [usize; 8] = [0, 1, 1, 2, 2, 3, 4, 7];
const HUGE: [usize; 5] = [1 << 31, 1 << 40, 1 << 62, usize::MAX / 2, usize::MAX];

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator { rng: RefCell::new(Rng::with_seed(seed)) }
    }

    /// A number below `end`.
    pub fn below(&self, end: usize) -> usize {
        self.rng.borrow_mut().usize(..end.max(1))
    }

    /// True once in `times` calls, on average.
    pub fn once_in(&self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn choose<T: Copy>(&self, among: &[T]) -> T {
        among[self.below(among.len())]
    }

    /// Any element type, the common ones more often.
    pub fn dtype(&self) -> DType {
        match self.below(4) {
            0 => self.choose(&DType::ALL),
            1 => self.choose(&[DType::I32, DType::Bool, DType::BF16, DType::C64]),
            _ => DType::F32,
        }
    }

    /// A size, small except for a few that exceed any memory.
    pub fn size(&self) -> usize {
        if self.once_in(600) { self.choose(&HUGE) } else { self.choose(&SIZES) }
    }

    /// Axes: names on all, some or none, occasionally duplicates; occasionally too many.
    pub fn dims(&self) -> Vec<(&'static str, usize)> {
        let rank = if self.once_in(200) { 7 + self.below(4) } else { self.below(5) };
        let style = self.below(3);
        let name = |i: usize| match style {
            0 => "_",
            1 if !self.once_in(200) => NAMES.get(i).copied().unwrap_or("_"),
            _ if self.once_in(30) => self.choose(&NAMES),
            _ if self.once_in(2) => "_",
            _ => NAMES.get(i).copied().unwrap_or("_"),
        };
        (0..rank).map(|i| (name(i), self.size())).collect()
    }

    /// The arguments.
    pub fn specs(&self) -> Vec<Spec> {
        let mut specs: Vec<Spec> = Vec::new();
        for _ in 0..1 + self.below(3) {
            let again = specs.last().filter(|_| !self.once_in(3)).map(Spec::shape);
            specs.push(match again {
                // The same shape as the last argument, or one that broadcasts to it.
                Some(shape) if self.once_in(2) => Spec::of(shape),
                Some(shape) => {
                    let size = |&size: &usize| if self.once_in(3) { 1 } else { size };
                    let axes = shape.names().iter().copied().zip(shape.sizes().iter().map(size));
                    Spec::new(shape.dtype(), Dims::new(axes))
                }
                None => Spec::new(self.dtype(), self.dims()),
            });
        }
        specs
    }

    /// One of the tensors, the last ones more often.
    pub fn pick(&self, pool: &[Tensor]) -> Tensor {
        let back = self.below(pool.len()).min(self.below(pool.len()));
        pool[pool.len() - 1 - back]
    }

    /// A tensor that is probably compatible with `x`.
    pub fn partner(&self, pool: &[Tensor], x: Tensor) -> Tensor {
        if self.once_in(10) {
            return self.pick(pool);
        }
        let same = |t: &&Tensor| {
            t.dtype() == x.dtype() && (t.shape().sizes() == x.shape().sizes() || self.once_in(4))
        };
        let fitting: Vec<Tensor> = pool.iter().filter(same).copied().collect();
        if fitting.is_empty() { x } else { self.choose(&fitting) }
    }

    /// A tensor of a kind, if there is one.
    pub fn of(&self, pool: &[Tensor], kind: impl Fn(DType) -> bool) -> Tensor {
        let fitting: Vec<Tensor> = pool.iter().filter(|t| kind(t.dtype())).copied().collect();
        if fitting.is_empty() || self.once_in(20) { self.pick(pool) } else { self.choose(&fitting) }
    }

    /// An axis of `x`, by name or index; occasionally an invalid one.
    pub fn axis(&self, x: Tensor) -> Axis {
        let shape = x.shape();
        if self.once_in(25) || shape.rank() == 0 {
            return match self.below(2) {
                0 => Axis::Index(self.choose(&[5, -6, isize::MAX, isize::MIN, 100])),
                _ => Axis::Name(Name::new("nowhere")),
            };
        }
        let at = self.below(shape.rank());
        match shape.names()[at] {
            Some(name) if self.once_in(2) => Axis::Name(name),
            _ if self.once_in(2) => Axis::Index(at as isize - shape.rank() as isize),
            _ => Axis::Index(at as isize),
        }
    }

    /// Several axes of `x`, rarely with a duplicate.
    pub fn axes(&self, x: Tensor) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::new();
        for at in 0..x.rank() {
            if self.once_in(2) {
                axes.push(Axis::Index(at as isize));
            }
        }
        if self.once_in(15) {
            axes.push(self.axis(x));
        }
        axes
    }

    /// An order of the axes of `x`.
    pub fn order(&self, x: Tensor) -> Vec<Axis> {
        let mut order: Vec<Axis> = (0..x.rank()).map(Axis::from).collect();
        self.rng.borrow_mut().shuffle(&mut order);
        if self.once_in(20) {
            order.pop();
        }
        order
    }

    /// A small number of either sign; occasionally an extreme one.
    pub fn offset(&self) -> isize {
        if self.once_in(40) {
            return self.choose(&[isize::MAX, isize::MIN, isize::MAX - 1, isize::MIN + 1, 1 << 40]);
        }
        self.below(9) as isize - 4
    }

    /// A count, small except for an occasional extreme one.
    pub fn count(&self) -> usize {
        if self.once_in(60) { self.choose(&HUGE) } else { self.below(4) }
    }

    /// Axes with as many elements as `x` has, mostly.
    pub fn refill(&self, x: Tensor) -> Vec<(&'static str, usize)> {
        if self.once_in(6) {
            return self.dims();
        }
        let mut sizes: Vec<usize> = x.shape().sizes().to_vec();
        self.rng.borrow_mut().shuffle(&mut sizes);
        if sizes.len() > 1 && self.once_in(2) {
            let last = sizes.pop().unwrap_or(1);
            sizes[0] = sizes[0].saturating_mul(last);
        }
        if self.once_in(3) {
            sizes.insert(self.below(sizes.len() + 1), 1);
        }
        sizes.into_iter().map(|size| ("_", size)).collect()
    }

    /// A range, mostly within the axis.
    pub fn range(&self, x: Tensor, axis: Axis) -> (isize, isize) {
        let size = x.shape().size(axis).unwrap_or(3);
        if self.once_in(8) {
            return (self.offset(), self.offset());
        }
        let from = self.below(size.saturating_add(1));
        let to = from + self.below((size - from).saturating_add(1));
        (from as isize, to as isize)
    }
}
