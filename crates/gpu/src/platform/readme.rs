//! The first program of README.

use crate::{Result, attempt::ensure};
use hloom::prelude::*;

#[derive(Tree, Clone)]
pub struct Linear<T = Tensor> {
    #[axes("out", "in")]
    weight: T,
    #[axes("out")]
    bias: Option<T>,
}

impl Linear {
    pub fn forward(self, x: Tensor) -> Tensor {
        let y = x.dot(self.weight, "in");
        self.bias.map_or(y, |bias| y + bias)
    }
}

/// The arguments of the program.
pub fn specs() -> (Linear<Spec>, Spec) {
    let spec = Linear { weight: Spec::f32([("out", 2), ("in", 3)]), bias: None };
    (spec, Spec::f32([("batch", 1), ("in", 3)]))
}

/// Prints what README says it prints.
pub fn run(platform: &Platform) -> Result {
    let exe = platform.compile(Linear::forward, specs())?;
    let weight = [1f32, 0., -1., 0., 1., 1.];
    let weight = Buffer::from_slice(platform, &weight, [("out", 2), ("in", 3)])?;
    let exe = exe.bind(&Linear { weight, bias: None })?;
    let x = Buffer::from_slice(platform, &[1f32, 2., 3.], [("batch", 1), ("in", 3)])?;
    let printed = exe.call((&x,))?.to_string();
    ensure(printed == "[[-2.  5.]]", || format!("[[-2.  5.]] expected, {printed} found"))
}
