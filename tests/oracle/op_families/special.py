"""Special functions at arguments across each type: correctly rounded results, by mpmath; and functions of bits."""

import math

import ml_dtypes
import mpmath
import numpy as np
from jax import lax

from reference import DTYPES, INTS, WIDE_FLOATS, bits, generator, integers, numbers, rounded, specials, spread

mpmath.mp.prec = 200
mpf = mpmath.mpf
# The number of bit patterns, evenly spaced over all, and of arguments in the interval where most functions change.
PATTERNS = {"f32": 401, "f64": 211, "bf16": 101, "f16": 101}
WORDS = {16: np.uint16, 32: np.uint32, 64: np.uint64}


def lgamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.inf
    if x < 0:
        return mpmath.log(mpmath.pi / abs(mpmath.sinpi(x))) - mpmath.loggamma(1 - x)
    return mpmath.loggamma(x)


def digamma(x):
    if x == 0:
        return -mpmath.inf
    if x < 0:
        return mpmath.nan if x == mpmath.floor(x) else mpmath.digamma(1 - x) - mpmath.pi / mpmath.tan(mpmath.pi * x)
    return mpmath.log(x) - 1 / (2 * x) if x > 1e9 else mpmath.digamma(x)


def erf_inv(x):
    if abs(x) >= 1:
        return mpmath.sign(x) * mpmath.inf if abs(x) == 1 else mpmath.nan
    if abs(x) < 1e-9:
        return x * mpmath.sqrt(mpmath.pi) / 2
    return mpmath.erfinv(x)


def bessel(order):
    def function(x):
        size = abs(x)
        if size < 1e-9:
            return (x / 2 if order else 1) * (1 - size)
        if size > 1e9:
            return mpmath.sign(x) ** order * (1 + mpf(-3 if order else 1) / (8 * size)) / mpmath.sqrt(2 * mpmath.pi * size)
        return mpmath.besseli(order, x) * mpmath.exp(-size)

    return function


def erfc(x):
    return mpf(0) if x > 1e4 else mpf(2) if x < -1e4 else mpmath.erfc(x)


def polygamma(order, x):
    if x == 0:
        return mpmath.inf * (-1) ** (order + 1)
    if x < 0:
        return mpmath.nan
    if x > 1e9:
        return (-1) ** (order + 1) * (mpmath.factorial(order - 1) / x**order + mpmath.factorial(order) / (2 * x ** (order + 1)))
    return mpmath.polygamma(order, x)


def zeta(s, q):
    if s <= 1:
        return mpmath.inf if s == 1 else mpmath.nan
    if q <= 0:
        return mpmath.inf if q == mpmath.floor(q) else mpmath.nan
    if q > 1e9:
        return q ** (1 - s) / (s - 1) + q**-s / 2
    if s * mpmath.log(1 + 1 / q) > 200:
        return q**-s
    # Its error is absolute.
    with mpmath.workprec(200 + int(s * mpmath.log(q + 1, 2))):
        return mpmath.zeta(s, q)


INFINITE = {"lgamma": [np.inf, np.inf], "digamma": [np.inf, np.nan], "erf_inv": [np.nan, np.nan], "erfc": [0, 2], "bessel_i0e": [0, 0], "bessel_i1e": [0, -0.0]}
FUNCTIONS = {"erfc": erfc, "erf_inv": erf_inv, "lgamma": lgamma, "digamma": digamma, "bessel_i0e": bessel(0), "bessel_i1e": bessel(1)}
BELOW = ["lgamma", "digamma"]
# Where the algorithms change, and zeros.
NEAR = [0.25, 0.5, 0.65, 0.75, 1, 1.25, 1.461632, 1.4616321449683623, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 7.999999, 8, 9, 10, 16, 30, 100, 300, 1e4, 1e9]


def finite(name, least=0.0):
    """Normal numbers of all exponents above `least`, and more between 0 and 12."""
    word = WORDS[bits(name)]
    step = (1 << (bits(name) - 1)) // PATTERNS[name]
    patterns = np.array([i * step for i in range(PATTERNS[name])], word).view(DTYPES[name])
    near = rounded(np.concatenate([np.linspace(0.003, 12, PATTERNS[name]), NEAR, 1 + np.geomspace(1e-7, 0.3, 21), 2 - np.geomspace(1e-7, 0.3, 21)]), name)
    values = np.concatenate([patterns, near])
    smallest = float(ml_dtypes.finfo(DTYPES[name]).smallest_normal)
    with np.errstate(invalid="ignore"):
        return values[np.isfinite(values) & (values.astype(np.float64) >= max(least, smallest))]


