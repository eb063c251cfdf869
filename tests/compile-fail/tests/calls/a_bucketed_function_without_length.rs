//! A function that is compiled for buckets takes the true length.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buckets, Platform};

fn compile(platform: &Platform) {
    let double = |x: Tensor| x + x;
    let spec = Spec::f32([("seq", 1)]);
    let _ = platform.compile_buckets(double, (spec,), Buckets::pow2("seq", 1..=8));
}

fn main() {}
