//! Queries that see no position, and positions for which a cache has no room.

use hloom_graph::{DType, Spec, Tensor, value_and_grad};
use hloom_nn::{AttentionOptions, LayerCache, attention, attention_with};
use hloom_runtime::{Buffer, Kernels};
use hloom_test_support::CPU;

/// Three queries, of which the second sees nothing.
const MASK: [bool; 12] =
    [true, false, true, true, false, false, false, false, false, true, false, true];

#[test]
fn both_forms_of_attention_and_their_gradients_are_zeros_for_a_query_that_sees_nothing() {
    let q = Spec::f32([("seq", 3), ("kv_head", 2), ("group", 2), ("dim", 4)]);
    let kv = Spec::f32([("kv_head", 2), ("position", 4), ("dim", 4)]);
    let mask = Spec::new(DType::Bool, [("seq", 3), ("position", 4)]);
    let plain = |q: Tensor, k: Tensor, v: Tensor, mask| attention(q, k, v, Some(mask), 0.5);
    let with_options = |q: Tensor, k: Tensor, v: Tensor, mask| {
        let options = AttentionOptions { mask: Some(mask), ..AttentionOptions::default() };
        attention_with(q, k, v, 0.5, &options)
    };
    type Form = fn(Tensor, Tensor, Tensor, Tensor) -> Tensor;
    let numbers = |spec: &Spec, step: usize| {
        let count = spec.shape().element_count();
        let values: Vec<f32> = (0..count).map(|i| (i * step % 13) as f32 * 0.2 - 1.2).collect();
        Buffer::from_slice(&CPU, &values, spec).unwrap()
    };
    let [q_values, k_values, v_values] = [(&q, 5), (&kv, 7), (&kv, 3)].map(|(s, n)| numbers(s, n));
    let mask_values = Buffer::from_slice(&CPU, &MASK, &mask).unwrap();
    let found = |form: Form, kernels: Kernels| {
        let specs = (q.clone(), kv.clone(), kv.clone(), mask.clone());
        let step = move |q: Tensor, k: Tensor, v: Tensor, mask: Tensor| {
            let loss = |(q, k, v): (Tensor, Tensor, Tensor)| form(q, k, v, mask).square().sum(..);
            let (_, (dq, dk, dv)) = value_and_grad((q, k, v), loss);
            (form(q, k, v, mask), dq, dk, dv)
        };
        let exe = CPU.compiler().kernels(kernels).compile(step, specs).unwrap();
        let (y, dq, dk, dv) = exe.call((&q_values, &k_values, &v_values, &mask_values)).unwrap();
        [y, dq, dk, dv].map(|x| x.to_vec::<f32>().unwrap())
    };
    let all: Vec<[Vec<f32>; 4]> = [plain as Form, with_options as Form]
        .into_iter()
        .flat_map(|form| [Kernels::default(), Kernels::off()].map(|kernels| found(form, kernels)))
        .collect();
    for [y, dq, dk, dv] in &all {
        for (name, x) in [("result", y), ("gradient of the queries", dq)] {
            assert!(x[16..32].iter().all(|&x| x == 0.0), "the unseen {name}: {x:?}");
            assert!(x[..16].iter().chain(&x[32..]).all(|&x| x != 0.0), "the seen {name}: {x:?}");
        }
        for (x, first) in [y, dq, dk, dv].into_iter().zip(&all[0]) {
            let is_near = x.iter().zip(first).all(|(x, first)| (x - first).abs() < 1e-5);
            assert!(is_near, "{x:?} instead of {first:?}");
        }
    }
}

#[test]
fn a_cache_refuses_what_is_known_to_be_beyond_its_end_and_clamps_the_rest() {
    let cache = Spec::f32([("kv_head", 1), ("position", 4), ("dim", 1)]);
    let new = |count: usize| Spec::f32([("seq", count), ("kv_head", 1), ("dim", 1)]);
    let append = |start: i32| {
        move |cache: Tensor, new: Tensor| {
            let start = Tensor::scalar(start, DType::I32);
            LayerCache { key: cache, value: cache }.append(new, new, start).key
        }
    };
    let ring = |cache: Tensor, new: Tensor| {
        let start = Tensor::scalar(0, DType::I32);
        LayerCache { key: cache, value: cache }.append_ring(new, new, start).key
    };
    let refusal = |start: i32, count: usize| {
        let error = CPU.compile(append(start), (cache.clone(), new(count))).map(drop).unwrap_err();
        error.to_string().lines().next().unwrap().to_owned()
    };
    let positions = |message: &str| format!("nn::LayerCache::append: {message} of 4");
    assert_eq!(refusal(0, 5), positions("5 positions do not fit into a cache"));
    assert_eq!(refusal(4, 1), positions("positions 4 to 5 do not fit into a cache"));
    assert_eq!(refusal(3, 2), positions("positions 3 to 5 do not fit into a cache"));
    let error = CPU.compile(ring, (cache.clone(), new(5))).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("nn::LayerCache::append_ring: 5 positions do not fit"), "{error}");
    CPU.compile(append(2), (cache.clone(), new(2))).map(drop).unwrap();

    let append = |cache: Tensor, new: Tensor, start: Tensor| {
        LayerCache { key: cache, value: cache }.append(new, new, start).key
    };
    let exe = CPU.compile(append, (cache.clone(), new(2), Spec::i32([0; 0]))).unwrap();
    let before = Buffer::from_slice(&CPU, &[1f32, 2., 3., 4.], &cache).unwrap();
    let values = Buffer::from_slice(&CPU, &[8f32, 9.], &new(2)).unwrap();
    for (start, expected) in [
        (1, [1., 8., 9., 4.]),
        (3, [1., 2., 8., 9.]),
        (9, [1., 2., 8., 9.]),
        (-1, [1., 2., 8., 9.]),
    ] {
        let start = Buffer::from_slice(&CPU, &[start], [0; 0]).unwrap();
        assert_eq!(
            exe.call((&before, &values, &start)).unwrap().to_vec::<f32>().unwrap(),
            expected
        );
    }
}
