//! Rust functions inside of programs, on the CPU plugin.

mod bind;
mod context;
mod failures;
mod foreign;
mod order;
mod print;
mod split;
mod threads;
mod views;

use crate::CPU;
use hloom_runtime::{Args, Exe, Function, Ret};
use std::sync::{Arc, Mutex};

/// What callbacks note: a number and a value.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(i64, f32)>>>);

impl Log {
    fn push(&self, number: i64, value: f32) {
        self.0.lock().unwrap().push((number, value));
    }

    fn take(&self) -> Vec<(i64, f32)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn take_numbers(&self) -> Vec<i64> {
        self.take().into_iter().map(|(number, _)| number).collect()
    }
}

/// Compiles for the CPU.
#[track_caller]
fn compile<A: Args, F: Function<A>>(function: F, arguments: A) -> Exe<A, F::Ret>
where
    F::Ret: Ret,
{
    CPU.compile(function, arguments).expect("the program compiles")
}
