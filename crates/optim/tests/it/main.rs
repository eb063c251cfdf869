//! Optimizers on the CPU plugin.

mod accumulation;
mod fixture;
mod frozen;
mod messages;
mod optimizers;
mod precision;
mod schedules;
mod states;
