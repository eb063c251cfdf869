//! Donated caches, which stay padded.

use super::{padding, values};
use hloom_graph::{DType, Spec, Tensor};
use hloom_runtime::{BucketedExe, Buckets, Buffer, Donated};
use hloom_test_support::CPU;

/// Adds what is valid to the cache, and returns it, its sum and the input.
fn add(cache: Tensor, x: Tensor, length: Tensor) -> (Tensor, Tensor, Tensor) {
    let cache = (cache + x.masked_fill(padding(x, length), 0.0)).reuse(cache);
    (cache, cache.sum("seq"), x)
}

type Add = BucketedExe<(Donated<Spec>, Spec), (Tensor, Tensor, Tensor)>;

fn compiled() -> Add {
    let spec = || Spec::f32([("seq", 1)]);
    let arguments = (Donated(spec()), spec());
    CPU.compile_buckets(add, arguments, Buckets::pow2("seq", 16..=64)).unwrap()
}

fn cache(size: usize) -> Buffer {
    Buffer::zeros(&CPU, Spec::f32([("seq", size)])).unwrap()
}

#[test]
fn a_cache_selects_the_bucket_and_is_updated_in_place() {
    let exe = compiled();
    let mut cache = cache(32);
    let mut expected = [0f32; 32];
    let start = cache.as_pjrt().unsafe_pointer().unwrap();
    for length in [1, 5, 16, 17, 31, 32] {
        let values = values(length);
        let x = Buffer::from_slice(&CPU, &values, [("seq", length)]).unwrap();
        let (next, sum, same) = exe.call((cache, &x)).unwrap();
        expected.iter_mut().zip(&values).for_each(|(cache, x)| *cache += x);
        cache = next;
        assert_eq!(cache.to_vec::<f32>().unwrap(), expected, "it stays padded");
        assert_eq!(cache.as_pjrt().unsafe_pointer().unwrap(), start, "nothing is copied");
        assert!((sum.item::<f32>().unwrap() - expected.iter().sum::<f32>()).abs() < 1e-4);
        assert_eq!(same.to_vec::<f32>().unwrap(), values, "other results are cut");
    }
    assert_eq!(exe.stats().compiled, [[32]]);
}

#[test]
fn a_cache_alone_is_as_long_as_its_bucket() {
    let step = |cache: Tensor, by: Tensor, length: Tensor| {
        ((cache + by).reuse(cache), length + Tensor::scalar(0, DType::I32))
    };
    let arguments = (Donated(Spec::f32([("seq", 1)])), Spec::scalar(DType::F32));
    let exe = CPU.compile_buckets(step, arguments, Buckets::pow2("seq", 16..=64)).unwrap();
    let by = Buffer::scalar(&CPU, 2f32).unwrap();
    let (cache, length) = exe.call((cache(32), &by)).unwrap();
    assert_eq!(length.item::<i32>().unwrap(), 32);
    let start = cache.as_pjrt().unsafe_pointer().unwrap();
    let (cache, length) = exe.call_padded(7, (cache, &by)).unwrap();
    assert_eq!(length.item::<i32>().unwrap(), 7);
    assert_eq!(cache.to_vec::<f32>().unwrap(), [4.0; 32]);
    assert_eq!(cache.as_pjrt().unsafe_pointer().unwrap(), start);
}

#[test]
fn an_input_longer_than_its_cache_is_refused() {
    let exe = compiled();
    let x = Buffer::from_slice(&CPU, &values(40), [("seq", 40)]).unwrap();
    assert!(exe.call((cache(32), &x)).is_err());
    let (cache, ..) = exe.call((cache(64), &x)).unwrap();
    assert_eq!(cache.to_vec::<f32>().unwrap()[..40], values(40));
}
