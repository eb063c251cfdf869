"""Reductions of sliding windows and pooling, one window at a time; updates by windows, as JAX's gradients."""

import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from numpy_graph.windows import reduced
from reference import COMPLEX, DTYPES, INTS, integers, is_complex, numbers, rounded, widened

REAL = ["i2", "u4", "i8", "u8", "i16", "i32", "u64", "f4e2m1fn", "f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64"]
SOME = ["i4", "u8", "i32", "bf16", "f16", "f32", "f64"]
FUNCTIONS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "any": np.any, "all": np.all}


def identity(reduction, name):
    if reduction in ("sum", "prod"):
        return int(reduction == "prod")
    if name == "bool":
        return reduction in ("min", "all")
    if name in INTS:
        info = ml_dtypes.iinfo(DTYPES[name])
        return int(info.min if reduction == "max" else info.max)
    infinite = {"f4e2m1fn": 6.0, "f8e4m3fn": 448.0}.get(name, np.inf)
    return -infinite if reduction == "max" else infinite


def window(sizes, **changes):
    ones, zeros = [1] * len(sizes), [0] * len(sizes)
    plain = {"sizes": sizes, "strides": ones, "low": zeros, "high": zeros, "base_dilations": ones, "window_dilations": ones}
    return {**plain, **changes}


def windows(x, reduction, at, name):
    """The reduction of each window in a wide type, rounded once."""
    wide = x if name == "bool" else x.astype(np.int64).astype(object) if name in INTS else widened(x)
    function = lambda part: FUNCTIONS[reduction](part) if part.size else identity(reduction, name)
    with np.errstate(all="ignore"):
        sizes, results = reduced([wide], at, function)
    results = np.array(results, wide.dtype).reshape(sizes)
    return integers(results, name) if name in INTS else rounded(results, name)


def general(table):
    at = window([2, 3], strides=[1, 2], low=[1, 0], high=[0, 2], base_dilations=[2, 1], window_dilations=[1, 2])
    for reduction in ["sum", "prod", "max", "min"]:
        for name in (REAL if reduction in ("sum", "max") else SOME) + (COMPLEX if reduction in ("sum", "prod") else ["bool"]):
            x = numbers(name, (4, 7), 0.5 if reduction == "prod" else -4, 2)
            table.add(f"reduce_window {reduction}", [x], windows(x, reduction, at, name))
        empty = np.zeros((0, 7), np.float32)
        table.add(f"reduce_window {reduction}", [empty], windows(empty, reduction, at, "f32"))
    for reduction in ["any", "all"]:
        x = numbers("bool", (4, 7))
        table.add(f"reduce_window {reduction}", [x], windows(x, reduction, at, "bool"))
    cropped = window([1, 2, 2], low=[0, -1, 2], high=[0, 1, -2], strides=[1, 1, 2])
    for name in ["i32", "f32"]:
        x = numbers(name, (2, 4, 5))
        table.add("reduce_window cropped", [x], windows(x, "sum", cropped, name))
    table.add("reduce_window of a scalar", [np.float32(3)], np.float32(3))
    for name in ["f32", "i32", "u8"]:
        x, tags = numbers(name, (3, 8), 0, 9), np.arange(24, dtype=np.int32).reshape(3, 8)
        at = window([2, 3], strides=[1, 2], low=[1, 1], high=[0, 1])
        first = lambda part, tag: (part[np.argmax(part)], tag[np.argmax(part)])
        sizes, results = reduced([x, tags], at, first)
        best, owner = zip(*results)
        table.add("reduce_window_by largest", [x, tags], [np.array(best, x.dtype).reshape(sizes), np.array(owner, np.int32).reshape(sizes)])


