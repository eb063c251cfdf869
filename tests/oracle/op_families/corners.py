"""Values and slopes at corners of domains: ties, zeros of both signs, infinities, NaN and limits of integers. By JAX, or by
NumPy or by hand where JAX has another convention."""

import itertools

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from reference import DTYPES, bits, integers, limits, rounded

INF, NAN = np.inf, np.nan
REAL = ["f32", "f64"]
# The real type of each complex type.
PARTS = {"c64": np.float32, "c128": np.float64}


def slopes(function, *xs):
    """The cotangents of all operands for cotangents of 1."""
    y, pull = jax.vjp(function, *(jnp.asarray(x) for x in xs))
    return [np.asarray(g) for g in pull(jnp.ones_like(y))]


def grid(values, name):
    """All pairs of some values."""
    a, b = zip(*itertools.product(values, values))
    return rounded(np.array(a, np.float64), name), rounded(np.array(b, np.float64), name)


def reductions(table):
    rows = np.array([[-INF, -INF, -INF], [INF, 1, 2], [1, -INF, 2], [1000, 1000, 1], [NAN, 1, 2], [-1000, -1001, -INF]])
    ties = np.array([[2, 2, 1], [-0.0, 0.0, -1], [3, 3, 3], [-INF, -INF, -INF], [INF, INF, 1]])
    factors = np.array([[2, 0, 3], [0, 0, 3], [1, 2, 3], [-0.0, 5, 4], [0, 0, 0]])
    places = np.array([[1, NAN, 3], [NAN, NAN, -INF], [-0.0, 0.0, -0.0], [INF, INF, -INF], [2, 3, 3], [-1, NAN, INF]])
    for name in REAL:
        x = rounded(rows, name)
        table.add("log_sum_exp", [x], np.asarray(special.logsumexp(x, axis=1)))
        table.add("softmax", [x], np.asarray(jax.nn.softmax(x, axis=1)))
        table.add("log_softmax", [x], np.asarray(jax.nn.log_softmax(x, axis=1)))
        # Of minus infinities there is no direction: 0.
        finite = x[[2, 3, 5]]
        table.add("log_sum_exp slope", [finite], slopes(lambda x: special.logsumexp(x, axis=1), finite))
        x = rounded(factors, name)
        table.add("prod slope", [x], slopes(lambda x: x.prod(1), x))
        table.add("cumprod slope", [x], slopes(lambda x: jnp.cumprod(x, 1), x))
        x = rounded(ties, name)
        table.add("max slope", [x], slopes(lambda x: x.max(1), x))
        table.add("min slope", [x], slopes(lambda x: x.min(1), x))
    for name in REAL + ["f16", "bf16"]:
        x = rounded(places, name)
        table.add("argmax", [x], np.asarray(jnp.argmax(x, 1)).astype(np.int32))
        table.add("argmin", [x], np.asarray(jnp.argmin(x, 1)).astype(np.int32))
        table.add("sort", [x], np.asarray(jnp.sort(x, 1)))
        table.add("argsort", [x], np.asarray(jnp.argsort(x, 1, stable=True)).astype(np.int32))
        # Without both zeros, whose order is the plugin's.
        some = x[[0, 1, 3, 4, 5]]
        values, indices = lax.top_k(some, 2)
        table.add("top_k", [some], [np.asarray(values), np.asarray(indices)])
        table.add("cummax", [x], np.maximum.accumulate(x.astype(np.float64), 1).astype(x.dtype))
        table.add("cummin", [x], np.minimum.accumulate(x.astype(np.float64), 1).astype(x.dtype))
        table.add("cumsum", [x], np.cumsum(x.astype(np.float64), 1).astype(x.dtype))
        table.add("mean", [x], x.astype(np.float64).mean(1).astype(x.dtype))
        table.add("var", [x], x.astype(np.float64).var(1).astype(x.dtype))
        table.add("median", [x[2:5]], np.median(x[2:5].astype(np.float64), 1).astype(x.dtype))
        # Multiples of the last place of the type, each rounded once.
        table.add("iota 300", [x[0, 0]], rounded(np.arange(300.0), name))


