//! Random numbers from an explicit state.

use crate::{
    DType, Graph, IntoDims, Leaf, Path, Shape, Spec, Tensor, Tree,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_shape, plain},
    trace::{Rule, emit, named_scope},
};
use std::{fmt, hash::Hasher, panic::Location};

/// Random bits from a state of `u64[2]` by Threefry. Results: the next state and the bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RngBits {
    /// The shape of the bits.
    pub shape: Shape,
}

impl Definition for RngBits {
    fn name(&self) -> &'static str {
        "rng_bits"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let state = context.operand()?;
        if state.dtype() != DType::U64 || state.sizes() != [2] {
            return Err(format!("a random state is u64[2], not {state}").into());
        }
        match self.shape.dtype() {
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
                Ok(Shapes::from_iter([*state, self.shape]))
            }
            dtype => Err(format!("random bits come as u8, u16, u32 or u64, not {dtype}").into()),
        }
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_shape(hasher, &self.shape);
    }

    fn result_count(&self, _: &Graph, _: usize) -> usize {
        2
    }
}

plain!(RngBits);

/// The state of a random-number generator (Threefry), a `u64[2]`: each draw returns the next state
/// and numbers that depend only on the state. The same seed produces the same numbers on every
/// platform.
///
/// It is a tree, so it can be an argument and a result of a function.
#[derive(Clone, Copy, Debug)]
pub struct RandomState<T = Tensor>(pub T);

impl<T: Leaf> Tree for RandomState<T> {
    type Leaf = T;
    type With<L: Leaf> = RandomState<L>;
    fn map_at<L: Leaf>(
        self,
        path: &Path<'_>,
        f: &mut dyn FnMut(&Path<'_>, T) -> L,
    ) -> RandomState<L> {
        RandomState(f(path, self.0))
    }
    fn visit_at<'a>(&'a self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a T)) {
        f(path, &self.0);
    }
    fn visit_mut_at<'a>(&'a mut self, path: &Path<'_>, f: &mut dyn FnMut(&Path<'_>, &'a mut T)) {
        f(path, &mut self.0);
    }
}

impl RandomState<Spec> {
    /// The spec of a state.
    pub fn spec() -> RandomState<Spec> {
        RandomState(Spec::new(DType::U64, [2]))
    }
}

impl RandomState {
    /// The state of a seed that is known while tracing.
    #[track_caller]
    pub fn seed(seed: u64) -> RandomState {
        RandomState(Tensor::constant(&[seed, 0], [2]))
    }

    /// Random bits of an unsigned integer type, and the next state.
    #[track_caller]
    pub fn bits(self, dtype: DType, dims: impl IntoDims) -> (RandomState, Tensor) {
        let values = emit("random_bits", &[self.0], Location::caller(), |builder, _, v| {
            let shape = Shape::new(dtype, dims)?;
            builder.add_many(RngBits { shape }, v)
        });
        match values.as_deref() {
            Some(&[state, bits]) => {
                (RandomState(Tensor::or_poisoned(Some(state))), Tensor::or_poisoned(Some(bits)))
            }
            _ => (RandomState(Tensor::poisoned()), Tensor::poisoned()),
        }
    }

    /// Uniformly distributed numbers in [0, 1), as `f32`, and the next state.
    #[track_caller]
    pub fn uniform(self, dims: impl IntoDims) -> (RandomState, Tensor) {
        named_scope("uniform", || {
            let (next, bits) = self.bits(DType::U32, dims);
            // 24 bits are the resolution of an `f32` between 0.5 and 1.
            let fraction = bits.shift_right_logical(8).convert(DType::F32) * (1.0 / 16_777_216.0);
            (next, fraction)
        })
    }

    /// Normally distributed numbers of mean 0 and variance 1, as `f32`, and the next state, by the
    /// [Box-Muller transform](https://doi.org/10.1214/aoms/1177706645).
    #[track_caller]
    pub fn normal(self, dims: impl IntoDims) -> (RandomState, Tensor) {
        named_scope("normal", || {
            let dims = match dims.into_dims() {
                Ok(dims) => dims,
                invalid => return self.bits(DType::U32, invalid),
            };
            let (state, radius) = self.uniform(dims);
            let (next, angle) = state.uniform(dims);
            let radius = ((1.0 - radius).log() * -2.0).sqrt();
            (next, radius * (angle * std::f32::consts::TAU).cos())
        })
    }

    /// Gumbel-distributed numbers of location 0 and scale 1, as `f32`, and the next state: the
    /// argmax of `logits + gumbel` is each index with its softmax probability.
    #[track_caller]
    pub fn gumbel(self, dims: impl IntoDims) -> (RandomState, Tensor) {
        named_scope("gumbel", || {
            let (next, uniform) = self.uniform(dims);
            // Half a step above 0 keeps the inner logarithm finite.
            let uniform = uniform + 0.5 / 16_777_216.0;
            (next, -(-uniform.log()).log())
        })
    }
}
