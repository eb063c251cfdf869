//! Matmuls compared with sums in `f64`.

use crate::reference::{Random, check_sum};
use half::{bf16, f16};
use hloom_kernels::{Element, Error, Isa, Linear, Matrix, MatrixMut, Pool, Scoped, Serial};
use proptest::prelude::*;

/// One product.
fn linear<X: Element, W: Element, Y: Element>(
    isa: Isa,
    pool: &dyn Pool,
    x: Matrix<'_, X>,
    weight: Matrix<'_, W>,
    bias: Option<&[Y]>,
    y: MatrixMut<'_, Y>,
) -> Result<(), Error> {
    hloom_kernels::linear(isa, pool, x, &mut [Linear { weight, bias, y }])
}

/// Multiplies random operands whose row stride exceeds the row length and which start at odd
/// offsets, with NaN around each row.
fn check<X: Element, W: Element, Y: Element>(
    isa: Isa,
    threads: usize,
    [rows, n, k]: [usize; 3],
    seed: u64,
) {
    let mut random = Random(seed);
    let (x_stride, w_stride, y_stride) = (k + 3, k + 1, n + 2);
    let mut filled = |rows: usize, stride: usize| -> Vec<f32> {
        let value = |at: usize| match at.checked_sub(1).map(|at| at % stride) {
            Some(column) if column < k => random.next(),
            _ => f32::NAN,
        };
        (0..rows * stride + 1).map(value).collect()
    };
    let x: Vec<X> = filled(rows, x_stride).into_iter().map(X::from_f32).collect();
    let weight: Vec<W> = filled(n, w_stride).into_iter().map(W::from_f32).collect();
    let bias: Vec<Y> = (0..n).map(|_| Y::from_f32(random.next())).collect();
    let with_bias = seed.is_multiple_of(2);
    let outside = Y::from_f32(77.0);
    let mut y = vec![outside; rows * y_stride + 1];
    linear(
        isa,
        &Scoped(threads),
        Matrix::with_stride(&x[1..], rows, k, x_stride).expect("it fits"),
        Matrix::with_stride(&weight[1..], n, k, w_stride).expect("it fits"),
        with_bias.then_some(&bias),
        MatrixMut::with_stride(&mut y[1..], rows, n, y_stride).expect("it fits"),
    )
    .expect("the operands fit");
    let what =
        format!("{isa} {threads} threads {}x{}->{} {rows}x{n}x{k}", X::NAME, W::NAME, Y::NAME);
    for row in 0..rows {
        for column in 0..n {
            let products = (0..k).map(|i| {
                let (x, w) = (x[1 + row * x_stride + i], weight[1 + column * w_stride + i]);
                f64::from(x.to_f32()) * f64::from(w.to_f32())
            });
            let bias = with_bias.then(|| f64::from(bias[column].to_f32()));
            check_sum(&what, products.chain(bias), y[1 + row * y_stride + column]);
        }
        let gap = &y[1 + row * y_stride + n..][..y_stride - n];
        assert!(gap.iter().all(|&y| y == outside), "{what}: wrote outside the result");
    }
    assert_eq!(y[0], outside, "{what}: wrote before the result");
}

fn check_types(isa: Isa, threads: usize, sizes: [usize; 3], seed: u64) {
    check::<f32, f32, f32>(isa, threads, sizes, seed);
    check::<bf16, bf16, f32>(isa, threads, sizes, seed);
    check::<f16, f16, f32>(isa, threads, sizes, seed);
    check::<bf16, bf16, bf16>(isa, threads, sizes, seed);
    check::<f16, f16, f16>(isa, threads, sizes, seed);
    if cfg!(miri) {
        return;
    }
    check::<f32, bf16, f32>(isa, threads, sizes, seed);
    check::<f32, f16, bf16>(isa, threads, sizes, seed);
    check::<bf16, f32, f16>(isa, threads, sizes, seed);
}

