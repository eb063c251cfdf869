//! The function takes what it is compiled for.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::Platform;

fn compile(platform: &Platform) {
    let add = |x: Tensor, y: Tensor| x + y;
    let _ = platform.compile(add, (Spec::f32([2]),));
}

fn main() {}
