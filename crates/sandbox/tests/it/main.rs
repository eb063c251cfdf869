//! The sandbox with the CPU plugin, and with children that are hostile.

#![cfg(target_os = "linux")]

mod ahead;
mod confinement;
mod generated;
mod generator;
mod hostile_child;
mod hostile_programs;
mod linear_algebra;
mod own_child;
mod programs;

use hloom_pjrt::CompileOptions;
use hloom_sandbox::{Limits, Program, Sandbox, Session};
use hloom_test_support::plugin_path;

/// A sandbox whose child is this crate's program.
fn sandbox() -> Sandbox {
    Sandbox::new().program(env!("CARGO_BIN_EXE_hloom-sandbox"))
}

/// A child with these limits and one device.
#[track_caller]
fn started(limits: Limits) -> Session {
    sandbox().limits(limits).start(plugin_path(), 1).expect("the child starts")
}

/// A program for one device.
#[track_caller]
fn compiled(session: &Session, text: &str) -> Program {
    session.compile(text.as_bytes(), &CompileOptions::new()).expect("the program compiles")
}

/// The bytes of numbers.
fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// The numbers of bytes.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (all, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    all.iter().map(|&four| f32::from_ne_bytes(four)).collect()
}
