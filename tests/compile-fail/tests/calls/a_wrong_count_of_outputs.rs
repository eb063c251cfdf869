use hloom_graph::{Spec, Tensor};
use hloom_runtime::callback;

fn two(x: Tensor) -> (Tensor, Tensor) {
    let spec = || Spec::of(x.shape());
    callback("two", x, (spec(), spec()), |_, _, (mut a, mut b, mut c)| {
        a.as_slice_mut::<f32>()?.fill(0.0);
        b.as_slice_mut::<f32>()?.fill(0.0);
        c.as_slice_mut::<f32>()?.fill(0.0);
        Ok(())
    })
}

fn main() {
    let _ = two;
}
