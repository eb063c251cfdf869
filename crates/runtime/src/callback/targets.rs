//! The names by which programs refer to the handlers of callbacks.

/// The attribute of a call that holds the user's attributes.
pub(super) const ATTRIBUTES: &str = "attributes";

/// The target's name, with the version of its attributes.
pub(super) const TARGET: &str = "hloom.callback.v1";

/// The target for calls that can be recorded and replayed.
pub(super) const REPLAYED_TARGET: &str = "hloom.callback.v1.command_buffer";

/// The target for calls on host copies.
pub(super) const HOST_TARGET: &str = "hloom.callback.v1.on_host";
