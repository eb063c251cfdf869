//! The choices of one valid program: shapes, operands, axes.

use super::{
    failing::Callbacks,
    values::{Data, elements},
};
use fastrand::Rng;
use hloom::{DType, Mesh, PartitionSpec, Spec, Tensor, graph::TraceScope};
use std::{cell::RefCell, sync::Arc};

/// An argument of the programs and its elements.
pub struct Argument {
    pub spec: Spec,
    pub bytes: Vec<u8>,
}

/// The arguments of the programs of a batch.
#[derive(Default)]
pub struct BatchInputs {
    pub arguments: RefCell<Vec<Argument>>,
    pub callbacks: Arc<Callbacks>,
}

/// Makes the choices of one program.
pub struct Generator<'a> {
    rng: RefCell<Rng>,
    trace: &'a TraceScope,
    pub given: &'a BatchInputs,
    pool: RefCell<Vec<Tensor>>,
    pub mesh: Option<&'a Mesh>,
}

const SIZES: [usize; 10] = [0, 1, 1, 2, 2, 3, 4, 5, 7, 16];

impl<'a> Generator<'a> {
    pub fn new(
        seed: u64,
        trace: &'a TraceScope,
        given: &'a BatchInputs,
        mesh: Option<&'a Mesh>,
    ) -> Generator<'a> {
        Generator {
            rng: RefCell::new(Rng::with_seed(seed)),
            trace,
            given,
            pool: RefCell::default(),
            mesh,
        }
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

    /// Sizes of a tensor of any rank up to 4, few of them large.
    pub fn sizes(&self) -> Vec<usize> {
        let rank = self.choose(&[0, 1, 1, 2, 2, 2, 3, 3, 4]);
        let mut sizes: Vec<usize> = (0..rank).map(|_| self.choose(&SIZES)).collect();
        if self.once_in(25) && rank > 0 {
            let at = self.below(rank);
            sizes[at] = self.choose(&[33, 64, 130]);
        }
        while sizes.iter().product::<usize>() > 600 {
            let at = self.below(rank);
            sizes[at] = sizes[at].div_ceil(3);
        }
        sizes
    }

    /// Sizes of at least one axis, none of them 0.
    pub fn filled_sizes(&self) -> Vec<usize> {
        let mut sizes = self.sizes();
        if sizes.is_empty() {
            sizes.push(self.choose(&SIZES));
        }
        sizes.iter().map(|&size| size.max(1)).collect()
    }

    /// An argument, occasionally split over the mesh.
    pub fn argument(&self, dtype: DType, sizes: &[usize], data: Data) -> Tensor {
        let count = sizes.iter().product();
        let bytes = elements(&mut self.rng.borrow_mut(), dtype, count, data);
        let mut spec = Spec::new(dtype, sizes.to_vec());
        if let Some(partition) = self.partition(sizes) {
            spec = spec.partitioned(partition);
        }
        let mut arguments = self.given.arguments.borrow_mut();
        let tensor = self.trace.parameter(format!("x{}", arguments.len()), &spec, false);
        arguments.push(Argument { spec, bytes });
        tensor
    }

    /// An even partition of a tensor, occasionally, where there is a mesh.
    pub fn partition(&self, sizes: &[usize]) -> Option<PartitionSpec> {
        let axes: Vec<(&str, usize)> =
            self.mesh?.shape().axes().map(|(name, size)| (name.as_str(), size)).collect();
        let (name, parts) = self.choose(&axes);
        let fits: Vec<usize> =
            (0..sizes.len()).filter(|&axis| sizes[axis].is_multiple_of(parts)).collect();
        (!fits.is_empty() && !self.once_in(3))
            .then(|| PartitionSpec::shard(self.choose(&fits), name))
    }

    /// A tensor of a type and sizes: an existing one, or an argument.
    pub fn tensor(&self, dtype: DType, sizes: &[usize]) -> Tensor {
        let fits = |x: &Tensor| x.dtype() == dtype && x.shape().sizes() == sizes;
        match self.picked(fits) {
            Some(x) => x,
            None => self.argument(dtype, sizes, Data::Any),
        }
    }

    /// A tensor of a type: an existing one, or an argument.
    pub fn any(&self, dtype: DType) -> Tensor {
        match self.picked(|x| x.dtype() == dtype) {
            Some(x) => x,
            None => self.argument(dtype, &self.sizes(), Data::Any),
        }
    }

    /// A tensor of a type with at least one axis, none of size 0.
    pub fn filled(&self, dtype: DType) -> Tensor {
        let fits = |x: &Tensor| x.dtype() == dtype && x.rank() > 0 && x.shape().element_count() > 0;
        match self.picked(fits) {
            Some(x) => x,
            None => self.argument(dtype, &self.filled_sizes(), Data::Any),
        }
    }

    /// A tensor of a type with at least one axis.
    pub fn ranked(&self, dtype: DType) -> Tensor {
        match self.picked(|x| x.dtype() == dtype && x.rank() > 0) {
            Some(x) => x,
            None => {
                let mut sizes = self.sizes();
                if sizes.is_empty() {
                    sizes.push(self.choose(&SIZES));
                }
                self.argument(dtype, &sizes, Data::Any)
            }
        }
    }

    /// A tensor that broadcasts with `x`, mostly one of its sizes.
    pub fn partner(&self, x: Tensor) -> Tensor {
        let shape = x.shape();
        let mut sizes = shape.sizes().to_vec();
        if self.once_in(4) && !sizes.is_empty() {
            let at = self.below(sizes.len());
            sizes[at] = 1;
        }
        if self.once_in(8) {
            sizes.drain(..self.below(sizes.len() + 1));
        }
        self.tensor(x.dtype(), &sizes)
    }

    fn picked(&self, fits: impl Fn(&Tensor) -> bool) -> Option<Tensor> {
        let fitting: Vec<Tensor> = self.pool.borrow().iter().filter(|x| fits(x)).copied().collect();
        (!fitting.is_empty() && !self.once_in(3)).then(|| self.choose(&fitting))
    }

    /// An element type of an existing tensor.
    pub fn dtype_at_hand(&self) -> Option<DType> {
        let pool = self.pool.borrow();
        (!pool.is_empty()).then(|| pool[self.below(pool.len())].dtype())
    }

    /// Lets later ops use tensors.
    pub fn add(&self, tensors: &[Tensor]) {
        self.pool.borrow_mut().extend(tensors);
    }

    /// The results of the ops.
    pub fn into_results(self) -> Vec<Tensor> {
        self.pool.into_inner()
    }

    /// An axis of `x`, by its position from either end.
    pub fn axis(&self, x: Tensor) -> isize {
        let rank = x.rank() as isize;
        let at = self.below(x.rank()) as isize;
        if self.once_in(3) { at - rank } else { at }
    }

    /// Some axes of `x`, none of them twice.
    pub fn axes(&self, x: Tensor) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..x.rank()).filter(|_| self.once_in(2)).collect();
        self.rng.borrow_mut().shuffle(&mut axes);
        axes
    }

    /// All axes of `x` in some order.
    pub fn order(&self, x: Tensor) -> Vec<usize> {
        let mut order: Vec<usize> = (0..x.rank()).collect();
        self.rng.borrow_mut().shuffle(&mut order);
        order
    }

    /// A range within an axis of a size.
    pub fn range(&self, size: usize) -> std::ops::Range<isize> {
        let from = self.below(size + 1);
        let to = from + self.below(size - from + 1);
        from as isize..to as isize
    }
}
