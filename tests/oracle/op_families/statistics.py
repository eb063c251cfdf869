"""Statistics over axes."""

import numpy as np

from reference import numbers, rounded, widened

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


def fill(table):
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
