//! Fourier transforms.

use crate::{EXACT, Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    let near = ulps(16).of_largest();
    Vec::from(rows![
        "fft -1", near, [x] => x.fft(-1);
        "ifft -1", near, [x] => x.ifft(-1);
        "fft 0", near, [x] => x.named(["a", "b"]).fft("a");
        "ifft 0", near, [x] => x.ifft(0);
        "rfft -1", near, [x] => x.rfft(-1);
        "rfft 0", near, [x] => x.named(["a", "b"]).rfft("a");
        "irfft 1", near, [x] => x.irfft(1, 1);
        "irfft 2", near, [x] => x.irfft(1, 2);
        "irfft 5", near, [x] => x.irfft(1, 5);
        "irfft 8", near, [x] => x.irfft(1, 8);
        "irfft 9", near, [x] => x.named(["a", "b"]).irfft("b", 9);
        "fftn 0 2", near, [x] => x.named(["a", "b", "c", "d"]).fftn(["a", "c"]);
        "fftn 3 1", near, [x] => x.fftn([3, 1]);
        "fftn all", near, [x] => x.fftn(..);
        "ifftn 0 2", near, [x] => x.ifftn([0, 2]);
        "ifftn 3 1", near, [x] => x.ifftn([3, 1]);
        "ifftn all", near, [x] => x.ifftn(..);
        "fft2", near, [x] => x.fft2();
        "ifft2", near, [x] => x.ifft2();
        "rfftn 0 2", near, [x] => x.rfftn([0, 2]);
        "rfftn all", near, [x] => x.rfftn(..);
        "irfftn all", near, [x] => x.irfftn(.., 5);
        "irfftn 1 3", near, [x] => x.irfftn([1, 3], 4);
        "fftshift", EXACT, [x] => x.fftshift(1);
        "ifftshift", EXACT, [x] => x.named(["a", "b"]).ifftshift("b");
    ])
}
