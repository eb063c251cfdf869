"""Values and derivatives of every function of one or two numbers, by mpmath, for `tests/it/sweep`.

Writes `tests/it/data/sweep.safetensors`, or with `--points N --out FILE` a file with N arguments of each type. Tensors are
called `f32/x` (the arguments of functions of one number), `f32/pairs/x` and `f32/pairs/y`, `f32/exp/value`,
`f32/exp/slope`, `f32/pow/slope_x` and so on. Results are rounded once to the type; those that a test skips are NaN:
outside of the domain, at the points where a derivative jumps, and where the exact value is not finite.
"""

import argparse
import multiprocessing

import ml_dtypes
import mpmath
import numpy as np
from mpmath import mp, mpf
from safetensors.numpy import save_file

from reference import DATA, DTYPES, bits, rounded

mp.prec = 140
WORDS = {16: np.uint16, 32: np.uint32, 64: np.uint64}
# The arguments of one number in the file of the tests.
COUNTS = {"f64": 400, "f32": 600, "bf16": 300, "f16": 300}
PAIRS = 300
ROOT2, ROOT_PI = mp.sqrt(2), mp.sqrt(mp.pi)


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 400 else x + mp.exp(-x)


def normal(x):
    """The distribution function of normal numbers."""
    return mp.erfc(-x / ROOT2) / 2


def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


INNER = mp.sqrt(2 / mp.pi)


def gelu_tanh(x):
    return x * sigmoid(2 * INNER * (x + mpf("0.044715") * x**3))


def gelu_tanh_slope(x):
    inner, outer = 2 * INNER * (x + mpf("0.044715") * x**3), 2 * INNER * (1 + 3 * mpf("0.044715") * x**2)
    return sigmoid(inner) + x * sigmoid(inner) * sigmoid(-inner) * outer


def mish_slope(x):
    t = mp.tanh(softplus(x))
    return t + x * (1 - t * t) * sigmoid(x)


def odd(x):
    """-1, 0 or 1."""
    return mpf(0) if x == 0 else mp.sign(x)