def pairs(table):
    values = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -3.0, INF, -INF, NAN]
    finite = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5]
    for name in REAL:
        x, y = grid(values, name)
        table.add("pow", [x, y], np.power(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype))
        table.add("atan2", [x, y], np.arctan2(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype))
        table.add("rem", [x, y], np.fmod(x, y))
        table.add("logaddexp", [x, y], np.logaddexp(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype))
        table.add("maximum", [x, y], np.maximum(x, y))
        table.add("minimum", [x, y], np.minimum(x, y))
        low, high = rounded(np.minimum(x, y), name), rounded(np.maximum(x, y), name)
        one = np.full_like(x, 0.25)
        table.add("clamp", [one, low, high], np.minimum(np.maximum(one, low), high))
        table.add("clamp", [x, one - 1, y], np.minimum(np.maximum(x, one - 1), y), case=f"{name} crossed")
        x, y = grid(finite, name)
        of_base, of_exponent = slopes(jnp.power, x, y)
        # A constant: NaN by JAX.
        of_base = np.where((x == 0) & (y == 0), 0, of_base).astype(x.dtype)
        table.add("pow slope", [x, y], [of_base, of_exponent])
        table.add("maximum slope", [x, y], slopes(jnp.maximum, x, y))
        table.add("logaddexp slope", [x, y], slopes(jnp.logaddexp, x, y))
        table.add("clamp slope", [x, y], slopes(lambda x, y: lax.clamp(-jnp.ones_like(x), x, y), x, y))


def functions(table):
    """Functions of one number at their ends."""
    ends = {
        "erf_inv": (special.erfinv, [1.0, -1.0, 0.0, -0.0, 1.5, NAN]),
        "exp_m1": (np.expm1, [-0.0, 1e-30, -INF, INF, NAN]),
        "log1p": (np.log1p, [-0.0, 1e-30, -1.0, -2.0, INF, NAN]),
        "asinh": (np.arcsinh, [-0.0, 1e-30, -1e30, INF, -INF, NAN]),
        "acosh": (np.arccosh, [1.0, 0.5, INF, NAN]),
        "atanh": (np.arctanh, [-0.0, 1e-30, 1.0, -1.0, 2.0, NAN]),
        "sinh": (np.sinh, [-0.0, 1e-30, INF, -INF, NAN, 89.0, -89.0]),
        "cosh": (np.cosh, [-0.0, INF, -INF, NAN, 89.0]),
        "tanh": (np.tanh, [-0.0, 1e-30, INF, -INF, NAN]),
        "cbrt": (np.cbrt, [-0.0, -8.0, 1e-30, INF, -INF, NAN]),
        "softplus": (lambda x: np.logaddexp(x, 0), [-INF, INF, 1000.0, -1000.0, NAN]),
        "log_sigmoid": (lambda x: -np.logaddexp(-x, 0), [-INF, INF, 1000.0, -1000.0, NAN]),
        "elu": (lambda x: np.where(x > 0, x, np.expm1(x)), [-INF, INF, -0.0, NAN]),
        "round_to 2": (lambda x: np.where(np.isfinite(x), np.round(x, 2), x), [0.125, -0.0, 2.671, 1e10, INF, -INF, NAN]),
        # Euler's constant.
        "digamma": (lambda x: np.array([-np.euler_gamma, 1 - np.euler_gamma, INF, NAN]), [1.0, 2.0, INF, NAN]),
        "lgamma": (special.gammaln, [1.0, 2.0, 0.0, -1.0, INF, NAN]),
    }
    for name in REAL:
        for row, (function, points) in ends.items():
            x = rounded(np.array(points), name)
            table.add(row, [x], np.asarray(function(x.astype(np.float64))).astype(x.dtype))
        largest = np.array([1, -1], DTYPES[name]) * np.finfo(DTYPES[name]).max
        # The number itself: its product with 100 is infinite.
        table.add("round_to 2", [largest], largest, case=f"{name} largest")
        x = rounded(np.array([0.0, -0.0, 1.5, -1e30, INF, NAN]), name)
        table.add("round_to 400", [x], x)
        for row in ["round_to -400", "round_to lowest"]:
            table.add(row, [x], np.where(np.isfinite(x), x * 0, x))
        for row in ["sqrt slope", "cbrt slope"]:
            zero = np.zeros(2, DTYPES[name])
            table.add(row, [zero], np.full_like(zero, INF))
        x = rounded(np.array([1.0, -1.0]), name)
        table.add("erf_inv slope", [x], np.full_like(x, INF))
        x = rounded(np.array([0.0, -0.0, 2.0, -2.0]), name)
        table.add("abs slope", [x], slopes(jnp.abs, x))
        table.add("sign slope", [x], np.zeros_like(x))
        zeros = np.zeros((2, 3), DTYPES[name])
        table.add("l1_norm slope", [zeros], slopes(lambda x: jnp.abs(x).sum(1), zeros))


