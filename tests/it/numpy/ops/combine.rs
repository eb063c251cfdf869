//! Reductions, sorting, dot products and gathers.

use super::{
    super::{generator::Generator, values::Data},
    Template,
};
use hloom::{
    DType, Tensor,
    ops::{DotOptions, Precision, sort_together},
};

/// Templates of an operand and some of its axes.
macro_rules! along_axes {
    ($($name:literal, $x:ident $axes:ident => $result:expr;)*) => {
        vec![$(Template::new($name, |g, dtype| {
            let $x = g.any(dtype);
            let $axes = g.axes($x);
            vec![$result]
        })),*]
    };
}

/// Templates of an operand and one of its axes.
macro_rules! along_axis {
    ($($name:literal, $x:ident $axis:ident => $result:expr;)*) => {
        vec![$(Template::new($name, |g, dtype| {
            let $x = g.ranked(dtype);
            let $axis = g.axis($x);
            vec![$result]
        })),*]
    };
}

pub fn reductions() -> Vec<Template> {
    let mut all = along_axes![
        "sum", x axes => x.sum(axes);
        "prod", x axes => x.prod(axes);
        "max", x axes => x.max(axes);
        "min", x axes => x.min(axes);
        "any", x axes => x.any(axes);
        "all", x axes => x.all(axes);
        "sum_keep", x axes => x.sum_keep(axes);
        "max_keep", x axes => x.max_keep(axes);
    ];
    all.extend(along_axis![
        "cumsum", x axis => x.cumsum(axis);
        "cumprod", x axis => x.cumprod(axis);
        "cummax", x axis => x.cummax(axis);
        "cummin", x axis => x.cummin(axis);
    ]);
    for (name, largest) in [("argmax", true), ("argmin", false)] {
        all.push(Template::new(name, move |g, dtype| {
            let x = g.filled(dtype);
            let axis = g.axis(x);
            vec![if largest { x.argmax(axis) } else { x.argmin(axis) }]
        }));
    }
    all
}

pub fn orders() -> Vec<Template> {
    vec![
        Template::new("sort", |g, dtype| {
            let x = g.ranked(dtype);
            vec![x.sort(g.axis(x), g.once_in(2))]
        }),
        Template::new("argsort", |g, dtype| {
            let x = g.ranked(dtype);
            vec![x.argsort(g.axis(x), g.once_in(2))]
        }),
        Template::new("sort_together", |g, dtype| {
            let x = g.ranked(dtype);
            let other = g.dtype_at_hand().unwrap_or(DType::F32);
            let y = g.tensor(other, x.shape().sizes());
            sort_together(&[x, y], g.axis(x), g.once_in(2))
        }),
        Template::new("top_k", |g, dtype| {
            let x = g.ranked(dtype);
            let axis = if g.once_in(3) { g.axis(x) } else { -1 };
            let size = x.shape().size(axis).expect("the axis is one of its");
            let (values, indices) = x.top_k(g.below(size + 1), axis);
            vec![values, indices]
        }),
    ]
}

/// A dot product over some axes of both sides, in any order.
fn product(g: &Generator<'_>, dtype: DType, accumulate: Option<DType>) -> Vec<Tensor> {
    let x = match g.any(dtype) {
        x if x.rank() <= 3 => x,
        x => x.sum_keep(..).reshape([1]),
    };
    let order = g.order(x);
    let batch = g.below(x.rank() + 1).min(g.below(3));
    let contracted = g.below(x.rank() - batch + 1);
    let pairs = order[..batch + contracted].to_vec();
    // The other side has these axes first or last, and occasionally one of its own.
    let mut sizes: Vec<usize> = pairs.iter().map(|&axis| x.shape().sizes()[axis]).collect();
    let before = g.once_in(2);
    if g.once_in(2) {
        sizes.insert(if before { 0 } else { sizes.len() }, g.choose(&[1, 2, 3, 5]));
    }
    let shift = if before { sizes.len() - pairs.len() } else { 0 };
    let y = g.tensor(dtype, &sizes);
    let both: Vec<(usize, usize)> =
        pairs.into_iter().enumerate().map(|(i, axis)| (axis, i + shift)).collect();
    let precision =
        g.choose(&[Precision::Default, Precision::Default, Precision::High, Precision::Highest]);
    let options = DotOptions { precision, accumulate };
    vec![x.dot_general(y, &both[batch..], &both[..batch], options)]
}

pub fn products() -> Vec<Template> {
    let mut all = vec![
        Template::new("dot", |g, dtype| product(g, dtype, None)),
        Template::new("matmul", |g, dtype| {
            let [rows, inner, columns] = [(); 3].map(|()| g.choose(&[1, 2, 3, 5, 8, 17]));
            let x = g.tensor(dtype, &[rows, inner]);
            let y = if g.once_in(4) {
                g.tensor(dtype, &[inner])
            } else {
                g.tensor(dtype, &[inner, columns])
            };
            vec![x.matmul(y)]
        }),
    ];
    for into in DType::ALL {
        all.push(Template::new(format!("dot into {into}"), move |g, dtype| {
            product(g, dtype, Some(into))
        }));
    }
    all
}

const INDEX_TYPES: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