QUICK = mpf("1.702")
SELU_SCALE, SELU_ALPHA = mpf("1.0507009873554804934193349852946"), mpf("1.6732632423543772848170429916717")
inf = mp.inf
# The function, its derivative, and the ends of its domain; `None` where all is covered by other tests.
ONE = {
    "abs": (abs, odd, -inf, inf),
    "sign": (odd, lambda x: 0, -inf, inf),
    "neg": (lambda x: -x, lambda x: -1, -inf, inf),
    "floor": (mp.floor, lambda x: 0, -inf, inf),
    "ceil": (mp.ceil, lambda x: 0, -inf, inf),
    "square": (lambda x: x * x, lambda x: 2 * x, -inf, inf),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / x / x, -inf, inf),
    "exp": (mp.exp, mp.exp, -inf, inf),
    "exp2": (lambda x: mpf(2) ** x, lambda x: mpf(2) ** x * mp.log(2), -inf, inf),
    "exp_m1": (mp.expm1, mp.exp, -inf, inf),
    "log": (mp.log, lambda x: 1 / x, 0, inf),
    "log2": (lambda x: mp.log(x) / mp.log(2), lambda x: 1 / x / mp.log(2), 0, inf),
    "log10": (lambda x: mp.log(x) / mp.log(10), lambda x: 1 / x / mp.log(10), 0, inf),
    "log1p": (mp.log1p, lambda x: 1 / (1 + x), -1, inf),
    "sqrt": (mp.sqrt, lambda x: 1 / mp.sqrt(x) / 2, 0, inf),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), lambda x: -1 / mp.sqrt(x) / x / 2, 0, inf),
    "cbrt": (lambda x: odd(x) * mp.cbrt(abs(x)), lambda x: 1 / mp.cbrt(abs(x)) ** 2 / 3, -inf, inf),
    "sin": (mp.sin, mp.cos, -inf, inf),
    "cos": (mp.cos, lambda x: -mp.sin(x), -inf, inf),
    "tan": (mp.tan, lambda x: 1 / mp.cos(x) ** 2, -inf, inf),
    "asin": (mp.asin, lambda x: 1 / mp.sqrt((1 - x) * (1 + x)), -1, 1),
    "acos": (mp.acos, lambda x: -1 / mp.sqrt((1 - x) * (1 + x)), -1, 1),
    "atan": (mp.atan, lambda x: 1 / (1 + x * x), -inf, inf),
    "sinh": (mp.sinh, mp.cosh, -inf, inf),
    "cosh": (mp.cosh, mp.sinh, -inf, inf),
    "tanh": (mp.tanh, lambda x: mp.sech(x) ** 2, -inf, inf),
    "asinh": (mp.asinh, lambda x: 1 / mp.sqrt(1 + x * x), -inf, inf),
    "acosh": (mp.acosh, lambda x: 1 / mp.sqrt((x - 1) * (x + 1)), 1, inf),
    "atanh": (mp.atanh, lambda x: 1 / ((1 - x) * (1 + x)), -1, 1),
    "sigmoid": (sigmoid, lambda x: sigmoid(x) * sigmoid(-x), -inf, inf),
    "erf": (mp.erf, lambda x: 2 / ROOT_PI * mp.exp(-x * x), -inf, inf),
    "erfc": (mp.erfc, lambda x: -2 / ROOT_PI * mp.exp(-x * x), -inf, inf),
    "erf_inv": (mp.erfinv, lambda x: ROOT_PI / 2 * mp.exp(mp.erfinv(x) ** 2), -1, 1),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x), mp.digamma, -30, inf),
    "digamma": (mp.digamma, lambda x: mp.polygamma(1, x), -30, inf),
    "polygamma": (lambda x: mp.polygamma(1, x), lambda x: mp.polygamma(2, x), 0, inf),
    "bessel_i0e": (
        lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
        lambda x: mp.exp(-abs(x)) * (mp.besseli(1, x) - odd(x) * mp.besseli(0, x)),
        -3000,
        3000,
    ),
    "bessel_i1e": (
        lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
        lambda x: mp.exp(-abs(x)) * (mp.besseli(0, x) - mp.besseli(1, x) / x - odd(x) * mp.besseli(1, x)),
        -3000,
        3000,
    ),
    "relu": (lambda x: max(x, mpf(0)), lambda x: mpf(x > 0), -inf, inf),
    "leaky_relu": (lambda x: x if x >= 0 else x / 8, lambda x: mpf(1) if x >= 0 else mpf(1) / 8, -inf, inf),
    "relu6": (lambda x: min(max(x, mpf(0)), mpf(6)), lambda x: mpf(0 < x < 6), -inf, inf),
    "hard_tanh": (lambda x: min(max(x, mpf(-1)), mpf(1)), lambda x: mpf(-1 < x < 1), -inf, inf),
    "hard_sigmoid": (lambda x: min(max((x + 3) / 6, mpf(0)), mpf(1)), lambda x: mpf(-3 < x < 3) / 6, -inf, inf),
    "hard_swish": (
        lambda x: x * min(max((x + 3) / 6, mpf(0)), mpf(1)),
        lambda x: mpf(0) if x <= -3 else mpf(1) if x >= 3 else (2 * x + 3) / 6,
        -inf,
        inf,
    ),
    "softsign": (lambda x: x / (1 + abs(x)), lambda x: 1 / (1 + abs(x)) ** 2, -inf, inf),
    "softplus": (softplus, sigmoid, -inf, inf),
    "log_sigmoid": (lambda x: -softplus(-x), lambda x: sigmoid(-x), -inf, inf),
    "silu": (lambda x: x * sigmoid(x), lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x), -inf, inf),
    "mish": (lambda x: x * mp.tanh(softplus(x)), mish_slope, -inf, inf),
    "gelu": (lambda x: x * normal(x), lambda x: normal(x) + x * density(x), -inf, inf),
    "gelu_tanh": (gelu_tanh, gelu_tanh_slope, -inf, inf),
    "quick_gelu": (
        lambda x: x * sigmoid(QUICK * x),
        lambda x: sigmoid(QUICK * x) + QUICK * x * sigmoid(QUICK * x) * sigmoid(-QUICK * x),
        -inf,
        inf,
    ),
    "elu": (lambda x: x if x > 0 else mp.expm1(x), lambda x: mpf(1) if x > 0 else mp.exp(x), -inf, inf),
    "celu": (lambda x: x if x > 0 else mp.expm1(2 * x) / 2, lambda x: mpf(1) if x > 0 else mp.exp(2 * x), -inf, inf),
    "selu": (
        lambda x: SELU_SCALE * (x if x > 0 else SELU_ALPHA * mp.expm1(x)),
        lambda x: SELU_SCALE * (mpf(1) if x > 0 else SELU_ALPHA * mp.exp(x)),
        -inf,
        inf,
    ),
    "softcap": (lambda x: 4 * mp.tanh(x / 4), lambda x: mp.sech(x / 4) ** 2, -inf, inf),
}


