//! Host memory during transfers, and transfers in parts.

pub(crate) mod covered;
pub(crate) mod dma;
pub(crate) mod host_lease;
pub(crate) mod host_transfer;
pub(crate) mod lease_slot;
pub(crate) mod manager;
pub(crate) mod owner;
