//! Repeating, shifting and regrouping elements, triangles and grids.

use crate::{EXACT, Row, Tolerance, rows, ulps};
use hloom::{
    ops::{PadMode, meshgrid},
    prelude::*,
};

/// The rows of one mode of padding.
macro_rules! pads {
    ($mode:ident) => {{
        const MODE: PadMode = PadMode::$mode;
        rows![
            concat!("pad ", stringify!($mode), " 2 3"), EXACT, [x] => padded(x, 2, 3, MODE);
            concat!("pad ", stringify!($mode), " 0 1"), EXACT, [x] => padded(x, 0, 1, MODE);
            concat!("pad ", stringify!($mode), " 5 4"), EXACT, [x] => padded(x, 5, 4, MODE);
            concat!("pad ", stringify!($mode), " 2 2"), EXACT, [x] => padded(x, 2, 2, MODE);
            concat!("pad ", stringify!($mode), " 13 8"), EXACT, [x] => padded(x, 13, 8, MODE);
            concat!("pad ", stringify!($mode), " 1 1"), EXACT, [x] => padded(x, 1, 1, MODE);
            concat!("pad ", stringify!($mode), " first"), EXACT, [x] => x.pad_mode(0, 2, 1, MODE);
        ]
    }};
}

fn padded(x: Tensor, low: usize, high: usize, mode: PadMode) -> Tensor {
    x.named(["a", "b"]).pad_mode("b", low, high, mode)
}

/// The sums of cosines cancel at the edges.
const WINDOW: Tolerance = ulps(4).of_largest();
const IMAGE: [&str; 3] = ["c", "h", "w"];

