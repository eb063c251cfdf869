"""Statistics over axes."""

import ml_dtypes
import numpy as np

from reference import DTYPES, INTS, integers, numbers, rounded, widened

FLOATS = ["f64", "f32", "f16", "bf16"]


def skewness(x, axis):
    distance = x - x.mean(axis, keepdims=True)
    return ((distance / np.sqrt((distance**2).mean(axis, keepdims=True))) ** 3).mean(axis)


def normalized(x, axis):
    return x / np.maximum(np.sqrt((x * x).sum(axis, keepdims=True)), 1e-6)


FUNCTIONS = {
    "var_keep": lambda x, axis: x.var(axis, keepdims=True),
    "var_ddof 1": lambda x, axis: x.var(axis, ddof=1),
    "std": lambda x, axis: x.std(axis),
    "std_keep": lambda x, axis: x.std(axis, keepdims=True),
    "std_ddof 1": lambda x, axis: x.std(axis, ddof=1),
    "skewness": skewness,
    "norm": lambda x, axis: np.sqrt((x * x).sum(axis)),
    "norm_keep": lambda x, axis: np.sqrt((x * x).sum(axis, keepdims=True)),
    "l1_norm": lambda x, axis: np.abs(x).sum(axis),
    "normalize": normalized,
    "quantile 0.3": lambda x, axis: np.quantile(x, 0.3, axis),
    "percentile 90": lambda x, axis: np.percentile(x, 90, axis),
    "median": lambda x, axis: np.median(x, axis),
    "diff": lambda x, axis: np.diff(x, axis=axis),
}


def highest(name):
    return ml_dtypes.iinfo(DTYPES[name]).max if name in INTS else np.inf


def lowest(name):
    return ml_dtypes.iinfo(DTYPES[name]).min if name in INTS else -np.inf


def some(table):
    """Reductions of some elements and of bits, and comparisons of floats."""
    for name in FLOATS + ["i32", "u8"]:
        for shape in [(4, 6), (3, 1), (2, 0), (0, 3)]:
            x = numbers(name, shape)
            mask = (np.arange(x.size).reshape(shape) % 3 != 0) & (np.arange(shape[0]) != 1)[:, None]
            store = (lambda x: integers(x, name)) if name in INTS else (lambda x: rounded(x, name))
            wide = x.astype(np.int64) if name in INTS else widened(x)
            table.add("sum_where", [x, mask], store(np.where(mask, wide, 0).sum(1)))
            table.add("max_where", [x, mask], store(wide.max(1, initial=lowest(name), where=mask)))
            table.add("min_where", [x, mask], store(wide.min(1, initial=highest(name), where=mask)))
            if name not in INTS:
                with np.errstate(all="ignore"):
                    table.add("mean_where", [x, mask], store(np.where(mask, wide, 0).sum(1) / mask.sum(1)))
    for row, function in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
        for name in ["i8", "u8", "i32", "u64", "bool"]:
            for shape in [(5, 4), (1, 3), (0, 3)]:
                x = numbers(name, shape)
                table.add(f"reduce_{row}", [x], function.reduce(x, 0, initial=function.identity if row != "and" else ~np.zeros((), x.dtype)))
    for name in FLOATS:
        x, y = numbers(name, (4, 6)), numbers(name, (4, 6), -3, 5)
        table.add("is_close", [x, y], np.isclose(widened(x), widened(y), 0.25, 0.5))
    special = np.array([np.nan, np.inf, -np.inf, 1, 0, -0.0, 1e-45, 3], np.float32)
    other = np.array([np.nan, np.inf, np.inf, np.inf, -0.0, 0, 0.5, 2.5], np.float32)
    table.add("is_close", [special, other], np.isclose(special, other, 0.25, 0.5))
    table.add("is_close", [other, special], np.isclose(other, special, 0.25, 0.5), case="f32 the other way")
    for name, integer in {"f64": np.int64, "f32": np.int32, "f16": np.int16, "bf16": np.int16}.items():
        for x in [numbers(name, (4, 6)), rounded(special.astype(np.float64), name), numbers(name, (0, 2))]:
            bits = x.view(integer)
            table.add("total_order_key", [x], np.where(bits < 0, bits ^ np.iinfo(integer).max, bits))


def fill(table):
    some(table)
    for row, function in FUNCTIONS.items():
        for name in FLOATS:
            x = numbers(name, (5, 7), 0.5, 4)
            for axis in [0, 1]:
                table.add(f"{row} {axis}", [x], rounded(function(widened(x), axis), name))
        for shape in [(3, 1), (1, 4), (0, 4)]:
            # Of one element the unbiased forms and the skewness divide by 0; of none there is no quantile.
            if row.split()[0] in ["skewness", "var_ddof", "std_ddof"]:
                continue
            x = numbers("f32", shape, 0.5, 4)
            with np.errstate(all="ignore"):
                table.add(f"{row} 1", [x], rounded(function(widened(x), 1), "f32"))
    x = np.array([[1, np.nan, 3], [np.inf, 1, 2], [-np.inf, -np.inf, 1], [np.inf, np.inf, np.inf]], np.float32)
    with np.errstate(all="ignore"):
        for row, expected in [("median 1", [np.nan, 2, -np.inf, np.inf]), ("quantile 0.3 1", [np.nan, 1.6, -np.inf, np.inf])]:
            table.add(row, [x], rounded(np.array(expected), "f32"), case="infinities")
    for name in ["c64", "c128"]:
        x = numbers(name, (4, 3))
        part = "f32" if name == "c64" else "f64"
        table.add("norm 1", [x], rounded(np.sqrt((np.abs(widened(x)) ** 2).sum(1)), part))
    for name in ["i32", "u8"]:
        x = numbers(name, (4, 3), 0, 3)
        table.add("l1_norm 1", [x], x.sum(1).astype(x.dtype))
        table.add("diff 1", [x], np.diff(x, axis=1))
    for name in ["bool", "i32", "u8", "f32", "bf16", "c64"]:
        x = numbers(name, (4, 5), -1, 1)
        x[1] = 0
        table.add("count_nonzero 1", [x], np.count_nonzero(x, axis=1).astype(np.int32))
    x = np.array([[0.0, -0.0, np.nan]], np.float32)
    table.add("count_nonzero 1", [x], np.array([1], np.int32), case="zeros and NaN")
    for name in FLOATS:
        a, b = numbers(name, (4, 9)), numbers(name, (4, 9), seed="b")
        cosine = (normalized(widened(a), 1) * normalized(widened(b), 1)).sum(1)
        table.add("cosine_similarity 1", [a, b], rounded(cosine, name))
