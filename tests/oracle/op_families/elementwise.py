"""Elementwise functions that are composed of others."""

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import xlogy

from op_families.gradients import add as gradient
from reference import COMPLEX, DTYPES, SIGNED, UNSIGNED, numbers, rounded, specials, spread, widened

FLOATS = ["f64", "f32", "f16", "bf16", "f8e4m3fn"]
SELU = (1.0507009873554805, 1.6732632423543772)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def softplus(x):
    return np.logaddexp(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "exp2": np.exp2,
    "log2": np.log2,
    "log10": np.log10,
    "elu 0.5": lambda x: elu(x, 0.5),
    "celu 0.5": lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0) / 0.5)),
    "selu": lambda x: SELU[0] * elu(x, SELU[1]),
    "softplus": softplus,
    "log_sigmoid": lambda x: -softplus(-x),
    "mish": lambda x: x * np.tanh(softplus(x)),
    "softsign": lambda x: np.where(np.isinf(x), np.nan, x / (1 + np.abs(x))),
    "relu6": lambda x: np.clip(x, 0, 6),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_swish": lambda x: x * (np.clip(x + 3, 0, 6) / 6),
    "quick_gelu": lambda x: x * sigmoid(1.702 * x),
    "softcap 2.5": lambda x: 2.5 * np.tanh(x / 2.5),
    "trunc": np.trunc,
    "round_to 1": lambda x: np.round(x * 10) / 10,
    "round_to -1": lambda x: np.round(x / 10) * 10,
    "is_inf": np.isinf,
    "is_pos_inf": np.isposinf,
    "is_neg_inf": np.isneginf,
}
# Where the result has digits after a rounding to the type: beyond, products overflow in a narrower type.
MODERATE = {"square": 1e4, "round_to 1": 1e4, "round_to -1": 1e4, "hard_swish": 1e4, "mish": 80, "quick_gelu": 1e4,
            "exp2": 100, "sinh": 80, "cosh": 80}


def wide(function, x, name):
    """The function in f64, rounded once."""
    with np.errstate(all="ignore"):
        values = np.asarray(function(widened(x)))
        return values if values.dtype == np.bool_ else rounded(values, name)


# A quotient below the smallest normal number may become 0.
LEAST = {"softcap 2.5": 1e-30}


def domain(row, x):
    size = np.abs(widened(x))
    least = (size > 0) & (size < LEAST.get(row, 0))
    return x[~(np.isfinite(size) & (size > MODERATE.get(row, np.inf)) | least)]


