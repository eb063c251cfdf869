"""Gradients of functions composed of ops, also where a branch or a tie has none: by JAX, as those of `gradients`."""

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from op_families.gradients import REAL, add
from reference import numbers, rounded

NEAR = [0.0, 0.5, -0.5, 0.75, -0.25]
WIDE = [0.0, 1.0, -1.0, 0.5, 3.0, -3.0, 20.0, -20.0]

# The points of each function; those of `edges` have no second derivative, or a rough one.
SPECIAL = {
    "erfc": (special.erfc, WIDE),
    "erf_inv": (special.erfinv, NEAR),
    "lgamma": (special.gammaln, [0.25, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0, 9.0, 30.0]),
    "digamma": (special.digamma, [0.25, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0, 9.0, 30.0]),
    "bessel_i0e": (special.i0e, WIDE),
    "bessel_i1e": (special.i1e, WIDE),
    "asin": (jnp.arcsin, NEAR),
    "acos": (jnp.arccos, NEAR),
    "atan": (jnp.arctan, WIDE),
    "sinh": (jnp.sinh, WIDE[:6]),
    "cosh": (jnp.cosh, WIDE[:6]),
    "asinh": (jnp.arcsinh, WIDE),
    "acosh": (jnp.arccosh, [1.5, 2.0, 10.0, 1e4]),
    "atanh": (jnp.arctanh, NEAR),
    "exp2": (jnp.exp2, WIDE[:6]),
    "log2": (jnp.log2, [0.5, 1.0, 3.0]),
    "log10": (jnp.log10, [0.5, 1.0, 3.0]),
    "softplus": (jax.nn.softplus, WIDE),
    "log_sigmoid": (jax.nn.log_sigmoid, WIDE),
    "mish": (jax.nn.mish, WIDE),
    "gelu_tanh": (jax.nn.gelu, WIDE),
    "quick_gelu": (lambda x: x * lax.logistic(1.702 * x), WIDE),
    "softcap": (lambda x: 5 * jnp.tanh(x / 5), WIDE),
}
EDGES = {
    "erfc": (special.erfc, [8.0, 9.5, -9.5]),
    "erf_inv": (special.erfinv, [1.0, -1.0]),
    "asin": (jnp.arcsin, [1.0, -1.0]),
    "acos": (jnp.arccos, [1.0, -1.0]),
    "sinh": (jnp.sinh, [88.0, -88.5, 89.0]),
    "asinh": (jnp.arcsinh, [1e9, -1e10, 3e9]),
    "acosh": (jnp.arccosh, [1.0, 1e9]),
    "softplus": (jax.nn.softplus, [np.inf, 1e30, -1e30]),
    "relu": (jax.nn.relu, [0.0, -0.0, 1.0, -1.0, np.inf]),
    "leaky_relu": (lambda x: jax.nn.leaky_relu(x, 0.1), [0.0, 1.0, -1.0]),
    "relu6": (jax.nn.relu6, [0.0, 6.0, 1.0, -1.0, 7.0]),
    "hard_tanh": (jax.nn.hard_tanh, [-1.0, 1.0, 0.5, 2.0, -2.0]),
    "hard_sigmoid": (jax.nn.hard_sigmoid, [-3.0, 3.0, 0.5, 4.0, -4.0]),
    "hard_swish": (jax.nn.hard_swish, [-3.0, 3.0, 0.5, 4.0, -4.0]),
    "elu": (lambda x: jax.nn.elu(x, 0.7), [0.0, 1.0, -1.0, 800.0, -800.0]),
    "celu": (lambda x: jax.nn.celu(x, 0.7), [0.0, 1.0, -1.0, 800.0, -800.0]),
    "selu": (jax.nn.selu, [0.0, 1.0, -1.0, 800.0, -800.0]),
    "softsign": (jax.nn.soft_sign, [0.0, 1.0, -1.0]),
    # The plain form: a branch that is not taken has NaN.
    "select of roots": (lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0), [4.0, 0.0, -1.0]),
}


def bce(x, t):
    return t * jax.nn.softplus(-x) + (1 - t) * jax.nn.softplus(x)


