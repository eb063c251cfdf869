//! The attributes of custom calls.

use crate::{Attributes, Shape};
use std::collections::BTreeMap;

/// A call of a target registered with the plugin.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CustomCall {
    /// The name under which the target is registered.
    pub target: String,
    /// The configuration that the target receives in addition to its operands.
    pub config: BackendConfig,
    /// The side effect of the call.
    pub effect: Effect,
    /// Results that share the memory of an operand.
    pub aliases: Vec<OutputAlias>,
    /// Text by name for passes of the compiler (`frontend_attributes` of XLA); the target does not
    /// receive it.
    pub frontend_attributes: BTreeMap<String, String>,
    /// The shapes of the results.
    pub results: Vec<Shape>,
}

/// The calling convention of the target, with its configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BackendConfig {
    /// The typed XLA FFI, version 4 of the interface in StableHLO.
    Typed(Attributes),
    /// An older interface, which takes one string.
    Opaque {
        /// 1, 2 or 3, as in StableHLO's `CustomCallApiVersion`.
        api_version: u32,
        /// The string.
        config: String,
    },
}

/// The side effect of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Effect {
    /// No effect: identical calls are merged, and calls whose results are unused are removed.
    #[default]
    Pure,
    /// The call is kept even if its results are unused. The compiler chooses its order among other
    /// calls.
    Unordered,
    /// As `Unordered`, and calls of this kind run in program order, each after the previous one has
    /// finished.
    ///
    /// The target takes one more operand and returns one more result after its own, both `u32[]`
    /// tokens whose values have no meaning. A [host function](crate::HostCall) that is the only one
    /// in its program has no tokens.
    Ordered,
}

/// A result that shares the memory of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutputAlias {
    /// The index of the result.
    pub result: usize,
    /// The index of the operand.
    pub operand: usize,
}

impl CustomCall {
    /// A pure call through the typed FFI, with results of these shapes.
    pub fn new(target: impl Into<String>, results: impl Into<Vec<Shape>>) -> CustomCall {
        CustomCall {
            target: target.into(),
            config: BackendConfig::Typed(Attributes::new()),
            effect: Effect::Pure,
            aliases: Vec::new(),
            frontend_attributes: BTreeMap::new(),
            results: results.into(),
        }
    }

    /// The version of the interface, as in StableHLO's `CustomCallApiVersion`.
    pub fn api_version(&self) -> u32 {
        match self.config {
            BackendConfig::Typed(_) => 4,
            BackendConfig::Opaque { api_version, .. } => api_version,
        }
    }
}
