//! The values that a checkpoint saves for its backward pass.

use crate::{
    Attribute, Attributes, Op, Tensor,
    body::Recorded,
    op::{Composite, OwnComposite},
};
use std::collections::VecDeque;

/// The values of a [`checkpoint`](crate::checkpoint) that are saved for the backward pass in
/// addition to its inputs, by the names of `jax.checkpoint_policies`. Values inside of loops and
/// branches are never saved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CheckpointPolicy {
    /// No values.
    #[default]
    NothingSaveable,
    /// The results of dot products and convolutions.
    DotsSaveable,
    /// The results of dot products without batch axes, as those with weights.
    DotsWithNoBatchDimsSaveable,
    /// The values with one of these names, given by [`checkpoint_name`](crate::checkpoint_name).
    SaveOnlyTheseNames(Vec<String>),
}

use CheckpointPolicy::{
    DotsSaveable, DotsWithNoBatchDimsSaveable, NothingSaveable, SaveOnlyTheseNames,
};

impl CheckpointPolicy {
    /// Saves the values with these names alone.
    pub fn save_only_these_names<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
    ) -> CheckpointPolicy {
        SaveOnlyTheseNames(names.into_iter().map(Into::into).collect())
    }

    pub(super) fn attributes(&self) -> Attributes {
        let (policy, names): (&str, &[String]) = match self {
            NothingSaveable => ("nothing_saveable", &[]),
            DotsSaveable => ("dots_saveable", &[]),
            DotsWithNoBatchDimsSaveable => ("dots_with_no_batch_dims_saveable", &[]),
            SaveOnlyTheseNames(names) => ("save_only_these_names", names),
        };
        let names: Attributes = names.iter().map(|name| (name.as_str(), true)).collect();
        let names = Some(names).filter(|names| !names.is_empty());
        let names = names.map(|names| ("names", Attribute::from(names)));
        names.into_iter().chain([("policy", policy.into())]).collect()
    }

    pub(super) fn of(attributes: &Attributes) -> CheckpointPolicy {
        let names = || {
            let names = attributes.dictionary("names").into_iter().flat_map(Attributes::iter);
            names.map(|(name, _)| name.to_owned()).collect()
        };
        match attributes.string("policy") {
            Some("dots_saveable") => DotsSaveable,
            Some("dots_with_no_batch_dims_saveable") => DotsWithNoBatchDimsSaveable,
            Some("save_only_these_names") => SaveOnlyTheseNames(names()),
            _ => NothingSaveable,
        }
    }

    /// Whether the results of a node are saved.
    fn saves(&self, node: &Recorded) -> bool {
        match self {
            NothingSaveable => false,
            DotsSaveable => matches!(node.op, Op::Dot(_) | Op::Convolution(_)),
            DotsWithNoBatchDimsSaveable => {
                matches!(&node.op, Op::Dot(dims) if dims.left_batch.is_empty())
            }
            SaveOnlyTheseNames(names) => {
                let is_named = |op: &Composite| {
                    let own = op.attributes.string("name");
                    op.is(OwnComposite::CHECKPOINT_NAME)
                        && names.iter().any(|name| Some(&**name) == own)
                };
                matches!(&node.op, Op::Composite(op) if is_named(op))
            }
        }
    }
}

/// The values that a policy saves, in the order of recording.
pub(crate) enum Saved {
    /// The values are collected in the forward pass.
    Collected(CheckpointPolicy, Vec<Tensor>),
    /// The values are known in the backward pass.
    Known(CheckpointPolicy, VecDeque<Tensor>),
}

impl Saved {
    pub fn has(&self, node: &Recorded) -> bool {
        let (Saved::Collected(policy, _) | Saved::Known(policy, _)) = self;
        policy.saves(node)
    }

    /// The results of a node that is saved, which `record` records.
    pub fn results(
        &mut self,
        node: &Recorded,
        record: impl FnOnce() -> Vec<Tensor>,
    ) -> Vec<Tensor> {
        match self {
            Saved::Collected(_, all) => {
                let tensors = record();
                all.extend(&tensors);
                tensors
            }
            Saved::Known(_, all) => {
                let next = || all.pop_front().unwrap_or_else(Tensor::poisoned);
                std::iter::repeat_with(next).take(node.results.len()).collect()
            }
        }
    }
}