def nearest(value):
    """A double, to which exact values are rounded first: one step of 2^-53 is far below the tolerances."""
    return float(value) if mpmath.isfinite(value) else float(mpmath.nstr(value))


def unary(table, row, function, x, name, ends, case):
    values = [nearest(function(mpf(float(v)))) for v in x]
    x = np.concatenate([x, rounded(np.array([np.inf, -np.inf, np.nan]), name)])
    table.add(row, [x], rounded(np.array([*values, *ends, np.nan]), name), case=case)


def fill(table):
    for row, function in FUNCTIONS.items():
        for name in PATTERNS:
            x = finite(name)
            if row == "erf_inv":
                one = rounded(np.concatenate([np.linspace(0.001, 1, PATTERNS[name]), 1 - np.geomspace(1e-16, 0.1, 51)]), name)
                x = np.concatenate([x[::4], one])
            if row not in BELOW:
                x = np.concatenate([x, -x, rounded(np.array([0.0, -0.0]), name)])
            unary(table, row, function, x, name, INFINITE[row], f"{name} everywhere")
            if row in BELOW:
                for low in (0, 1, 2, 20):
                    x = rounded(-np.linspace(low + 0.003, low + 1, 31), name)
                    unary(table, f"{row} below 0", function, x, name, INFINITE[row], f"{name} below -{low}")
                table.add(row, [rounded(np.zeros(1), name)], rounded([nearest(function(mpf(0)))], name), case=f"{name} zero")
        for shape in [(), (0, 3), (1,), (2, 1, 3)]:
            x = numbers("f32", shape, 0.1, 0.9)
            values = np.array([nearest(function(mpf(float(v)))) for v in x.flat], np.float64).reshape(shape)
            table.add(row, [x], rounded(values, "f32"), case=f"of shape {list(shape)}")
    for name in PATTERNS:
        x = finite(name)[:: 1 if name == "f32" else 2]
        for order in (1, 2, 3, 12):
            unary(table, f"polygamma {order}", lambda v: polygamma(order, v), x, name, [0, np.nan], f"{name} everywhere")
        edges = rounded(np.array([0.0, -0.5, -1]), name)
        table.add("polygamma 2", [edges], rounded([-np.inf, np.nan, np.nan], name), case=f"{name} edges")
        s = rounded(np.concatenate([[1.0001, 1.25, 1.5, 2, 2.5, 3, 4, 7.25, 12, 30], [1, 0.5, -3, np.inf, np.nan]]), name)
        q = rounded(np.concatenate([np.geomspace(0.01, 1e4, 25), [0.5, 1, 2, 8, 0, -1, -1.5, np.nan]]), name)
        s, q = (v.reshape(-1) for v in np.meshgrid(s, q))
        with np.errstate(all="ignore"):
            values = np.array([zeta_at(float(a), float(b)) for a, b in zip(s, q)])
        # The terms of smaller sums may be flushed to zero.
        smallest = float(ml_dtypes.finfo(DTYPES[name]).smallest_normal) if name != "f16" else 0
        kept = ~((np.abs(values) < smallest * 2.0**20) & (values != 0))
        table.add("zeta", [s[kept], q[kept]], rounded(values[kept], name), case=f"{name} everywhere")
    of_bits(table)


def zeta_at(s, q):
    if math.isnan(s) or math.isnan(q):
        return np.nan
    if math.isinf(s):
        return zeta_at(2.0, q) if q <= 0 else 0.0 if q > 1 else 1.0 if q == 1 else np.inf
    return nearest(zeta(mpf(s), mpf(q)))


def of_bits(table):
    for name in WIDE_FLOATS:
        for exponent, mantissa in [(8, 7), (5, 10), (5, 2), (4, 3), (2, 0), (11, 52), (8, 23), (1, 1)]:
            x = spread(name)
            table.add(f"reduce_precision {exponent} {mantissa}", [x], np.asarray(lax.reduce_precision(x, exponent, mantissa)))
    for name in INTS:
        words = generator(f"mulhi {name}").integers(0, 1 << 64, (2, 32), np.uint64, endpoint=False)
        x, y = (np.concatenate([specials(name)[::step], integers(w, name)]) for step, w in zip((1, -1), words))
        products = [(int(a) * int(b)) >> bits(name) for a, b in zip(x, y)]
        table.add("mulhi", [x, y], integers(products, name))
