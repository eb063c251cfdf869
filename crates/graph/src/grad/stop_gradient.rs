//! Values that derivatives take as constants.

use super::tape::Tracked;
use crate::ops::CompositeRules;

/// The rules of [`Tensor::stop_gradient`](crate::Tensor::stop_gradient).
pub(crate) const RULES: CompositeRules = CompositeRules {
    expand: |_, _| false,
    batch: |op, lanes, node| lanes.kept(op, node),
    record: |_, tape, node| tape.copied(node).into_iter().map(Tracked::constant).collect(),
    pull: |_, _| Vec::new(),
};
