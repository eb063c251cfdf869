"""Statistics, derivatives and special values where a composition of ops loses them: by NumPy, mpmath or by hand."""

import itertools

import mpmath
import numpy as np

from reference import COMPLEX, DTYPES, EIGHTS, numbers, rounded, spread, widened

mpmath.mp.prec = 120
SHORT = ["f16", "bf16", *EIGHTS]
REAL = ["f64", "f32"]


def exactly(function, *xs):
    """The values of a function of mpmath's numbers, as doubles."""
    return np.vectorize(lambda *xs: float(function(*map(mpmath.mpf, map(float, xs)))), otypes=[np.float64])(*xs)


def statistics(table):
    functions = {
        "var": lambda x, axis: x.var(axis),
        "var_keep": lambda x, axis: x.var(axis, keepdims=True),
        "var_ddof": lambda x, axis: x.var(axis, ddof=1),
        "std": lambda x, axis: x.std(axis),
        "std_keep": lambda x, axis: x.std(axis, keepdims=True),
        "std_ddof": lambda x, axis: x.std(axis, ddof=1),
        "std_ddof 0": lambda x, axis: x.std(axis),
        "norm": lambda x, axis: np.sqrt((np.abs(x) ** 2).sum(axis)),
    }
    one = np.zeros(1000)
    one[0] = 1000
    for row, function in functions.items():
        for name in SHORT:
            x = numbers(name, (5, 7))
            table.add(row, [x], rounded(function(widened(x), 0), name))
        for name in COMPLEX:
            x = numbers(name, (4, 3))
            table.add(row, [x], rounded(function(widened(x), 0), "f32" if name == "c64" else "f64"))
        for case, name, values in [("squares", "f16", one), ("square", "f16", [0, 600]), ("digits", "bf16", [256, 258])]:
            x = rounded(np.array(values, float), name)
            table.add(row, [x], rounded(function(widened(x), 0), name), case=f"{name} {case}")
    count = 70_000
    for name in ["f16", "bf16", "f8e5m2"]:
        zero = rounded(np.zeros(1), name)
        table.add("softmax of many", [zero], rounded(np.array([1 / count]), name))
        table.add("log_softmax of many", [zero], rounded(np.array([-np.log(count)]), name))
        table.add("log_sum_exp of many", [zero], rounded(np.log(count), name))
        ones = rounded(np.ones(1), name)
        for row in ["index_add", "scatter_along_add", "take slope"]:
            table.add(f"{row} of many", [ones], rounded(np.array([1000.0, 0, 0]), name))
        for row in ["sum", "matmul", "cumsum", "sum_pool"]:
            if row != "matmul" or name != "f8e5m2":
                table.add(f"{row} of many", [ones], rounded(np.array([1000.0]), name))
        table.add("mean of many", [ones], ones)


def norms(table):
    for name in REAL:
        x, t = numbers(name, (4, 3)), numbers(name, (4, 3), seed="t")
        x[1] = 0
        wide, other = widened(x), widened(t)
        size = np.sqrt((wide**2).sum(1, keepdims=True))
        some = size > 0
        unit = wide / np.where(some, size, 1)
        table.add("norm slope", [x], rounded(unit, name))
        table.add("norm_keep slope", [x], rounded(unit, name))
        table.add("bounded norm slope", [x], rounded(unit, name))
        table.add("norm curvature", [np.zeros_like(x)], np.zeros_like(x))
        turned = (other - unit * (unit * other).sum(1, keepdims=True)) / np.where(some, size, 1e-6)
        table.add("normalize slope", [x, t], rounded(turned, name))
        towards = other / np.sqrt((other**2).sum(1, keepdims=True))
        cosine = (towards - unit * (unit * towards).sum(1, keepdims=True)) / np.where(some, size, 1e-6)
        table.add("cosine_similarity slope", [x, t], rounded(cosine, name))
        y = x.copy()
        y[1] = 2.5
        wide = widened(y)
        distance = wide - wide.mean(1, keepdims=True)
        for row, ddof in [("std", 0), ("std_keep", 0), ("std_ddof", 1)]:
            deviation = wide.std(1, ddof=ddof, keepdims=True)
            slope = distance / (np.where(deviation > 0, deviation, 1) * (3 - ddof))
            table.add(f"{row} slope", [y], rounded(slope, name))


def cofactors(a):
    """The derivative of the determinant, by minors."""
    size = len(a)
    keep = lambda i: [j for j in range(size) if j != i]
    minor = lambda i, j: np.linalg.det(a[np.ix_(keep(i), keep(j))]) if size > 1 else 1
    return np.array([[(-1) ** (i + j) * minor(i, j) for j in range(size)] for i in range(size)])


