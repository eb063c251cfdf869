"""Reductions and cumulative reductions."""

import jax
import numpy as np
from jax import lax

from op_families.gradients import add as gradient
from reference import COMPLEX, DTYPES, INTS, bits, integers, is_complex, limits, numbers, rounded, widened

REAL = ["i2", "i4", "i8", "i16", "i32", "i64", "u2", "u4", "u8", "u16", "u32", "u64", "f4e2m1fn", "f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64"]
FUNCTIONS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
RUNNING = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummax": np.maximum.accumulate, "cummin": np.minimum.accumulate}


def wide(function, x, name, **axes):
    """The function in f64, c128 or Python integers, rounded once."""
    if name in INTS:
        return integers(function(x.astype(np.int64).astype(object), **axes), name)
    with np.errstate(all="ignore"):
        return rounded(function(widened(x), **axes), name)


def identity(row, name):
    """The result of an empty reduction."""
    if row in ("sum", "prod"):
        return np.full((), row == "prod", np.int8).astype(DTYPES[name])
    if name == "bool":
        return np.array(row == "min")
    if name in INTS:
        return np.array(limits(name)[row == "min"]).astype(DTYPES[name])
    return np.full((), np.inf if row == "min" else -np.inf).astype(DTYPES[name])


def reductions(table):
    for row, function in FUNCTIONS.items():
        for name in REAL + (COMPLEX if row in ("sum", "prod") else []):
            x = numbers(name, (3, 7), 0.5 if row == "prod" else -4, 2)
            table.add(f"{row} -1", [x], wide(function, x, name, axis=-1))
        for name in ["i8", "i32", "u64", "bf16", "f16", "f32"] + (["c64"] if row in ("sum", "prod") else ["bool"]):
            table.add(f"{row} -1", [np.zeros((2, 0), DTYPES[name])], np.full((2,), identity(row, name)))
        x = numbers("f32", (2, 3, 5, 7), 0.5, 1.5)
        for axes in [(0,), (1, 3), (0, 2), (2, 1, 0)]:
            table.add(f"{row} {' '.join(map(str, axes))}", [x], wide(function, x, "f32", axis=axes))
        table.add(f"{row} all", [x], wide(function, x, "f32"))
        table.add(f"{row} none", [x], x)
        table.add(f"{row} all", [np.float32(3)], np.float32(3))
        table.add(f"{row}_keep 1 3", [x], wide(function, x, "f32", axis=(1, 3), keepdims=True))
        table.add(f"{row}_keep all", [x], wide(function, x, "f32", keepdims=True))
        edges = np.array([[np.nan, 1, 2], [np.inf, -np.inf, 0], [np.inf, 1, np.inf], [0, -1, np.nan], [-0.0, 0.0, -0.0]], np.float32)
        table.add(f"{row} -1", [edges], wide(function, edges, "f32", axis=-1))
    for name in INTS:
        if bits(name) >= 8:
            low, high = limits(name)
            x = integers([[high, high, 1], [low, low, -1 if name[0] == "i" else 1]], name)
            table.add("sum -1", [x], wide(np.sum, x, name, axis=-1), case=f"{name} wraps")
    many = np.full((1, 4096), 0.0625, DTYPES["bf16"])
    table.add("sum -1", [many], np.array([256], DTYPES["bf16"]))
    for row, function in [("any", np.any), ("all", np.all)]:
        truth = np.array([[True, False, True], [True, True, True], [False, False, False]])
        table.add(f"{row} -1", [truth], function(truth, -1))
        table.add(f"{row}_keep 0", [truth], function(truth, 0, keepdims=True))
        table.add(f"{row} all", [truth], function(truth))
        table.add(f"{row} all", [np.zeros(0, np.bool_)], function(np.zeros(0, np.bool_)))
    for row, function in [("max", np.max), ("min", np.min)]:
        truth = np.array([[True, False], [True, True], [False, False]])
        table.add(f"{row} -1", [truth], function(truth, -1))


def statistics(table):
    for name in ["f8e4m3fn", "bf16", "f16", "f32", "f64", *COMPLEX]:
        x = numbers(name, (3, 7))
        table.add("mean -1", [x], wide(np.mean, x, name, axis=-1))
        if not is_complex(name):
            table.add("log_sum_exp -1", [x], rounded(jax.nn.logsumexp(widened(x), -1), name))
    for name in ["bf16", "f32", "f64"]:
        x = numbers(name, (3, 7))
        table.add("var -1", [x], wide(np.var, x, name, axis=-1))
    x = numbers("f32", (3, 4, 5))
    table.add("mean all", [x], wide(np.mean, x, "f32"))
    table.add("mean_keep 0 2", [x], wide(np.mean, x, "f32", axis=(0, 2), keepdims=True))
    table.add("var all", [x], wide(np.var, x, "f32"))
    table.add("var all", [np.float32(3)], np.float32(0))
    table.add("log_sum_exp all", [x], rounded(jax.nn.logsumexp(widened(x)), "f32"))
    table.add("mean -1", [np.zeros((2, 0), np.float32)], np.full(2, np.nan, np.float32))
    large = np.full((1, 64), 60000, np.float16)
    table.add("mean -1", [large], np.array([60000], np.float16))
    edges = np.array([[-np.inf, -np.inf, -np.inf], [np.inf, 1, 2], [1000, 1000, -np.inf], [np.nan, 1, 2], [-1000, -1001, -1002]], np.float32)
    table.add("log_sum_exp -1", [edges], np.asarray(jax.nn.logsumexp(widened(edges), -1)).astype(np.float32))


