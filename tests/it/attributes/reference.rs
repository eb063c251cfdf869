//! Convolutions and reductions of windows by their definition, one element at a time.

use super::choice::{Conv, Reduced, values};
use crate::row_major::{flat, positions};
use hloom::{DType, ops::Reduction};

/// The element of an axis at a place of a window, if there is one: not padding, and not between
/// elements.
fn element(place: usize, size: usize, low: isize, dilation: usize) -> Option<usize> {
    let place = usize::try_from(place as isize - low).ok()?;
    let index = place / dilation;
    (place % dilation == 0 && index < size).then_some(index)
}

/// The number of windows along an axis.
fn count(padded: isize, window: usize, dilation: usize, stride: usize) -> usize {
    let span = (window as isize - 1) * dilation as isize + 1;
    if padded < span { 0 } else { (padded - span) as usize / stride + 1 }
}

fn spread(size: usize, dilation: usize) -> isize {
    if size == 0 { 0 } else { ((size - 1) * dilation + 1) as isize }
}

pub fn convolved(conv: &Conv) -> Vec<i64> {
    let dims = &conv.dims;
    let spatial = dims.strides.len();
    let (x, k) =
        (values(conv.input.iter().product(), 31), values(conv.kernel.iter().product(), 11));
    let window = |i: usize| conv.kernel[dims.kernel_spatial_dimensions[i]];
    let size = |i: usize| conv.input[dims.input_spatial_dimensions[i]];
    let made = conv.kernel[dims.kernel_output_feature_dimension];
    let taken = conv.kernel[dims.kernel_input_feature_dimension];
    let batch = conv.input[dims.input_batch_dimension] / dims.batch_groups;
    let mut sizes = vec![0; spatial + 2];
    sizes[dims.output_batch_dimension] = batch;
    sizes[dims.output_feature_dimension] = made;
    for i in 0..spatial {
        let padded = spread(size(i), dims.lhs_dilation[i]) + dims.low[i] + dims.high[i];
        sizes[dims.output_spatial_dimensions[i]] =
            count(padded, window(i), dims.rhs_dilation[i], dims.strides[i]);
    }
    let windows: Vec<usize> = (0..spatial).map(window).collect();
    let sum = |at: &Vec<usize>| {
        let feature = at[dims.output_feature_dimension];
        let group = feature * dims.feature_groups / made;
        let of = feature * dims.batch_groups / made;
        let mut sum = 0;
        for by in positions(&windows) {
            let mut from = vec![0; spatial + 2];
            let mut weight = vec![0; spatial + 2];
            let inside = (0..spatial).all(|i| {
                let to = at[dims.output_spatial_dimensions[i]];
                let place = to * dims.strides[i] + by[i] * dims.rhs_dilation[i];
                weight[dims.kernel_spatial_dimensions[i]] =
                    if dims.reversal[i] { windows[i] - 1 - by[i] } else { by[i] };
                let found = element(place, size(i), dims.low[i], dims.lhs_dilation[i]);
                from[dims.input_spatial_dimensions[i]] = found.unwrap_or(0);
                found.is_some()
            });
            for input in (0..taken).filter(|_| inside) {
                from[dims.input_batch_dimension] = of * batch + at[dims.output_batch_dimension];
                from[dims.input_feature_dimension] = group * taken + input;
                weight[dims.kernel_input_feature_dimension] = input;
                weight[dims.kernel_output_feature_dimension] = feature;
                sum += x[flat(&from, &conv.input)] * k[flat(&weight, &conv.kernel)];
            }
        }
        sum
    };
    positions(&sizes).iter().map(sum).collect()
}

/// The reductions of all windows; of those without elements, the identity. Without a kind, the
/// largest elements, and the sums of three times the elements.
pub fn reduced(choice: &Reduced) -> Vec<Vec<i64>> {
    let (window, rank) = (&choice.window, choice.sizes.len());
    let x = values(choice.sizes.iter().product(), 31);
    let along = |i: usize| {
        let padded = spread(choice.sizes[i], window.base_dilations[i]);
        let padded = padded + window.low[i] + window.high[i];
        count(padded, window.sizes[i], window.window_dilations[i], window.strides[i])
    };
    let sizes: Vec<usize> = (0..rank).map(along).collect();
    let windows = positions(&sizes).into_iter().map(|at| {
        let places = positions(&window.sizes).into_iter().filter_map(|by| {
            let from: Option<Vec<usize>> = (0..rank)
                .map(|i| {
                    let place = at[i] * window.strides[i] + by[i] * window.window_dilations[i];
                    element(place, choice.sizes[i], window.low[i], window.base_dilations[i])
                })
                .collect();
            from
        });
        places.map(|from| x[flat(&from, &choice.sizes)]).collect::<Vec<i64>>()
    });
    let windows: Vec<Vec<i64>> = windows.collect();
    let dtype = choice.dtype;
    let sum = |all: &Vec<i64>| wrapped(all.iter().sum(), dtype);
    let Some(reduction) = choice.reduction else {
        let largest = |all: &Vec<i64>| all.iter().copied().fold(0, i64::max);
        let sums = |all: &Vec<i64>| wrapped(all.iter().sum::<i64>() * 3, dtype);
        return vec![windows.iter().map(largest).collect(), windows.iter().map(sums).collect()];
    };
    let [lowest, highest] = ends(dtype);
    let reduce = |all: &Vec<i64>| match reduction {
        Reduction::Sum => sum(all),
        Reduction::Prod => {
            all.iter().fold(1i64, |so_far, x| wrapped(so_far.wrapping_mul(*x), dtype))
        }
        Reduction::Max => all.iter().copied().max().unwrap_or(lowest),
        Reduction::Min => all.iter().copied().min().unwrap_or(highest),
        Reduction::Any | Reduction::All => unreachable!("numbers are reduced"),
    };
    vec![windows.iter().map(reduce).collect()]
}

pub fn wrapped(value: i64, dtype: DType) -> i64 {
    match dtype {
        DType::I8 => (value as i8).into(),
        DType::I32 => (value as i32).into(),
        _ => value,
    }
}

/// The least and the largest value of a type, as numbers of 64 bits.
fn ends(dtype: DType) -> [i64; 2] {
    match dtype {
        DType::I8 => [i8::MIN.into(), i8::MAX.into()],
        DType::I32 => [i32::MIN.into(), i32::MAX.into()],
        DType::U64 => [0, u64::MAX as i64],
        _ => [i64::MIN, i64::MAX],
    }
}