def determinants(table):
    singular = {
        "of rank 1": [[1, 2], [2, 4]],
        "zeros": [[0, 0], [0, 0]],
        "one zero": [[0]],
        "a zero column": [[0, 1, 2], [0, 3, 4], [0, 5, 7]],
        "equal rows": [[1, 2, 3], [4, 5, 6], [4, 5, 6]],
        "nilpotent": [[0, 1], [0, 0]],
        "of rank 2 of 4": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "identity": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "exchange": [[0, 1], [1, 0]],
    }
    for name in REAL + COMPLEX:
        for case, values in singular.items():
            factor = 1 + 2j if name in COMPLEX and case == "equal rows" else 1
            a = rounded(np.array(values) * factor, name)
            table.add("det slope", [a], rounded(cofactors(widened(a)), name), case=f"{name} {case}")
        # Errors are relative to the largest products of the stack.
        a = rounded(np.array([[[1, 2, 3], [2, 4, 6], [3, 6, 9]], [[14, 0, 0], [0, 14, 0], [0, 0, 14]]]), name)
        table.add("det slope", [a], rounded(np.stack([cofactors(widened(a)) for a in a]), name))
        a = numbers(name, (2, 4, 4))
        table.add("det slope", [a], rounded(np.stack([cofactors(widened(a)) for a in a]), name))
        table.add("det slope", [numbers(name, (3, 0, 0))], numbers(name, (3, 0, 0)))
    for name in REAL:
        # The cofactors of a matrix of two rows are its elements.
        for case, a in {"identity": np.eye(2), "some": np.array([[1, 2], [3, -5.0]])}.items():
            table.add("det curvature", [rounded(a, name)], rounded(2 * a, name), case=f"{name} {case}")


def quotients(table):
    for name, far in [("f32", 1e25), ("f64", 1e200)]:
        x = rounded(np.array([far, 1 / far, 3, -far, 0, 1]), name)
        y = rounded(np.array([far, 1 / far, -4, far, far, 1 / far]), name)
        slopes = [exactly(lambda x, y: 1 / y, x, y), exactly(lambda x, y: -x / (y * y), x, y)]
        some = np.isfinite(rounded(slopes[1], name))
        wide = [v[some] for v in slopes]
        table.add("quotient slope", [x[some], y[some]], [rounded(v, name) for v in wide], case=name)
        x, y = np.abs(x[:3]), np.abs(y[:3])
        slopes = [exactly(lambda x, y: 1 / x, x, y), exactly(lambda x, y: -1 / y, x, y)]
        table.add("log of quotient slope", [x, y], [rounded(v, name) for v in slopes], case=name)
        points = [(1 / far, 1 / far), (far, far), (far, -1), (0, 1 / far), (3, 4), (-3, -4), (-far, 1 / far), (0, -2), (2, 0)]
        x, y = (rounded(np.array(v), name) for v in zip(*points))
        slopes = [exactly(lambda x, y: y / (x * x + y * y), x, y), exactly(lambda x, y: -x / (x * x + y * y), x, y)]
        table.add("atan2 slope", [x, y], [rounded(v, name) for v in slopes], case=name)
        x, y = rounded(np.array([np.inf, 1.0]), name), rounded(np.array([1.0, -np.inf]), name)
        table.add("atan2 slope", [x, y], [np.zeros_like(x), np.zeros_like(x)], case=f"{name} infinite")


def zeros(table):
    values = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, 7.5, -7.5, np.inf, -np.inf, np.nan]
    a, b = (np.array(v) for v in zip(*itertools.product(values, values)))
    for name in ["f64", "f32", "f16", "bf16"]:
        x, y = rounded(a, name), rounded(b, name)
        with np.errstate(all="ignore"):
            table.add("modulo", [x, y], rounded(np.remainder(widened(x), widened(y)), name))
            table.add("floor_divide", [x, y], rounded(np.floor_divide(widened(x), widened(y)), name))
    x, y = np.array([4, -4, 4, -4, 5, -5], np.float32), np.array([2, 2, -2, -2, 3, 3], np.float32)
    table.add("modulo slope", [x, y], [np.ones_like(x), -np.floor_divide(x, y)])