#[test]
fn sums_are_right_at_the_edges_of_vectors_tiles_and_blocks() {
    for isa in Isa::available() {
        for (seed, sizes) in [
            [0, 3, 5],
            [3, 0, 5],
            [1, 1, 0],
            [12, 2, 0],
            [1, 1, 1],
            [1, 5, 33],
            [2, 7, 31],
            [3, 6, 64],
            [4, 9, 100],
            [5, 67, 17],
            [6, 3, 15],
            [7, 2, 65],
            [8, 11, 96],
            [9, 13, 70],
            [13, 17, 1030],
            [19, 3, 2049],
            [257, 5, 40],
            [9, 5, 64],
            [12, 21, 96],
            // Pieces with more rows of the weight than are stored together.
            [1, 701, 17],
            [3, 603, 40],
            [4, 331, 100],
            // Groups of long rows, in one block of columns or several.
            [9, 50, 2500],
            [33, 23, 2065],
            [64, 14, 1100],
            [65, 7, 1100],
            // Few rows whose columns are multiplied block by block.
            [4, 7, 3100],
            [5, 6, 1300],
            [6, 5, 2050],
            [7, 8, 1761],
            [8, 10, 769],
            [8, 70, 1537],
            [40, 13, 1600],
            [15, 13, 300],
            [16, 7, 256],
            [17, 12, 257],
            [24, 6, 272],
            [33, 97, 512],
            [127, 6, 16],
            [513, 50, 33],
            [5, 32, 64],
            [16, 33, 31],
            [64, 64, 512],
            [70, 161, 545],
            [96, 32, 1024],
        ]
        .into_iter()
        .enumerate()
        {
            if cfg!(miri) && sizes.iter().product::<usize>() > 700 {
                continue;
            }
            for threads in if cfg!(miri) { 2..=2 } else { 1..=3 } {
                check_types(isa, threads, sizes, seed as u64);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much for an interpreter")]
fn long_sums_are_right() {
    for isa in Isa::available() {
        for rows in [1, 8, 10] {
            check_types(isa, 2, [rows, 5, 16_384], 7);
        }
    }
}

#[test]
fn threads_do_not_change_results() {
    let (n, k) = if cfg!(miri) { (20, 12) } else { (1000, 300) };
    let mut random = Random(3);
    let weight: Vec<bf16> = (0..n * k).map(|_| bf16::from_f32(random.next())).collect();
    for isa in Isa::available() {
        for rows in [1, 3, 8, 20] {
            let x: Vec<bf16> = (0..rows * k).map(|_| bf16::from_f32(random.next())).collect();
            let run = |threads| {
                let mut y = vec![0.0_f32; rows * n];
                linear(
                    isa,
                    &Scoped(threads),
                    Matrix::new(&x, rows, k).expect("it fits"),
                    Matrix::new(&weight, n, k).expect("it fits"),
                    None,
                    MatrixMut::new(&mut y, rows, n).expect("it fits"),
                )
                .expect("the operands fit");
                y
            };
            let one = run(1);
            assert!(run(2) == one && run(3) == one, "{isa}, {rows} rows");
        }
    }
}

#[test]
fn products_of_the_same_operand_are_as_if_alone() {
    let (k, sizes) = (if cfg!(miri) { 10 } else { 70 }, [5, 0, 130, 1]);
    let mut random = Random(5);
    for rows in [1, 4, 9, 300].into_iter().take(if cfg!(miri) { 3 } else { 4 }) {
        let x: Vec<f32> = (0..rows * k).map(|_| random.next()).collect();
        let x = Matrix::new(&x, rows, k).expect("it fits");
        let weights =
            sizes.map(|n| (0..n * k).map(|_| f16::from_f32(random.next())).collect::<Vec<_>>());
        let weights = [0, 1, 2, 3].map(|i| Matrix::new(&weights[i], sizes[i], k).expect("it fits"));
        let bias = [f16::ONE; 5];
        for isa in Isa::available() {
            let mut alone = sizes.map(|n| vec![f16::ZERO; rows * n]);
            let mut together = alone.clone();
            for (i, y) in alone.iter_mut().enumerate() {
                let y = MatrixMut::new(y, rows, sizes[i]).expect("it fits");
                linear(isa, &Serial, x, weights[i], (i == 0).then_some(&bias), y)
                    .expect("the operands fit");
            }
            let mut products: Vec<_> = together
                .iter_mut()
                .enumerate()
                .map(|(i, y)| Linear {
                    weight: weights[i],
                    bias: (i == 0).then_some(&bias[..]),
                    y: MatrixMut::new(y, rows, sizes[i]).expect("it fits"),
                })
                .collect();
            hloom_kernels::linear(isa, &Scoped(2), x, &mut products).expect("the operands fit");
            assert_eq!(alone, together, "{isa}, {rows} rows");
        }
    }
}

#[test]
fn nan_and_infinities_pass_through() {
    let n = 9;
    // Tiles of short and of long rows.
    let columns = [(50, [0, 31, 32, 49]), (300, [7, 8, 287, 299])];
    let rows = [1, 4, 5, 8, 11].map(|rows| columns.map(|(k, places)| (rows, k, places)));
    for isa in Isa::available() {
        for (rows, k, places) in rows.into_iter().flatten() {
            if cfg!(miri) && rows * k > 300 {
                continue;
            }
            for place in places.into_iter().take(if cfg!(miri) { 2 } else { 4 }) {
                let mut x = vec![1.0_f32; rows * k];
                let mut weight = vec![bf16::ONE; n * k];
                x[(rows - 1) * k + place] = f32::INFINITY;
                weight[place] = bf16::NAN;
                weight[k + place] = bf16::ZERO;
                weight[2 * k + place] = bf16::NEG_ONE;
                let mut y = vec![0.0_f32; rows * n];
                let x: Vec<bf16> = x.into_iter().map(bf16::from_f32).collect();
                linear(
                    isa,
                    &Serial,
                    Matrix::new(&x, rows, k).expect("it fits"),
                    Matrix::new(&weight, n, k).expect("it fits"),
                    None,
                    MatrixMut::new(&mut y, rows, n).expect("it fits"),
                )
                .expect("the operands fit");
                let last = &y[(rows - 1) * n..];
                assert!(last[0].is_nan(), "{isa}: a NaN stays");
                assert!(last[1].is_nan(), "{isa}: 0 times infinity");
                assert_eq!(last[2], f32::NEG_INFINITY, "{isa}");
                assert!(last[3..].iter().all(|&y| y == f32::INFINITY), "{isa}");
                if rows > 1 {
                    assert!(y[0].is_nan());
                    let finite = [k - 1, k - 2, k].map(|sum| sum as f32);
                    assert_eq!(y[1..4], finite, "{isa}: other rows stay finite");
                }
            }
        }
    }
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let data = [1.0_f32; 6];
    let error = Matrix::new(&data, 2, 4).expect_err("8 elements");
    assert_eq!(error.to_string(), "2 rows of 4 elements every 4 do not fit into 6 elements");
    assert!(Matrix::with_stride(&data, 2, 3, 2).is_err(), "rows overlap");
    assert!(Matrix::with_stride(&data, usize::MAX, 3, usize::MAX).is_err(), "sizes overflow");
    assert!(MatrixMut::with_stride(&mut [0.0_f32; 6], 2, 3, 4).is_err());
    let matrix = |rows, columns| Matrix::new(&data, rows, columns).expect("it fits");
    let mut y = [0.0_f32; 6];
    let mut run = |x, weight, bias: Option<&[f32]>, rows, columns| {
        let y = MatrixMut::new(&mut y, rows, columns).expect("it fits");
        linear(Isa::Portable, &Serial, x, weight, bias, y).map_err(|error| error.to_string())
    };
    assert_eq!(
        run(matrix(2, 3), matrix(3, 2), None, 2, 3),
        Err("columns of the weight: expected 3, found 2".into())
    );
    assert_eq!(
        run(matrix(2, 3), matrix(2, 3), None, 1, 2),
        Err("rows of the result: expected 2, found 1".into())
    );
    assert_eq!(
        run(matrix(2, 3), matrix(2, 3), None, 2, 3),
        Err("columns of the result: expected 2, found 3".into())
    );
    assert_eq!(
        run(matrix(2, 3), matrix(2, 3), Some(&[1.0]), 2, 2),
        Err("elements of the bias: expected 2, found 1".into())
    );
    assert_eq!(run(matrix(2, 3), matrix(2, 3), None, 2, 2), Ok(()));
    let _: Error = error;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 96 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sizes(
        rows in 0..if cfg!(miri) { 12_usize } else { 40 },
        n in 0..if cfg!(miri) { 6_usize } else { 90 },
        k in 0..if cfg!(miri) { 12_usize } else { 300 },
        threads in 1..4_usize,
        seed in 0..1000_u64,
    ) {
        for isa in Isa::available() {
            check::<bf16, bf16, f32>(isa, threads, [rows, n, k], seed);
            check::<f32, f32, f32>(isa, threads, [rows, n, k], seed);
            check::<f16, f16, f16>(isa, threads, [rows, n, k], seed);
        }
    }
}
