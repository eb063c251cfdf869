//! The calls of linear algebra that programs make on CPUs, by plain algorithms in `f64`.

use super::{
    factors::{Lu, lu, qr},
    matrix::Matrix,
    spectra::{Eigen, Singular, eigen, self_adjoint, singular},
};
use crate::{
    Array,
    array::positions,
    number::{Complex, Number},
};
use hloom_graph::{BackendConfig, CustomCall, Shape, linear_algebra_name};

/// The results of a call; `None` for a target that is not one of linear algebra.
pub(super) fn evaluated(
    call: &CustomCall,
    operands: &[&Array],
    shapes: &[Shape],
) -> Option<Result<Vec<Array>, String>> {
    let function = linear_algebra_name(&call.target)?;
    Some(computed(function, call, operands, shapes))
}

/// The approximate number of products of a call.
pub(super) fn products(call: &CustomCall, operands: &[&Array]) -> usize {
    let sizes = operands.first().map_or(&[][..], |x| x.sizes());
    let [.., rows, columns] = *sizes else { return 1 };
    let (count, size) = (sizes.iter().product::<usize>(), rows.max(columns));
    let by = match linear_algebra_name(&call.target) {
        Some("eig" | "eigh") => size.saturating_mul(16),
        Some("svd") => 64,
        _ => 1,
    };
    count.saturating_mul(size).saturating_mul(by)
}

fn computed(
    function: &str,
    call: &CustomCall,
    operands: &[&Array],
    shapes: &[Shape],
) -> Result<Vec<Array>, String> {
    let is_matrices = |x: &&Array| x.sizes().len() >= 2;
    let count = if function == "solve" { 2 } else { 1 };
    if operands.len() != count || !operands.iter().all(is_matrices) {
        let found: Vec<_> = operands.iter().map(|x| x.shape()).collect();
        return Err(format!("it takes {count} tensors of matrices, not {found:?}"));
    }
    let a = operands[0];
    let batch = &a.sizes()[..a.sizes().len() - 2];
    let [rows, columns] = [a.sizes()[batch.len()], a.sizes()[batch.len() + 1]];
    let is_square = rows == columns || matches!(function, "lu" | "qr" | "svd");
    let rank = batch.len() + 2;
    let fits = |x: &&Array| {
        x.sizes().len() == rank && x.sizes().starts_with(batch) && x.sizes()[rank - 2] == rows
    };
    if !is_square || !operands.iter().all(fits) {
        let found: Vec<_> = operands.iter().map(|x| x.shape()).collect();
        return Err(format!("matrices {found:?} do not fit"));
    }
    let mut all = vec![Vec::new(); shapes.len()];
    for at in positions(batch) {
        let matrices: Vec<Matrix> = operands.iter().map(|x| Matrix::of(x, &at)).collect();
        let results = of_matrices(function, call, matrices, shapes);
        for (all, result) in all.iter_mut().zip(results) {
            all.extend(result.numbers);
        }
    }
    shapes.iter().zip(all).map(|(&shape, numbers)| encoded(shape, &numbers)).collect()
}

/// The results for each matrix; NaN for matrices without results.
fn of_matrices(
    function: &str,
    call: &CustomCall,
    mut matrices: Vec<Matrix>,
    shapes: &[Shape],
) -> Vec<Matrix> {
    let a = matrices.remove(0);
    let (size, last) = (a.rows, |at: usize, back: usize| {
        let sizes = shapes.get(at).map_or(&[][..], |shape| shape.sizes());
        sizes.iter().rev().nth(back).copied().unwrap_or(0)
    });
    let nan = |counts: &[usize]| {
        counts.iter().map(|&count| Matrix::of_reals(vec![f64::NAN; count])).collect()
    };
    match function {
        "lu" => {
            let factors = lu(a);
            let indices = |all: &[usize]| Matrix::of_reals(all.iter().map(|&at| at as f64));
            let (pivots, order) = (indices(&factors.pivots), indices(&factors.order()));
            vec![factors.packed, pivots, order]
        }
        "solve" => matrices.into_iter().map(|b| lu(a.clone()).solution(b)).collect(),
        "inv" => vec![Lu::solution(&lu(a), Matrix::identity(size, size))],
        "qr" => {
            // Factors that are wider than the matrices are rejected later, by their number of
            // elements.
            let width = last(0, 0).min(size);
            qr(a, width).into()
        }
        "svd" => {
            let least = a.rows.min(a.columns);
            let widths = [last(1, 0).min(a.rows), last(2, 1).min(a.columns)];
            let counts = [least, a.rows * widths[0], widths[1] * a.columns];
            singular(&a, widths).map_or_else(
                || nan(&counts),
                |Singular { values, left, right }| {
                    vec![Matrix::of_reals(values), left, right.adjoint()]
                },
            )
        }
        _ => {
            let lower = match &call.config {
                BackendConfig::Typed(attributes) => attributes.scalar("lower").unwrap_or(true),
                BackendConfig::Opaque { .. } => true,
            };
            let found = if function == "eigh" { self_adjoint(&a, lower) } else { eigen(a) };
            found.map_or_else(
                || nan(&[size, size * size]),
                |Eigen { values, vectors }| {
                    vec![Matrix { rows: 1, columns: size, numbers: values }, vectors]
                },
            )
        }
    }
}

/// A tensor of numbers of its type.
fn encoded(shape: Shape, numbers: &[Complex]) -> Result<Array, String> {
    if numbers.len() != shape.element_count() {
        return Err(format!("{} elements do not fill {shape}", numbers.len()));
    }
    let dtype = shape.dtype();
    let number = |z: &Complex| match dtype {
        dtype if dtype.is_complex() => Number::Complex(*z),
        dtype if dtype.is_int() => Number::Int(z.re as i128),
        _ => Number::Float(z.re),
    };
    let is_number = dtype.is_complex() || dtype.is_int() || dtype.is_float();
    if !is_number {
        return Err(format!("{shape} has no elements that are numbers"));
    }
    Ok(Array::of(shape, numbers.iter().map(|z| number(z).encode(dtype)).collect()))
}