def logarithms(table):
    for name, lowest, highest in [("f64", -1022, 1023), ("f32", -126, 127), ("bf16", -126, 127), ("f16", -14, 15)]:
        exponents = np.arange(lowest, highest + 1.0)
        table.add("log2 of powers", [rounded(2**exponents, name)], rounded(exponents, name))
        tens = np.array([float(f"1e{k}") for k in range(-307, 309)]) if name == "f64" else 10.0 ** np.arange(-37, 39)
        tens = rounded(tens, name)
        tens = tens[np.isfinite(widened(tens)) & (widened(tens) >= 2.0**lowest)]
        table.add("log10 of powers", [tens], rounded(exactly(mpmath.log10, tens), name))
        x = np.concatenate([np.abs(widened(spread(name))), np.linspace(0.5, 2, 301), 1 + np.array([1, -1, 2, -2]) * 2.0**-20])
        x = rounded(x, name)
        x = np.concatenate([x, -x[:5]])
        for row, function in {"log2": lambda v: mpmath.log(v) / mpmath.log(2), "log10": mpmath.log10}.items():
            with np.errstate(all="ignore"):
                values = np.log(widened(x))
            some = np.isfinite(values)
            values[some] = exactly(function, x[some])
            table.add(row, [x], rounded(values, name))


def tails(table):
    sigmoid = lambda x: 1 / (1 + mpmath.exp(-x))
    slopes = {
        "exp_m1": mpmath.exp,
        "sigmoid": lambda x: sigmoid(x) * sigmoid(-x),
        "tanh": lambda x: mpmath.sech(x) ** 2,
        "elu": lambda x: mpmath.exp(x) * 0.75 if x <= 0 else 1,
        "celu": lambda x: mpmath.exp(x / 0.75) if x <= 0 else 1,
        "silu": lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x),
    }
    points = [0, 0.5, 1, 3, 9, 10, 17, 20, 30, 37, 40]
    x = np.array(points + [-p for p in points[1:]], np.float64)
    for name in REAL:
        for row, slope in slopes.items():
            x_ = rounded(x if row != "silu" else np.abs(x), name)
            table.add(f"{row} slope", [x_], rounded(exactly(slope, x_), name))


def losses(table):
    inf = np.inf
    x = np.array([[1, -inf, 2], [0.5, 1, -inf], [3, 1, 2]], np.float32)
    t = np.array([[1, 0, 0], [0.25, 0.75, 0], [0, 0, 1]], np.float32)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        log = wide - np.log(np.exp(wide).sum(1, keepdims=True))
        table.add("soft_cross_entropy", [x, t], rounded(-np.where(t == 0, 0, t * log).sum(1), "f32"))
        table.add("soft_cross_entropy slope", [x, t], rounded(np.exp(log) - t, "f32"))
        q = np.where(np.isinf(x), x, log).astype(np.float32)
        table.add("kl_divergence", [q, t], rounded(np.where(t == 0, 0, t * (np.log(np.where(t == 0, 1, t)) - q)), "f32"))
        table.add("kl_divergence slope", [q, t], -t)
    x = np.array([inf, -inf, inf, -inf, inf, 100, -100, 0, 2], np.float32)
    t = np.array([1, 0, 0, 1, 0.5, 1, 0, 0.5, 0.25], np.float32)
    expected = np.array([0, 0, inf, inf, inf, np.exp(-100.0), np.exp(-100.0), np.log(2.0), np.log1p(np.exp(-2.0)) + 1.5])
    table.add("bce_with_logits", [x, t], rounded(expected, "f32"))
    table.add("bce_with_logits slope", [x, t], rounded(exactly(lambda x, t: 1 / (1 + mpmath.exp(-x)) - t, x, t), "f32"))


def complexes(table):
    values = [0.0, -0.0, 1.0, -1.0, 3.0, -4.0, 1e-3, 250.0]
    with np.errstate(all="ignore"):
        for name in COMPLEX:
            x = np.array([complex(a, b) for a in values for b in values], DTYPES[name])
            table.add("complex sqrt", [x], np.sqrt(x.astype(np.complex128)).astype(x.dtype))
            edges = [np.nan, np.inf, -np.inf, 1.0, 0.0]
            x = np.array([complex(a, b) for a in edges for b in edges], DTYPES[name])
            table.add("complex abs", [x], np.hypot(x.real, x.imag))


SPANS = [(0.1, 0.1, 7), (-2.3328583, 2.8459015, 10), (0.0, 1.0, 11), (1.0, 0.0, 3), (5.5, 7.0, 1), (0.3, 0.3, 1), (2.0, 3.0, 0)]


def spans(table):
    for row, (start, end, count) in enumerate(SPANS):
        for name in ["f64", "f32", "f16", "bf16"]:
            table.add(f"linspace {row} {name}", [], rounded(np.linspace(start, end, count), name))


def fill(table):
    for part in [statistics, norms, determinants, quotients, zeros, logarithms, tails, losses, complexes, spans]:
        part(table)
