//! Layers whose weights are stored in types that products are not computed in.

use hloom_graph::{ConvOptions, DType, Spec, Tensor};
use hloom_nn::{Conv, Linear};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;

const INPUTS: usize = 6;
const OUTPUTS: usize = 5;
const ROWS: usize = 4;

/// Every weight is a value of the smallest type, and activations have 7 significant bits, more than
/// floats of 8 bits have: the sums are exact if `compute_dtype` is what is multiplied.
#[test]
fn products_are_exact_in_the_compute_type() {
    let x: Vec<f32> = (0..ROWS * INPUTS).map(|i| (i * 37 % 127) as f32 / 2.0 - 31.0).collect();
    let w: Vec<f32> = (0..OUTPUTS * INPUTS).map(|i| (i * 11 % 7) as f32 - 3.0).collect();
    let mut expected = Vec::new();
    for row in x.chunks(INPUTS) {
        let sum = |w: &[f32]| row.iter().zip(w).map(|(x, w)| x * w).sum::<f32>();
        expected.extend(w.chunks(INPUTS).map(sum));
    }
    let spec = Spec::f32([("out", OUTPUTS), ("in", INPUTS)]);
    let x_spec = Spec::f32([("row", ROWS), ("in", INPUTS)]);
    let x = Buffer::from_slice(&CPU, &x, &x_spec).unwrap();
    let w = Buffer::from_slice(&CPU, &w, &spec).unwrap();
    for stored in [
        DType::F8E4M3FN,
        DType::F8E5M2,
        DType::F8E4M3FNUZ,
        DType::F8E5M2FNUZ,
        DType::F4E2M1FN,
        DType::I4,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::F16,
        DType::F64,
    ] {
        let convert = CPU.compile(move |w: Tensor| w.convert(stored), (spec.clone(),)).unwrap();
        let w = convert.call((&w,)).unwrap();
        assert_eq!(w.shape().dtype(), stored);
        let arguments = (x_spec.clone(), spec.clone().with_dtype(stored));
        let linear = |x: Tensor, weight: Tensor| Linear { weight, bias: None }.forward(x);
        let found = CPU.compile(linear, arguments.clone()).unwrap().call((&x, &w)).unwrap();
        assert_eq!(found.to_vec::<f32>().unwrap(), expected, "{stored}");
        let conv = |x: Tensor, weight: Tensor| {
            let weight = weight.insert_axis(-1, "size");
            let conv = Conv { weight, bias: None, options: ConvOptions::new() };
            conv.forward(x.transpose(["in", "row"])).named(["out", "row"]).transpose(["row", "out"])
        };
        let found = CPU.compile(conv, arguments).unwrap().call((&x, &w)).unwrap();
        assert_eq!(found.to_vec::<f32>().unwrap(), expected, "{stored}");
    }
}

#[test]
fn products_of_integers_stay_products_of_integers() {
    let linear = |x: Tensor, weight: Tensor| Linear { weight, bias: None }.forward(x);
    let specs = (Spec::i32([("row", 1), ("in", 2)]), Spec::i32([("out", 1), ("in", 2)]));
    let x = Buffer::from_slice(&CPU, &[1 << 24, 1], &specs.0).unwrap();
    let w = Buffer::from_slice(&CPU, &[3, 1], &specs.1).unwrap();
    let found = CPU.compile(linear, specs).unwrap().call((&x, &w)).unwrap();
    assert_eq!(found.to_vec::<i32>().unwrap(), [3 * (1 << 24) + 1]);
}