def fill(table):
    for row, function in FUNCTIONS.items():
        for name in FLOATS:
            x = domain(row, spread(name, -6, 6))
            table.add(row, [x], wide(function, x, name))
        for shape in [(), (0, 3), (2, 1, 3)]:
            x = numbers("f32", shape, 0.1, 0.9)
            table.add(row, [x], wide(function, x, "f32"))
    for name in ["f64", "f32", "bf16"]:
        x = rounded(np.array([1e-30, -1e-30, 1e-6, -1e-6, 0.01, 0.3, 0.9999, 1.0001, 1.01, 5.0, 30.0, 1e6, 3e8, 1e30]), name)
        for row in ["asinh", "atanh", "acosh", "sinh", "asin", "atan", "acos"]:
            own = domain(row, x)
            table.add(row, [own], wide(FUNCTIONS[row], own, name), case=f"{name} small and large")
    for name in SIGNED + UNSIGNED:
        x = specials(name)
        table.add("square", [x], rounded(np.array([int(v) ** 2 for v in x.reshape(-1).tolist()], object), name))
    for name in COMPLEX:
        x = specials(name)
        table.add("conj", [x], np.conj(x))
        y = numbers(name, (3, 2))
        table.add("square", [y], rounded(widened(y) ** 2, name))
    table.add("conj", [numbers("f32", (3,))], numbers("f32", (3,)))

    for name in ["f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fn"]:
        x = specials(name)
        most = np.float64(jnp.finfo(DTYPES[name]).max)
        cleared = np.nan_to_num(widened(x), nan=0.0, posinf=most, neginf=-most)
        table.add("nan_to_num", [x], rounded(cleared, name))

    # Python's integers and NumPy's floats divide downwards.
    for name in ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]:
        x = specials(name)
        a, b = (v.reshape(-1) for v in np.meshgrid(x, x[x != 0]))
        lowest = np.iinfo(DTYPES[name]).min
        kept = ~((a == lowest) & (b == rounded(np.array([-1]), name)[0])) if name[0] == "i" else np.full(a.shape, True)
        a, b = a[kept][::7], b[kept][::7]
        table.add("floor_divide", [a, b], np.array([int(p) // int(q) for p, q in zip(a, b)], DTYPES[name]))
        table.add("modulo", [a, b], np.array([int(p) % int(q) for p, q in zip(a, b)], DTYPES[name]))
    for name in ["f64", "f32", "f16", "bf16"]:
        a, b = numbers(name, (61,), -9, 9), numbers(name, (61,), -3, 3, "divisors")
        b[b == 0] = 1
        table.add("floor_divide", [a, b], rounded(np.floor_divide(widened(a), widened(b)), name))
        # The remainder of both as they are, which is a number of the type.
        table.add("modulo", [a, b], rounded(np.mod(widened(a), widened(b)), name))
        c = rounded(np.array([6.0, -6, 7, -7, 0, -0.0, 5.5, np.nan, 1]), name)
        d = rounded(np.array([3.0, 3, -2, 2, 3, 3, -0.5, 1, np.nan]), name)
        table.add("floor_divide", [c, d], rounded(np.floor_divide(widened(c), widened(d)), name))
        table.add("modulo", [c, d], rounded(np.mod(widened(c), widened(d)), name))
    for name in FLOATS:
        a, b = numbers(name, (5, 9), -6, 6), numbers(name, (9,), -6, 6, "b")
        table.add("logaddexp", [a, b], rounded(np.logaddexp(widened(a), widened(b)), name))
    a = np.array([np.inf, -np.inf, np.inf, 0, np.nan, 1e30, -1e30, 500], np.float32)
    b = np.array([np.inf, -np.inf, -np.inf, -np.inf, 0, 1e30, -1e30, 500.5], np.float32)
    with np.errstate(all="ignore"):
        table.add("logaddexp", [a, b], rounded(np.logaddexp(widened(a), widened(b)), "f32"))

    for name in ["f64", "f32", "f16", "bf16", "f8e4m3fn"]:
        for shape in [(), (5, 9), (0, 9), (2, 1)]:
            x, y = numbers(name, shape, -6, 6), numbers(name, shape[-1:], 0.1, 6, "y")
            table.add("xlogy", [x, y], rounded(xlogy(widened(x), widened(y)), name), case=f"{name} {list(shape)}")
    for name in ["f64", "f32", "bf16"]:
        x = rounded(np.array([0, -0.0, 0, 0, 0, 1, 1, -1, 2, np.inf, np.nan, 3]), name)
        y = rounded(np.array([0, 0, np.inf, np.nan, 2, 0, -1, 0, np.inf, 0.5, 1, 1]), name)
        table.add("xlogy", [x, y], rounded(xlogy(widened(x), widened(y)), name), case=f"{name} edges")
    for name in ["f64", "f32"]:
        x, y = numbers(name, (3, 4)), numbers(name, (3, 4), 0.1, 6, "y")
        x[0, 0] = x[1, 2] = 0
        gradient(table, "xlogy gradient", xlogy, x, y, twice=True)
        gradient(table, "xlogy gradient", xlogy, x, y[0], case=f"{name} broadcast")
        gradient(table, "xlogy gradient", xlogy, x[:0], y[:0], case=f"{name} of nothing")

    for name in ["bool", "i32", "f32", "c64"]:
        x, mask = numbers(name, (3, 4)), numbers("bool", (3, 4))
        table.add("masked_fill", [x, mask], np.where(mask, np.zeros((), x.dtype), x))
    for name in ["f32", "bf16"]:
        x, slope = numbers(name, (5, 3)), numbers(name, (3,), 0, 1)
        table.add("prelu", [x, slope], rounded(np.where(widened(x) > 0, widened(x), widened(x) * widened(slope)), name))
        y = numbers(name, (3, 8), -5, 5)
        p, q = widened(y)[:, :4], widened(y)[:, 4:]
        table.add("glu", [y], rounded(p * sigmoid(q), name))
        table.add("swiglu", [y], rounded(p * sigmoid(p) * q, name))
