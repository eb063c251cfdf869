//! The result of a function is a tree of tensors: the message is about it, not about the arguments.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::Platform;

fn fallible(x: Tensor) -> Result<Tensor, String> {
    Ok(x)
}

fn compile(platform: &Platform) {
    let _ = platform.compile(fallible, (Spec::f32([2]),));
    let _ = platform.compile(|x: Tensor| (x, 3), (Spec::f32([2]),));
    let _ = platform.jit(|x: Tensor| drop(x));
}

fn main() {}
