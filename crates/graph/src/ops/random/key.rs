//! Keys: the state of random numbers.

use super::threefry::{Words, hashes, random_keys, threefry};
use crate::{
    DType, Dims, IntoDims, Leaf, Operand, Path, Shape, Spec, StructureWalk, Tensor, Tree,
    ops::stack,
    takes::Takes,
    trace::{OpError, Rule, emit, function_scope},
};
use std::panic::Location;

/// A key of random numbers, `u32[2]`, as JAX's `jax.random.key` (Threefry, partitionable): the same
/// key draws the same numbers on every platform, and those that JAX draws.
///
/// Numbers of `bf16` and `f16` are drawn in `f32` and rounded, while JAX draws coarser ones.
///
/// A draw depends only on the key, the sizes and the element type. Two draws by one key are not
/// independent, so [`split`](Self::split2) it and use each key once:
///
/// ```
/// use hloom_graph::{DType, Key, Spec, TraceScope};
///
/// let trace = TraceScope::begin("example");
/// let key = Key(trace.parameter("key", &Key::spec().0, false));
/// let (key, own) = key.split2();
/// let noise = own.normal(DType::F32, [("batch", 32), ("feature", 784)]);
/// let (key, own) = key.split2();
/// let keep = own.bernoulli(0.9, noise.shape());
/// assert_eq!(keep.shape().to_string(), "bool[batch=32, feature=784]");
/// # assert!(!key.0.is_poisoned());
/// ```
///
/// It is a tree of one tensor, so it can be an argument and a result of a function and be carried
/// through loops.
#[derive(Clone, Copy, Debug)]
pub struct Key<T = Tensor>(pub T);

impl<T: Leaf> Tree for Key<T> {
    type Leaf = T;
    type With<L: Leaf> = Key<L>;
    fn map_at<L: Leaf>(self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, T) -> L) -> Key<L> {
        Key(f(path, self.0))
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a T)) {
        f(path, &self.0);
    }
    fn visit_mut_at<'a>(&'a mut self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a mut T)) {
        f(path, &mut self.0);
    }
    fn structure_at(&self, _: &Path<'_>, _: &mut StructureWalk<'_>) {}
}

impl Key<Spec> {
    /// The spec of a key.
    pub fn spec() -> Key<Spec> {
        Key(Spec::new(DType::U32, [2]))
    }
}

#[hloom_derive::tensor_methods(key)]
impl Key {
    /// The key of a seed that is known while tracing: `jax.random.key(seed)` with 64-bit types
    /// enabled. (Without them JAX ignores the higher half of the seed.)
    ///
    /// It is a constant of the program, which draws the same numbers at each call: a training step
    /// with `Key::new(0)` has the same dropout masks in all steps. For other numbers at each call,
    /// pass the key as an argument and return the next one from the step, or fold in the number of
    /// the step:
    ///
    /// ```
    /// use hloom_graph::{DType, Key, Spec, TraceScope};
    ///
    /// let trace = TraceScope::begin("step");
    /// let key = Key(trace.parameter("key", &Key::spec().0, false));
    /// let (next_key, own) = key.split2();
    /// let mask = own.bernoulli(0.9, [32]);
    /// // Or, for a step that counts:
    /// let step = trace.parameter("step", &Spec::i32([0; 0]), false);
    /// let other_mask = Key::new(0).fold_in(step).bernoulli(0.9, [32]);
    /// # assert!(!next_key.0.is_poisoned() && mask.shape() == other_mask.shape());
    /// ```
    ///
    /// [`Key::words`] has the values for the buffer of the first key.
    #[track_caller]
    pub fn new(seed: u64) -> Key {
        Key(Tensor::constant(&Key::words(seed), [2]))
    }

    /// The values of the key of a seed, to be passed to a program: the higher and the lower half.
    pub const fn words(seed: u64) -> [u32; 2] {
        [(seed >> 32) as u32, seed as u32]
    }

    /// The key of a seed, an integer scalar.
    #[track_caller]
    pub fn from_seed(seed: Tensor) -> Key {
        function_scope("from_seed", || {
            let Some(dtype) = seed_type("from_seed", &[seed]) else {
                return Key(Tensor::poisoned());
            };
            let low = seed.convert(DType::U32);
            let high = match dtype.bits() {
                64 => seed.shift_right_logical(32).convert(DType::U32),
                _ => low.zeros_like(),
            };
            Key(stack(&[high, low], "_"))
        })
    }

    /// Two new keys: one to carry on, and one for a draw.
    #[track_caller]
    pub fn split2(self) -> (Key, Key) {
        function_scope("split2", || match self.split_keys(None, 2) {
            Some(keys) => (Key(keys.index(0, 0)), Key(keys.index(0, 1))),
            None => (Key(Tensor::poisoned()), Key(Tensor::poisoned())),
        })
    }

