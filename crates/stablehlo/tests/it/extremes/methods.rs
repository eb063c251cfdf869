//! The methods, by their arguments.

use super::Extreme;
use hloom_graph::*;

type Plain = fn(Tensor, Tensor) -> Vec<Tensor>;
type Extremely = fn(Tensor, Extreme) -> Vec<Tensor>;

/// The methods of the commonest forms, with arguments by their types.
struct Common {
    plain: Vec<(&'static str, Plain)>,
    extreme: Vec<(&'static str, Extremely)>,
}

impl Common {
    fn all() -> Common {
        let (mut plain, mut extreme): (Vec<(_, Plain)>, Vec<(_, Extremely)>) = Default::default();
        macro_rules! method {
            (Tensor $method:ident $lazy:ident [] (self) () one $aliases:tt) => {
                plain.push((stringify!($method), |x, _| vec![x.$method()]));
            };
            (Tensor $method:ident $lazy:ident [] (self $y:ident) () one $aliases:tt) => {
                plain.push((stringify!($method), |x, y| vec![x.$method(y)]));
            };
            (
                Tensor $method:ident $lazy:ident [] (self) ($y:ident: impl Operand) one $aliases:tt
            ) => {
                plain.push((stringify!($method), |x, y| vec![x.$method(y)]));
            };
            (
                Tensor $method:ident $lazy:ident [] (self) ($axes:ident: impl IntoAxes) one
                $aliases:tt
            ) => {
                extreme.push((stringify!($method), |x, e| {
                    let along = [x.$method(e.at), x.$method(e.name), x.$method(e.size)];
                    [&along[..], &[x.$method([0, e.at])]].concat()
                }));
            };
            (
                Tensor $method:ident $lazy:ident [] (self) ($axis:ident: impl Into<Axis>) one
                $aliases:tt
            ) => {
                extreme.push((stringify!($method), |x, e| {
                    vec![x.$method(e.at), x.$method(e.name), x.$method(e.size)]
                }));
            };
            (
                Tensor $method:ident $lazy:ident [] (self $indices:ident)
                ($updates:ident: impl Operand, $axis:ident: impl Into<Axis>) one $aliases:tt
            ) => {
                extreme.push((stringify!($method), |x, e| {
                    let table = Tensor::zeros(DType::F32, [("a", 3), ("v", 5)]);
                    vec![
                        x.$method(x, x, e.at),
                        x.$method(x, e.size, e.name),
                        table.$method(x, 1, e.at),
                    ]
                }));
            };
            ($($other:tt)*) => {};
        }
        macro_rules! methods {
            ($({ $($method:tt)* })*) => { $(method! { $($method)* })* };
        }
        tensor_methods!(methods);
        Common { plain, extreme }
    }
}

/// The name of each method of a tensor, and of what its methods take.
pub fn names() -> Vec<&'static str> {
    let mut names = Vec::new();
    macro_rules! methods {
        ($({ $of:ident $method:ident $($rest:tt)* })*) => {
            names.extend([$(stringify!($method)),*])
        };
    }
    tensor_methods!(methods);
    names
}

const OTHERS: &[(&str, Plain)] = &[
    ("operators", |x, y| vec![x + y, x - y, x * y, x / y]),
    ("more operators", |x, y| vec![x % y, x & y, x | y, x ^ y]),
    ("lu", |x, _| <[Tensor; 3]>::from(x.lu()).into()),
    ("lu_factor", |x, _| <[Tensor; 3]>::from(x.lu_factor()).into()),
    ("qr", |x, _| <[Tensor; 2]>::from(x.qr()).into()),
    ("qr_full", |x, _| <[Tensor; 2]>::from(x.qr_full()).into()),
    ("eigh", |x, _| <[Tensor; 2]>::from(x.eigh()).into()),
    ("eig", |x, _| <[Tensor; 2]>::from(x.eig()).into()),
    ("svd", |x, _| <[Tensor; 3]>::from(x.svd()).into()),
    ("svd_full", |x, _| <[Tensor; 3]>::from(x.svd_full()).into()),
    ("slogdet", |x, _| <[Tensor; 2]>::from(x.slogdet()).into()),
    ("solve_triangular", |x, y| vec![x.solve_triangular(y, true), x.solve_triangular(x, false)]),
    ("triangular_solve", |x, y| {
        let right = TriangularSolve { left_side: false, ..TriangularSolve::upper() };
        vec![x.triangular_solve(y, right), x.triangular_solve(x, TriangularSolve::lower())]
    }),
    ("matrix_norm", |x, _| {
        vec![x.matrix_norm(MatrixNorm::Spectral), x.matrix_norm(MatrixNorm::One)]
    }),
    ("masked_fill", |x, y| vec![x.masked_fill(y, x), x.masked_fill(x, y)]),
    ("meshgrid", |x, y| meshgrid(&[x, y])),
    ("neg and not", |x, _| vec![-x]),
    ("not", |x, _| vec![!x]),
    ("select", |x, y| vec![x.select(y, x)]),
    ("clamp", |x, y| vec![x.clamp(y, y)]),
    ("cond", |x, y| vec![cond(x, || y, || y)]),
    ("case", |x, y| vec![case(x, || y, [Box::new(|| y) as Box<dyn FnOnce() -> Tensor>])]),
    ("while_loop", |x, y| vec![while_loop(x, |_| y, |x| x)]),
    ("optimization_barrier", |x, y| vec![optimization_barrier((x, y)).1]),
    ("sort_together", |x, y| sort_together(&[x, y], 0, true)),
    ("sort_by", |x, y| vec![sort_by((x, y), 0, |a, b| a.0.lt(b.1)).0]),
    ("shared_composite", |x, y| {
        vec![shared_composite("acme.sum", 1, Attributes::new(), &[x, y], |x| x[0] + x[1])]
    }),
    ("composite", |x, y| vec![composite("acme.sum", 1, Attributes::new(), (x, y), |(x, y)| x + y)]),
    ("reduce_by", |x, y| vec![reduce_by(x, y, 0, |a, b| a + b)]),
    ("new", |_, _| vec![Key::new(u64::MAX).0]),
    ("from_seed", |x, _| vec![Key::from_seed(x).0]),
    ("split2", |x, _| vec![Key(x).split2().1.0]),
    ("fold_in", |x, y| vec![Key(x).fold_in(y).0, Key::new(0).fold_in(y).0]),
    ("bits", |x, _| vec![Key(x).bits(DType::U32, [3])]),
    ("randint", |x, y| vec![Key::new(1).randint(DType::U8, [3], x, y)]),
    ("uniform_between", |x, y| vec![Key(x).uniform_between(DType::F32, y.shape(), x, y)]),
    ("truncated_normal", |x, y| vec![Key::new(1).truncated_normal(x.dtype(), [3], x, y)]),
    ("bernoulli", |x, y| vec![Key::new(1).bernoulli(x, y.shape())]),
    ("gamma", |x, y| vec![Key::new(1).gamma(x.dtype(), y.shape(), x)]),
    ("spec", |x, y| vec![concatenate(&[x, y], -1), stack(&[x, y], "n")]),
];

const WITH: &[(&str, Extremely)] = &[
    ("size", |x, e| vec![x * x.size(e.at), x * x.size(e.name)]),
    ("convert", |x, e| vec![x.convert(e.dtype)]),
    ("bitcast", |x, e| vec![x.bitcast(e.dtype)]),
    ("dequantize", |x, e| vec![x.dequantize(e.dtype)]),
    ("broadcast_to", |x, e| vec![x.broadcast_to([e.size, 3]), x.broadcast_to([(e.name, e.size)])]),
    ("broadcast_to many", |x, e| {
        vec![x.broadcast_to(vec![e.size; 9]), x.broadcast_to([("a", e.size), ("a", 3)])]
    }),
    ("named", |x, e| vec![x.named([e.name]), x.named([e.name, e.name])]),
    ("rename", |x, e| vec![x.rename(e.at, e.name), x.rename("a", e.name)]),
    ("constant", |_, e| {
        vec![Tensor::constant(&[1.5f32], [e.size]), Tensor::constant(&[true; 2], [(e.name, 2)])]
    }),
    ("full", |_, e| vec![Tensor::full(e.size, e.dtype, [e.size])]),
    ("full of sizes", |_, e| vec![Tensor::full(1e300, e.dtype, [(e.name, e.size), ("b", e.size)])]),
    ("scalar", |_, e| vec![Tensor::scalar(e.size, e.dtype), Tensor::scalar(e.at as i64, e.dtype)]),
    ("scalar of floats", |_, e| {
        vec![Tensor::scalar(e.at as f64, e.dtype), Tensor::scalar(f64::NAN, e.dtype)]
    }),
    ("zeros", |_, e| vec![Tensor::zeros(e.dtype, [e.size, e.size])]),
    ("ones", |_, e| vec![Tensor::ones(e.dtype, [(e.name, e.size)])]),
    ("full_like", |x, e| vec![x.full_like(e.size)]),
    ("full_like of negatives", |x, e| vec![x.full_like(e.at as i64)]),
    ("iota", |_, e| vec![Tensor::iota(e.dtype, [e.size, 2], e.at)]),
    ("iota over names", |_, e| vec![Tensor::iota(e.dtype, [("a", e.size)], e.name)]),
    ("arange", |_, e| vec![Tensor::arange(e.dtype, e.name, e.size)]),
    ("numbers", |x, e| vec![x + e.size, x * e.at as f64]),
    ("more numbers", |x, e| vec![x.maximum(e.at as i64), x.pow(e.at as i64)]),
    ("powers", |x, e| vec![x.pow(e.size)]),
    ("shifts", |x, e| vec![x.shift_left(e.size)]),
    ("elu", |x, e| vec![x.elu(e.at as f64), x.celu(e.at as f64)]),
    ("celu", |x, _| vec![x.celu(f64::NAN)]),
    ("softcap", |x, e| vec![x.softcap(e.at as f64), x.softcap(e.size as f64)]),
    ("round_to", |x, e| vec![x.round_to(e.at as i32)]),
    ("var_ddof", |x, e| vec![x.var_ddof(e.at, e.size)]),
    ("reduce_and", |x, e| vec![x.reduce_and(e.at), x.reduce_and(..)]),
    ("reduce_or", |x, e| vec![x.reduce_or(e.at), x.reduce_or(e.name)]),
    ("reduce_xor", |x, e| vec![x.reduce_xor(0), x.reduce_xor([0, e.at])]),
    ("sum_where", |x, e| vec![x.sum_where(x.ne(x), e.at), x.sum_where(x, 0)]),
    ("mean_where", |x, e| vec![x.mean_where(x.eq(x), e.name), x.mean_where(x.eq(x), e.at)]),
    ("max_where", |x, e| vec![x.max_where(x.eq(x), e.at), x.max_where(x.eq(x), ..)]),
    ("min_where", |x, e| vec![x.min_where(x.eq(x), e.at), x.min_where(x, 0)]),
    ("is_close", |x, e| vec![x.is_close(x, e.at as f64, f64::NAN), x.is_close(1, 0.0, 0.0)]),
    ("std_ddof", |x, e| vec![x.std_ddof(e.name, e.size)]),
    ("normalize", |x, e| vec![x.normalize(e.at, e.at as f64), x.normalize(e.name, 0.0)]),
    ("cosine_similarity", |x, e| vec![x.cosine_similarity(x, e.at, 0.0)]),
    ("quantile", |x, e| vec![x.quantile(e.at as f64, 0), x.quantile(0.5, e.at)]),
    ("percentile", |x, e| vec![x.percentile(e.size as f64, e.name), x.percentile(f64::NAN, 0)]),
    ("eye", |_, e| {
        vec![Tensor::eye(e.dtype, [e.size, 2]), Tensor::eye(e.dtype, [(e.name, e.size)])]
    }),
    ("arange_step", |_, e| {
        vec![
            Tensor::arange_step(e.dtype, e.name, 0, e.at as i64, 1),
            Tensor::arange_step(e.dtype, e.name, i64::MIN, i64::MAX, e.at as i64),
        ]
    }),
    ("linspace", |_, e| vec![Tensor::linspace(e.dtype, e.name, -1e300, 1e300, e.size)]),
    ("hann_window", |_, e| vec![Tensor::hann_window(e.dtype, e.name, e.size, true)]),
    ("hamming_window", |_, e| vec![Tensor::hamming_window(e.dtype, e.name, e.size, false)]),
    ("blackman_window", |_, e| vec![Tensor::blackman_window(e.dtype, e.name, e.size, true)]),
    ("tril", |x, e| vec![x.tril(0, e.at, e.at), x.tril(e.name, -1, e.at)]),
    ("triu", |x, e| vec![x.triu(0, e.at, e.at), x.triu(e.name, -1, e.at)]),
    ("diag", |x, e| vec![x.diag(e.at, [e.name, "d"]), x.diag(0, [e.name, e.name])]),
    ("diagonal", |x, e| vec![x.diagonal(0, e.at), x.diagonal(e.name, -1)]),
    ("repeat", |x, e| vec![x.repeat(e.at, e.size), x.repeat(0, e.size)]),
    ("tile", |x, e| vec![x.tile(e.name, e.size), x.tile(-1, e.size)]),
    ("roll", |x, e| vec![x.roll(0, e.at), x.roll(e.at, e.at), x.roll(e.name, isize::MIN)]),
    ("moveaxis", |x, e| vec![x.moveaxis(e.at, 0), x.moveaxis(0, e.at), x.moveaxis(e.name, -1)]),
    ("unstack", |x, e| x.unstack(e.at).into_iter().take(2).collect()),
    ("unfold", |x, e| vec![x.unfold(0, e.name, e.size, 1), x.unfold(e.at, "w", 1, e.size)]),
    ("pad_mode", |x, e| {
        vec![
            x.pad_mode(e.at, e.size, 0, PadMode::Wrap),
            x.pad_mode(0, 1, e.size, PadMode::Reflect),
            x.pad_mode(e.name, 1, 1, PadMode::Edge),
        ]
    }),
    ("pixel_shuffle", |x, e| vec![x.pixel_shuffle([0.into(), e.at.into(), e.name.into()], e.size)]),
    ("pixel_unshuffle", |x, e| vec![x.pixel_unshuffle([0.into(), 1.into(), e.at.into()], e.size)]),
    ("leaky_relu", |x, e| vec![x.leaky_relu(e.at as f64)]),
    ("dot", |x, e| vec![x.dot(x, e.at), x.dot(x, e.name), x.dot(x, [0, e.at])]),
    ("tensordot", |x, e| vec![x.tensordot(x, e.size), x.tensordot(x, 1)]),
    ("einsum", |x, e| {
        vec![einsum(e.name, &[x]), einsum("ij,jk", &[x, x]), einsum("...i->i...", &[x])]
    }),
    ("einsum_with", |x, e| vec![einsum_with(e.name, &[x, x], DotOptions::default())]),
    ("array", |_, e| {
        vec![
            Tensor::array([[e.at as f32; 2]; 3]),
            Tensor::array([[[[[[[[[1u8; 1]; 1]; 1]; 1]; 1]; 1]; 1]; 1]; 1]),
        ]
    }),
    ("map", |x, e| vec![map(x, e.at, |x| x + 1), map(x, e.name, |x| x)]),
    ("ragged_dot", |x, e| {
        let w = Tensor::zeros(e.dtype, [e.size, 5, 3]);
        vec![x.ragged_dot(w, x, (e.at, e.name)), x.ragged_dot(w, w.sum([1, 2]), (-1, 1))]
    }),
    ("vmap", |x, e| vec![vmap(x, e.at, |x| x), vmap(x, e.name, |x| x + 1), map(x, e.at, |x| x)]),
    ("associative_scan", |x, e| vec![associative_scan(x, e.at, |a, b| a + b)]),
    ("outer", |x, e| vec![x.dot(x.rename(0, "r").rename(-1, "s"), e.name)]),
    ("dot_with", |x, e| {
        let options = DotOptions { accumulate: Some(e.dtype), ..DotOptions::default() };
        vec![x.dot_with(x, 0, options)]
    }),
    ("dot_general", |x, e| {
        vec![x.dot_general(x, &[(e.at, 0)], &[(0, e.at)], DotOptions::default())]
    }),
    ("dot_general of nothing", |x, e| {
        vec![x.dot_general(x, &[] as &[(isize, isize)], &[(e.name, "a")], DotOptions::default())]
    }),
    ("dot_general many", |x, e| {
        vec![x.dot_general(x, &[(e.at, e.at); 20], &[(0, 0); 9], DotOptions::default())]
    }),
    ("reshape", |x, e| vec![x.reshape([e.size, e.size]), x.reshape([(e.name, e.size)])]),
    ("reshape to 1", |x, e| vec![x.reshape([(e.name, 3), ("_", 1)])]),
    ("unflatten", |x, e| {
        vec![x.unflatten(e.at, [(e.name, e.size), ("n", 1)]), x.unflatten(e.name, [e.size, 0])]
    }),
    ("unflatten many", |x, e| vec![x.unflatten(0, vec![1; e.size.min(20)])]),
    ("merge", |x, e| vec![x.merge([0, e.at], e.name), x.merge(e.name, e.name)]),
    ("insert_axis", |x, e| vec![x.insert_axis(e.at, e.name)]),
    ("swap_axes", |x, e| vec![x.swap_axes(0, e.at), x.swap_axes(e.name, e.at)]),
    ("slice", |x, e| {
        vec![x.slice(0, e.at..), x.slice(e.at, ..=isize::MAX), x.slice(e.name, isize::MIN..e.at)]
    }),
    ("slice backwards", |x, e| {
        vec![x.slice(-1, (std::ops::Bound::Excluded(e.at), std::ops::Bound::Unbounded))]
    }),
    ("slice_step", |x, e| vec![x.slice_step(0, .., e.size)]),
    ("slice_step of ranges", |x, e| vec![x.slice_step(e.at, ..e.at, e.size)]),
    ("index", |x, e| vec![x.index(0, e.at)]),
    ("index along", |x, e| vec![x.index(e.name, e.at), x.index(e.size, e.at)]),
    ("split", |x, e| x.split(0, e.size.min(1 << 17)).into_iter().take(2).collect()),
    ("split along", |x, e| {
        vec![x.split(e.name, e.size.min(1 << 17)).first().copied().unwrap_or(x)]
    }),
    ("split_sizes", |x, e| x.split_sizes(e.at, &[e.size, 1])),
    ("split_sizes along", |x, e| x.split_sizes(e.name, &[e.size, e.size, 0])),
    ("split_sizes many", |x, e| {
        x.split_sizes(0, &vec![0; e.size.min(1 << 17)]).into_iter().take(2).collect()
    }),
    ("pad", |x, e| vec![x.pad(0, e.at, e.at, 0)]),
    ("pad before", |x, e| vec![x.pad(0, e.at, isize::MAX, 0)]),
    ("pad behind", |x, e| vec![x.pad(-1, isize::MIN, e.at, 0)]),
    ("pad little", |x, e| vec![x.pad(e.name, e.at, 1, 0)]),
    ("pad_interior", |x, e| vec![x.pad_interior(0, 0, 0, e.size, 0)]),
    ("pad_interior and cut", |x, e| vec![x.pad_interior(-1, e.at, -3, e.size, 0)]),
    ("concatenate", |x, e| vec![concatenate(&[x, x], e.at), concatenate(&[x], e.name)]),
    ("concatenate nothing", |_, e| vec![concatenate(&[], e.at)]),
    ("stack", |x, e| vec![stack(&[x, x], e.name)]),
    ("dynamic_slice", |x, e| {
        vec![x.dynamic_slice(0, 0, e.size), x.dynamic_slice(e.name, e.size, 1)]
    }),
    ("dynamic_slice at", |x, e| vec![x.dynamic_slice(e.at, e.at as i32, 1)]),
    ("dynamic_slice_along", |x, e| {
        let start = Tensor::scalar(0, e.dtype);
        vec![x.dynamic_slice_along(&[(e.at.into(), start, e.size), (0.into(), start, 1)])]
    }),
    ("dynamic_update_slice", |x, e| {
        vec![x.dynamic_update_slice(x, e.at, e.size), x.dynamic_update_slice(x, 0, e.at as i32)]
    }),
    ("dynamic_update_slice_along", |x, e| {
        vec![x.dynamic_update_slice_along(
            x,
            &[(e.name.into(), Tensor::scalar(1, e.dtype)), (e.at.into(), x)],
        )]
    }),
    ("take", |x, e| {
        vec![Tensor::iota(DType::F32, [("a", 3), ("v", 5)], 0).take(x, e.at), x.take(x, e.name)]
    }),
    ("take_along_axis", |x, e| {
        vec![x.take_along_axis(x, e.at), x.convert(DType::F32).take_along_axis(x, e.name)]
    }),
    ("gather", |x, e| vec![x.gather(x, gather_dims(e))]),
    ("gather_or", |x, e| {
        let table = Tensor::zeros(DType::F32, [3, 3]);
        vec![x.gather_or(x, gather_dims(e), e.size), table.gather_or(x, gather_dims(e), -1)]
    }),
    ("scatter", |x, e| {
        let dims = ScatterDims { unique_indices: true, ..gather_dims(e).to_scatter() };
        vec![x.scatter(x, x, dims, ScatterUpdate::Max)]
    }),
    ("to_scatter", |x, e| {
        let dims = gather_dims(e).to_scatter();
        vec![Tensor::zeros(DType::F32, [3, 3]).scatter(x, x, dims, ScatterUpdate::Set)]
    }),
    ("to_gather", |x, e| {
        let dims = gather_dims(e).to_scatter();
        vec![x.gather(x, dims.to_gather(PerAxis::collect([1, e.size])))]
    }),
    ("scatter_by", |x, e| vec![scatter_by(x, x, x, gather_dims(e).to_scatter(), |a, b| a + b)]),
    ("at", |x, e| vec![x.at(0, e.at..).at(e.at, x).get(), x.at(e.name, x).at(0, ..=e.at).get()]),
    ("get", |x, e| vec![x.at(0, e.at).get(), x.at(e.name, e.at..).get(), x.at(0, x).get()]),
    ("get_or", |x, e| vec![x.at(e.at, x).get_or(e.size), x.at(e.name, e.size).get_or(e.size)]),
    ("set", |x, e| vec![x.at(e.at, e.size).set(e.at as i64), x.at(0, x).set(e.size)]),
    ("add", |x, e| vec![x.at(0, x).at(e.at, e.size).add(x), x.at(0, e.at..).add(1)]),
    ("mul", |x, e| vec![x.at(e.name, x).at(-1, x).mul(x), x.at(0, ..e.size).mul(e.size)]),
    ("max of some", |x, e| vec![x.at(e.name, x).at(0, e.at).max(x), x.at(e.at, ..).max(x)]),
    ("min of some", |x, e| vec![x.at(0, x).min(e.size), x.at(0, x).at(e.name, x).min(x)]),
    ("indices_are_sorted", |x, e| vec![x.at(e.at, x).indices_are_sorted().add(x)]),
    ("unique_indices", |x, e| vec![x.at(e.name, x).unique_indices().set(x)]),
    ("searchsorted", |x, e| {
        vec![x.searchsorted(x, e.at < 0), Tensor::arange(e.dtype, "n", 9).searchsorted(x, true)]
    }),
    ("isin", |x, e| vec![x.isin(x), x.isin(Tensor::zeros(e.dtype, [e.size]))]),
    ("bincount", |x, e| vec![x.bincount(e.name, e.size)]),
    ("histogram", |x, e| vec![x.histogram(x), x.histogram(Tensor::arange(e.dtype, "n", e.size))]),
    ("nonzero", |x, e| {
        let mut all = x.nonzero(e.name, e.size, e.at as i32);
        all.extend(x.ne(0).nonzero("n", e.size.min(9), -1));
        all
    }),
    ("irfft", |x, e| vec![x.irfft(e.at, e.size), x.irfft(e.name, 3)]),
    ("irfftn", |x, e| vec![x.irfftn([0, e.at], e.size), x.irfftn(e.name, e.size)]),
    ("matrix_power", |x, e| vec![x.matrix_power(e.at as i32), x.matrix_power(e.size as i32)]),
    ("trace", |x, e| vec![x.trace(0, e.at), x.trace(e.name, -1)]),
    ("unique", |x, e| vec![x.unique(e.name, e.size, e.size), x.unique("n", 2, e.at as i64)]),
    ("one_hot", |x, e| vec![x.one_hot(e.name, e.size, e.dtype)]),
    ("sort", |x, e| vec![x.sort(e.at, true), x.sort(e.name, false)]),
    ("argsort", |x, e| vec![x.argsort(e.at, true), x.argsort(e.size, false)]),
    ("top_k", |x, e| vec![x.top_k(e.size, 0).0, x.top_k(1, e.at).1, x.top_k(e.size, e.name).1]),
    ("conv", |x, e| {
        let options = conv_options(e);
        vec![
            x.conv(x, e.name, e.at, options.clone()),
            x.conv(x, 0, [e.at], options.clone().strides(e.size)),
            x.conv(x, e.at, 0, options),
        ]
    }),
    ("conv1d", |x, e| vec![x.conv1d(kernel(x, 1), conv_options(e))]),
    ("conv2d", |x, e| vec![x.conv2d(kernel(x, 2), conv_options(e))]),
    ("conv3d", |x, e| vec![x.conv3d(kernel(x, 3), conv_options(e).padding(e.size))]),
    ("conv_transpose", |x, e| {
        let options = conv_options(e);
        vec![
            x.conv_transpose(x, e.name, e.at, options.clone()),
            x.conv_transpose(x, 0, [e.at], options),
        ]
    }),
    ("conv_transpose1d", |x, e| vec![x.conv_transpose1d(kernel(x, 1), conv_options(e))]),
    ("conv_transpose2d", |x, e| {
        vec![x.conv_transpose2d(kernel(x, 2), conv_options(e).output_padding(e.size))]
    }),
    ("conv_transpose3d", |x, e| vec![x.conv_transpose3d(kernel(x, 3), conv_options(e))]),
    ("strides", |x, e| {
        let pool = PoolOptions::new(1).strides([e.size]);
        vec![x.conv1d(kernel(x, 1), ConvOptions::new().strides(e.size)), x.sum_pool(0, pool)]
    }),
    ("padding", |x, e| {
        let pool = PoolOptions::new(2).padding([(e.at, 1)]);
        let options = ConvOptions::new().padding([(e.at, e.at.wrapping_neg())]);
        vec![x.conv1d(kernel(x, 1), options), x.max_pool(-1, pool)]
    }),
    ("dilation", |x, e| {
        let pool = PoolOptions::new(e.size.min(3)).dilation(e.size).padding(Padding::Causal);
        vec![x.conv1d(kernel(x, 1), ConvOptions::new().dilation(e.size)), x.min_pool(0, pool)]
    }),
    ("groups", |x, e| vec![x.conv1d(kernel(x, 1), ConvOptions::new().groups(e.size))]),
    ("output_padding", |x, e| {
        let options = ConvOptions::new().output_padding(e.size).groups(e.at.unsigned_abs());
        vec![x.conv_transpose1d(kernel(x, 1), options)]
    }),
    ("conv_general", |x, e| {
        let dims = ConvDims {
            strides: PerAxis::collect([e.size.max(1)]),
            low: PerAxis::collect([e.at]),
            high: PerAxis::collect([2]),
            lhs_dilation: PerAxis::collect([e.size]),
            batch_groups: e.at.unsigned_abs().min(2),
            ..ConvDims::new(1)
        };
        vec![x.conv_general(kernel(x, 1), dims), x.conv_general(x, ConvDims::new(e.size))]
    }),
    ("new", |x, e| {
        let window = WindowDims::new(PerAxis::collect([e.size, 1, 1]));
        vec![x.conv_general(x, ConvDims::new(e.size)), x.reduce_window(Reduction::Max, window)]
    }),
    ("reduce_window", |x, e| {
        let ones = PerAxis::collect(x.shape().sizes().iter().map(|_| 1));
        let mut window = WindowDims::new(ones);
        if x.rank() > 0 {
            window.sizes.as_mut_slice()[0] = e.size.clamp(1, 3);
            window.strides.as_mut_slice()[0] = e.size;
            window.base_dilations.as_mut_slice()[0] = e.size;
            window.low.as_mut_slice()[0] = e.at;
            window.high.as_mut_slice()[0] = 3;
        }
        vec![x.reduce_window(Reduction::Sum, window), x.reduce_window(Reduction::Any, window)]
    }),
    ("reduce_window_by", |x, e| {
        let window = WindowDims::new(PerAxis::collect(x.shape().sizes().iter().map(|_| e.size)));
        let start = Tensor::zeros(x.dtype(), [0; 0]);
        vec![reduce_window_by(x, start, window, |a, b| a + b)]
    }),
    ("select_and_scatter", |x, e| {
        let window = WindowDims::new(PerAxis::collect((0..x.rank()).map(|_| e.size)));
        let add = ScatterUpdate::Add;
        vec![x.select_and_scatter(x, 0, window, |a, b| a.ge(b), add)]
    }),
    ("max_pool_with_indices", |x, e| {
        let (largest, places) = x.max_pool_with_indices([0, e.at], [e.size, 1]);
        vec![largest, places, x.max_pool_with_indices(e.name, pool(e)).1]
    }),
    ("max_pool", |x, e| vec![x.max_pool(e.at, e.size), x.max_pool([0, e.at], [e.size, 1])]),
    ("min_pool", |x, e| vec![x.min_pool(e.name, e.size), x.min_pool(.., 1)]),
    ("sum_pool", |x, e| vec![x.sum_pool(0, e.size), x.sum_pool(e.at, pool(e))]),
    ("avg_pool", |x, e| vec![x.avg_pool(0, e.size), x.avg_pool(e.at, pool(e))]),
    ("ceil", |x, e| {
        vec![x.avg_pool(0, pool(e).ceil(e.at > 0)), x.max_pool(-1, pool(e).ceil(true))]
    }),
    ("count_padding", |x, e| vec![x.avg_pool(0, pool(e).count_padding(e.at > 0))]),
    ("adaptive_avg_pool", |x, e| {
        vec![x.adaptive_avg_pool(e.at, e.size), x.adaptive_avg_pool([0, -1], [2, e.size])]
    }),
    ("adaptive_max_pool", |x, e| {
        vec![x.adaptive_max_pool(e.name, e.size), x.adaptive_max_pool(.., e.size)]
    }),
    ("reduce_precision", |x, e| {
        let bits = e.size.min(u32::MAX as usize) as u32;
        vec![x.reduce_precision(bits, 7), x.reduce_precision(5, bits)]
    }),
    ("polygamma", |x, e| vec![x.polygamma(e.size.min(u32::MAX as usize) as u32)]),
    ("uniform", |_, e| vec![Key::new(1).uniform(e.dtype, [e.size, e.size])]),
    ("normal", |_, e| vec![Key::new(1).normal(e.dtype, [(e.name, e.size)])]),
    ("exponential", |_, e| vec![Key::new(1).exponential(e.dtype, [e.size])]),
    ("gumbel", |_, e| vec![Key::new(1).gumbel(DType::F32, vec![e.size; 9])]),
    ("bits of sizes", |_, e| vec![Key::new(1).bits(e.dtype, [e.size])]),
    ("split of keys", |x, e| Key(x).split(e.size).into_iter().map(|key| key.0).collect()),
    ("split_along", |x, e| vec![Key(x).split_along(e.name, e.size).0]),
    ("permutation", |_, e| vec![Key::new(1).permutation([(e.name, e.size)])]),
    ("shuffle", |x, e| vec![Key::new(1).shuffle(x, e.at), Key::new(1).shuffle(x, e.name)]),
    ("shuffle_each", |x, e| vec![Key::new(1).shuffle_each(x, e.at)]),
    ("categorical", |x, e| vec![Key::new(1).categorical(x, e.at)]),
    ("categorical_of", |x, e| vec![Key::new(1).categorical_of(x, e.at, [e.size])]),
    ("choice", |x, e| vec![Key::new(1).choice(x, e.name, [e.size])]),
    ("choice_with", |x, e| {
        let options = ChoiceOptions { replace: false, probabilities: Some(x) };
        vec![Key::new(1).choice_with(x, e.at, [e.size], options)]
    }),
    ("for_loop", |x, e| vec![for_loop(e.size, x, |_, x| x)]),
    ("scan", |x, e| vec![scan(Tensor::scalar(0, DType::I32), x, e.at, |c, x| (c, x)).1]),
    ("scan over names", |x, e| vec![scan(x, x, e.name, |c, x| (c, x)).1]),
    ("constrain", |x, e| vec![x.constrain(PartitionSpec::shard(e.at, "data"))]),
];

/// A kernel of ones for the last axes of `x`.
fn kernel(x: Tensor, spatial: usize) -> Tensor {
    let features = x.shape().sizes().iter().rev().nth(spatial).copied().unwrap_or(1).min(300);
    let sizes = [1, features].into_iter().chain([2].repeat(spatial)).collect::<Vec<_>>();
    Tensor::ones(x.dtype(), sizes)
}

fn conv_options(e: Extreme) -> ConvOptions {
    let paddings =
        [Padding::Same, Padding::Valid, Padding::SameLower, [(e.at, 1)].into(), Padding::Causal];
    ConvOptions {
        strides: [e.size.max(1), 1, 2][..1 + e.size % 3].to_vec().into(),
        padding: paddings[e.size % 5].clone(),
        dilation: e.size.into(),
        groups: 1 + usize::from(e.at < -1),
        accumulate: (e.at == 0).then_some(e.dtype),
        ..ConvOptions::new()
    }
}

fn pool(e: Extreme) -> PoolOptions {
    PoolOptions::new(e.size.min(4)).strides(e.size).padding([(e.at, 2)]).dilation(1 + e.size % 2)
}

/// Dimension numbers of which few are sound.
fn gather_dims(e: Extreme) -> GatherDims {
    let axis = e.at.unsigned_abs();
    GatherDims {
        offset_dims: PerAxis::collect([e.size.min(1)]),
        collapsed_slice_dims: PerAxis::collect((e.size < 300).then_some(0)),
        operand_batching_dims: PerAxis::collect((e.size == 300).then_some(axis)),
        start_indices_batching_dims: PerAxis::collect((e.at == -3).then_some(e.size)),
        start_index_map: PerAxis::collect([if e.at < 2 { 0 } else { axis }]),
        index_vector_dim: axis.min(e.size),
        slice_sizes: PerAxis::collect([1, e.size]),
        indices_are_sorted: e.at == 0,
    }
}

const COLLECTIVES: &[(&str, Extremely)] = &[
    ("all_gather", |x, e| {
        each(x, move |x| vec![x.all_gather(e.at, "data"), x.all_gather(e.name, ["data", "model"])])
    }),
    ("all_reduce", |x, e| {
        each(x, move |x| {
            vec![x.all_reduce(Reduction::Sum, e.name), x.all_reduce(Reduction::Max, "data")]
        })
    }),
    ("all_to_all", |x, e| {
        each(x, move |x| vec![x.all_to_all(e.at, 0, "data"), x.all_to_all(0, e.name, "model")])
    }),
    ("reduce_scatter", |x, e| {
        each(x, move |x| vec![x.reduce_scatter(Reduction::Min, e.at, "model")])
    }),
    ("collective_broadcast", |x, e| each(x, move |x| vec![x.collective_broadcast(e.size, "data")])),
    ("collective_permute", |x, e| {
        each(x, move |x| vec![x.collective_permute("model", [(e.size, 0), (1, e.size)])])
    }),
    ("constrain", |x, e| {
        vec![x.constrain(PartitionSpec::shard(e.at, "data").and(e.name, "model"))]
    }),
    ("constrain twice", |x, e| vec![x.constrain(PartitionSpec::shard(e.name, ["data", "data"]))]),
    ("constrain_to", |x, _| vec![x.constrain_to(ResolvedSharding::replicated(2))]),
    ("axis_size", |x, e| vec![x * axis_size(e.name)]),
    ("axis_index", |x, e| {
        each(x, move |x| vec![x + axis_index("data").convert(x.dtype()), axis_index(e.name)])
    }),
];

/// The results of a manual body, with the operand replicated on every device.
fn each(x: Tensor, body: impl FnOnce(Tensor) -> Vec<Tensor>) -> Vec<Tensor> {
    let whole = PartitionSpec::replicated();
    manual_unchecked(vec![x], vec![whole], vec![whole; 2], |x| {
        let mut results = body(x[0]);
        results.resize(2, x[0]);
        results
    })
}

/// The methods tried on each pair of operands.
pub fn plain() -> Vec<(&'static str, Plain)> {
    [&Common::all().plain[..], OTHERS].concat()
}

/// The methods tried with extreme arguments.
pub fn extreme() -> Vec<(&'static str, Extremely)> {
    [&Common::all().extreme[..], WITH].concat()
}

/// The methods tried with extreme arguments over a mesh.
pub fn collective() -> Vec<(&'static str, Extremely)> {
    COLLECTIVES.to_vec()
}
