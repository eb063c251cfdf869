"""Constants: results without operands, or shaped like one."""

import numpy as np

from reference import DTYPES, FLOATS, INTS, WIDE_FLOATS, COMPLEX, is_complex, limits, numbers, rounded

ELEMENTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", *WIDE_FLOATS, *COMPLEX]
NUMBERS = INTS + FLOATS + COMPLEX


def fill(table):
    for name in ["bool", *NUMBERS]:
        like = np.zeros((2, 3), DTYPES[name])
        table.add("zeros", [like], np.zeros_like(like))
        table.add("ones", [like], np.ones_like(like))
    for name in FLOATS + COMPLEX:
        table.add("full 1.5", [rounded(np.zeros(3), name)], np.full(3, 1.5, DTYPES[name]))
    for name in ["i8", "i16", "i32", "i64"]:
        low = np.full((), limits(name)[0], DTYPES[name])
        table.add("full lowest", [low], low)
    for shape in [(), (0,), (1,), (2, 0, 3), (1, 2, 1, 2, 1, 2)]:
        table.add("full 1.5", [np.zeros(shape, np.float32)], np.full(shape, 1.5, np.float32))
    table.add("scalar", [], [np.array(v, d) for v, d in [(-7, np.int32), (2.5, np.float64), (True, np.bool_)]])
    for name in NUMBERS:
        like = np.zeros(2, DTYPES[name])
        table.add("iota 0", [like], rounded(np.arange(2), name))
    for name in ["i32", "u8", "f32", "bf16", "c64"]:
        like = np.zeros((3, 5), DTYPES[name])
        table.add("iota 0", [like], rounded(np.broadcast_to(np.arange(3)[:, None], (3, 5)), name))
        table.add("iota 1", [like], rounded(np.broadcast_to(np.arange(5), (3, 5)), name))
    table.add("iota 0", [np.zeros((0, 2), np.float32)], np.zeros((0, 2), np.float32))
    table.add("arange 7", [], np.arange(7, dtype=np.int64))
    for name in ELEMENTS:
        table.add(f"values {name}", [], edges(name))
    table.add("values bool", [], np.array([[True, False], [False, True]]))
    table.add("values none", [], np.zeros((3, 0), np.float32))
    table.add("values many", [], np.arange(3000, dtype=np.int32).reshape(30, 100) ** 2 % 1009)
    for name in ["i32", "f32", "bf16", "f8e4m3fn", "c64"]:
        x = numbers(name, (3,))
        table.add("full_like 2", [x], np.full(3, 2, DTYPES[name]))


def edges(name):
    """The constants of `values` in the Rust table."""
    if name in INTS:
        return np.array([limits(name)[0], 0, 1, limits(name)[1]], DTYPES[name])
    if is_complex(name):
        return np.array([0.5 - 1.5j, complex(0, -0.0), complex(np.inf, 2)], DTYPES[name])
    return np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan], DTYPES[name])
