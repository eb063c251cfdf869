//! Optimizers on the CPU plugin.

#![deny(clippy::match_bool)]

mod accumulation;
mod fixture;
mod frozen;
mod messages;
mod optimizers;
mod precision;
mod schedules;
mod states;
