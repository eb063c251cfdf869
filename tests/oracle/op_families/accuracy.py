"""Functions that platforms approximate, at arguments across each type: correctly rounded results, by mpmath."""

import ml_dtypes
import mpmath
import numpy as np

from reference import DTYPES, bits, rounded

mpmath.mp.prec = 80
FUNCTIONS = {
    "exp": mpmath.exp,
    "tanh": mpmath.tanh,
    "erf": mpmath.erf,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}
WORDS = {16: np.uint16, 32: np.uint32, 64: np.uint64}
# The number of bit patterns, evenly spaced over all: every exponent of both signs, subnormal numbers too, and some NaNs.
PATTERNS = {"f32": 1531, "f64": 509, "bf16": 509, "f16": 509}


def arguments(name):
    word = WORDS[bits(name)]
    step = (1 << bits(name)) // PATTERNS[name]
    patterns = np.array([i * step for i in range(PATTERNS[name])], word).view(DTYPES[name])
    info = ml_dtypes.finfo(DTYPES[name])
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)]
    # Where the functions approach their limits, and where their results leave the normal range.
    turns = np.array([3.8325067, 3.8325068, 3.9192059, 4, 5, 5.86358, 6, 9, 9.0109, 17, 18.7, 20, 37, 40, 1e30])
    ends = np.array([87.3, 87.336, 88, 88.7, 88.72, 88.7228, 88.73, 104, 708.3, 709.7, 709.8, 746, 11.08, 11.09, 9.7, 17.3])
    near = np.concatenate([np.linspace(-10, 10, PATTERNS[name] // 2), turns, -turns, ends, -ends])
    return np.concatenate([patterns, rounded(np.array(edges), name), rounded(near, name)])


def exact(function, x):
    """The value as a double."""
    return x if np.isnan(x) else float(function(mpmath.mpf(x)))


def fill(table):
    for row, function in FUNCTIONS.items():
        for name in PATTERNS:
            x = arguments(name)
            values = np.array([exact(function, float(v)) for v in x])
            table.add(row, [x], rounded(values, name), case=f"{name} everywhere")