def logaddexp(x, y):
    return max(x, y) + softplus(-abs(x - y))


def remainder(x, y):
    return x - y * mp.floor(x / y) if mp.isfinite(x / y) and abs(x / y) < mpf(2) ** 60 else mp.nan


def toward_zero(x):
    return mp.floor(x) if x > 0 else mp.ceil(x)


def rest(x, y):
    return x - y * toward_zero(x / y)


def hypot2(x, y):
    return x * x + y * y


# The function, its derivatives, and whether the pair is in its domain.
TWO = {
    "add": (lambda x, y: x + y, lambda x, y: 1, lambda x, y: 1, lambda x, y: True),
    "sub": (lambda x, y: x - y, lambda x, y: 1, lambda x, y: -1, lambda x, y: True),
    "mul": (lambda x, y: x * y, lambda x, y: y, lambda x, y: x, lambda x, y: True),
    "div": (lambda x, y: x / y, lambda x, y: 1 / y, lambda x, y: -x / y / y, lambda x, y: True),
    "rem": (rest, lambda x, y: 1, lambda x, y: -toward_zero(x / y), lambda x, y: abs(x / y) < 2000),
    "pow": (
        lambda x, y: x**y,
        lambda x, y: y * x ** (y - 1),
        lambda x, y: mp.log(x) * x**y,
        lambda x, y: x > 0 and abs(y * mp.log(x)) < 2000,
    ),
    "atan2": (
        lambda x, y: mp.atan2(x, y),
        lambda x, y: y / hypot2(x, y),
        lambda x, y: -x / hypot2(x, y),
        lambda x, y: True,
    ),
    "maximum": (max, lambda x, y: mpf(x > y), lambda x, y: mpf(y > x), lambda x, y: x != y),
    "minimum": (min, lambda x, y: mpf(x < y), lambda x, y: mpf(y < x), lambda x, y: x != y),
    "logaddexp": (logaddexp, lambda x, y: sigmoid(x - y), lambda x, y: sigmoid(y - x), lambda x, y: True),
    "modulo": (remainder, lambda x, y: 1, lambda x, y: -mp.floor(x / y), lambda x, y: abs(x / y) < 2000),
    "floor_divide": (lambda x, y: mp.floor(x / y), lambda x, y: 0, lambda x, y: 0, lambda x, y: abs(x / y) < 2000),
    "zeta": (
        lambda x, y: mp.zeta(x, y),
        None,
        lambda x, y: -x * mp.zeta(x + 1, y),
        lambda x, y: 1.1 < x < 60 and 0.01 < y < 1000,
    ),
}