def places(size, by, stride, low=0, high=0, dilation=1, ceil=False):
    """The places of each window along an axis, from -low on, as PyTorch counts windows."""
    span = (by - 1) * dilation + 1
    rest = size + low + high - span
    count = (-(-rest // stride) if ceil else rest // stride) + 1
    if ceil and (count - 1) * stride >= size + low:
        count -= 1
    return [[at * stride - low + i * dilation for i in range(by)] for at in range(max(count, 0))]


def pooled(x, axes, along, function):
    """`function` of the elements of each window along two axes, and of the places that the padding has besides."""
    moved = np.moveaxis(x, axes, (-2, -1))
    result = np.zeros((*moved.shape[:-2], len(along[0]), len(along[1])), moved.dtype)
    for i, j in itertools.product(range(len(along[0])), range(len(along[1]))):
        rows, columns = along[0][i], along[1][j]
        inside = [(a, b) for a in rows for b in columns if 0 <= a < moved.shape[-2] and 0 <= b < moved.shape[-1]]
        part = np.stack([moved[..., a, b] for a, b in inside], -1) if inside else moved[..., :0].reshape(*moved.shape[:-2], -1)[..., :0]
        result[..., i, j] = function(part, rows, columns)
    return np.moveaxis(result, (-2, -1), axes)


def selected(table):
    """The gradient of a maximum of windows, and the places of the maxima."""
    overlapping = dict(window_dimensions=(2, 3), window_strides=(1, 2), padding=((1, 0), (0, 2)))
    apart = dict(window_dimensions=(2, 2), window_strides=(2, 2), padding=((0, 0), (0, 0)))
    for form, how in {"overlapping": overlapping, "apart": apart}.items():
        for name in ["bf16", "f16", "f32", "f64"]:
            for shape in [(6, 8), (5, 7), (2, 3), (1, 1), (0, 4)]:
                # Small integers: many are equal, and their sums are exact.
                x = np.round(widened(numbers(name, shape, -3, 3))).astype(np.float32)
                largest = lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, **how)
                windows, gradient = jax.vjp(largest, jnp.asarray(x))
                source = np.round(widened(numbers(name, windows.shape, -5, 5))).astype(np.float32)
                result = np.asarray(gradient(jnp.asarray(source))[0])
                table.add(f"select_and_scatter {form}", [rounded(x, name), rounded(source, name)], rounded(result, name))
    at = window([1, 2, 2], strides=[1, 2, 1], low=[0, 1, 0], high=[0, 0, 1])
    for name in ["u8", "i32", "f16", "f32", "f64"]:
        for shape in [(2, 5, 6), (1, 1, 1), (3, 2, 0)]:
            x = numbers(name, shape, 0, 4)
            places = np.broadcast_to(np.arange(shape[1] * shape[2], dtype=np.int32).reshape(shape[1:]), shape)
            first = lambda part, place: (part[np.argmax(part)], place[np.argmax(part)]) if len(part) else (identity("max", name), shape[1] * shape[2])
            sizes, results = reduced([x, places], at, first)
            best, owner = zip(*results) if results else ((), ())
            results = [np.array(best, x.dtype).reshape(sizes), np.array(owner, np.int32).reshape(sizes)]
            table.add("max_pool_with_indices", [x], results)
    x = np.array([[[1, np.nan, 3, np.inf], [np.nan, -np.inf, np.inf, np.inf]]], np.float32)
    largest = np.array([[[np.nan, np.inf]]], np.float32)
    table.add("max_pool_with_indices 2", [x], [largest, np.array([[[1, 3]]], np.int32)], case="f32 with NaN")


def pools(table):
    forms = {
        "2": dict(by=2, stride=2),
        "3 strides 2 padding 1": dict(by=3, stride=2, low=1, high=1),
        "3 strides 2 ceil": dict(by=3, stride=2, ceil=True),
        "2 strides 3 ceil": dict(by=2, stride=3, low=1, high=1, ceil=True),
        "2 dilation 3": dict(by=2, stride=1, dilation=3, low=1, high=2),
    }
    for form, how in forms.items():
        for size in [(8, 7), (3, 5)] if "ceil" in form else [(8, 7)]:
            along = [places(n, **how) for n in size]
            padded = [(n + how.get("low", 0) + how.get("high", 0)) for n in size]
            edge = how.get("low", 0)

            def mean(part, rows, columns):
                counted = [sum(place + edge < n for place in places) for places, n in zip((rows, columns), padded)]
                return part.sum(-1) / (counted[0] * counted[1])

            functions = {
                "max": lambda part, *_: part.max(-1),
                "min": lambda part, *_: part.min(-1),
                "sum": lambda part, *_: part.sum(-1),
                "avg": mean,
                "avg of elements": lambda part, *_: part.sum(-1) / part.shape[-1],
            }
            for pool, function in functions.items():
                names = ["f32"]
                if form == "3 strides 2 padding 1" and size == (8, 7):
                    averages = ["bf16", "f16", "f32", "f64", "c64"]
                    names = averages if pool == "avg" else ["f32"] if "avg" in pool else SOME + (["c64"] if pool == "sum" else [])
                for name in names:
                    x = numbers(name, (2, 3, *size), 0, 3) if name in ("i4",) else numbers(name, (2, 3, *size))
                    wide = x.astype(np.int64).astype(object) if name in INTS else widened(x)
                    result = pooled(wide, (2, 3), along, function)
                    table.add(f"{pool} pool {form}", [x], integers(result, name) if name in INTS else rounded(result, name))
    x = numbers("f32", (7, 2, 6))
    along = [places(7, 3, 3), places(6, 2, 1)]
    table.add("max pool of outer axes", [x], rounded(pooled(widened(x), (0, 2), along, lambda part, *_: part.max(-1)), "f32"))
    specials = np.array([[np.nan, 1, 2, np.inf], [1, -np.inf, 3, 4], [0, 1, -np.inf, np.inf], [2, 2, 5, -np.inf]], np.float32)
    along = [places(4, 2, 2)] * 2
    for pool, function in [("max", np.max), ("min", np.min), ("sum", np.sum), ("avg", np.mean)]:
        with np.errstate(all="ignore"):
            table.add(f"{pool} pool 2", [specials], rounded(pooled(widened(specials), (0, 1), along, lambda part, *_: function(part, -1)), "f32"), case="f32 with NaN")
        for shape in [(0, 4, 4), (2, 1, 4), (2, 0, 4)]:
            x = np.ones(shape, np.float32)
            table.add(f"{pool} pool 2", [x], np.ones((shape[0], shape[1] // 2, 2), np.float32) * (4 if pool == "sum" else 1))
    same(table)


def same(table):
    """As many windows as strides, by JAX's padding: the larger half at the end."""
    for size in [(8, 7), (5, 6)]:
        along, padded = [], []
        for n, by, stride in zip(size, (3, 2), (2, 3)):
            total = max((-(-n // stride) - 1) * stride + by - n, 0)
            along.append(places(n, by, stride, total // 2, total - total // 2))
        x = numbers("f32", (2, *size))
        for pool, function in [("max", lambda part, *_: part.max(-1)), ("avg", lambda part, *_: part.sum(-1) / 6), ("avg of elements", lambda part, *_: part.mean(-1))]:
            table.add(f"{pool} pool same", [x], rounded(pooled(widened(x), (1, 2), along, function), "f32"))


def adaptive(table):
    for size, to in [((8, 6), (4, 3)), ((7, 5), (3, 2)), ((7, 6), (7, 1)), ((3, 4), (5, 3)), ((1, 9), (1, 4))]:
        along = [[list(range(i * n // m, -(-(i + 1) * n // m))) for i in range(m)] for n, m in zip(size, to)]
        for pool, function in [("avg", np.mean), ("max", np.max)]:
            for name in ["bf16", "f32"] if size == (7, 5) else ["f32"]:
                x = numbers(name, (2, *size))
                result = pooled(widened(x), (1, 2), along, lambda part, *_: function(part, -1))
                table.add(f"adaptive {pool} {to[0]} {to[1]}", [x], rounded(result, name))
    x = np.array([[np.nan, 1, 2, 3, np.inf]], np.float32)
    table.add("adaptive avg last 3", [x], np.array([[np.nan, 2, np.inf]], np.float32))
    table.add("adaptive max last 3", [x], np.array([[np.nan, 3, np.inf]], np.float32))


def fill(table):
    general(table)
    selected(table)
    pools(table)
    adaptive(table)
