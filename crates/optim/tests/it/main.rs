//! Optimizers on the CPU plugin.

mod accumulation;
mod fixture;
mod messages;
mod optimizers;
mod precision;
mod schedules;
mod states;