def elementwise(table):
    for name in REAL:
        for row, (function, points) in SPECIAL.items():
            add(table, row, function, rounded(np.array(points), name), twice=True, case=name)
        for row, (function, points) in EDGES.items():
            add(table, row, function, rounded(np.array(points), name), case=f"{name} edges")
        x, y = (rounded(np.array(v), name) for v in ([0.0, 1.0, -2.0, 30.0, 2.0], [0.0, 1.0, 3.0, -30.0, 1.0]))
        add(table, "logaddexp", jnp.logaddexp, x, y, twice=True)
        add(table, "logaddexp", jnp.logaddexp, x, y[:1], case=f"{name} broadcast")
        add(table, "bce_with_logits", bce, x, rounded(np.array([0.0, 0.25, 1.0, 0.5, 0.75]), name), twice=True)
        least = np.finfo(x.dtype).smallest_subnormal
        tiny = (np.array([1.0, 3.0, 1000.0]) * least).astype(x.dtype)
        add(table, "subnormal", lambda x: x + x, tiny)
        ones = rounded(np.array([1.0, -2.0, 0.75]), name)
        # Of a subnormal cotangent a subnormal one, and of the smallest normal number its half.
        add(table, "subnormal", lambda x: x + x, ones, g=tiny.astype(np.float64), case=f"{name} cotangent")
        for case, g in {"": tiny, " normal": np.full(3, np.finfo(x.dtype).tiny)}.items():
            add(table, "subnormal product", lambda x: x * 0.5, ones, g=g.astype(np.float64), case=name + case)


def structures(table):
    for name in REAL:
        x, w = numbers(name, (4, 6)), numbers(name, (6, 3))
        ties = rounded(np.round(x / 2), name)
        add(table, "std", lambda x: x.std(1), x)
        add(table, "norm", lambda x: jnp.linalg.norm(x, axis=1), x)
        add(table, "normalize", lambda x: x / jnp.maximum(jnp.linalg.norm(x, axis=1, keepdims=True), 1e-6), x, twice=True)
        add(table, "einsum", lambda x, w: jnp.einsum("ij,jk->k", x, w), x, w, twice=True)
        add(table, "einsum diagonal", lambda x: jnp.einsum("ii->i", x), x[:, :4].copy())
        add(table, "reduce_precision", lambda x: lax.reduce_precision(jnp.sin(x), 8, 7), x)
        add(table, "optimization_barrier", lambda x: lax.optimization_barrier(jnp.sin(x)) * x, x, twice=True)
        add(table, "map", lambda x: lax.map(jnp.tanh, x), x, twice=True)
        add(table, "associative_scan", lambda x: lax.associative_scan(lambda a, b: a * b, x, axis=1), x, twice=True)
        branches = [jnp.sin, lambda x: x * x, jnp.exp]
        for at in range(3):
            add(table, "case", lambda x, i: lax.switch(i, branches, x), x, np.int32(at), case=f"{name} {at}", twice=True)
        add(table, "glu", jax.nn.glu, x, twice=True)
        add(table, "swiglu", lambda x: jax.nn.silu(x[:, :3]) * x[:, 3:], x, twice=True)
        add(table, "prelu", lambda x, w: jnp.where(x >= 0, x, w * x), x, numbers(name, (6,), seed="slope"))
        add(table, "cummax", lambda x: lax.cummax(x, axis=1), ties, case=f"{name} ties")
        image = numbers(name, (2, 6, 5))
        steps = rounded(np.round(image / 2), name)
        pool = lambda x, f, i: lax.reduce_window(x, i, f, (1, 2, 2), (1, 2, 2), "VALID")
        for case, values in {name: image, f"{name} ties": steps}.items():
            add(table, "max_pool", lambda x: pool(x, lax.max, -np.inf), values, case=case)
        add(table, "avg_pool", lambda x: pool(x, lax.add, 0.0) / 4, image, twice=True)
        add(table, "fft2", lambda x: jnp.abs(jnp.fft.fft2(x)) ** 2, numbers("c64" if name == "f32" else "c128", (3, 4)))
        block = numbers(name, (2, 3, 6))
        power = lambda y: y.real**2 + y.imag**2
        add(table, "rfftn", lambda x: jnp.fft.rfftn(x, axes=(1, 2)), block)
        add(table, "rfftn of 5", lambda x: jnp.fft.rfftn(x, axes=(0, 2)), block[:, :, :5].copy())
        add(table, "power of rfftn", lambda x: power(jnp.fft.rfftn(x, axes=(1, 2))), block, twice=True)
        halves = numbers("c64" if name == "f32" else "c128", (2, 3, 4))
        for size in [6, 7]:
            add(table, f"irfftn {size}", lambda x: jnp.fft.irfftn(x, (3, size), axes=(1, 2)), halves)
        signal, kernel = numbers(name, (2, 3, 5)), numbers(name, (3, 2, 3), seed="k")
        transposed = lambda x, k: lax.conv_general_dilated(x, k[:, :, ::-1].swapaxes(0, 1), (1,), [(2, 2)], lhs_dilation=(2,))
        add(table, "conv_transpose1d", transposed, signal, kernel, twice=True)


