//! The table of Hloom's own composites, and the rules of composites.

use super::{Composite, shared};
use crate::{
    Attributes, Tensor,
    body::Recorded,
    grad::{
        CHECKPOINT_NAME_RULES, CHECKPOINT_RULES, CUSTOM_VJP_RULES, Pull, STOP_GRADIENT_RULES, Tape,
        Tracked,
    },
    ops::{
        blocks::BLOCK_DOT_RULES,
        ragged_dot::{RAGGED_DOT_RULES, RAGGED_OUTER_RULES},
    },
    vmap::{Lane, Lanes},
};
use std::{panic::Location, rc::Rc};

/// One of Hloom's own composites, whose names begin with `hloom.`. Only the table makes them: each
/// has rules for derivatives and for batching.
///
/// ```compile_fail
/// let other = hloom_graph::op::OwnComposite("hloom.other");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OwnComposite(&'static str);

/// The rules of a composite.
pub(crate) struct CompositeRules {
    /// Whether a derivative records the body instead of the node.
    pub expand: fn(&Tape, &Recorded) -> bool,
    /// Records the composite over the mapped axis.
    pub batch: fn(&Composite, &mut Lanes, &Recorded) -> Vec<Lane>,
    /// Records a node that depends on the inputs of a derivative.
    pub record: fn(&Composite, &mut Tape, &Rc<Recorded>) -> Vec<Tracked>,
    /// The cotangents of the operands.
    pub pull: fn(&Composite, &Pull<'_>) -> Vec<Option<Tensor>>,
}

/// The rules of a composite that only kernels match as a whole: derivatives and batching use its
/// body.
pub(crate) const EXPANDED: CompositeRules = CompositeRules {
    expand: |_, _| true,
    batch: expanded_lanes,
    record: |op, tape, node| {
        let operands = tape.operands(node);
        tape.run(&node.regions[&op.body], &operands)
    },
    pull: |_, _| Vec::new(),
};

/// The body of a composite over the mapped axis.
pub(crate) fn expanded_lanes(op: &Composite, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
    let operands = lanes.operands(node);
    lanes.body(&node.regions[&op.body], &operands)
}

/// Generates the names and the lookup of rules from one row per composite.
macro_rules! composites {
    ($($(#[$doc:meta])* $constant:ident $name:literal => $rules:expr;)*) => {
        impl OwnComposite {
            $($(#[$doc])* pub const $constant: OwnComposite = OwnComposite($name);)*
        }

        impl CompositeRules {
            /// The rules by the composite's name; composites of users are expanded.
            pub fn of(name: &str) -> &'static CompositeRules {
                match name {
                    $($name => &$rules,)*
                    _ => &EXPANDED,
                }
            }
        }
    };
}

composites! {
    /// A value that derivatives take as a constant.
    STOP_GRADIENT "hloom.stop_gradient" => STOP_GRADIENT_RULES;
    /// A [`checkpoint`](crate::checkpoint), or its backward pass, which begins with an optimization
    /// barrier.
    CHECKPOINT "hloom.checkpoint" => CHECKPOINT_RULES;
    /// A value with a name that checkpoints can save.
    CHECKPOINT_NAME "hloom.checkpoint_name" => CHECKPOINT_NAME_RULES;
    /// A function with its own derivative.
    CUSTOM_VJP "hloom.custom_vjp" => CUSTOM_VJP_RULES;
    /// [`Tensor::ragged_dot`].
    RAGGED_DOT "hloom.ragged_dot" => RAGGED_DOT_RULES;
    /// The sums over each group's rows of outer products.
    RAGGED_OUTER "hloom.ragged_outer" => RAGGED_OUTER_RULES;
    /// A product with quantised blocks.
    BLOCK_DOT "hloom.block_dot" => BLOCK_DOT_RULES;
    /// [`Tensor::dequantize`].
    DEQUANTIZE "hloom.dequantize" => EXPANDED;
    /// [`Tensor::softmax`].
    SOFTMAX "hloom.softmax" => EXPANDED;
    /// Random bits under a key.
    RANDOM_BITS "hloom.random_bits" => EXPANDED;
    /// Keys made from a key.
    RANDOM_KEYS "hloom.random_keys" => EXPANDED;
    /// `attention` of `hloom-nn`.
    ATTENTION "hloom.attention" => EXPANDED;
    /// `RmsNorm` of `hloom-nn`.
    RMS_NORM "hloom.rms_norm" => EXPANDED;
    /// `Rope` of `hloom-nn`.
    ROTARY_EMBEDDING "hloom.rotary_embedding" => EXPANDED;
}

impl OwnComposite {
    /// The name, which begins with `hloom.`.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Records `body` applied to `inputs`, as
    /// [`shared_composite`](crate::shared_composite) does.
    #[track_caller]
    pub fn call(
        self,
        version: u32,
        attributes: Attributes,
        inputs: &[Tensor],
        body: impl FnOnce(&[Tensor]) -> Tensor,
    ) -> Tensor {
        shared(self.0, version, attributes, inputs, Location::caller(), body)
    }
}

impl Composite {
    /// Whether the composite is this one of Hloom's own.
    pub fn is(&self, own: OwnComposite) -> bool {
        self.name == own.name()
    }

    pub(crate) fn rules(&self) -> &'static CompositeRules {
        CompositeRules::of(&self.name)
    }
}
