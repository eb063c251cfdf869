//! Reductions of sliding windows, and pooling.

use crate::{EXACT, Row, rows, ulps};
use hloom::{
    ops::{Padding, PerAxis, PoolOptions, Reduction, ScatterUpdate, WindowDims, reduce_window_by},
    prelude::*,
};

fn window() -> WindowDims {
    WindowDims {
        strides: PerAxis::collect([1, 2]),
        low: PerAxis::collect([1, 0]),
        high: PerAxis::collect([0, 2]),
        base_dilations: PerAxis::collect([2, 1]),
        window_dilations: PerAxis::collect([1, 2]),
        ..WindowDims::new(PerAxis::collect([2, 3]))
    }
}

fn cropped() -> WindowDims {
    WindowDims {
        strides: PerAxis::collect([1, 1, 2]),
        low: PerAxis::collect([0, -1, 2]),
        high: PerAxis::collect([0, 1, -2]),
        ..WindowDims::new(PerAxis::collect([1, 2, 2]))
    }
}

/// The largest element of each window with its tag; of equal ones, the first.
fn largest(x: Tensor, tags: Tensor) -> (Tensor, Tensor) {
    let window = WindowDims {
        strides: PerAxis::collect([1, 2]),
        low: PerAxis::collect([1, 1]),
        high: PerAxis::collect([0, 1]),
        ..WindowDims::new(PerAxis::collect([2, 3]))
    };
    let start = (Tensor::scalar(-1, DType::I32).convert(x.dtype()), Tensor::scalar(99, DType::I32));
    let start =
        if x.dtype() == DType::U8 { (Tensor::scalar(0, DType::U8), start.1) } else { start };
    reduce_window_by((x, tags), start, window, |a, b| {
        let wins = a.0.gt(b.0) | (a.0.eq(b.0) & a.1.lt(b.1));
        (wins.select(a.0, b.0), wins.select(a.1, b.1))
    })
}

fn overlapping() -> WindowDims {
    WindowDims {
        strides: PerAxis::collect([1, 2]),
        low: PerAxis::collect([1, 0]),
        high: PerAxis::collect([0, 2]),
        ..WindowDims::new(PerAxis::collect([2, 3]))
    }
}

fn blocks() -> WindowDims {
    let two = PerAxis::collect([2, 2]);
    WindowDims { strides: two, ..WindowDims::new(two) }
}

fn gradient(x: Tensor, source: Tensor, window: WindowDims) -> Tensor {
    x.select_and_scatter(source, 0, window, |a, b| a.ge(b), ScatterUpdate::Add)
}

fn uneven() -> PoolOptions {
    PoolOptions::new(2).strides([2, 1]).padding([(1, 0), (0, 1)])
}

fn outer() -> PoolOptions {
    PoolOptions::new([3, 2]).strides([3, 1])
}

fn padded() -> PoolOptions {
    PoolOptions::new(3).strides(2).padding(1)
}

fn ceil() -> PoolOptions {
    PoolOptions::new(3).strides(2).ceil(true)
}

fn apart() -> PoolOptions {
    PoolOptions::new(2).strides(3).padding(1).ceil(true)
}

fn dilated() -> PoolOptions {
    PoolOptions::new(2).strides(1).dilation(3).padding([(1, 2), (1, 2)])
}

fn same() -> PoolOptions {
    PoolOptions::new([3, 2]).strides([2, 3]).padding(Padding::Same)
}

fn elements(options: PoolOptions) -> PoolOptions {
    options.count_padding(false)
}

const LAST: [i32; 2] = [-2, -1];