# Functions of one complex number, and their derivatives.
COMPLEX_ONE = {
    "abs": (abs, None),
    "sign": (lambda z: z / abs(z), None),
    "neg": (lambda z: -z, lambda z: -1),
    "square": (lambda z: z * z, lambda z: 2 * z),
    "reciprocal": (lambda z: 1 / z, lambda z: -1 / z**2),
    "exp": (mp.exp, mp.exp),
    "exp_m1": (mp.expm1, mp.exp),
    "log": (mp.log, lambda z: 1 / z),
    "log1p": (lambda z: mp.log(1 + z), lambda z: 1 / (1 + z)),
    "sqrt": (mp.sqrt, lambda z: 1 / mp.sqrt(z) / 2),
    "rsqrt": (lambda z: 1 / mp.sqrt(z), lambda z: -1 / mp.sqrt(z) / z / 2),
    "sin": (mp.sin, mp.cos),
    "cos": (mp.cos, lambda z: -mp.sin(z)),
    "tan": (mp.tan, lambda z: 1 + mp.tan(z) ** 2),
    "tanh": (mp.tanh, lambda z: 1 - mp.tanh(z) ** 2),
    "sigmoid": (sigmoid, lambda z: sigmoid(z) * sigmoid(-z)),
}
COMPLEX_TWO = {
    "add": (lambda z, w: z + w, lambda z, w: 1, lambda z, w: 1),
    "sub": (lambda z, w: z - w, lambda z, w: 1, lambda z, w: -1),
    "mul": (lambda z, w: z * w, lambda z, w: w, lambda z, w: z),
    "div": (lambda z, w: z / w, lambda z, w: 1 / w, lambda z, w: -z / w**2),
    "pow": (lambda z, w: z**w, lambda z, w: w * z ** (w - 1), lambda z, w: mp.log(z) * z**w),
}


def complex_arguments(count):
    """Points on both sides of the cuts along the axes, and others, as columns of both parts."""
    parts = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, 0.001, -0.001, 1e-6, 20.0, -20.0]
    grid = [(a, b) for a in parts for b in parts if (a, b) != (0, 0)]
    random = np.random.default_rng(5).uniform(-6, 6, (count, 2)).astype(np.float32)
    return np.concatenate([np.array(grid), random]).astype(np.float64)


def complex_results(function, name, rows):
    """Both parts of each result, rounded to their type. Numbers of mpmath have no sign of zero: below a cut the value is
    the conjugate of that of the conjugate."""
    found = np.full((len(rows), 2), np.nan)
    for i, row in enumerate(rows):
        below = np.signbit(row[1])
        zs = [mp.mpc(float(row[j]), abs(float(row[j + 1])) if j == 0 and row[1] == 0 else float(row[j + 1])) for j in range(0, len(row), 2)]
        if below:
            zs = [mp.conj(z) for z in zs]
        if below and row[1] == 0:
            zs[0] = mp.mpc(float(row[0]), 0)
        try:
            value = function(*zs)
        except (ZeroDivisionError, ValueError, OverflowError):
            continue
        value = mp.mpc(value)
        value = mp.conj(value) if below else value
        if mp.isfinite(value):
            both = rounded(np.array([float(value.real), float(value.imag)]), "f64" if name == "c128" else "f32")
            found[i] = both.astype(np.float64)
    largest = np.abs(found).max(1)
    limit = np.finfo(np.float32 if name == "c64" else np.float64)
    with np.errstate(invalid="ignore"):
        found[~((largest >= limit.tiny) & (largest <= limit.max) | (largest == 0))] = np.nan
    return found


def complexes(points):
    tensors = {}
    x = complex_arguments(points or 60)
    both = np.concatenate([x, np.random.default_rng(6).permutation(x)], 1)
    both = both[(both[:, 2] != 0) | (both[:, 3] != 0)]
    for name in ["c64", "c128"]:
        tensors[f"{name}/x"] = x
        tensors[f"{name}/pairs"] = both
        for row, functions in COMPLEX_ONE.items():
            for part, function in zip(["value", "slope"], functions):
                if function:
                    tensors[f"{name}/{row}/{part}"] = complex_results(function, name, x)
        for row, functions in COMPLEX_TWO.items():
            for part, function in zip(["value", "slope_x", "slope_y"], functions):
                tensors[f"{name}/{row}/{part}"] = complex_results(function, name, both)
    return tensors


