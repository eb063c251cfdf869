"""Ops with a user-defined body: reductions and sorting."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import numbers

REAL = ["i8", "i32", "i64", "u8", "u32", "bf16", "f16", "f32", "f64"]


def largest_magnitude(x, axis):
    return np.array(lax.reduce(jnp.abs(x), jnp.zeros((), x.dtype), lax.max, (axis,)))


def best(x, axis):
    """The largest element and its first position, by one reduction of pairs."""
    positions = lax.broadcasted_iota(jnp.int32, x.shape, axis)

    def better(left, right):
        first = (left[0] > right[0]) | ((left[0] == right[0]) & (left[1] < right[1]))
        return tuple(lax.select(first, a, b) for a, b in zip(left, right))

    start = (np.array(-np.inf, x.dtype), np.array(np.iinfo(np.int32).max, np.int32))
    return [np.array(part) for part in lax.reduce((x, positions), start, better, (axis,))]


def by_magnitude(x, axis):
    order = np.argsort(np.abs(x), axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis)


def by_last_digit(x, y):
    """Integers sorted by their last digit, largest first; another tensor is sorted along."""
    order = np.argsort(-(x % 10), kind="stable")
    return [x[order], y[order]]


def fill(table):
    for name in REAL:
        x = numbers(name, (3, 5), -7, 7)
        table.add("reduce_by magnitude 1", [x], largest_magnitude(x, 1))
        table.add("reduce_by magnitude 0", [x], largest_magnitude(x, 0))
        table.add("sort_by magnitude 1", [x], by_magnitude(x, 1))
    for shape in [(1, 1), (4, 0), (0, 3), (2, 33)]:
        x = numbers("f32", shape)
        table.add("reduce_by magnitude 1", [x], largest_magnitude(x, 1))
        table.add("sort_by magnitude 1", [x], by_magnitude(x, 1))
    for x in [numbers("f32", (4, 9)), np.array([[1, 5, 5, 2], [3, 3, 3, 3]], np.float32)]:
        table.add("reduce_by best", [x], best(x, 1))
    flags = np.array([[True, False, True], [False, False, False]])
    table.add("reduce_by xor", [flags], np.logical_xor.reduce(flags, axis=1))
    x = numbers("i32", (40,), 0, 100)
    table.add("sort_by last digit", [x, numbers("f32", (40,))], by_last_digit(x, numbers("f32", (40,))))