def complexes(table):
    parts = [0.0, -0.0, 1.0, -2.0, INF, -INF, NAN]
    for name, real in PARTS.items():
        dtype = DTYPES[name]
        far = 1e30 if name == "c64" else 1e300
        zero = np.zeros(2, dtype)
        table.add("complex abs slope", [zero], zero)
        table.add("complex norm slope", [np.zeros((2, 3), dtype)], np.zeros((2, 3), dtype))
        table.add("complex std slope", [np.full((2, 3), 1 + 2j, dtype)], np.zeros((2, 3), dtype))
        table.add("complex sign", [np.array([0, 3 + 4j, -far, 1j / far], dtype)], np.array([0, 0.6 + 0.8j, -1, 1j], dtype))
        x = np.array([far + far * 1j, 1 / far, far * 1j, 1], dtype)
        y = np.array([far + far * 1j, 1 / far, far, far + far * 1j], dtype)
        table.add("complex div", [x, y], (x.astype(np.clongdouble) / y.astype(np.clongdouble)).astype(dtype))
        far = np.array([100 + 1j, -100 + 1j, 700 - 2j, -700 - 2j], dtype)
        table.add("complex tanh", [far], np.sign(far.real).astype(dtype))
        table.add("complex sigmoid", [far], (1 / (1 + np.exp(-far.astype(np.clongdouble)))).astype(dtype))
        table.add("complex tanh slope", [far], (1 / np.cosh(far.astype(np.clongdouble)) ** 2).astype(dtype))
        x = np.array([complex(-INF, 1), complex(-INF, 0), complex(0, 0), complex(INF, 0)], dtype)
        table.add("complex exp", [x], np.array([0, 0, 1, INF], dtype))
        x = np.array([1, -1, 1j, complex(-1, -0.0)], dtype)
        table.add("complex log", [x], np.log(x.astype(np.complex128)).astype(dtype))
        x, y = np.array([0, 0, 2, 1j, -1], dtype), np.array([0, 2, 0, 2, 2], dtype)
        table.add("complex pow", [x, y], np.array([1, 0, 1, -1, 1], dtype))
        x = np.array([[1 + 2j, 3 - 4j, -5 + 1j], [0, 1j, 2]], dtype)
        table.add("complex mean", [x], x.mean(1))
        table.add("complex var", [x], x.astype(np.complex128).var(1).astype(real))
        table.add("complex std", [x], x.astype(np.complex128).std(1).astype(real))
        table.add("complex prod", [x], x.prod(1))
        table.add("complex cumsum", [x], x.cumsum(1))
        table.add("complex cumprod", [x], x.cumprod(1))


def ints(table):
    """Divisions and shifts at the ends of types; those by 0 and the lowest number by -1 are Hloom's own."""
    for name in ["i8", "i32", "i64"]:
        low, high = limits(name)
        values = [low, low + 1, -7, -2, -1, 1, 2, 7, high - 1, high]
        pairs = [(a, b) for a in values + [0] for b in values if (a, b) != (low, -1)]
        x, y = (integers(v, name) for v in zip(*pairs))
        exact = lambda f: integers([f(a, b) for a, b in pairs], name)
        table.add("floor_divide of integers", [x, y], exact(lambda a, b: a // b))
        table.add("modulo of integers", [x, y], exact(lambda a, b: a % b))
        toward_zero = lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        table.add("div of integers", [x, y], exact(toward_zero))
        table.add("rem of integers", [x, y], exact(lambda a, b: a - b * toward_zero(a, b)))
        x = integers([low, -1, 0, high], name)
        table.add("abs of integers", [x], integers([low, 1, 0, high], name))
        table.add("neg of integers", [x], integers([low, 1, 0, -high], name))
        width = bits(name)
        shifts = [0, 1, width - 1, width, width + 1, 100]
        pairs = [(a, s) for a in [low, -1, -6, 1, 6, high] for s in shifts]
        x, s = (integers(v, name) for v in zip(*pairs))
        mask = (1 << width) - 1
        is_far = lambda s: s >= width
        table.add("shift_left", [x, s], integers([0 if is_far(s) else a << s for a, s in pairs], name))
        table.add("shift_right_arithmetic", [x, s], integers([a >> min(s, width - 1) for a, s in pairs], name))
        table.add("shift_right_logical", [x, s], integers([0 if is_far(s) else (a & mask) >> s for a, s in pairs], name))


def fill(table):
    with np.errstate(all="ignore"):
        for part in [reductions, pairs, functions, complexes, ints]:
            part(table)
