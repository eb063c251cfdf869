//! Convolutions of `f32` whose padding cuts elements off, against those of the same whole numbers in
//! `i32`, which the plugin computes by other code.

use crate::platforms::platforms;
use hloom::{ops::ConvOptions, prelude::*};

/// The numbers of a tensor: small, so that their sums are exact.
fn whole(count: usize, by: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * by + i / 7) % 9) as f32 - 4.0).collect()
}

#[test]
fn cut_inputs_are_not_read_past_their_end() {
    let paddings =
        [(-1isize, 1isize), (1, -1), (-2, 2), (-2, 1), (-1, -1), (-1, 0), (-5, 7), (0, -3)];
    for platform in platforms() {
        for (channels, size, kernel, stride, groups) in
            [(8, 5, 1, 1, 1), (8, 6, 2, 1, 1), (16, 7, 3, 2, 1), (8, 5, 2, 1, 4), (1, 5, 2, 1, 1)]
        {
            let x = whole(3 * size * channels, 5);
            let k = whole(kernel * (channels / groups) * 8, 7);
            let dims = [("n", 1), ("y", 3), ("x", size), ("c", channels)];
            let x = Buffer::from_slice(platform, &x, dims).expect("it fits");
            let dims = [("y", 1), ("x", kernel), ("c", channels / groups), ("out", 8)];
            let k = Buffer::from_slice(platform, &k, dims).expect("it fits");
            let both = move |x: Tensor, k: Tensor| -> Vec<(Tensor, Tensor)> {
                let of = |padding| {
                    let options = ConvOptions::new()
                        .padding([(0isize, 0isize), padding])
                        .strides([1, stride])
                        .groups(groups);
                    let conv = |x: Tensor, k: Tensor| x.conv(k, "c", ["y", "x"], options.clone());
                    let whole = [x, k].map(|x| x.convert(DType::I32));
                    (conv(x, k), conv(whole[0], whole[1]).convert(DType::F32))
                };
                paddings.map(of).to_vec()
            };
            let exe = platform.compile(both, (Spec::of(x.shape()), Spec::of(k.shape())));
            let results = exe.expect("it compiles").call((&x, &k)).expect("it runs");
            for (padding, (found, expected)) in paddings.into_iter().zip(results) {
                let [found, expected] =
                    [found, expected].map(|x| x.to_vec::<f32>().expect("it is f32"));
                let case = format!("{channels} channels, {size} by {kernel}, padding {padding:?}");
                assert_eq!(found, expected, "{case}");
            }
        }
    }
}
