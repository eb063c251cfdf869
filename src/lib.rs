//! A typed tensor compiler for Rust.