def indices(table):
    gathers = lax.GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(), start_index_map=(1, 0))
    scatters = lax.ScatterDimensionNumbers(update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(1, 0))
    at = np.array([[0, 0], [1, 3], [2, 1], [-1, 1]], np.int32)
    drop = {"mode": lax.GatherScatterMode.FILL_OR_DROP}
    for name in REAL:
        x, u = numbers(name, (5, 4)), numbers(name, (4, 2, 2))
        add(table, "gather", lambda x, i: lax.gather(x, i, gathers, (2, 2), mode="clip"), x, at)
        add(table, "gather_or", lambda x, i: lax.gather(x, i, gathers, (2, 2), mode="fill", fill_value=1), x, at)
        add(table, "scatter add", lambda x, i, u: lax.scatter_add(x, i, u, scatters, **drop), x, at, u)
        apart = np.array([[0, 0], [2, 1], [1, 3], [-1, 1]], np.int32)
        product = lambda x, i, u: lax.scatter_mul(x, i, u, scatters, unique_indices=True, **drop)
        add(table, "scatter mul", product, x, apart, u, twice=True)
        repeated = np.array([3, 0, 3, 1, 3], np.int32)
        add(table, "index_set", lambda x, i, u: x.at[i].set(u), x, repeated, numbers(name, (5, 4), seed="set"), case=f"{name} repeated")
        # Zeros of both signs are equal here, where those of JAX have an order.
        add(table, "top_k", lambda x: lax.top_k(x, 3)[0], rounded(np.round(numbers(name, (4, 7)) / 2) + 0.0, name), case=f"{name} ties")
        matrices, sizes = numbers(name, (3, 4, 2)), np.array([2, 0, 3], np.int32)
        add(table, "ragged_dot", lax.ragged_dot, x, matrices, sizes)
        # JAX has no second derivative of it.
        dense = lambda x, w, s: jnp.einsum("mk,mkn->mn", x, w[jnp.repeat(jnp.arange(3), s, total_repeat_length=5)])
        add(table, "ragged_dot", dense, x, matrices, sizes, twice=True, case=f"{name} dense")
        own = numbers(name, (3, 4), 1, 2)
        twice = np.array([1, 3, 1], np.int32)
        tied = x.copy()
        tied[1] = tied[3] = own[0]
        for kind in ["max", "min"]:
            add(table, f"index_{kind}", lambda x, i, u: getattr(x.at[i], kind)(u), tied, twice, own[[0, 1, 0]], case=f"{name} ties")


def matrices(table):
    for name in REAL:
        x, w = numbers(name, (3,)), numbers(name, (4, 3))
        for row, slopes in [("jacobian", jax.jacrev), ("hessian", lambda f: jax.hessian(lambda x: f(x).sum()))]:
            wide_x, wide_w = x.astype(np.float64), w.astype(np.float64)
            result = slopes(lambda x: jnp.tanh(wide_w @ x) * (x * x).sum())(wide_x)
            table.add(row, [x, w], rounded(np.asarray(result), name))


def fill(table):
    elementwise(table)
    structures(table)
    indices(table)
    matrices(table)
