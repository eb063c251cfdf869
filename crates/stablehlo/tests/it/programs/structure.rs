//! Ops that move, reduce and order elements.

use super::{Mistake, OpProgram, each};
use hloom_graph::{
    DType, DotOptions, GatherDims, Key, PerAxis, Precision, Spec, Tensor, WindowDims, concatenate,
    reduce_by, reduce_window_by, scatter_by, sort_by, sort_together,
};

pub fn reshape() -> Vec<OpProgram> {
    each(
        &[Spec::f32([("a", 2), ("b", 3)])],
        &[
            ("reshape", |x| vec![x[0].merge(["a", "b"], "c"), x[0].rename("a", "row")]),
            ("transpose", |x| vec![x[0].transpose(["b", "a"])]),
            ("reverse", |x| vec![x[0].reverse("b")]),
            ("broadcast_in_dim", |x| vec![x[0].broadcast_to([("z", 4), ("a", 2), ("b", 3)])]),
        ],
    )
}

pub fn slice() -> Vec<OpProgram> {
    each(
        &[Spec::f32([5, 4])],
        &[
            ("slice", |x| vec![x[0].slice_step(0, 1.., 2), x[0].slice(0, 2..2)]),
            ("pad", |x| vec![x[0].pad_interior(1, -1, 2, 1, 9)]),
            ("concatenate", |x| vec![concatenate(&[x[0], x[0].slice(0, ..1)], 0)]),
        ],
    )
}

pub fn dot() -> Vec<OpProgram> {
    let specs = [
        Spec::bf16([("b", 2), ("i", 3), ("k", 4)]),
        Spec::bf16([("b", 2), ("k", 4), ("j", 5)]),
        Spec::u8([4]),
        Spec::new(DType::I4, [4]),
    ];
    each(
        &specs,
        &[("dot", |x| {
            let options =
                DotOptions { precision: Precision::Highest, accumulate: Some(DType::F32) };
            let accumulate =
                |dtype| DotOptions { accumulate: Some(dtype), ..DotOptions::default() };
            let none: &[(i32, i32)] = &[];
            vec![
                x[0].dot(x[1], "k"),
                x[0].dot_with(x[1], "k", options),
                x[2].dot_general(x[2], &[(0, 0)], none, accumulate(DType::I32)),
                x[0].dot_with(x[1], "k", accumulate(DType::F8E5M2)),
                x[2].dot_general(x[2], none, none, DotOptions::default()),
                x[3].dot_general(x[3], &[(0, 0)], none, DotOptions::default()),
            ]
        })],
    )
}

pub fn reduce() -> Vec<OpProgram> {
    let specs = [Spec::f32([2, 3]), Spec::i32([4]), Spec::bool([4]), Spec::bf16([4])];
    each(
        &specs,
        &[
            ("sum", |x| vec![x[0].sum([0, 1]), x[3].sum(0)]),
            ("prod", |x| vec![x[0].prod(1)]),
            ("max", |x| vec![x[0].max(0), x[1].max(0)]),
            ("min", |x| vec![x[0].min(0), x[1].min(0)]),
            ("any", |x| vec![x[2].any(0)]),
            ("all", |x| vec![x[2].all(0)]),
            ("argmax", |x| vec![x[0].argmax(1)]),
            ("argmin", |x| vec![x[1].argmin(0)]),
        ],
    )
}

pub fn cumulative() -> Vec<OpProgram> {
    each(
        &[Spec::f32([2, 3]), Spec::bf16([4]), Spec::f32([0, 2])],
        &[
            ("cumsum", |x| vec![x[0].cumsum(1), x[2].cumsum(0)]),
            ("cummax", |x| vec![x[0].cummax(0)]),
            ("cumprod", |x| vec![x[1].cumprod(0)]),
            ("cumlogsumexp", |x| {
                vec![x[0].cumlogsumexp(1), x[1].cumlogsumexp(0), x[2].cumlogsumexp(0)]
            }),
        ],
    )
}

pub fn index() -> Vec<OpProgram> {
    let specs = [
        Spec::f32([("row", 8), ("width", 4)]),
        Spec::i32([("n", 3)]),
        Spec::i32([0; 0]),
        Spec::f32([1, 4]),
    ];
    each(
        &specs,
        &[
            ("dynamic_slice", |x| vec![x[0].dynamic_slice("row", x[2], 2)]),
            ("dynamic_update_slice", |x| vec![x[0].dynamic_update_slice(x[3], "row", x[2])]),
            ("gather", |x| {
                let at = Tensor::iota(DType::I32, [("row", 2), ("width", 4)], "row");
                vec![x[0].take(x[1], "row"), x[0].take_along_axis(at, "row")]
            }),
            ("gather_or", |x| vec![x[0].at("row", x[1]).at("width", 1..3).get_or(-1)]),
            ("scatter", |x| {
                let at = Tensor::iota(DType::I32, [("row", 2), ("width", 4)], "row");
                vec![
                    x[0].index_set(x[1], 0, "row"),
                    x[0].scatter_along_add(at, 1, "row"),
                    x[0].at("row", x[1]).at("width", 1..3).indices_are_sorted().max(2),
                    x[0].at("row", 3).at("width", -2..).unique_indices().mul(2),
                    x[0].at("row", x[2])
                        .at("width", x[2])
                        .unique_indices()
                        .min(x[2].convert(DType::F32)),
                ]
            }),
            ("scatter_by", |x| {
                let dims = GatherDims {
                    offset_dims: PerAxis::collect([1]),
                    collapsed_slice_dims: PerAxis::collect([0]),
                    start_index_map: PerAxis::collect([0]),
                    index_vector_dim: 1,
                    ..GatherDims::default()
                };
                let updates = x[0].slice("row", ..3);
                let (a, b) = scatter_by(
                    (x[0], x[0]),
                    x[1],
                    (updates, updates),
                    dims.to_scatter(),
                    |old, new| (old.0 - new.1, new.0.maximum(old.1)),
                );
                vec![a, b]
            }),
        ],
    )
}

