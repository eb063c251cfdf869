"""Discrete Fourier transforms, by NumPy in double precision."""

import numpy as np

from reference import numbers, rounded, widened

REAL = ["f32", "f64"]
COMPLEX = ["c64", "c128"]
COMPLEX_OF = {"f32": "c64", "f64": "c128", "c64": "c64", "c128": "c128"}
# Sizes 1, odd, prime, powers of two, and none along another axis.
SHAPES = [(1,), (2,), (5,), (8,), (97,), (128,), (3, 15), (2, 3, 6), (0, 4), (4, 1)]


def fill(table):
    for name in REAL + COMPLEX:
        wide = COMPLEX_OF[name]
        for shape in SHAPES:
            x = numbers(name, shape)
            table.add("fft -1", [x], rounded(np.fft.fft(widened(x)), wide))
            table.add("ifft -1", [x], rounded(np.fft.ifft(widened(x)), wide))
        x = numbers(name, (6, 5))
        table.add("fft 0", [x], rounded(np.fft.fft(widened(x), axis=0), wide))
        table.add("ifft 0", [x], rounded(np.fft.ifft(widened(x), axis=0), wide))
        x = numbers(name, (2, 3, 4, 5))
        for row, axes in [("0 2", (0, 2)), ("3 1", (3, 1)), ("all", None)]:
            table.add(f"fftn {row}", [x], rounded(np.fft.fftn(widened(x), axes=axes), wide))
            table.add(f"ifftn {row}", [x], rounded(np.fft.ifftn(widened(x), axes=axes), wide))
        table.add("fft2", [x], rounded(np.fft.fft2(widened(x)), wide))
        table.add("ifft2", [x], rounded(np.fft.ifft2(widened(x)), wide))
        for size in [4, 5]:
            x = numbers(name, (3, size))
            table.add("fftshift", [x], np.fft.fftshift(x, 1))
            table.add("ifftshift", [x], np.fft.ifftshift(x, 1))
    for name in REAL:
        wide = COMPLEX_OF[name]
        for shape in SHAPES:
            x = numbers(name, shape)
            table.add("rfft -1", [x], rounded(np.fft.rfft(widened(x)), wide))
        x = numbers(name, (6, 5))
        table.add("rfft 0", [x], rounded(np.fft.rfft(widened(x), axis=0), wide))
        for size in [1, 2, 5, 8, 9]:
            x = numbers(wide, (2, size // 2 + 1))
            table.add(f"irfft {size}", [x], rounded(np.fft.irfft(widened(x), size), name))
        x = numbers(name, (2, 3, 4, 5))
        table.add("rfftn 0 2", [x], rounded(np.fft.rfftn(widened(x), axes=(0, 2)), wide))
        table.add("rfftn all", [x], rounded(np.fft.rfftn(widened(x)), wide))
        x = numbers(wide, (2, 3, 4, 3))
        table.add("irfftn all", [x], rounded(np.fft.irfftn(widened(x), (2, 3, 4, 5)), name))
        table.add("irfftn 1 3", [x], rounded(np.fft.irfftn(widened(x), (3, 4), axes=(1, 3)), name))
    x = np.array([1, np.nan, 2], np.float32)
    table.add("fft -1", [x], rounded(np.fft.fft(x), "c64"), case="NaN")