def arguments(name, count):
    """Normal numbers of every exponent and sign, many from -10 to 10, and those where functions change their form."""
    word, step = WORDS[bits(name)], (1 << bits(name)) // (count // 2)
    patterns = np.array([i * step + i * 977 % min(step, 1 << 16) for i in range(count // 2)], word).view(DTYPES[name])
    near = np.linspace(-10, 10, count // 3) * 1.0078125
    turns = np.array([0.25, 0.5, 0.65, 0.92, 1, 1.5, 2, 3, 3.83, 3.92, 5, 6, 8, 9.01, 12, 13, 17, 18.7, 20, 27, 37, 40, 88, 104, 300, 708, 745])
    near = np.concatenate([near, turns, -turns, 1 - 2.0 ** -np.arange(2, 9), 2.0 ** -np.arange(2, 9) - 1, 1 + 2.0 ** -np.arange(2, 9)])
    x = np.concatenate([patterns, rounded(near, name)])
    wide = np.abs(x.astype(np.float64))
    return np.unique(x[np.isfinite(wide) & (wide >= float(ml_dtypes.finfo(DTYPES[name]).smallest_normal))])


def pairs(name, count):
    rng = np.random.default_rng(bits(name) + len(name))
    info = ml_dtypes.finfo(DTYPES[name])
    x = rng.uniform(-10, 10, (2, count))
    far = np.exp2(rng.uniform(np.log2(float(info.smallest_normal)), np.log2(float(info.max)), (2, count))) * rng.choice([-1, 1], (2, count))
    mixed = np.where(rng.integers(0, 2, (2, count)), x, far)
    values = np.concatenate([x, far, mixed, np.abs(x), np.abs(x) * [[4], [1]]], 1)
    values = rounded(values, name)
    wide = np.abs(values.astype(np.float64))
    kept = (wide >= float(info.smallest_normal)) & np.isfinite(wide)
    return values[:, kept.all(0)]


def exact(function, *xs):
    """A number of mpmath; NaN where there is none."""
    try:
        value = function(*map(mpf, xs))
    except (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.NoConvergence, mpmath.libmp.ComplexResult):
        return np.nan
    if isinstance(value, mpmath.mpc) or not mp.isfinite(value):
        return np.nan
    return value


def once(value, name):
    """A number of mpmath in a type, rounded once."""
    if value is np.nan or not mp.isfinite(value):
        return np.nan
    precision, least = {"f64": (53, -1022), "f32": (24, -126), "bf16": (8, -126), "f16": (11, -14)}[name]
    value = mpf(value)
    if value == 0:
        return 0.0
    # Numbers below the normal ones are skipped.
    if abs(value) < mpf(2) ** least:
        return np.nan
    with mp.workprec(precision):
        return float(+value)


def results(task):
    name, row, part, function, columns, inside = task
    values = [once(exact(function, *xs), name) if inside(*xs) else np.nan for xs in zip(*columns)]
    return f"{name}/{row}/{part}", values


def tasks(points):
    for name, count in COUNTS.items():
        x = arguments(name, points or count)
        x_ = [float(v) for v in x]
        yield (f"{name}/x", x)
        # The corners of functions are tested elsewhere.
        corners = {-6, -3, -1, 0, 1, 3, 6}
        for row, (function, slope, low, high) in ONE.items():
            inside = lambda v, low=low, high=high: low < v < high
            yield (name, row, "value", function, [x_], inside)
            yield (name, row, "slope", slope, [x_], lambda v, inside=inside: inside(v) and v not in corners)
        both = pairs(name, (points or PAIRS) // 5)
        columns = [[float(v) for v in side] for side in both]
        yield (f"{name}/pairs/x", both[0])
        yield (f"{name}/pairs/y", both[1])
        for row, (function, slope_x, slope_y, inside) in TWO.items():
            for part, function in [("value", function), ("slope_x", slope_x), ("slope_y", slope_y)]:
                if function:
                    yield (name, row, part, function, columns, inside)


ALL = []


def at(index):
    return results(ALL[index])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int)
    parser.add_argument("--out", default=DATA / "sweep.safetensors")
    arguments = parser.parse_args()
    tensors = {}
    for task in tasks(arguments.points):
        if len(task) == 2:
            tensors[task[0]] = task[1]
        else:
            ALL.append(task)
    # Functions are passed to processes by their index, which a fork shares.
    with multiprocessing.get_context("fork").Pool() as pool:
        for key, values in pool.imap_unordered(at, range(len(ALL))):
            tensors[key] = rounded(np.array(values), key.split("/")[0])
    tensors |= complexes(arguments.points)
    raw = {f"{key}:{array.dtype}": np.frombuffer(array.tobytes(), np.uint8) for key, array in tensors.items()}
    save_file(dict(sorted(raw.items())), arguments.out)
    print(f"{len(tensors)} tensors")


if __name__ == "__main__":
    main()