pub fn sort() -> Vec<OpProgram> {
    each(
        &[Spec::f32([4]), Spec::i32([4]), Spec::new(DType::I4, [4]), Spec::new(DType::F8E5M2, [4])],
        &[
            ("sort", |x| {
                let mut all = sort_together(&[x[0], x[1]], 0, true);
                all.extend([1, 2, 3].map(|i: usize| x[i].sort(0, false)));
                all
            }),
            ("top_k", |x| {
                let (largest, at) = x[0].top_k(2, 0);
                vec![largest, at]
            }),
        ],
    )
}

pub fn bodies() -> Vec<OpProgram> {
    each(
        &[Spec::f32([2, 3]), Spec::new(DType::I32, [2, 3])],
        &[
            ("reduce_by", |x| {
                let start = (Tensor::scalar(0.0, DType::F32), Tensor::scalar(0, DType::I32));
                let (largest, at) = reduce_by((x[0], x[1]), start, 1, |a, b| {
                    let first = a.0.gt(b.0);
                    (first.select(a.0, b.0), first.select(a.1, b.1))
                });
                vec![largest, at]
            }),
            ("reduce_window_by", |x| {
                let start = (Tensor::scalar(0.0, DType::F32), Tensor::scalar(0, DType::I32));
                let window = WindowDims::new(PerAxis::collect([1, 2]));
                let (largest, at) = reduce_window_by((x[0], x[1]), start, window, |a, b| {
                    let first = a.0.gt(b.0);
                    (first.select(a.0, b.0), first.select(a.1, b.1))
                });
                vec![largest, at]
            }),
            ("sort_by", |x| {
                let (sorted, with) = sort_by((x[0], x[1]), -1, |a, b| a.0.abs().lt(b.0.abs()));
                vec![sorted, with]
            }),
        ],
    )
}

pub fn random() -> Vec<OpProgram> {
    each(
        &[Spec::new(DType::U32, [2])],
        &[("random", |x| {
            let (next, own) = Key(x[0]).split2();
            vec![next.0, own.bits(DType::U32, [4])]
        })],
    )
}

/// A wrong call of each op.
pub const MISTAKES: &[Mistake] = &[
    ("reshape", |a| a.x.reshape([5, 2])),
    ("transpose", |a| a.x.transpose(["column"])),
    ("reverse", |a| a.x.reverse("in")),
    ("broadcast_in_dim", |a| a.x.broadcast_to([("row", 3), ("column", 8)])),
    ("slice", |a| a.x.slice("row", 2..5)),
    ("pad", |a| a.x.pad("row", -2, -2, 0)),
    ("concatenate", |a| concatenate(&[a.x, a.w], 0)),
    ("dot", |a| a.x.dot(a.w, "in")),
    ("sum", |a| a.x.sum("in")),
    ("prod", |a| a.b.prod("row")),
    ("max", |a| a.c.max("row")),
    ("min", |a| a.c.min("row")),
    ("any", |a| a.x.any("row")),
    ("all", |a| a.x.all("row")),
    ("argmax", |a| a.c.argmax("row")),
    ("argmin", |a| a.x.argmin("in")),
    ("cumsum", |a| a.b.cumsum("row")),
    ("cummax", |a| a.c.cummax("row")),
    ("cumprod", |a| a.x.cumprod("in")),
    ("cumlogsumexp", |a| a.i.cumlogsumexp("row")),
    ("dynamic_slice", |a| a.x.dynamic_slice("row", 0, 4)),
    ("dynamic_update_slice", |a| a.x.dynamic_update_slice(a.w, "row", 0)),
    ("gather", |a| a.x.take(a.x, "row")),
    ("gather_or", |a| a.x.at("row", a.x).get_or(0)),
    ("scatter", |a| a.x.index_add(a.i, a.w, "row")),
    ("scatter_by", |a| {
        scatter_by(a.x, a.i, a.x, GatherDims::default().to_scatter(), |old, new| old + new)
    }),
    ("sort", |a| a.c.sort("row", false)),
    ("top_k", |a| a.x.top_k(5, "column").0),
    ("reduce_by", |a| reduce_by(a.x, a.x, "row", |left, right| left + right)),
    ("reduce_window_by", |a| {
        let window = WindowDims::new(PerAxis::collect([2, 2]));
        let zero = Tensor::scalar(0, DType::F32);
        reduce_window_by(a.x, zero, window, |left, right| left.lt(right))
    }),
    ("sort_by", |a| sort_by(a.x, "row", |left, right| left - right)),
    ("random", |a| Key(a.x).bits(DType::U32, [4])),
];
