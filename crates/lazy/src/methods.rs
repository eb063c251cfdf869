//! The methods of tensors, forwarded: one list for all.

use crate::{
    Lazy, LazyOperand,
    memo::{binary, memoized},
    place::place_of,
    record::Recorder,
};
use hloom_graph::{
    Axis, ConvDims, ConvOptions, DType, DotOptions, EachAxis, Element, GatherDims, IntoAxes,
    IntoDims, IntoMeshAxes, MatrixNorm, Operand, PadMode, PartitionSpec, PoolOptions, Reduction,
    ResolvedSharding, ScalarValue, ScatterDims, ScatterUpdate, StartIndex, Tensor, TriangularSolve,
    WindowDims,
};
use hloom_runtime::Platform;
use std::{ops::RangeBounds, panic::Location};

#[cfg(test)]
mod agree;
#[cfg(test)]
mod list;

/// The documentation of a forwarder, and the rest of it.
macro_rules! documented {
    ($method:ident $($item:tt)*) => {
        #[doc = concat!(
            "As [`Tensor::", stringify!($method), "`](hloom_graph::Tensor::", stringify!($method),
            ")."
        )]
        #[track_caller]
        $($item)*
    };
}

macro_rules! unary {
    ($($method:ident,)*) => {
        #[cfg(test)]
        const UNARY: &[Unary] =
            &[$((stringify!($method), |x| x.$method(), |x| x.$method())),*];
        impl Lazy { $(
            documented! { $method pub fn $method(&self) -> Lazy {
                let (own, caller) = ([self.clone()], Location::caller());
                memoized(stringify!($method), own, &[], caller, |[x], _| x.$method())
            } }
        )* }
    };
}

macro_rules! binary {
    ($($method:ident,)*) => {
        #[cfg(test)]
        const BINARY: &[Binary] =
            &[$((stringify!($method), |x, y| x.$method(y), |x, y| x.$method(y))),*];
        #[cfg(test)]
        const BY_NUMBER: &[Unary] =
            &[$((stringify!($method), |x| x.$method(2), |x| x.$method(2))),*];
        impl Lazy { $(
            documented! { $method pub fn $method(&self, rhs: impl LazyOperand) -> Lazy {
                let caller = Location::caller();
                binary(stringify!($method), self, rhs.given(), caller, |[x, y], _| x.$method(y))
            } }
        )* }
    };
}

macro_rules! along {
    ($($method:ident,)*) => {
        #[cfg(test)]
        const ALONG: &[Along] =
            &[$((stringify!($method), |x, axes| x.$method(axes), |x, axes| x.$method(axes))),*];
        impl Lazy { $(
            documented! { $method pub fn $method(&self, axes: impl IntoAxes) -> Lazy {
                let axes = axes.into_axes(self.rank());
                let caller = Location::caller();
                let own = [self.clone()];
                memoized(stringify!($method), own, &axes, caller, |[x], axes| x.$method(axes))
            } }
        )* }
    };
}

macro_rules! along_one {
    ($($method:ident,)*) => {
        #[cfg(test)]
        const ALONG_ONE: &[AlongOne] =
            &[$((stringify!($method), |x, axis| x.$method(axis), |x, axis| x.$method(axis))),*];
        impl Lazy { $(
            documented! { $method pub fn $method(&self, axis: impl Into<Axis>) -> Lazy {
                let axis = axis.into();
                let caller = Location::caller();
                let own = [self.clone()];
                memoized(stringify!($method), own, &[axis], caller, |[x], axes| x.$method(axes[0]))
            } }
        )* }
    };
}

macro_rules! methods {
    ($(
        $method:ident[$($tensor:ident),*]($($argument:ident: $of:ty),* $(,)?) -> $result:ty,
    )*) => {
        #[cfg(test)]
        const GENERAL: &[&str] = &[$(stringify!($method)),*];
        impl Lazy { $(
            documented! { $method
                #[allow(clippy::too_many_arguments, reason = "the tensor's method has as many")]
                pub fn $method(&self, $($tensor: &Lazy,)* $($argument: $of),*) -> $result {
                    let recorder =
                        Recorder { place: None, location: Location::caller(), is_method: true };
                    recorder.record(|| {
                        let x = self.tensor();
                        $(let $tensor = $tensor.tensor();)*
                        x.$method($($tensor,)* $($argument),*)
                    })
                }
            }
        )* }
    };
}

