//! Calls of code that is not the program's: what a node knows about them.

use crate::{Attributes, Shape};

/// A call of a target that was registered with the plugin under a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CustomCall {
    /// The name that the target was registered under.
    pub target: String,
    /// What the target is told beside its operands.
    pub config: BackendConfig,
    /// What the call does beside giving its results.
    pub effect: Effect,
    /// Results that have the memory of an operand.
    pub aliases: Vec<OutputAlias>,
    /// The shapes of the results.
    pub results: Vec<Shape>,
}

/// How the target is called and what it is told.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BackendConfig {
    /// By the typed XLA FFI, which StableHLO counts as version 4 of the interface.
    Typed(Attributes),
    /// By an older interface, which takes one string.
    Opaque {
        /// 1, 2 or 3, as `CustomCallApiVersion` of StableHLO counts.
        api_version: u32,
        /// The string.
        config: String,
    },
}

/// What a call does beside giving its results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Effect {
    /// Nothing: the same call on the same operands is made once, and not at all when no result needs it.
    #[default]
    Pure,
    /// It is made whether or not its results are needed. In which order to others, the compiler chooses.
    Unordered,
    /// As `Unordered`, and calls of this kind are made one after the other as they stand in the function, each when the one
    /// before has ended.
    ///
    /// The target gets one more operand and gives one more result behind its own, both `u32[]`, whose values mean nothing; but a
    /// [function of the host](crate::HostCall) that is alone in its program does not.
    Ordered,
}

/// A result that has the memory of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutputAlias {
    /// The position of the result.
    pub result: usize,
    /// The position of the operand.
    pub operand: usize,
}

impl CustomCall {
    /// A pure call by the typed FFI, with results of these shapes.
    pub fn new(target: impl Into<String>, results: impl Into<Vec<Shape>>) -> CustomCall {
        CustomCall {
            target: target.into(),
            config: BackendConfig::Typed(Attributes::new()),
            effect: Effect::Pure,
            aliases: Vec::new(),
            results: results.into(),
        }
    }

    /// The version of the interface, as `CustomCallApiVersion` of StableHLO counts.
    pub fn api_version(&self) -> u32 {
        match self.config {
            BackendConfig::Typed(_) => 4,
            BackendConfig::Opaque { api_version, .. } => api_version,
        }
    }
}
