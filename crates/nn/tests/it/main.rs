//! The layers on the CPU plugin.

mod conv_layers;
mod layers;
mod losses;
mod messages;
mod own_axis;
mod ragged;
mod resize;
mod sampling;
mod stored_types;
mod unseen;