def positions(table):
    for row, function in [("argmax", lax.argmax), ("argmin", lax.argmin)]:
        index = jax.jit(function, static_argnums=(1, 2))
        for name in ["bool", "i2", "i4", "u2", "u4", "f4e2m1fn", "f8e4m3fn", "i8", "u8", "i32", "u64", "i64", "bf16", "f16", "f32", "f64"]:
            x = numbers(name, (3, 7), -2, 2)
            wide_x = x.astype(np.int32) if name == "bool" else widened(x)
            table.add(f"{row} -1", [x], np.asarray(index(wide_x, 1, np.int32)))
        ties = np.array([[1, 3, 3], [2, 2, 2], [np.nan, 5, np.nan], [5, np.nan, 9], [-np.inf, -np.inf, -np.inf], [np.inf, np.inf, 1], [-0.0, 0.0, -0.0]], np.float32)
        table.add(f"{row} -1", [ties], np.asarray(index(ties, 1, np.int32)))
        lowest = np.array([[-128, -128], [127, 127]], np.int8)
        table.add(f"{row} -1", [lowest], np.zeros(2, np.int32))
        x = numbers("f32", (3, 4, 5))
        table.add(f"{row} 1", [x], np.asarray(index(x, 1, np.int32)))
        table.add(f"{row} 1", [x[:, :1].copy()], np.zeros((3, 5), np.int32))
        table.add(f"{row} 1", [np.zeros((0, 3), np.float32)], np.zeros(0, np.int32))


def running(table):
    for row, function in RUNNING.items():
        names = ["i8", "u8", "i32", "u64", "bf16", "f16", "f32", "f64"] + (COMPLEX if row in ("cumsum", "cumprod") else [])
        names += ["i2", "i4", "u2", "u4", "f8e4m3fn"]
        for name in names:
            x = numbers(name, (3, 7), 0.5 if row == "cumprod" else -4, 2)
            table.add(f"{row} 1", [x], wide(function, x, name, axis=1))
        x = numbers("f32", (2, 9, 3), 0.5, 1.5)
        table.add(f"{row} 1", [x], wide(function, x, "f32", axis=1))
        table.add(f"{row} 1", [np.zeros((2, 0), np.float32)], np.zeros((2, 0), np.float32))
        table.add(f"{row} 1", [x[:1, :1, 0].copy()], x[:1, :1, 0])
        edges = np.array([[1, np.nan, 2, 3], [np.inf, 1, -np.inf, 0], [3, -0.0, 0.0, 2]], np.float32)
        table.add(f"{row} 1", [edges], wide(function, edges, "f32", axis=1))
    long = numbers("f32", (1, 300), 0, 1)
    table.add("cumsum 1", [long], wide(np.cumsum, long, "f32", axis=1))


def running_log_sum_exp(table):
    def add(x, name, case=None):
        y = lax.cumlogsumexp(widened(x), axis=1)
        table.add("cumlogsumexp 1", [x], rounded(y, name), case=case)

    for name in ["f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64"]:
        add(numbers(name, (3, 7), -4, 2), name)
        add(np.zeros((2, 0), DTYPES[name]), name)
        add(numbers(name, (3, 1)), name)
        add(numbers(name, (1, 300), 0, 1), name)
    for name in ["f16", "f32", "f64"]:
        inf, nan = np.inf, np.nan
        edges = [[-inf, -inf, -inf, -inf], [-inf, 1, -inf, 2], [1, inf, 2, 3], [inf, inf, -inf, 1], [-inf, inf, -inf, 0], [1, nan, 2, inf], [inf, nan, 1, 2]]
        add(np.array(edges, DTYPES[name]), name, f"{name} edges")
        add(np.array([[60000, 60000, -60000], [-60000, -60001, -60002], [0, -60000, 60000]], DTYPES[name]), name, f"{name} large")
    add(numbers("f32", (2, 9, 3)), "f32")
    for name in ["f64", "f32"]:
        function = lambda x: lax.cumlogsumexp(x, axis=1)
        gradient(table, "cumlogsumexp gradient", function, numbers(name, (3, 7)), twice=True)
        gradient(table, "cumlogsumexp gradient", function, numbers(name, (2, 9, 3), -40, 40))
        gradient(table, "cumlogsumexp gradient", function, numbers(name, (3, 1)))
        gradient(table, "cumlogsumexp gradient", function, np.zeros((2, 0), DTYPES[name]))
        # The gradient does not depend on a shift, without which JAX multiplies the rounding errors of large results.
        shifted = lambda x: function(x - lax.stop_gradient(x.max(1, keepdims=True)))
        large = np.array([[1e4, -1e4, 1e4 + 1], [-2e4, -1e4, -1e4], [0, 1e4, -1e4]], DTYPES[name])
        gradient(table, "cumlogsumexp gradient", shifted, large, case=f"{name} large")
        below = np.array([[-np.inf, 1, 2], [-np.inf, -3, 0.5]], DTYPES[name])
        gradient(table, "cumlogsumexp gradient", function, below, case=f"{name} first of nothing")


def fill(table):
    reductions(table)
    statistics(table)
    positions(table)
    running(table)
    running_log_sum_exp(table)
