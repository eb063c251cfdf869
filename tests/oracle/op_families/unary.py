"""Elementwise functions of one operand."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import COMPLEX, FLOATS, INTS, SIGNED, bits, integers, is_complex, numbers, rounded, specials, spread, widened

# Every kind of float; the plugin handles the other 8-bit ones in the same way; they are in `neg` and `exp`.
SOME_FLOATS = ["f64", "f32", "f16", "bf16", "f8e4m3fn", "f8e5m2"]

FUNCTIONS = {
    "exp": jnp.exp,
    "exp_m1": jnp.expm1,
    "log": jnp.log,
    "log1p": jnp.log1p,
    "sqrt": jnp.sqrt,
    "rsqrt": lax.rsqrt,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "tanh": jnp.tanh,
    "sigmoid": lambda x: 1 / (1 + jnp.exp(-x)),
}
REAL_FUNCTIONS = {"cbrt": jnp.cbrt, "erf": lax.erf}
# The largest arguments at which a float of the tested type still has significant digits of the result.
MODERATE = {"cbrt": 1e4, "sin": 30, "cos": 30, "tan": 30, "exp": 80, "exp_m1": 80}
EXACT = {
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "round": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "round_even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
}


def wide(function, x, name):
    """The function in f64 or c128, rounded once."""
    return rounded(np.asarray(jax.jit(function)(widened(x))), name)


def domain(row, x):
    """Elements at which the result is well conditioned: rounding them does not change it completely."""
    values = widened(x)
    most = MODERATE.get(row)
    if most is None:
        return x
    with np.errstate(invalid="ignore"):
        size = np.abs(values)
        return x[~(np.isfinite(values) & (size != 0) & ((size > most) | (size < 1 / most)))]


def fill(table):
    for row, function in {**FUNCTIONS, **REAL_FUNCTIONS}.items():
        for name in FLOATS if row == "exp" else SOME_FLOATS:
            x = domain(row, spread(name))
            table.add(row, [x], wide(function, x, name))
        for name in COMPLEX if row in FUNCTIONS else []:
            x = numbers(name, (3, 7), 0.1, 3.0)
            table.add(row, [x], wide(function, x, name))
    for row, function in EXACT.items():
        for name in SOME_FLOATS:
            x = spread(name)
            table.add(row, [x], wide(function, x, name))
    for name in SOME_FLOATS:
        x = spread(name)
        table.add("is_finite", [x], np.isfinite(widened(x)))
        table.add("is_nan", [x], np.isnan(widened(x)))
    for name in SIGNED + SOME_FLOATS:
        x = spread(name)
        table.add("abs", [x], signless(np.abs, x, name))
        table.add("sign", [x], signless(np.sign, x, name))
    for name in COMPLEX:
        x = numbers(name, (5,), -3, 3)
        real = "f32" if name == "c64" else "f64"
        table.add("abs", [x], rounded(np.abs(widened(x)), real))
        table.add("sign", [x], wide(jnp.sign, x, name))
        table.add("real", [x], x.real)
        table.add("imag", [x], x.imag)
    for name in ["f32", "f64"]:
        x = spread(name)
        table.add("real", [x], x)
        table.add("imag", [x], np.zeros_like(x))
    for name in INTS + FLOATS + COMPLEX:
        x = specials(name) if is_complex(name) else spread(name)
        table.add("neg", [x], signless(np.negative, x, name))
    for name in ["bool", *INTS]:
        x = spread(name)
        table.add("not", [x], ~x if name == "bool" else integers([~int(v) for v in x], name))
    for name in INTS:
        x = spread(name)
        ones = [(int(v) & ((1 << bits(name)) - 1)) for v in x]
        table.add("population_count", [x], integers([v.bit_count() for v in ones], name))
        table.add("count_leading_zeros", [x], integers([bits(name) - v.bit_length() for v in ones], name))
    for shape in [(), (0,), (1,), (2, 0, 3), (3, 1, 5), (1, 2, 3, 1, 2, 3)]:
        x = numbers("f32", shape, 0.5, 4)
        table.add("exp", [x], wide(jnp.exp, x, "f32"), case=f"f32 of shape {list(shape)}")
        table.add("neg", [x], -x, case=f"f32 of shape {list(shape)}")


def signless(function, x, name):
    """An exact function, including of integers beyond f64's range."""
    if name in INTS:
        return integers([int(function(int(v))) for v in x], name)
    return rounded(function(widened(x)), name)
