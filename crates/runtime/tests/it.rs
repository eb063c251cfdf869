//! Compiling and calling on the real CPU plugin.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Platform};
use std::sync::LazyLock;

static CPU: LazyLock<Platform> = LazyLock::new(|| {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    Platform::load(plugin).expect("the CPU plugin gives a client")
});

#[test]
fn a_function_is_compiled_bound_and_called() {
    let double_plus = |w: Tensor, x: Tensor| x * w + 1.0;
    let exe = CPU
        .compile(double_plus, (Spec::f32([("n", 3)]), Spec::f32([("n", 3)])))
        .unwrap();
    let w = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [("n", 3)]).unwrap();
    let exe = exe.bind(&w).unwrap();
    drop(w);
    let x = Buffer::from_slice(&CPU, &[10f32, 20.0, 30.0], [("n", 3)]).unwrap();
    let mut y = exe.call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [11.0, 41.0, 91.0]);
    exe.call_into((&x,), &mut y).unwrap();
    assert_eq!(y.to_string(), "[11. 41. 91.]");
}

#[test]
fn a_donated_cache_is_updated_in_place() {
    let step = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let exe = CPU
        .compile(step, (Donated(Spec::f32([1024])), Spec::f32([1024])))
        .unwrap();
    assert_eq!(exe.any().unused_donations(), Some(vec![]));
    let x = Buffer::from_slice(&CPU, &[1f32; 1024], [1024]).unwrap();
    let mut cache = Buffer::zeros(&CPU, x.shape()).unwrap();
    cache = exe.call((cache, &x)).unwrap();
    cache.ready().unwrap();
    let start = cache.as_pjrt().unsafe_pointer().unwrap();
    for _ in 0..1000 {
        cache = exe.call((cache, &x)).unwrap();
    }
    assert_eq!(cache.to_vec::<f32>().unwrap(), [1001.0; 1024]);
    assert_eq!(cache.as_pjrt().unsafe_pointer().unwrap(), start);
}
