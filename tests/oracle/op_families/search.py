"""Searches in sorted elements, counts and positions, by JAX."""

import jax.numpy as jnp
import numpy as np

from reference import DTYPES, numbers

REAL = ["u8", "i32", "bf16", "f16", "f64"]


def searches(table):
    for name in REAL:
        a, v = np.sort(numbers(name, (7,), -3, 3)), numbers(name, (3, 5), -4, 4)
        for side in ["left", "right"]:
            table.add(f"searchsorted {side}", [a, v], np.array(jnp.searchsorted(a, v, side=side), np.int32))
        x, elements = numbers(name, (4, 5), -4, 4), numbers(name, (2, 3), -4, 4, seed="elements")
        table.add("isin", [x, elements], np.isin(x.astype(np.float64), elements.astype(np.float64)))
    nan = np.array([-np.inf, -1, 0, 2, np.inf, np.nan, np.nan], np.float32)
    for side in ["left", "right"]:
        table.add(f"searchsorted {side}", [nan, nan[::-1].copy()], np.array(jnp.searchsorted(nan, nan[::-1], side=side), np.int32), case="specials")
        table.add(f"searchsorted {side}", [nan, np.float32(3)], np.array(jnp.searchsorted(nan, np.float32(3), side=side), np.int32), case="scalar")
        table.add(f"searchsorted {side}", [nan[:0].copy(), nan], np.zeros(7, np.int32), case="in nothing")
        table.add(f"searchsorted {side}", [nan[:1].copy(), nan[:0].copy()], np.zeros(0, np.int32), case="of nothing")
        one = np.array([2], np.int32)
        table.add(f"searchsorted {side}", [one, np.array([1, 2, 3], np.int32)], np.array(jnp.searchsorted(one, np.array([1, 2, 3]), side=side), np.int32))
    table.add("isin", [nan, nan], np.isin(nan, nan), case="specials")
    table.add("isin", [nan, nan[:0].copy()], np.zeros(7, bool), case="in nothing")
    table.add("isin", [np.array([True, False]), np.array([True])], np.array([True, False]))
    table.add("isin", [np.float32(2), nan], np.bool_(True), case="scalar")


def counts(table):
    for name in ["u8", "i8", "i64"]:
        x = numbers(name, (4, 5), -2, 7)
        table.add("bincount 6", [x], np.array(jnp.bincount(x.reshape(-1), length=6), np.int32))
    table.add("bincount 6", [np.zeros((0,), np.int32)], np.zeros(6, np.int32))
    table.add("bincount 6", [np.int32(5)], np.array([0, 0, 0, 0, 0, 1], np.int32))
    table.add("bincount 6", [np.array([255, 0, 200], np.uint8)], np.array([1, 0, 0, 0, 0, 0], np.int32), case="wide")
    for name in ["i32", "bf16", "f32"]:
        x, edges = numbers(name, (5, 9), -4, 4), np.array([-2, -1, 0, 3], DTYPES[name])
        table.add("histogram", [x, edges], np.array(jnp.histogram(x, edges)[0], np.int32))
    special, edges = np.array([np.nan, np.inf, -np.inf, 0, 1, 2, 0.5], np.float32), np.array([0, 1, 2], np.float32)
    table.add("histogram", [special, edges], np.array([2, 2], np.int32), case="specials")
    table.add("histogram", [np.zeros((0,), np.float32), edges], np.zeros(2, np.int32))


def positions(table):
    rng = np.random.default_rng(7)
    for shape in [(1,), (7,), (0,), (3, 4), (2, 3, 2), (4, 0)]:
        x = rng.integers(0, 2, shape).astype(bool)
        padded = [np.concatenate([p[:5], np.full(max(0, 5 - len(p)), -7)]).astype(np.int32) for p in np.nonzero(x)]
        expected = jnp.nonzero(x, size=5, fill_value=-7) if x.size else padded
        for one, two in zip(padded, expected):
            np.testing.assert_array_equal(one, two)
        table.add("nonzero 5", [x], padded)
    for name in REAL:
        x = numbers(name, (3, 4), -3, 3)
        values = np.array(jnp.unique(x, size=5, fill_value=DTYPES[name].type(1)))
        table.add("unique 5", [x], values)
    special = np.array([np.nan, 1, np.nan, -np.inf, 1, 0.0, -0.0, np.inf], np.float32)
    table.add("unique 5", [special], np.array([-np.inf, 0, 1, np.inf, np.nan], np.float32), case="specials")
    table.add("unique 5", [np.zeros((0,), np.float32)], np.ones(5, np.float32))
    table.add("unique 5", [np.float32(3)], np.array([3, 1, 1, 1, 1], np.float32))
    many = np.arange(9, dtype=np.int32)[::-1].copy()
    table.add("unique 5", [many], np.arange(5, dtype=np.int32))


def fill(table):
    searches(table)
    counts(table)
    positions(table)