pub fn rows() -> Vec<Row> {
    let rows = rows![
        "repeat 1 by 3", EXACT, [x] => x.repeat(1, 3);
        "repeat 1 by 0", EXACT, [x] => x.repeat(1, 0);
        "tile 1 by 3", EXACT, [x] => x.named(["a", "b"]).tile("b", 3);
        "roll 1 by 1", EXACT, [x] => x.roll(1, 1);
        "roll 0 by -7", EXACT, [x] => x.roll(0, -7);
        "roll 0 by -1", EXACT, [x] => x.roll(0, -1);
        "roll 0 by 3", EXACT, [x] => x.roll(0, 3);
        "roll 0 by 6", EXACT, [x] => x.named(["a", "b"]).roll("a", 6);
        "tril 0", EXACT, [x] => x.tril(0, 1, 0);
        "tril -9", EXACT, [x] => x.tril(-2, -1, -9);
        "tril -2", EXACT, [x] => x.tril(-2, -1, -2);
        "tril -1", EXACT, [x] => x.named(["r", "c"]).tril("r", "c", -1);
        "tril 1", EXACT, [x] => x.transpose([1, 0]).tril(1, 0, 1).transpose([1, 0]);
        "tril 2", EXACT, [x] => x.tril(-2, -1, 2);
        "tril 9", EXACT, [x] => x.tril(-2, -1, isize::MAX);
        "triu 1", EXACT, [x] => x.triu(-2, -1, 1);
        "triu -9", EXACT, [x] => x.triu(-2, -1, isize::MIN);
        "triu -2", EXACT, [x] => x.triu(-2, -1, -2);
        "triu -1", EXACT, [x] => x.named(["b", "r", "c"]).triu("r", "c", -1);
        "triu 2", EXACT, [x] => x.triu(-2, -1, 2);
        "triu 9", EXACT, [x] => x.triu(-2, -1, 9);
        "moveaxis", EXACT, [x] => x.moveaxis(0, -1);
        "moveaxis back", EXACT, [x] => x.named(["a", "b", "c"]).moveaxis("c", 0);
        "eye", EXACT, [x] => Tensor::eye(x.dtype(), x.shape());
        "zeros_like", EXACT, [x] => x.zeros_like();
        "ones_like", EXACT, [x] => x.ones_like();
        "diag 1", EXACT, [x] => x.named(["a", "b"]).diag("b", ["b", "c"]);
        "diagonal", EXACT, [x] => x.diagonal(-2, -1);
        "diagonal of others", EXACT, [x] => x.named(["a", "b", "c"]).diagonal("c", "a");
        "unstack 1", EXACT, [x] => x.unstack(1);
        "unfold 3 1", EXACT, [x] => x.unfold(0, "_", 3, 1);
        "unfold 3 2", EXACT, [x] => x.named(["a", "b"]).unfold("a", "w", 3, 2);
        "unfold 7 5", EXACT, [x] => x.unfold(0, "_", 7, 5);
        "unfold 1 3", EXACT, [x] => x.unfold(0, "_", 1, 3);
        "unfold 2 2", EXACT, [x] => x.unfold(0, "_", 2, 2);
        "unfold 0 1", EXACT, [x] => x.unfold(0, "_", 0, 1);
        "pixel_shuffle 2", EXACT, [x] => {
            x.named(["n", "c", "h", "w"]).pixel_shuffle(IMAGE.map(Axis::from), 2)
        };
        "pixel_unshuffle 2", EXACT, [x] => x.pixel_unshuffle([1, 2, 3].map(Axis::from), 2);
        "pixel_shuffle last", EXACT, [x] => {
            x.named(["n", "h", "w", "c"]).pixel_shuffle(IMAGE.map(Axis::from), 2)
        };
        "meshgrid", EXACT, [a, b, c] => meshgrid(&[a, b, c]);
        "arange_step up", EXACT, [x] => Tensor::arange_step(x.dtype(), "i", 3, 20, 4);
        "arange_step none", EXACT, [x] => Tensor::arange_step(x.dtype(), "i", 3, 3, 4);
        "arange_step down", EXACT, [] => Tensor::arange_step(DType::I32, "i", 5, -4, -2);
        "arange_step extreme", EXACT, [] => {
            Tensor::arange_step(DType::I64, "i", i64::MIN, i64::MAX, i64::MAX)
        };
        "linspace 7", ulps(2).of_largest(), [x] => Tensor::linspace(x.dtype(), "i", -1.5, 4.0, 7);
        "linspace 1", ulps(2).of_largest(), [x] => Tensor::linspace(x.dtype(), "i", -1.5, 4.0, 1);
        "linspace 0", ulps(2).of_largest(), [x] => Tensor::linspace(x.dtype(), "i", -1.5, 4.0, 0);
        "hann 0", ulps(1), [x] => Tensor::hann_window(x.dtype(), "i", 0, false);
        "hann 1", ulps(1), [x] => Tensor::hann_window(x.dtype(), "i", 1, false);
        "hann 2", WINDOW, [x] => Tensor::hann_window(x.dtype(), "i", 2, false);
        "hann 7", WINDOW, [x] => Tensor::hann_window(x.dtype(), "i", 7, false);
        "hann periodic", WINDOW, [x] => Tensor::hann_window(x.dtype(), "i", 8, true);
        "hamming 0", WINDOW, [x] => Tensor::hamming_window(x.dtype(), "i", 0, false);
        "hamming 1", WINDOW, [x] => Tensor::hamming_window(x.dtype(), "i", 1, false);
        "hamming 2", WINDOW, [x] => Tensor::hamming_window(x.dtype(), "i", 2, false);
        "hamming 7", WINDOW, [x] => Tensor::hamming_window(x.dtype(), "i", 7, false);
        "hamming periodic", WINDOW, [x] => Tensor::hamming_window(x.dtype(), "i", 8, true);
        "blackman 0", WINDOW, [x] => Tensor::blackman_window(x.dtype(), "i", 0, false);
        "blackman 1", WINDOW, [x] => Tensor::blackman_window(x.dtype(), "i", 1, false);
        "blackman 7", WINDOW, [x] => Tensor::blackman_window(x.dtype(), "i", 7, false);
        "blackman periodic", WINDOW, [x] => Tensor::blackman_window(x.dtype(), "i", 8, true);
    ];
    let pads = [pads!(Reflect), pads!(Symmetric), pads!(Edge), pads!(Wrap)];
    rows.into_iter().chain(pads.into_iter().flatten()).collect()
}