pub fn indexing() -> Vec<Template> {
    let mut all = vec![
        Template::new("dynamic_slice", |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let size = x.shape().size(axis).expect("the axis is one of its");
            let start = g.argument(g.choose(&INDEX_TYPES), &[], Data::Index(size));
            vec![x.dynamic_slice(axis, start, g.below(size + 1))]
        }),
        Template::new("dynamic_update_slice", |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let mut sizes = x.shape().sizes().to_vec();
            let at = axis.rem_euclid(sizes.len() as isize) as usize;
            let size = sizes[at];
            sizes[at] = g.below(size + 1);
            let start = g.argument(g.choose(&INDEX_TYPES), &[], Data::Index(size));
            vec![x.dynamic_update_slice(g.tensor(dtype, &sizes), axis, start)]
        }),
        Template::new("take", |g, dtype| {
            let x = g.filled(dtype);
            let axis = g.axis(x);
            let size = x.shape().size(axis).expect("the axis is one of its");
            let sizes = g.choose::<&[usize]>(&[&[], &[3], &[0], &[2, 2]]);
            vec![x.take(g.argument(g.choose(&INDEX_TYPES), sizes, Data::Index(size)), axis)]
        }),
        Template::new("take in step", |g, dtype| {
            let [batch, size, other] = [(); 3].map(|()| g.choose(&[1, 2, 3]));
            let x = g.tensor(dtype, &[batch, size, other]).named(["a", "b", "_"]);
            let indices = g.argument(g.choose(&INDEX_TYPES), &[batch, 4], Data::Index(size));
            vec![x.take(indices.named(["a", "i"]), "b").named(["_", "_", "_"])]
        }),
        Template::new("take_along_axis", |g, dtype| {
            let x = g.filled(dtype);
            let axis = g.axis(x);
            let mut sizes = x.shape().sizes().to_vec();
            let at = axis.rem_euclid(sizes.len() as isize) as usize;
            let size = sizes[at];
            sizes[at] = g.choose(&[0, 1, 3, size]);
            let indices = g.argument(g.choose(&INDEX_TYPES), &sizes, Data::Index(size));
            vec![x.take_along_axis(indices, axis)]
        }),
    ];
    all.extend(updates());
    for dtype in [DType::I32, DType::U8, DType::I64, DType::I4] {
        all.push(Template::new(format!("one_hot of {dtype}"), move |g, wanted| {
            let sizes = g.sizes();
            let indices = g.argument(dtype, &sizes[..sizes.len().min(2)], Data::Index(5));
            vec![indices.one_hot("_", g.below(6), wanted)]
        }));
    }
    all.push(Template::new("indices by type", |g, dtype| {
        let x = g.argument(DType::F32, &[5, 3], Data::Any);
        let indices = g.argument(dtype, &[4], Data::Index(5));
        let start = g.argument(dtype, &[], Data::Index(5));
        vec![x.take(indices, 0), x.dynamic_slice(0, start, 2)]
    }));
    all
}

type Update = fn(Tensor, Tensor, Tensor, isize) -> Tensor;

const INDEX_UPDATES: [(&str, Update); 5] = [
    ("index_set", |x, i, y, axis| x.index_set(i, y, axis)),
    ("index_add", |x, i, y, axis| x.index_add(i, y, axis)),
    ("index_mul", |x, i, y, axis| x.index_mul(i, y, axis)),
    ("index_max", |x, i, y, axis| x.index_max(i, y, axis)),
    ("index_min", |x, i, y, axis| x.index_min(i, y, axis)),
];

const UPDATES_ALONG: [(&str, Update); 5] = [
    ("scatter_along", |x, i, y, axis| x.scatter_along(i, y, axis)),
    ("scatter_along_add", |x, i, y, axis| x.scatter_along_add(i, y, axis)),
    ("scatter_along_mul", |x, i, y, axis| x.scatter_along_mul(i, y, axis)),
    ("scatter_along_max", |x, i, y, axis| x.scatter_along_max(i, y, axis)),
    ("scatter_along_min", |x, i, y, axis| x.scatter_along_min(i, y, axis)),
];

fn updates() -> Vec<Template> {
    let mut all = Vec::new();
    for (name, update) in INDEX_UPDATES {
        all.push(Template::new(name, move |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let mut sizes = x.shape().sizes().to_vec();
            let at = axis.rem_euclid(sizes.len() as isize) as usize;
            let of = g.choose::<&[usize]>(&[&[], &[3], &[0], &[2, 2]]);
            let indices = g.argument(g.choose(&INDEX_TYPES), of, Data::Index(sizes[at]));
            sizes.splice(at..=at, of.iter().copied());
            vec![update(x, indices, g.tensor(dtype, &sizes), axis)]
        }));
    }
    for (name, update) in UPDATES_ALONG {
        all.push(Template::new(name, move |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let mut sizes = x.shape().sizes().to_vec();
            let at = axis.rem_euclid(sizes.len() as isize) as usize;
            let size = sizes[at];
            sizes[at] = g.choose(&[0, 1, 3, size]);
            let indices = g.argument(g.choose(&INDEX_TYPES), &sizes, Data::Index(size));
            vec![update(x, indices, g.tensor(dtype, &sizes), axis)]
        }));
    }
    all.push(Template::new("at", |g, dtype| {
        let x = g.filled(dtype);
        let axis = g.axis(x);
        let size = x.shape().size(axis).expect("the axis is one of its");
        let indices = g.argument(g.choose(&INDEX_TYPES), &[3], Data::Index(size));
        let updates = x.at(axis, indices).get();
        vec![updates, x.at(axis, indices).unique_indices().set(updates)]
    }));
    all
}