    /// `count` new keys, at most 65,536; [`split_along`](Self::split_along) returns more, as one
    /// tensor.
    #[track_caller]
    pub fn split(self, count: usize) -> Vec<Key> {
        function_scope("split", || match self.split_keys(None, count) {
            Some(keys) => keys.unstack(0).into_iter().map(Key).collect(),
            None => vec![Key(Tensor::poisoned()); count.min(65_536)],
        })
    }

    /// `count` new keys as one tensor, `u32[axis=count, 2]`: [`scan`](crate::scan) takes them one
    /// by one.
    #[track_caller]
    pub fn split_along(self, axis: &str, count: usize) -> Key {
        function_scope("split_along", || match self.split_keys(Some(axis), count) {
            Some(keys) => Key(keys.named([axis, "_"])),
            None => Key(Tensor::poisoned()),
        })
    }

    /// A new key from this one and the low 32 bits of an integer scalar: a different key for each
    /// number.
    #[track_caller]
    pub fn fold_in(self, data: impl Operand) -> Key {
        function_scope("fold_in", || {
            if self.checked("fold_in").is_none() {
                return Key(Tensor::poisoned());
            }
            let data = data.like(Tensor::scalar(0, DType::U32));
            let Some(_) = seed_type("fold_in", &[data]) else {
                return Key(Tensor::poisoned());
            };
            let low = data.convert(DType::U32);
            Key(stack(&threefry(pair(self.0), [low.zeros_like(), low]), "_"))
        })
    }

    #[track_caller]
    fn split_keys(self, axis: Option<&str>, count: usize) -> Option<Tensor> {
        let op = if axis.is_some() { "split_along" } else { "split" };
        let dims = emit(op, &[self.0], Location::caller(), |_, s, _| {
            check(&s[0])?;
            Ok([count].into_dims()?)
        });
        dims.map(|dims| random_keys(self.0, dims))
    }

    /// Records an error of the trace if this is not one key.
    #[track_caller]
    fn checked(self, op: &'static str) -> Option<()> {
        emit(op, &[self.0], Location::caller(), |_, s, _| check(&s[0]))
    }

    /// The axes of a draw, if `is_legal` accepts the element type; `legal` lists the accepted types
    /// for the error.
    #[track_caller]
    pub(super) fn dims_of(
        self,
        op: &'static str,
        dtype: DType,
        (is_legal, legal): (bool, &'static str),
        dims: impl IntoDims,
    ) -> Option<Dims> {
        emit(op, &[self.0], Location::caller(), |_, s, _| {
            check(&s[0])?;
            if is_legal {
                Ok(dims.into_dims()?)
            } else {
                Err(OpError(format!("draws {legal}, not {dtype}")))
            }
        })
    }

    /// Runs a draw of floats for checked axes.
    #[track_caller]
    pub(super) fn draw(
        self,
        op: &'static str,
        dtype: DType,
        dims: impl IntoDims,
        draw: impl FnOnce(Dims) -> Tensor,
    ) -> Tensor {
        function_scope(op, || {
            let legal = (is_drawn(dtype), "bf16, f16, f32 or f64");
            self.dims_of(op, dtype, legal, dims).map_or_else(Tensor::poisoned, draw)
        })
    }

    /// The hashes of the elements of `dims`, as two tensors.
    #[track_caller]
    pub(super) fn hashes(self, dims: Dims) -> Words {
        hashes(pair(self.0), dims)
    }
}

/// Whether floats of this type are drawn.
pub(super) fn is_drawn(dtype: DType) -> bool {
    dtype.is_float() && dtype.bits() >= 16
}

/// The words of a key.
#[track_caller]
pub(super) fn pair(key: Tensor) -> Words {
    [key.index(0, 0), key.index(0, 1)]
}

fn check(key: &Shape) -> Rule<()> {
    if key.dtype() == DType::U32 && key.sizes() == [2] {
        Ok(())
    } else {
        Err(format!("a key is u32[2], not {key}").into())
    }
}

/// The type of an integer scalar, or an error of the trace.
#[track_caller]
fn seed_type(op: &'static str, data: &[Tensor]) -> Option<DType> {
    emit(op, data, Location::caller(), |_, s, _| {
        Takes::Int.check(s[0].dtype(), "`.convert(..)`")?;
        match s[0].rank() {
            0 => Ok(s[0].dtype()),
            _ => Err(format!("takes an integer scalar, not {}", s[0]).into()),
        }
    })
}
