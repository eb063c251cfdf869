//! Callbacks on the CPU plugin.

mod ahead_of_time;
mod arrays;
mod bind;
mod context;
mod deferred;
mod failures;
mod foreign;
mod kept;
mod nested;
mod nothing_vanishes;
mod options;
mod order;
mod print;
mod pure;
mod steps;
mod threads;
mod views;

use crate::CPU;
use hloom_runtime::{Args, Exe, Function, ResultTree};
pub use print::printed;
use std::sync::{Arc, Mutex};

/// A log of callbacks: numbers and values.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<(i64, f32)>>>);

impl Log {
    pub fn push(&self, number: i64, value: f32) {
        self.0.lock().unwrap().push((number, value));
    }

    pub fn take(&self) -> Vec<(i64, f32)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn take_numbers(&self) -> Vec<i64> {
        self.take().into_iter().map(|(number, _)| number).collect()
    }
}

/// Compiles for the CPU.
#[track_caller]
fn compile<A: Args, F: Function<A, Passing>, Passing>(
    function: F,
    arguments: A,
) -> Exe<A, F::Output>
where
    F::Output: ResultTree,
{
    CPU.compile(function, arguments).expect("the program compiles")
}
