//! One argument is a tuple of one.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::Platform;

fn compile(platform: &Platform) {
    let double = |x: Tensor| x + x;
    let _ = platform.compile(double, Spec::f32([2]));
}

fn main() {}