pub fn rows() -> Vec<Row> {
    let sums = ulps(8).of_largest();
    let zeros = EXACT.either_zero();
    Vec::from(rows![
        "reduce_window sum", sums, [x] => x.reduce_window(Reduction::Sum, window());
        "reduce_window prod", ulps(8), [x] => x.reduce_window(Reduction::Prod, window());
        "reduce_window max", zeros, [x] => x.reduce_window(Reduction::Max, window());
        "reduce_window min", zeros, [x] => x.reduce_window(Reduction::Min, window());
        "reduce_window any", EXACT, [x] => x.reduce_window(Reduction::Any, window());
        "reduce_window all", EXACT, [x] => x.reduce_window(Reduction::All, window());
        "reduce_window cropped", sums, [x] => x.reduce_window(Reduction::Sum, cropped());
        "select_and_scatter overlapping", EXACT, [x, y] => gradient(x, y, overlapping());
        "select_and_scatter apart", EXACT, [x, y] => gradient(x, y, blocks());
        "max_pool_with_indices", EXACT, [x] => x.max_pool_with_indices(LAST, uneven());
        "max_pool_with_indices 2", EXACT, [x] => x.max_pool_with_indices(LAST, 2);
        "reduce_window of a scalar", EXACT, [x] => {
            x.reduce_window(Reduction::Sum, WindowDims::default())
        };
        "reduce_window_by largest", EXACT, [x, tags] => largest(x, tags);
        "max pool 2", zeros, [x] => x.max_pool(LAST, 2);
        "min pool 2", zeros, [x] => x.min_pool(LAST, 2);
        "sum pool 2", sums, [x] => x.sum_pool(LAST, 2);
        "avg pool 2", sums, [x] => x.avg_pool(LAST, 2);
        "avg of elements pool 2", sums, [x] => x.avg_pool(LAST, elements(2.into()));
        "max pool of outer axes", zeros, [x] => {
            x.named(["y", "c", "x"]).max_pool(["y", "x"], outer())
        };
        "max pool 3 strides 2 padding 1", zeros, [x] => x.max_pool(LAST, padded());
        "min pool 3 strides 2 padding 1", zeros, [x] => x.min_pool(LAST, padded());
        "sum pool 3 strides 2 padding 1", sums, [x] => x.sum_pool(LAST, padded());
        "avg pool 3 strides 2 padding 1", sums, [x] => x.avg_pool(LAST, padded());
        "avg of elements pool 3 strides 2 padding 1", sums, [x] => {
            x.avg_pool(LAST, elements(padded()))
        };
        "max pool 3 strides 2 ceil", zeros, [x] => x.max_pool(LAST, ceil());
        "min pool 3 strides 2 ceil", zeros, [x] => x.min_pool(LAST, ceil());
        "sum pool 3 strides 2 ceil", sums, [x] => x.sum_pool(LAST, ceil());
        "avg pool 3 strides 2 ceil", sums, [x] => x.avg_pool(LAST, ceil());
        "avg of elements pool 3 strides 2 ceil", sums, [x] => {
            x.avg_pool(LAST, elements(ceil()))
        };
        "max pool 2 strides 3 ceil", zeros, [x] => x.max_pool(LAST, apart());
        "min pool 2 strides 3 ceil", zeros, [x] => x.min_pool(LAST, apart());
        "sum pool 2 strides 3 ceil", sums, [x] => x.sum_pool(LAST, apart());
        "avg pool 2 strides 3 ceil", sums, [x] => x.avg_pool(LAST, apart());
        "avg of elements pool 2 strides 3 ceil", sums, [x] => {
            x.avg_pool(LAST, elements(apart()))
        };
        "max pool 2 dilation 3", zeros, [x] => x.max_pool(LAST, dilated());
        "min pool 2 dilation 3", zeros, [x] => x.min_pool(LAST, dilated());
        "sum pool 2 dilation 3", sums, [x] => x.sum_pool(LAST, dilated());
        "avg pool 2 dilation 3", sums, [x] => x.avg_pool(LAST, dilated());
        "avg of elements pool 2 dilation 3", sums, [x] => {
            x.avg_pool(LAST, elements(dilated()))
        };
        "max pool same", zeros, [x] => x.max_pool(LAST, same());
        "avg pool same", sums, [x] => x.avg_pool(LAST, same());
        "avg of elements pool same", sums, [x] => x.avg_pool(LAST, elements(same()));
        "adaptive avg 4 3", sums, [x] => x.adaptive_avg_pool(LAST, [4, 3]);
        "adaptive avg 3 2", sums, [x] => x.adaptive_avg_pool(LAST, [3, 2]);
        "adaptive avg 7 1", sums, [x] => x.adaptive_avg_pool(LAST, [7, 1]);
        "adaptive avg 5 3", sums, [x] => x.adaptive_avg_pool(LAST, [5, 3]);
        "adaptive avg 1 4", sums, [x] => x.adaptive_avg_pool(LAST, [1, 4]);
        "adaptive avg last 3", sums, [x] => x.adaptive_avg_pool(-1, 3);
        "adaptive max 4 3", zeros, [x] => x.adaptive_max_pool(LAST, [4, 3]);
        "adaptive max 3 2", zeros, [x] => x.adaptive_max_pool(LAST, [3, 2]);
        "adaptive max 7 1", zeros, [x] => x.adaptive_max_pool(LAST, [7, 1]);
        "adaptive max 5 3", zeros, [x] => x.adaptive_max_pool(LAST, [5, 3]);
        "adaptive max 1 4", zeros, [x] => x.adaptive_max_pool(LAST, [1, 4]);
        "adaptive max last 3", zeros, [x] => x.adaptive_max_pool(-1, 3);
    ])
}
