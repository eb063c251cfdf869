//! Ops with windows that slide along axes.

use super::{Mistake, OpProgram, each};
use hloom_graph::{
    ConvOptions, DType, Padding, PerAxis, PoolOptions, Precision, Reduction, Spec, WindowDims,
};

pub fn all() -> Vec<OpProgram> {
    let specs = [
        Spec::f32([("batch", 2), ("in", 4), ("y", 5), ("x", 6)]),
        Spec::f32([("out", 6), ("in", 4), ("y", 3), ("x", 2)]),
        Spec::bf16([2, 4]),
        Spec::bool([0, 4]),
        Spec::scalar(DType::F32),
    ];
    each(
        &specs,
        &[
            ("convolution", |x| {
                let options = ConvOptions { precision: Precision::High, ..ConvOptions::new() };
                let apart = x[0].insert_axis(3, "time");
                vec![
                    x[0].conv2d(x[1], options.strides([2, 1]).padding([(1, 0), (-1, 2)])),
                    x[0].conv(x[1], "in", ["x", "y"], ConvOptions::new().padding(Padding::Same)),
                    apart.conv(x[1], "in", ["y", "x"], ConvOptions::new().dilation(2)),
                    x[0].conv2d(x[1].slice("in", ..2), ConvOptions::new().groups(2)),
                    x[2].conv(
                        x[2],
                        1,
                        &[] as &[i32],
                        ConvOptions { accumulate: Some(DType::F32), ..ConvOptions::new() },
                    ),
                ]
            }),
            ("conv_transpose", |x| {
                let options = ConvOptions::new().strides(2).groups(2).output_padding([0, 1]);
                vec![x[0].conv_transpose(x[1], "in", ["y", "x"], options)]
            }),
            ("reduce_window", |x| {
                let window = WindowDims {
                    low: PerAxis::collect([-1, 1]),
                    high: PerAxis::collect([3, 0]),
                    base_dilations: PerAxis::collect([1, 2]),
                    ..WindowDims::new(PerAxis::collect([2, 1]))
                };
                vec![
                    x[2].reduce_window(Reduction::Min, window),
                    x[3].reduce_window(Reduction::All, window),
                    x[4].reduce_window(Reduction::Max, WindowDims::default()),
                ]
            }),
            ("pool", |x| {
                let options = PoolOptions::new(3).strides(2).padding(1);
                vec![
                    x[0].max_pool(["y", "x"], options.clone()),
                    x[0].avg_pool(["y", "x"], options.count_padding(false)),
                    x[2].avg_pool(1, 2),
                    x[0].adaptive_avg_pool(["y", "x"], [2, 1]),
                ]
            }),
        ],
    )
}

/// A wrong call of each op.
pub const MISTAKES: &[Mistake] = &[
    ("reduce_window", |a| {
        a.x.reduce_window(Reduction::Sum, WindowDims::new(PerAxis::collect([2])))
    }),
    ("convolution", |a| a.x.conv1d(a.w, ConvOptions::new())),
    ("conv_transpose", |a| a.x.conv_transpose1d(a.w, ConvOptions::new())),
    ("pool", |a| a.x.max_pool(["row", "column"], [2, 2, 2])),
];
