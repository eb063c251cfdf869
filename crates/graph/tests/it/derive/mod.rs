//! Derived trees.
#![deny(warnings)]

mod config;
mod tree;
