//! The layers on the CPU plugin.

mod conv_layers;
mod layers;
mod messages;
mod ragged;
mod resize;
mod sampling;
