//! Random valid windows, and the convolutions that have them.

use fastrand::Rng;
use hloom::{
    DType,
    ops::{ConvDims, PerAxis, Reduction, WindowDims},
};

/// A convolution.
#[derive(Debug)]
pub struct Conv {
    pub dims: ConvDims,
    /// Sizes of the input.
    pub input: Vec<usize>,
    /// Sizes of the kernel.
    pub kernel: Vec<usize>,
    pub dtype: DType,
}

/// A reduction of windows.
#[derive(Debug)]
pub struct Reduced {
    pub window: WindowDims,
    /// The kind of the reduction; a body without one.
    pub reduction: Option<Reduction>,
    pub sizes: Vec<usize>,
    pub dtype: DType,
}

/// A window along one axis.
struct Along {
    /// The size of the axis.
    size: usize,
    window: usize,
    stride: usize,
    base_dilation: usize,
    dilation: usize,
    low: isize,
    high: isize,
}

impl Along {
    fn new(rng: &mut Rng) -> Along {
        let size = if rng.u8(..25) == 0 { 0 } else { rng.usize(1..=6) };
        // Most are 1.
        let mut by = || if rng.bool() { 1 } else { rng.usize(1..=3) };
        let (stride, base_dilation, dilation) = (by(), by(), by());
        let mut edge = || match rng.u8(..4) {
            0 | 1 => 0,
            2 => rng.isize(0..=3),
            _ => rng.isize(-2..=2),
        };
        let (low, mut high) = (edge(), edge());
        let spread = if size == 0 { 0 } else { (size - 1) * base_dilation + 1 };
        while spread as isize + low + high < 0 {
            high += 1;
        }
        let window = rng.usize(1..=3);
        Along { size, window, stride, base_dilation, dilation, low, high }
    }
}

/// The numbers 0 to `rank`, in any order.
pub fn order(rng: &mut Rng, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    if rng.bool() {
        rng.shuffle(&mut order);
    }
    order
}

/// The types of elements.
pub const DTYPES: [DType; 4] = [DType::I32, DType::F32, DType::I8, DType::U64];

impl Conv {
    pub fn new(seed: u64) -> Conv {
        let rng = &mut Rng::with_seed(seed);
        let spatial = [0, 1, 1, 2, 2, 2, 3][rng.usize(..7)];
        let along: Vec<Along> = (0..spatial).map(|_| Along::new(rng)).collect();
        let groups = if rng.bool() { 1 } else { rng.usize(2..=3) };
        let [feature_groups, batch_groups] = if rng.bool() { [groups, 1] } else { [1, groups] };
        let mut count = |of: usize| of * if rng.u8(..25) == 0 { 0 } else { rng.usize(1..=3) };
        let (batch, taken, made) = (count(batch_groups), count(1), count(groups));
        let orders = [(); 3].map(|()| order(rng, spatial + 2));
        let mut input = vec![0; spatial + 2];
        let mut kernel = input.clone();
        let [from, by, to] = orders.each_ref().map(|order| &order[2..]);
        (input[orders[0][0]], input[orders[0][1]]) = (batch, taken * feature_groups);
        (kernel[orders[1][0]], kernel[orders[1][1]]) = (taken, made);
        for (i, along) in along.iter().enumerate() {
            input[from[i]] = along.size;
            kernel[by[i]] = along.window;
        }
        let all = |number: fn(&Along) -> usize| PerAxis::collect(along.iter().map(number));
        let dims = ConvDims {
            input_batch_dimension: orders[0][0],
            input_feature_dimension: orders[0][1],
            input_spatial_dimensions: PerAxis::collect(from.iter().copied()),
            kernel_input_feature_dimension: orders[1][0],
            kernel_output_feature_dimension: orders[1][1],
            kernel_spatial_dimensions: PerAxis::collect(by.iter().copied()),
            output_batch_dimension: orders[2][0],
            output_feature_dimension: orders[2][1],
            output_spatial_dimensions: PerAxis::collect(to.iter().copied()),
            strides: all(|along| along.stride),
            low: PerAxis::collect(along.iter().map(|along| along.low)),
            high: PerAxis::collect(along.iter().map(|along| along.high)),
            lhs_dilation: all(|along| along.base_dilation),
            rhs_dilation: all(|along| along.dilation),
            reversal: PerAxis::collect((0..spatial).map(|_| rng.u8(..4) == 0)),
            feature_groups,
            batch_groups,
            ..ConvDims::new(spatial)
        };
        Conv { dims, input, kernel, dtype: DTYPES[rng.usize(..2)] }
    }
}

impl Reduced {
    pub fn new(seed: u64) -> Reduced {
        let rng = &mut Rng::with_seed(seed);
        let rank = rng.usize(0..=4);
        let along: Vec<Along> = (0..rank).map(|_| Along::new(rng)).collect();
        let all = |number: fn(&Along) -> usize| PerAxis::collect(along.iter().map(number));
        let window = WindowDims {
            sizes: all(|along| along.window),
            strides: all(|along| along.stride),
            low: PerAxis::collect(along.iter().map(|along| along.low)),
            high: PerAxis::collect(along.iter().map(|along| along.high)),
            base_dilations: all(|along| along.base_dilation),
            window_dilations: all(|along| along.dilation),
        };
        let kinds = [Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::Prod];
        let reduction = kinds.get(rng.usize(..6)).copied();
        let sizes = along.iter().map(|along| along.size).collect();
        let dtype = match reduction {
            // Products of floats are rounded.
            Some(Reduction::Prod) => DType::I32,
            _ => DTYPES[rng.usize(..4)],
        };
        Reduced { window, reduction, sizes, dtype }
    }
}

/// Small numbers, whose sums floats hold exactly.
pub fn values(count: usize, factor: i64) -> Vec<i64> {
    (0..count as i64).map(|i| (i * factor + 13) % 7).collect()
}
