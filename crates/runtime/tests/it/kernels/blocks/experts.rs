//! Products of groups of rows with stacked weights of blocks.

use super::{
    all_kernels,
    format::{KINDS, Weight, activations, near, product},
};
use crate::CPU;
use hloom_graph::{Spec, Tensor, grad};
use hloom_runtime::{Buffer, Kernels};

const GROUPS: usize = 3;

/// The product of each row with the matrix of its group, zeros after the last group.
fn expected(x: &[f32], matrices: &[f32], sizes: &[i32], k: usize) -> Vec<f64> {
    let n = matrices.len() / GROUPS / k;
    let mut rows = x.chunks_exact(k);
    let mut y = Vec::new();
    for (matrix, &size) in matrices.chunks_exact(n * k).zip(sizes) {
        for row in rows.by_ref().take(size as usize) {
            y.extend(product(row, matrix, k));
        }
    }
    y.extend(rows.flat_map(|_| vec![0.0; n]));
    y
}

#[test]
fn rows_are_multiplied_by_the_matrix_of_their_group() {
    for kind in KINDS {
        for (rows, n, sizes) in [(2, 5, [0, 1, 1]), (40, 7, [13, 0, 20]), (1, 9, [0, 0, 1])] {
            let weight = Weight::new(kind, &[GROUPS, n, 64]);
            let x = activations(rows * 64);
            let expected = expected(&x, &weight.values(), &sizes, 64);
            let specs = (
                Spec::f32([("row", rows), ("in", 64)]),
                weight.spec(["expert", "out", "in"]),
                Spec::i32([("expert", GROUPS)]),
            );
            for (name, kernels, most) in all_kernels() {
                let forward =
                    |x: Tensor, w: Tensor, sizes: Tensor| x.ragged_dot(w, sizes, ("in", "in"));
                let exe = CPU.compiler().kernels(kernels).compile(forward, specs.clone()).unwrap();
                let x = Buffer::from_slice(&CPU, &x, [rows, 64]).unwrap();
                let sizes = Buffer::from_slice(&CPU, &sizes, [GROUPS]).unwrap();
                let y: Buffer = exe.call((&x, &weight.buffer(), &sizes)).unwrap();
                assert_eq!(y.shape().to_string(), format!("f32[row={rows}, out={n}]"));
                near(&y.to_vec::<f32>().unwrap(), &expected, most, &format!("{kind}, {name}"));
            }
        }
    }
}

#[test]
fn derivatives_are_products_with_the_same_groups() {
    let (rows, n, sizes) = (12, 32, [5, 0, 6]);
    let weight = Weight::new(KINDS[0], &[GROUPS, n, 64]);
    let g = activations(rows * n);
    // Each matrix with its axes exchanged.
    let values = weight.values();
    let exchanged: Vec<f32> = values
        .chunks_exact(n * 64)
        .flat_map(|matrix| (0..64).flat_map(move |k| (0..n).map(move |out| matrix[out * 64 + k])))
        .collect();
    let expected = expected(&g, &exchanged, &sizes, n);
    let specs = (
        Spec::f32([("row", rows), ("in", 64)]),
        Spec::f32([("row", rows), ("out", n)]),
        weight.spec(["expert", "out", "in"]),
        Spec::i32([("expert", GROUPS)]),
    );
    let forward = |x: Tensor, g: Tensor, w: Tensor, sizes: Tensor| {
        grad(x, |x| (x.ragged_dot(w, sizes, ("in", "in")) * g).sum(..))
    };
    let exe = CPU.compiler().kernels(Kernels::off()).compile(forward, specs).unwrap();
    let x = Buffer::from_slice(&CPU, &activations(rows * 64), [rows, 64]).unwrap();
    let g = Buffer::from_slice(&CPU, &g, [rows, n]).unwrap();
    let sizes = Buffer::from_slice(&CPU, &sizes, [GROUPS]).unwrap();
    let of_x: Buffer = exe.call((&x, &g, &weight.buffer(), &sizes)).unwrap();
    near(&of_x.to_vec::<f32>().unwrap(), &expected, 1e-6, "derivative");
}
