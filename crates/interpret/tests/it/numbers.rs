use super::graph;
use hloom_graph::{DType, Shape, Spec};
use hloom_interpret::{Array, interpret};

/// Every element of a type of at most 16 bits, as bytes.
fn every(dtype: DType) -> Array {
    let count = 1usize << dtype.bits();
    let shape = Shape::new(dtype, [count]).expect("it is small");
    let bytes: Vec<u8> =
        (0..count).flat_map(|bits| bits.to_le_bytes().into_iter().take(dtype.size())).collect();
    Array::from_bytes(shape, &bytes).expect("the bytes are the shape's")
}

#[test]
fn every_short_float_comes_back_from_a_wider_type() {
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float() && dtype.bits() <= 16) {
        let all = every(dtype);
        let spec = Spec::of(all.shape());
        let there = graph(&spec, |x| x.convert(DType::F64).convert(dtype));
        let back = interpret(&there, std::slice::from_ref(&all)).expect("it is evaluated");
        let wide = interpret(&graph(&spec, |x| x.convert(DType::F64)), std::slice::from_ref(&all));
        let wide = wide.expect("it is evaluated")[0].to_vec::<f64>().expect("it is f64");
        let width = dtype.size();
        let (before, after) = (all.to_bytes(), back[0].to_bytes());
        let pairs = before.chunks(width).zip(after.chunks(width)).zip(wide);
        for ((before, after), value) in pairs.filter(|(_, value)| !value.is_nan()) {
            assert_eq!(before, after, "{dtype}: {value}");
        }
    }
}

#[test]
fn values_between_two_neighbours_round_to_the_nearer_one() {
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float() && dtype.bits() <= 8) {
        let spec = Spec::of(every(dtype).shape());
        let wide = interpret(&graph(&spec, |x| x.convert(DType::F64)), &[every(dtype)]);
        let mut wide = wide.expect("it is evaluated")[0].to_vec::<f64>().expect("it is f64");
        wide.retain(|value| value.is_finite());
        wide.sort_by(f64::total_cmp);
        wide.dedup();
        let near: Vec<f64> = wide.windows(2).map(|pair| pair[0] * 0.6 + pair[1] * 0.4).collect();
        let shape = Shape::new(DType::F64, [near.len()]).expect("it is small");
        let near = Array::new(shape, &near).expect("it is f64");
        let there = graph(&Spec::of(shape), |x| x.convert(dtype).convert(DType::F64));
        let found = interpret(&there, &[near]).expect("it is evaluated")[0].to_vec::<f64>();
        assert_eq!(found.expect("it is f64"), wide[..wide.len() - 1], "{dtype}");
    }
}
