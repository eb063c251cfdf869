"""Sorting."""

import numpy as np

from reference import DTYPES, INTS, numbers, widened

ORDERED = ["bool", *INTS, "f4e2m1fn", "f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64"]


def keys(x):
    """Keys in the order of the elements."""
    return x.astype(object) if x.dtype in (DTYPES[n] for n in ["bool", *INTS]) else widened(x)


def order(x, axis, descending):
    """The indices of a stable sort; NaNs last when ascending, first when descending; both zeros are equal."""
    def line(values):
        nan = [v != v for v in values]
        def key(i):
            return (not nan[i], 0 if nan[i] else -values[i]) if descending else (nan[i], 0 if nan[i] else values[i])
        return np.array(sorted(range(len(values)), key=key), np.int32)
    values = keys(x)
    if x.size == 0:
        return np.zeros(x.shape, np.int32)
    return np.apply_along_axis(lambda v: line([int(e) if isinstance(e, bool | np.bool_) else e for e in v]), axis, values).astype(np.int32)


def sorted_by(x, axis, descending):
    return np.take_along_axis(x, order(x, axis, descending).astype(np.int64), axis)


def fill(table):
    for name in ORDERED:
        x = numbers(name, (3, 7), -3, 3)
        table.add("sort 1", [x], sorted_by(x, 1, False))
        table.add("argsort 1 descending", [x], order(x, 1, True))
    for descending, word in [(False, ""), (True, " descending")]:
        x = numbers("f32", (2, 9, 3))
        table.add(f"sort 1{word}", [x], sorted_by(x, 1, descending))
        table.add(f"argsort 1{word}", [x], order(x, 1, descending))
        edges = np.array([[np.nan, 1, -0.0, 0.0, np.inf, -np.inf, np.nan, 1], [2, 2, 2, 1, 1, 1, 2, 1], [0.0, -0.0, 0.0, -0.0, 0, 0, -0.0, 0]], np.float32)
        table.add(f"sort 1{word}", [edges], sorted_by(edges, 1, descending))
        table.add(f"argsort 1{word}", [edges], order(edges, 1, descending))
        table.add(f"sort 0{word}", [np.zeros(0, np.float32)], np.zeros(0, np.float32))
        table.add(f"sort 0{word}", [np.array([3], np.int32)], np.array([3], np.int32))
        long = numbers("i32", (1000,), -50, 50)
        table.add(f"argsort 0{word}", [long], order(long, 0, descending))
    x = numbers("f32", (2, 9))
    for k in [1, 3, 9, 0]:
        at = order(x, 1, True)[:, :k]
        table.add(f"top_k {k}", [x], [np.take_along_axis(x, at.astype(np.int64), 1), at])
    for name in ["i2", "u2", "i4", "u4", "i16", "f4e2m1fn", "f8e4m3fn", "bf16", "f16", "f32", "f64"]:
        x = numbers(name, (4, 7), -3, 3)
        at = order(x, 1, True)[:, :3]
        table.add("top_k 3", [x], [np.take_along_axis(x, at.astype(np.int64), 1), at])
    x = numbers("f32", (2, 3, 20))
    at = order(x, 2, True)[:, :, :3]
    table.add("top_k 3", [x], [np.take_along_axis(x, at.astype(np.int64), 2), at])
    zeros = np.array([0.0, -0.0, -1, 0.0, -0.0, 1, -np.nan, -np.inf, np.nan], np.float32)
    for k in [3, 9]:
        at = order(zeros, 0, True)[:k]
        table.add(f"top_k {k}", [zeros], [zeros[at], at])
    table.add("top_k 0", [np.zeros((3, 0), np.float32)], [np.zeros((3, 0), np.float32), np.zeros((3, 0), np.int32)])
    ties = np.array([[1, 5, 5, 2, 5], [np.nan, 1, 7, np.nan, 7]], np.float32)
    at = order(ties, 1, True)[:, :3]
    table.add("top_k 3", [ties], [np.take_along_axis(ties, at.astype(np.int64), 1), at])
    first = np.array([2, 1, 2, 1, 0], np.int32)
    second, third = numbers("f32", (5,)), np.array([True, False, False, True, True])
    at = order(first, 0, False)
    table.add("sort_together", [first, second, third], [first[at], second[at], third[at]])
