//! The batching rule of an op, which is in the op's home in `ops`.

use super::lanes::{Lane, Lanes};
use crate::{Dims, Op, Tensor, ValueId, body::Recorded, trace::called_from};
use std::collections::HashSet;

/// The values of a body that have the mapped axis, while it is not recorded yet.
pub(crate) type BatchedValues = HashSet<ValueId>;

/// The batching rule of an op. It has no defaults: an op without a rule does not compile.
pub(crate) trait Batch {
    /// Records the op over the mapped axis. At least one value that the node uses has the axis.
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane>;

    /// Whether each result has the mapped axis; `operands` say which operands have it, and `known`
    /// are the values of enclosing bodies that have it.
    fn batched(
        &self,
        lanes: &Lanes,
        node: &Recorded,
        operands: &[bool],
        known: &mut BatchedValues,
    ) -> Vec<bool>;
}

/// Implements [`Batch::batched`] for ops whose results all have the mapped axis if an operand has
/// it.
macro_rules! batched_if_any {
    () => {
        fn batched(
            &self,
            _: &$crate::vmap::Lanes,
            node: &$crate::body::Recorded,
            operands: &[bool],
            _: &mut $crate::vmap::BatchedValues,
        ) -> Vec<bool> {
            vec![operands.contains(&true); node.results.len()]
        }
    };
}
pub(crate) use batched_if_any;

/// Implements [`Batch`] for ops that take their operands unchanged: those without operands and
/// those with one, with the attributes that an expression returns, or with the same attributes.
macro_rules! as_it_is {
    ($definition:ty, |$op:ident| $attributes:expr) => {
        impl $crate::vmap::Batch for $definition {
            fn batch(
                &self,
                lanes: &mut $crate::vmap::Lanes,
                node: &$crate::body::Recorded,
            ) -> Vec<$crate::vmap::Lane> {
                let $op = self;
                lanes.as_they_are(node, $attributes)
            }
            $crate::vmap::batched_if_any!();
        }
    };
    ($($definition:ty),+ $(,)?) => { $(
        impl $crate::vmap::Batch for $definition {
            fn batch(
                &self,
                lanes: &mut $crate::vmap::Lanes,
                node: &$crate::body::Recorded,
            ) -> Vec<$crate::vmap::Lane> {
                lanes.as_they_are(node, node.op.clone())
            }
            $crate::vmap::batched_if_any!();
        }
    )+ };
}
pub(crate) use as_it_is;

/// Implements [`Batch`] for ops whose operands all have the mapped axis, with the attributes that
/// an expression returns, or with the same attributes.
macro_rules! spread_all {
    ($definition:ty, |$op:ident| $attributes:expr) => {
        impl $crate::vmap::Batch for $definition {
            fn batch(
                &self,
                lanes: &mut $crate::vmap::Lanes,
                node: &$crate::body::Recorded,
            ) -> Vec<$crate::vmap::Lane> {
                let $op = self;
                lanes.spread_all(node, $attributes)
            }
            $crate::vmap::batched_if_any!();
        }
    };
    ($($definition:ty),+ $(,)?) => { $(
        impl $crate::vmap::Batch for $definition {
            fn batch(
                &self,
                lanes: &mut $crate::vmap::Lanes,
                node: &$crate::body::Recorded,
            ) -> Vec<$crate::vmap::Lane> {
                lanes.spread_all(node, node.op.clone())
            }
            $crate::vmap::batched_if_any!();
        }
    )+ };
}
pub(crate) use spread_all;

/// Implements [`Batch`] for an op that has no form over a mapped axis; the error reports why.
macro_rules! not_batched {
    ($definition:ty, $why:literal) => {
        impl $crate::vmap::Batch for $definition {
            fn batch(
                &self,
                lanes: &mut $crate::vmap::Lanes,
                node: &$crate::body::Recorded,
            ) -> Vec<$crate::vmap::Lane> {
                lanes.refuse(node, $why)
            }
            $crate::vmap::batched_if_any!();
        }
    };
}
pub(crate) use not_batched;

impl Lanes {
    /// The op on operands that all have the mapped axis.
    pub fn spread_all(&mut self, node: &Recorded, op: impl Into<Op>) -> Vec<Lane> {
        let lanes = self.operands(node);
        let operands: Vec<Tensor> =
            called_from(node.location, || lanes.iter().map(|&lane| self.spread(lane)).collect());
        self.results(node, op, &operands)
    }

    /// The op on unchanged operands.
    pub fn as_they_are(&mut self, node: &Recorded, op: impl Into<Op>) -> Vec<Lane> {
        let operands: Vec<Tensor> = self.operands(node).iter().map(|lane| lane.tensor).collect();
        self.results(node, op, &operands)
    }

    /// The op that `make` returns for the axes with the mapped one first.
    pub fn with_dims<O: Into<Op>>(
        &mut self,
        node: &Recorded,
        dims: &Dims,
        make: impl FnOnce(Dims) -> O,
    ) -> Vec<Lane> {
        match self.dims(dims) {
            Ok(dims) => self.as_they_are(node, make(dims)),
            Err(error) => self.refuse(node, &format!("has no room for the mapped axis: {error}")),
        }
    }

    /// The op on these operands; its results have the mapped axis.
    pub fn results(
        &mut self,
        node: &Recorded,
        op: impl Into<Op>,
        operands: &[Tensor],
    ) -> Vec<Lane> {
        self.recorded(node, op.into(), operands).into_iter().map(Lane::batched).collect()
    }

    /// An op that reduces values, the first half of its operands, by a body; the others are the
    /// initial values.
    pub fn reduced_by(&mut self, node: &Recorded, op: impl Into<Op>) -> Vec<Lane> {
        let lanes = self.operands(node);
        let (values, init) = lanes.split_at(lanes.len() / 2);
        if init.iter().any(|lane| lane.is_batched) {
            return self.in_turn(node);
        }
        let mut operands: Vec<Tensor> =
            called_from(node.location, || values.iter().map(|&lane| self.spread(lane)).collect());
        operands.extend(init.iter().map(|lane| lane.tensor));
        self.results(node, op, &operands)
    }
}
