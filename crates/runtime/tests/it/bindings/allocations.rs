//! Allocations of calls.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::{CPU, allocations};

/// Allocations of `work` after a few runs that may allocate tables.
fn steady(mut work: impl FnMut()) -> u64 {
    (0..3).for_each(|_| work());
    let before = allocations();
    (0..10).for_each(|_| work());
    let allocated = allocations() - before;
    assert_eq!(allocated % 10, 0, "{allocated} allocations in 10 calls");
    allocated / 10
}

/// E5: a call allocates the handle of each result on the host and nothing else, and `call_into`
/// nothing: the tables for the plugin are allocated by the first call and kept.
#[test]
fn calls_allocate_the_handles_of_their_results_only() {
    assert!({
        let before = allocations();
        drop(std::hint::black_box(Box::new(1)));
        allocations() > before
    });
    let spec = || Spec::f32([4]);
    let buffer = || Buffer::zeros(&CPU, spec()).unwrap();
    let (x, y) = (buffer(), buffer());
    let one = CPU.compile(|x: Tensor, y: Tensor| x + y, (spec(), spec())).unwrap();
    let mut result = one.call((&x, &y)).unwrap();
    assert_eq!(steady(|| drop(one.call((&x, &y)).unwrap())), 1);
    assert_eq!(steady(|| one.call_into((&x, &y), &mut result).unwrap()), 0);

    let three = |x: Tensor, y: Tensor| (x + y, (x - y, x * y));
    let three = CPU.compile(three, (spec(), spec())).unwrap().bind(&x).unwrap();
    let mut results = three.call((&y,)).unwrap();
    assert_eq!(steady(|| drop(three.call((&y,)).unwrap())), 3);
    assert_eq!(steady(|| three.call_into((&y,), &mut results).unwrap()), 0);

    // Donated and kept arguments, and as many as a cache of forty layers has.
    let step = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let step = CPU.compile(step, (Donated(spec()), spec())).unwrap();
    let mut cache = Some(buffer());
    assert_eq!(steady(|| cache = Some(step.call((cache.take().unwrap(), &x)).unwrap())), 1);
    let kept = step.keep::<0>();
    assert_eq!(steady(|| kept.call_into((&y, &x), &mut result).unwrap()), 0);
    let many = |xs: Vec<Tensor>| xs.iter().fold(xs[0], |sum, &x| sum + x);
    let many = CPU.compile(many, (vec![spec(); 80],)).unwrap();
    let xs: Vec<Buffer> = (0..80).map(|_| buffer()).collect();
    assert_eq!(steady(|| many.call_into((&xs,), &mut result).unwrap()), 0);
}
