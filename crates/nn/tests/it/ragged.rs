//! Products of groups of rows with a matrix each, against sums on the host.

use hloom_graph::{DType, Spec, Tensor};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;

/// The products of `rows` with matrices `[group, in, out]`, of small whole numbers: sums are exact
/// in every element type.
fn check(dtype: DType, rows: usize, sizes: &[i32], is_transposed: bool) {
    let (groups, inputs, outputs) = (sizes.len(), 5, 3);
    let x: Vec<f32> = (0..rows * inputs).map(|i| (i * 7 % 5) as f32 - 2.0).collect();
    let w: Vec<f32> = (0..groups * inputs * outputs).map(|i| (i * 11 % 7) as f32 - 3.0).collect();
    let at = |group: usize, input: usize, output: usize| {
        if is_transposed {
            w[(group * outputs + output) * inputs + input]
        } else {
            w[(group * inputs + input) * outputs + output]
        }
    };
    let ends = sizes.iter().scan(0, |end, &size| {
        *end += usize::try_from(size).unwrap_or(0);
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let mut expected = Vec::new();
    for row in 0..rows {
        let group = ends.iter().position(|&end| row < end);
        expected.extend((0..outputs).map(|output| {
            let sum = |group| (0..inputs).map(|i| x[row * inputs + i] * at(group, i, output)).sum();
            group.map_or(0.0f32, sum)
        }));
    }
    let matrices = if is_transposed {
        [("group", groups), ("out", outputs), ("in", inputs)]
    } else {
        [("group", groups), ("in", inputs), ("out", outputs)]
    };
    let specs = (
        Spec::f32([("row", rows), ("in", inputs)]),
        Spec::f32(matrices),
        Spec::i32([("group", groups)]),
    );
    let products = |x: Tensor, w: Tensor, sizes: Tensor| {
        let product = x.convert(dtype).ragged_dot(w.convert(dtype), sizes, ("in", "in"));
        product.convert(DType::F32)
    };
    let exe = CPU.compile(products, specs.clone()).unwrap();
    let x = Buffer::from_slice(&CPU, &x, &specs.0).unwrap();
    let w = Buffer::from_slice(&CPU, &w, &specs.1).unwrap();
    let group_sizes = Buffer::from_slice(&CPU, sizes, &specs.2).unwrap();
    let found = exe.call((&x, &w, &group_sizes)).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(found, expected, "{dtype}, {rows} rows, {sizes:?}, {is_transposed}");
}

#[test]
fn few_rows_and_many_give_the_same_sums() {
    for dtype in [DType::F32, DType::BF16, DType::I32] {
        for is_transposed in [false, true] {
            // As many rows as groups or fewer, at most 8, are visited one by one.
            check(dtype, 1, &[0, 1, 0], is_transposed);
            check(dtype, 3, &[1, 0, 1, 1, 0], is_transposed);
            check(dtype, 4, &[4, 0, 0, 0], is_transposed);
            check(dtype, 4, &[3, 0, 1], is_transposed);
            check(dtype, 17, &[0, 9, 1, 7], is_transposed);
        }
    }
}

#[test]
fn rows_without_a_group_give_zeros() {
    for rows in [1, 3, 5, 20] {
        check(DType::F32, rows, &[0, 0, 0, 0, 0], false);
        check(DType::F32, rows, &[0, 1, -4, 1, 0], false);
        check(DType::F32, rows, &[0, i32::MAX, i32::MAX, 0, 2], true);
    }
}