macro_rules! create {
    ($($method:ident($($argument:ident: $of:ty),* $(,)?),)*) => {
        #[cfg(test)]
        const CREATED: &[&str] = &[$(stringify!($method)),*];
        impl Lazy { $(
            documented! { $method
                pub fn $method(platform: &Platform, $($argument: $of),*) -> Lazy {
                    let place = Some(place_of(platform));
                    let location = Location::caller();
                    let recorder = Recorder { place, location, is_method: true };
                    recorder.record(|| Tensor::$method($($argument),*))
                }
            }
        )* }
    };
}

/// The methods that are not in a list here, each with a use of it.
#[cfg(test)]
macro_rules! by_hand {
    (|$x:ident, $platform:ident| $($method:ident($($argument:expr),* $(,)?),)*) => {
        const BY_HAND: &[&str] = &[$(stringify!($method)),*];
        const _: () = {
            fn uses($x: &Lazy, $platform: &Platform) {
                $(let _ = Lazy::$method($($argument),*);)*
            }
            let _ = uses;
        };
    };
}

/// A method, and the one of tensors that it forwards to.
#[cfg(test)]
type Forwarded<L, T> = (&'static str, L, T);
#[cfg(test)]
type Unary = Forwarded<fn(&Lazy) -> Lazy, fn(Tensor) -> Tensor>;
#[cfg(test)]
type Binary = Forwarded<fn(&Lazy, &Lazy) -> Lazy, fn(Tensor, Tensor) -> Tensor>;
#[cfg(test)]
type Along = Forwarded<fn(&Lazy, &[Axis]) -> Lazy, fn(Tensor, &[Axis]) -> Tensor>;
#[cfg(test)]
type AlongOne = Forwarded<fn(&Lazy, Axis) -> Lazy, fn(Tensor, Axis) -> Tensor>;

#[cfg(test)]
by_hand! { |x, platform|
    array(platform, [0f32]),
    scalar(platform, 0f32),
    at(x, 0, 0),
    matmul(x, x),
    dot(x, x, 0),
    named(x, ["n"]),
    dot_general(x, x, &[(0, 0)], &[(1, 1)], DotOptions::default()),
    dynamic_slice_along(x, &[]),
    dynamic_update_slice_along(x, x, &[]),
}

unary! {
    abs, sign, exp, exp_m1, log, log1p, sqrt, rsqrt, cbrt, sin, cos, tan, tanh, sigmoid, erf,
    floor, ceil, round, round_even, is_finite, count_leading_zeros, population_count, real, imag,
    relu, silu, gelu, gelu_tanh, selu, softplus, log_sigmoid, mish, softsign, relu6, hard_tanh,
    hard_sigmoid, hard_swish, quick_gelu, square, reciprocal, exp2, log2, log10, is_inf,
    is_pos_inf, is_neg_inf, nan_to_num, conj, cholesky, cholesky_upper, is_nan, zeros_like,
    ones_like, inv, det, pinv, matrix_rank, eigvalsh, eigvals, svdvals, fft2, ifft2,
    total_order_key, bessel_i0e, bessel_i1e, erfc, erf_inv, lgamma, digamma, asin, acos, atan,
    sinh, cosh, asinh, acosh, atanh, stop_gradient,
}

binary! {
    pow, maximum, minimum, atan2, next_after, shift_left, shift_right_arithmetic,
    shift_right_logical, complex, eq, ne, lt, le, gt, ge, floor_divide, modulo, logaddexp, mulhi,
    zeta,
}

along! {
    fftn, ifftn, rfftn, fftshift, ifftshift, mean, mean_keep, var, log_sum_exp, squeeze,
    transpose, reverse, var_keep, std, std_keep, skewness, norm, norm_keep, l1_norm,
    count_nonzero, sum, sum_keep, prod, prod_keep, max, max_keep, min, min_keep, any, any_keep,
    all, all_keep, reduce_and, reduce_or, reduce_xor,
}

along_one! {
    softmax, log_softmax, glu, swiglu, argmax, argmin, fft, ifft, rfft, diff, median, cumsum,
    cumprod, cummax, cummin,
}

// The tensors among the arguments are in brackets.
methods! {
    leaky_relu[](slope: f64) -> Lazy,
    elu[](alpha: f64) -> Lazy,
    celu[](alpha: f64) -> Lazy,
    prelu[slope]() -> Lazy,
    softcap[](cap: f64) -> Lazy,
    adaptive_avg_pool[](axes: impl IntoAxes, sizes: impl Into<EachAxis>) -> Lazy,
    adaptive_max_pool[](axes: impl IntoAxes, sizes: impl Into<EachAxis>) -> Lazy,
    round_to[](decimals: i32) -> Lazy,
    masked_fill[mask](value: impl Operand) -> Lazy,
    broadcast_to[](dims: impl IntoDims) -> Lazy,
    rename[](axis: impl Into<Axis>, name: &str) -> Lazy,
    cholesky_solve[right]() -> Lazy,
    all_reduce[](reduction: Reduction, over: impl IntoMeshAxes) -> Lazy,
    all_gather[](axis: impl Into<Axis>, over: impl IntoMeshAxes) -> Lazy,
    reduce_scatter[](reduction: Reduction, axis: impl Into<Axis>, over: impl IntoMeshAxes) -> Lazy,
    all_to_all[](split: impl Into<Axis>, concat: impl Into<Axis>, over: impl IntoMeshAxes) -> Lazy,
    collective_permute[](
        over: impl IntoMeshAxes, pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Lazy,
    collective_broadcast[](source: usize, over: impl IntoMeshAxes) -> Lazy,
    full_like[](value: impl ScalarValue) -> Lazy,
    constrain[](partition: impl Into<PartitionSpec>) -> Lazy,
    constrain_to[](sharding: ResolvedSharding) -> Lazy,
    conv[kernel](feature: impl Into<Axis>, spatial: impl IntoAxes, options: ConvOptions) -> Lazy,
    conv1d[kernel](options: ConvOptions) -> Lazy,
    conv2d[kernel](options: ConvOptions) -> Lazy,
    conv3d[kernel](options: ConvOptions) -> Lazy,
    conv_transpose[kernel](
        feature: impl Into<Axis>, spatial: impl IntoAxes, options: ConvOptions,
    ) -> Lazy,
    conv_transpose1d[kernel](options: ConvOptions) -> Lazy,
    conv_transpose2d[kernel](options: ConvOptions) -> Lazy,
    conv_transpose3d[kernel](options: ConvOptions) -> Lazy,
    convert[](dtype: DType) -> Lazy,
    bitcast[](dtype: DType) -> Lazy,
    conv_general[kernel](dims: ConvDims) -> Lazy,
    bincount[](name: &str, length: usize) -> Lazy,
    histogram[edges]() -> Lazy,
    nonzero[](name: &str, size: usize, fill: i32) -> Vec<Lazy>,
    unique[](name: &str, size: usize, fill: impl ScalarValue) -> Lazy,
    dot_with[right](axes: impl IntoAxes, options: DotOptions) -> Lazy,
    tensordot[right](count: usize) -> Lazy,
    dynamic_slice[](axis: impl Into<Axis>, start: impl StartIndex, size: usize) -> Lazy,
    dynamic_update_slice[update](axis: impl Into<Axis>, start: impl StartIndex) -> Lazy,
    solve[right]() -> Lazy,
    slogdet[]() -> (Lazy, Lazy),
    lstsq[right]() -> Lazy,
    matrix_power[](exponent: i32) -> Lazy,
    trace[](rows: impl Into<Axis>, columns: impl Into<Axis>) -> Lazy,
    matrix_norm[](norm: MatrixNorm) -> Lazy,
    lu_factor[]() -> (Lazy, Lazy, Lazy),
    lu[]() -> (Lazy, Lazy, Lazy),
    qr[]() -> (Lazy, Lazy),
    qr_full[]() -> (Lazy, Lazy),
    eigh[]() -> (Lazy, Lazy),
    eig[]() -> (Lazy, Lazy),
    svd[]() -> (Lazy, Lazy, Lazy),
    svd_full[]() -> (Lazy, Lazy, Lazy),
    irfft[](axis: impl Into<Axis>, size: usize) -> Lazy,
    irfftn[](axes: impl IntoAxes, size: usize) -> Lazy,
    gather[indices](dims: GatherDims) -> Lazy,
    gather_or[indices](dims: GatherDims, fill: impl ScalarValue) -> Lazy,
    sum_where[mask](axes: impl IntoAxes) -> Lazy,
    mean_where[mask](axes: impl IntoAxes) -> Lazy,
    max_where[mask](axes: impl IntoAxes) -> Lazy,
    min_where[mask](axes: impl IntoAxes) -> Lazy,
    is_close[](other: impl Operand, rtol: f64, atol: f64) -> Lazy,
    max_pool[](axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Lazy,
    min_pool[](axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Lazy,
    sum_pool[](axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Lazy,
    avg_pool[](axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Lazy,
    ragged_dot[matrices, group_sizes](contract: (impl Into<Axis>, impl Into<Axis>)) -> Lazy,
    repeat[](axis: impl Into<Axis>, count: usize) -> Lazy,
    tile[](axis: impl Into<Axis>, count: usize) -> Lazy,
    roll[](axis: impl Into<Axis>, shift: isize) -> Lazy,
    moveaxis[](axis: impl Into<Axis>, to: isize) -> Lazy,
    unstack[](axis: impl Into<Axis>) -> Vec<Lazy>,
    unfold[](axis: impl Into<Axis>, window: &str, size: usize, step: usize) -> Lazy,
    pad_mode[](axis: impl Into<Axis>, low: usize, high: usize, mode: PadMode) -> Lazy,
    pixel_shuffle[](axes: [Axis; 3], factor: usize) -> Lazy,
    pixel_unshuffle[](axes: [Axis; 3], factor: usize) -> Lazy,
    reduce_precision[](exponent_bits: u32, mantissa_bits: u32) -> Lazy,
    reduce_window[](reduction: Reduction, window: WindowDims) -> Lazy,
    reshape[](dims: impl IntoDims) -> Lazy,
    unflatten[](axis: impl Into<Axis>, into: impl IntoDims) -> Lazy,
    merge[](merged: impl IntoAxes, name: &str) -> Lazy,
    insert_axis[](at: isize, name: &str) -> Lazy,
    swap_axes[](a: impl Into<Axis>, b: impl Into<Axis>) -> Lazy,
    scatter[indices, updates](dims: ScatterDims, update: ScatterUpdate) -> Lazy,
    searchsorted[values](right: bool) -> Lazy,
    isin[elements]() -> Lazy,
    select[on_true](on_false: impl Operand) -> Lazy,
    clamp[](low: impl Operand, high: impl Operand) -> Lazy,
    select_and_scatter[source](
        init: impl ScalarValue,
        window: WindowDims,
        select: impl FnOnce(Tensor, Tensor) -> Tensor,
        update: ScatterUpdate,
    ) -> Lazy,
    max_pool_with_indices[](axes: impl IntoAxes, options: impl Into<PoolOptions>) -> (Lazy, Lazy),
    slice[](axis: impl Into<Axis>, range: impl RangeBounds<isize>) -> Lazy,
    slice_step[](axis: impl Into<Axis>, range: impl RangeBounds<isize>, step: usize) -> Lazy,
    index[](axis: impl Into<Axis>, index: isize) -> Lazy,
    pad[](axis: impl Into<Axis>, low: isize, high: isize, value: impl ScalarValue) -> Lazy,
    pad_interior[](
        axis: impl Into<Axis>, low: isize, high: isize, interior: usize, value: impl ScalarValue,
    ) -> Lazy,
    sort[](axis: impl Into<Axis>, descending: bool) -> Lazy,
    argsort[](axis: impl Into<Axis>, descending: bool) -> Lazy,
    top_k[](k: usize, axis: impl Into<Axis>) -> (Lazy, Lazy),
    polygamma[](order: u32) -> Lazy,
    split[](axis: impl Into<Axis>, pieces: usize) -> Vec<Lazy>,
    split_sizes[](axis: impl Into<Axis>, sizes: &[usize]) -> Vec<Lazy>,
    var_ddof[](axes: impl IntoAxes, ddof: usize) -> Lazy,
    std_ddof[](axes: impl IntoAxes, ddof: usize) -> Lazy,
    normalize[](axes: impl IntoAxes, epsilon: f64) -> Lazy,
    cosine_similarity[rhs](axis: impl Into<Axis>, epsilon: f64) -> Lazy,
    quantile[](q: f64, axis: impl Into<Axis>) -> Lazy,
    percentile[](percentage: f64, axis: impl Into<Axis>) -> Lazy,
    take[indices](axis: impl Into<Axis>) -> Lazy,
    take_along_axis[indices](axis: impl Into<Axis>) -> Lazy,
    one_hot[](name: &str, size: usize, dtype: DType) -> Lazy,
    tril[](rows: impl Into<Axis>, columns: impl Into<Axis>, diagonal: isize) -> Lazy,
    triu[](rows: impl Into<Axis>, columns: impl Into<Axis>, diagonal: isize) -> Lazy,
    diag[](axis: impl Into<Axis>, names: [&str; 2]) -> Lazy,
    diagonal[](rows: impl Into<Axis>, columns: impl Into<Axis>) -> Lazy,
    triangular_solve[right](form: TriangularSolve) -> Lazy,
    solve_triangular[right](lower: bool) -> Lazy,
    index_set[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    index_add[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    index_mul[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    index_max[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    index_min[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    scatter_along[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    scatter_along_add[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    scatter_along_mul[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    scatter_along_max[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
    scatter_along_min[indices](updates: impl Operand, axis: impl Into<Axis>) -> Lazy,
}

create! {
    constant(values: &[impl Element], dims: impl IntoDims),
    full(value: impl ScalarValue, dtype: DType, dims: impl IntoDims),
    zeros(dtype: DType, dims: impl IntoDims),
    ones(dtype: DType, dims: impl IntoDims),
    iota(dtype: DType, dims: impl IntoDims, axis: impl Into<Axis>),
    arange(dtype: DType, name: &str, size: usize),
    eye(dtype: DType, dims: impl IntoDims),
    arange_step(dtype: DType, name: &str, start: i64, end: i64, step: i64),
    linspace(dtype: DType, name: &str, start: f64, end: f64, count: usize),
    hann_window(dtype: DType, name: &str, size: usize, periodic: bool),
    hamming_window(dtype: DType, name: &str, size: usize, periodic: bool),
    blackman_window(dtype: DType, name: &str, size: usize, periodic: bool),
}

impl Lazy {
    documented! { matmul pub fn matmul(&self, right: &Lazy) -> Lazy {
        let operands = [self.clone(), right.clone()];
        memoized("matmul", operands, &[], Location::caller(), |[x, y], _| x.matmul(y))
    } }

    documented! { dot pub fn dot(&self, right: &Lazy, axes: impl IntoAxes) -> Lazy {
        let axes = axes.into_axes(self.rank());
        let caller = Location::caller();
        memoized("dot", [self.clone(), right.clone()], &axes, caller, |[x, y], axes| x.dot(y, axes))
    } }

    documented! { named pub fn named<const N: usize>(&self, names: [&str; N]) -> Lazy {
        let recorder = Recorder { place: None, location: Location::caller(), is_method: true };
        recorder.record(|| self.tensor().named(names))
    } }

    documented! { dot_general pub fn dot_general<A: Into<Axis> + Copy, B: Into<Axis> + Copy>(
        &self,
        right: &Lazy,
        contract: &[(A, A)],
        batch: &[(B, B)],
        options: DotOptions,
    ) -> Lazy {
        let recorder = Recorder { place: None, location: Location::caller(), is_method: true };
        recorder.record(|| self.tensor().dot_general(right.tensor(), contract, batch, options))
    } }

    documented! { dynamic_slice_along
        pub fn dynamic_slice_along(&self, blocks: &[(Axis, &Lazy, usize)]) -> Lazy {
            let recorder = Recorder { place: None, location: Location::caller(), is_method: true };
            let block = |&(axis, start, size): &(Axis, &Lazy, usize)| (axis, start.tensor(), size);
            recorder.record(|| {
                let x = self.tensor();
                x.dynamic_slice_along(&blocks.iter().map(block).collect::<Vec<_>>())
            })
        }
    }

    documented! { dynamic_update_slice_along
        pub fn dynamic_update_slice_along(
            &self,
            update: &Lazy,
            starts: &[(Axis, &Lazy)],
        ) -> Lazy {
            let recorder = Recorder { place: None, location: Location::caller(), is_method: true };
            let start = |&(axis, start): &(Axis, &Lazy)| (axis, start.tensor());
            recorder.record(|| {
                let (x, update) = (self.tensor(), update.tensor());
                let starts = starts.iter().map(start).collect::<Vec<_>>();
                x.dynamic_update_slice_along(update, &starts)
            })
        }
    }
}
