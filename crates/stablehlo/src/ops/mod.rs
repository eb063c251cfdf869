//! One lowering function per op, by family.

mod broadcast;
mod collective;
mod combine;
mod composite;
mod constant;
mod control;
mod cumulative;
mod custom_call;
mod dot;
mod elementwise;
mod index;
mod reduce;
mod reshape;
mod sharding;
mod slice;
mod sort;

pub(crate) use broadcast::*;
pub(crate) use collective::*;
pub(crate) use combine::*;
pub(crate) use composite::*;
pub(crate) use constant::*;
pub(crate) use control::*;
pub(crate) use cumulative::*;
pub(crate) use custom_call::*;
pub(crate) use dot::*;
pub(crate) use elementwise::*;
pub(crate) use index::*;
pub(crate) use reduce::*;
pub(crate) use reshape::*;
pub(crate) use sharding::*;
pub(crate) use slice::*;
pub(crate) use sort::*;
