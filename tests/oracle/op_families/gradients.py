"""Gradients of ops by JAX: cotangents of the inputs for a cotangent of the result, and second derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import numbers, rounded

REAL = ["f64", "f32"]


def cotangents(function, xs, g):
    """Those of the inputs that have any, with zeros for integers."""
    _, pullback = jax.vjp(function, *xs)
    return [np.zeros_like(x) if x.dtype.kind not in "fc" else np.asarray(c) for x, c in zip(xs, pullback(g))]


def wide(x):
    return jnp.asarray(x.astype({"f": np.float64, "c": np.complex128}.get(x.dtype.kind, x.dtype)))


def stored(values, like):
    """Values in the types of others."""
    with np.errstate(over="ignore"):
        return [np.asarray(value).astype(x.dtype) for value, x in zip(values, like)]


def add(table, row, function, *xs, twice=False, case=None, g=None):
    """A case of a row, in the type of its inputs, computed in the widest one; `g` is the cotangent of the result."""
    y = np.asarray(function(*map(wide, xs)))
    if g is None:
        g = numbers("c128" if y.dtype.kind == "c" else "f64", y.shape, seed=row)
    floats = [x.dtype for x in xs if x.dtype.kind in "fc"]
    narrow = any(dtype in (np.float32, np.complex64) for dtype in floats)
    if narrow:
        g = g.astype(np.complex64 if y.dtype.kind == "c" else np.float32)
    wides = list(map(wide, xs))
    table.add(row, [*xs, g], stored(cotangents(function, wides, wide(g)), xs), case=case)
    if twice and not narrow:
        chosen = [i for i, x in enumerate(xs) if x.dtype.kind in "fc"]

        def squares(*own):
            every = list(wides)
            for i, x in zip(chosen, own):
                every[i] = x
            _, pullback = jax.vjp(function, *every)
            parts = pullback(wide(g))
            return sum((parts[i] ** 2).sum() for i in chosen)

        second = jax.grad(squares, argnums=tuple(range(len(chosen))))(*[wides[i] for i in chosen])
        results = [np.zeros_like(x) for x in xs]
        for i, x in zip(chosen, second):
            results[i] = x
        table.add(f"{row} twice", [*xs, g], stored(results, xs), case=case)


UNARY = {
    "abs": jnp.abs,
    "sign": jnp.sign,
    "exp": jnp.exp,
    "exp_m1": jnp.expm1,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "tanh": jnp.tanh,
    "sigmoid": lax.logistic,
    "erf": lax.erf,
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "round_even": jnp.round,
    "neg": jnp.negative,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "silu": jax.nn.silu,
    "maximum_of_0": lambda x: jnp.maximum(x, 0.0),
}
POSITIVE = {
    "log": jnp.log,
    "log1p": jnp.log1p,
    "sqrt": jnp.sqrt,
    "rsqrt": lax.rsqrt,
    "cbrt": lax.cbrt,
}
COMPLEX = {
    "complex abs": jnp.abs,
    "complex exp": jnp.exp,
    "complex log": jnp.log,
    "complex sin": jnp.sin,
    "complex tanh": jnp.tanh,
    "complex sqrt": jnp.sqrt,
    "real": jnp.real,
    "imag": jnp.imag,
    "square": lambda x: x * x,
}
BINARY = {
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "div": jnp.divide,
    "atan2": jnp.arctan2,
    "rem": lax.rem,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
}
ROUGH = {"abs", "sign", "floor", "ceil", "round_even", "maximum_of_0", "rem", "maximum", "minimum"}


def elementwise(table):
    for name in REAL:
        x = numbers(name, (3, 5), -2, 2)
        edges = rounded(np.array([0.0, 1.0, -1.0, 0.5, 30.0, -30.0]), name)
        for row, function in UNARY.items():
            add(table, row, function, x, twice=row not in ROUGH)
            if row != "tan":
                add(table, row, function, edges, case=f"{name} edges")
        for row, function in POSITIVE.items():
            add(table, row, function, np.abs(x) + rounded(0.1, name), twice=True)
            add(table, row, function, rounded(np.array([0.0, 1.0, 4.0, 1e-30]), name), case=f"{name} edges")
        y = numbers(name, (3, 5), 1, 3)
        for row, function in BINARY.items():
            add(table, row, function, x, y, twice=row not in ROUGH)
        tied = rounded(np.array([1.0, 2.0, 2.0, -1.0]), name)
        other = rounded(np.array([1.0, 1.0, 3.0, -1.0]), name)
        add(table, "maximum", jnp.maximum, tied, other, case=f"{name} ties")
        add(table, "minimum", jnp.minimum, tied, other, case=f"{name} ties")
        add(table, "pow", jnp.power, np.abs(x) + 1, y, twice=True)
        add(table, "pow 3", lambda x: x**3, x, twice=True)
        add(table, "pow 0", lambda x: x**0, edges)
        add(table, "broadcast rows", lambda x, y: x * y, x, numbers(name, (5,)), twice=True)
        add(table, "broadcast columns", lambda x, y: x / y, x, numbers(name, (3, 1), 1, 2), twice=True)
        add(table, "broadcast scalar", lambda x, y: jnp.exp(x) * y, x, numbers(name, ()), twice=True)
        mask = numbers("bool", (3, 5))
        add(table, "select", jnp.where, *[mask, x, y])
        add(table, "select nan", lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0), x, twice=True)
        add(table, "clamp", lambda x, low, high: lax.clamp(low, x, high), x, np.minimum(x, y) - 1 + mask, y)
        add(table, "clamp", lambda x, low, high: lax.clamp(low, x, high), edges, -np.ones_like(edges), np.ones_like(edges), case=f"{name} ties")
        add(table, "convert", lambda x: jnp.exp(x).astype(jnp.int32).astype(x.dtype) * x, x)
        add(table, "stop_gradient", lambda x: lax.stop_gradient(x * x) * x, x, twice=True)
        add(table, "complex", lambda x, y: jnp.exp(lax.complex(x, y)), x, y)
    for name in ["c128", "c64"]:
        x = numbers(name, (3, 4), -2, 2)
        for row, function in COMPLEX.items():
            add(table, row, function, x)
        add(table, "complex mul", jnp.multiply, x, numbers(name, (3, 4), seed="y"))
        add(table, "complex pow", jnp.power, x, numbers(name, (3, 4), seed="y"))
        add(table, "complex div", jnp.divide, x, numbers(name, (3, 4), 1, 2))


def axes(table):
    for name in REAL:
        x = numbers(name, (4, 6))
        add(table, "reshape", lambda x: x.reshape(3, 8) ** 2, x, twice=True)
        add(table, "transpose", lambda x: x.T, x)
        add(table, "slice", lambda x: x[1:3], x)
        add(table, "slice step", lambda x: x[:, 1:6:2], x)
        add(table, "slice none", lambda x: x[2:2], x)
        add(table, "pad", lambda x, v: lax.pad(x, v, [(1, 2, 0), (0, 1, 2)]), x, numbers(name, ()))
        add(table, "pad crop", lambda x, v: lax.pad(x, v, [(-1, 2, 0), (2, -3, 1)]), x, numbers(name, ()))
        add(table, "concatenate", lambda x, y: jnp.concatenate([x, y, x], 1), x, numbers(name, (4, 1)))
        add(table, "reverse", lambda x: x[::-1], x)
        add(table, "sum 0", lambda x: x.sum(0), x)
        add(table, "sum", lambda x: x.sum(), x)
        add(table, "mean 1", lambda x: x.mean(1), x)
        add(table, "var", lambda x: x.var(1), x, twice=True)
        add(table, "prod 1", lambda x: x.prod(1), x, twice=True)
        zeros = x.copy()
        zeros[0, 1] = zeros[1, 2] = zeros[1, 4] = 0
        add(table, "prod 1", lambda x: x.prod(1), zeros, case=f"{name} zeros", twice=True)
        add(table, "prod 0 2", lambda x: x.prod((0, 2)), numbers(name, (2, 3, 2)), twice=True)
        ties = rounded(np.round(x / 2), name)
        for case, values in {name: x, f"{name} ties": ties}.items():
            add(table, "max 1", lambda x: x.max(1), values, case=case)
            add(table, "min", lambda x: x.min(), values, case=case)
        add(table, "log_sum_exp", lambda x: jax.nn.logsumexp(x, 1), x, twice=True)
        add(table, "softmax", lambda x: jax.nn.softmax(x, 1), x, twice=True)
        add(table, "log_softmax", lambda x: jax.nn.log_softmax(x, 1), x, twice=True)
        add(table, "cumsum", lambda x: jnp.cumsum(x, 1), x)
        add(table, "cumprod", lambda x: jnp.cumprod(x, 1), zeros, twice=True)
        add(table, "cummax", lambda x: lax.cummax(x, 1), x)
        add(table, "cummin", lambda x: lax.cummin(x, 1), x)
        add(table, "argmax", lambda x: x * jnp.argmax(x, 1, keepdims=True), x)


def products(table):
    for name in REAL + ["c128"]:
        x, y = numbers(name, (2, 3, 4)), numbers(name, (2, 4, 5))
        add(table, "matmul", jnp.matmul, x[0], y[0], twice=name in REAL)
        add(table, "matmul vector", jnp.matmul, x[0], y[0, :, 0], twice=name in REAL)
        add(table, "matmul batch", jnp.matmul, x, y, twice=name in REAL)
        add(table, "dot", lambda x, y: jnp.einsum("abc,dcb->ad", x, y), x, numbers(name, (5, 4, 3)), twice=name in REAL)
        add(table, "dot batch", lambda x, y: jnp.einsum("abc,cda->cabd", x, y), x, numbers(name, (4, 5, 2)), twice=name in REAL)
        add(table, "dot named", lambda x, y: jnp.einsum("abc,cab->ca", x, y), x, numbers(name, (4, 2, 3)), twice=name in REAL)
    for name in REAL:
        for case, options in {
            "plain": {},
            "strides": {"window_strides": (2, 1), "padding": [(1, 2), (0, 1)]},
            "dilated": {"lhs_dilation": (2, 1), "rhs_dilation": (1, 2), "padding": [(2, 1), (-1, 3)]},
            "groups": {"feature_group_count": 2, "padding": [(1, 1), (1, 1)]},
            "batches": {"batch_group_count": 2},
        }.items():
            options = {"window_strides": (1, 1), "padding": [(0, 0), (0, 0)]} | options
            x = numbers(name, (2, 4, 6, 5))
            taken = 2 if case == "groups" else 4
            kernel = numbers(name, (6, taken, 3, 2))
            add(table, f"conv {case}", lambda x, k: lax.conv_general_dilated(x, k, **options), x, kernel, twice=True)
        reverse = lambda x, k: lax.conv_general_dilated(x, k[:, :, ::-1], (1, 1), [(0, 0), (0, 0)])
        add(table, "conv reversed", reverse, numbers(name, (2, 4, 6, 5)), numbers(name, (3, 4, 3, 2)), twice=True)


def indices(table):
    for name in REAL:
        x = numbers(name, (5, 4))
        rows = np.array([3, 0, 3, 1], np.int32)
        add(table, "take", lambda x, i: jnp.take(x, i, 0), x, rows, twice=True)
        along = np.array([[0, 3], [1, 1], [2, 0], [3, 3], [0, 1]], np.int32)
        add(table, "take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), x, along)
        start = np.array(3, np.int32)
        add(table, "dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, np.int32(0)), (3, 4)), x, start)
        update = numbers(name, (2, 4))
        add(table, "dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, np.int32(0))), x, update, start)
        for kind in ["set", "add", "max", "min"]:
            unique = np.array([3, 0, 4], np.int32)
            updates = numbers(name, (3, 4), seed=kind)
            add(table, f"index_{kind}", lambda x, i, u: getattr(x.at[i], kind)(u), x, unique, updates)
        add(table, "index_add", lambda x, i, u: x.at[i].add(u), x, rows, numbers(name, (4, 4), seed="twice"), case=f"{name} repeated")
        out_of_range(table, name, x)
        ties = rounded(np.round(x), name)
        add(table, "sort", lambda x: jnp.sort(x, 1), x)
        add(table, "sort", lambda x: jnp.sort(x, 1), ties, case=f"{name} ties")
        add(table, "sort_together", lambda x, y: lax.sort((x, y), dimension=0, num_keys=1)[1] * 2, x, numbers(name, (5, 4), seed="y"))
        add(table, "top_k", lambda x: lax.top_k(x, 2)[0], x)


def out_of_range(table, name, x):
    """Indices that count from the end, are repeated, and are out of range: a clamped read is one of the element that
    it is clamped to (JAX drops its cotangent unless the mode is `clip`), and updates there are dropped."""
    case = f"{name} out of range"
    rows = np.array([-1, 4, -5, -6, 9, 2, -3, 5], np.int32)
    get = lambda x, i: x.at[i].get(mode="clip")
    add(table, "take", get, x, rows, twice=True, case=case)
    add(table, "at get", get, x, rows, twice=True, case=case)
    add(table, "at get_or", lambda x, i: x.at[i].get(mode="fill", fill_value=1.0), x, rows, case=case)
    along = np.array([[-1, 3, 3], [-4, -5, 0], [9, 2, -2], [4, 1, 1], [0, -9, 0]], np.int32)
    lines = np.arange(5)[:, None]
    add(table, "take_along_axis", lambda x, i: x.at[lines, i].get(mode="clip"), x, along, case=case)
    add(table, "scatter_along_add", lambda x, i, u: x.at[lines, i].add(u), x, along, numbers(name, (5, 3), seed="along"), case=case)
    updates = numbers(name, (8, 4), seed="rows")
    add(table, "index_add", lambda x, i, u: x.at[i].add(u), x, rows, updates, case=case)
    distinct = np.array([-1, 3, -5, -6, 9, 2], np.int32)
    for kind in ["set", "max", "min"]:
        update = lambda x, i, u: getattr(x.at[i], kind)(u)
        add(table, f"index_{kind}", update, x, distinct, updates[:6].copy(), case=case)
    slices = lambda x, i: lax.dynamic_slice(x, (i, np.int32(0)), (3, 4))
    written = lambda x, u, i: lax.dynamic_update_slice(x, u, (i, np.int32(0)))
    for start in [-1, -4, -9, 9]:
        add(table, "dynamic_slice", slices, x, np.array(start, np.int32), case=f"{name} at {start}")
        add(table, "dynamic_update_slice", written, x, numbers(name, (2, 4)), np.array(start, np.int32), case=f"{name} at {start}")


def windows(table):
    for name in REAL:
        x = numbers(name, (2, 7, 6))
        for row, init, combine in [("max", -np.inf, lax.max), ("min", np.inf, lax.min), ("sum", 0.0, lax.add)]:
            pool = lambda x: lax.reduce_window(x, init, combine, (1, 3, 2), (1, 2, 2), [(0, 0), (1, 0), (0, 0)])
            add(table, f"window {row}", pool, x)
        spread = lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 3), (1, 1, 2), [(0, 0), (1, 2), (2, 0)], (1, 2, 1), (1, 1, 2))
        add(table, "window dilated", spread, x)


def matrices(table):
    for name in REAL + ["c128"]:
        a = numbers(name, (2, 4, 4))
        square = rounded(wide(a) @ wide(a).conj().swapaxes(1, 2) + 4 * np.eye(4), name)
        triangle = np.tril(a) + 3 * np.eye(4, dtype=a.dtype)
        right = numbers(name, (2, 4, 3))
        solve = lambda **options: lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, **options)
        add(table, "triangular_solve", solve(lower=True), triangle, right, twice=name == "f64")
        add(table, "triangular_solve upper", solve(lower=False), triangle.swapaxes(1, 2), right, twice=name == "f64")
        add(table, "triangular_solve transposed", solve(lower=True, transpose_a=True), triangle, right, twice=name == "f64")
        add(table, "triangular_solve adjoint", solve(lower=True, transpose_a=True, conjugate_a=True), triangle, right, twice=name == "f64")
        add(table, "triangular_solve unit", solve(lower=True, unit_diagonal=True), triangle, right, twice=name == "f64")
        other = lambda a, b: lax.linalg.triangular_solve(a, b, left_side=False, lower=True)
        add(table, "triangular_solve right", other, triangle, right.swapaxes(1, 2), twice=name == "f64")
        if name in REAL:
            add(table, "cholesky", lambda a: jnp.linalg.cholesky(a), square, twice=name == "f64")
    for name in REAL:
        for size in [5, 6]:
            x = numbers(name, (3, size))
            add(table, "rfft", jnp.fft.rfft, x)
            add(table, f"irfft {size}", lambda x: jnp.fft.irfft(x, size), numbers("c64" if name == "f32" else "c128", (3, size // 2 + 1)))
        z = numbers("c64" if name == "f32" else "c128", (3, 5))
        add(table, "fft", jnp.fft.fft, z)
        add(table, "ifft", jnp.fft.ifft, z)


def factors(table):
    """Factors are determined up to signs or phases, so that squares of absolute values are compared."""
    squared = lambda *xs: jnp.concatenate([(x * x.conj()).real.reshape(2, -1) for x in xs], 1)
    for name in REAL + ["c128"]:
        twice = name == "f64"
        a = numbers(name, (2, 4, 4)) + 3 * np.eye(4, dtype=numbers(name, ()).dtype)
        right, tall = numbers(name, (2, 4, 3)), numbers(name, (2, 5, 3), seed="tall")
        wide_one = tall.swapaxes(1, 2)
        add(table, "solve", jnp.linalg.solve, a, right, twice=twice)
        add(table, "solve vector", lambda a, b: jnp.linalg.solve(a, b[..., None])[..., 0], a, right[..., 0], twice=twice)
        add(table, "inv", jnp.linalg.inv, a, twice=twice)
        add(table, "det", jnp.linalg.det, a, twice=twice)
        add(table, "slogdet", lambda a: jnp.linalg.slogdet(a)[1], a, twice=twice)
        add(table, "pinv", jnp.linalg.pinv, tall, twice=twice)
        add(table, "pinv", jnp.linalg.pinv, wide_one, case=f"{name} wide", twice=twice)
        solved = jax.vmap(lambda a, b: jnp.linalg.lstsq(a, b)[0])
        add(table, "lstsq", solved, tall, numbers(name, (2, 5, 2)), twice=twice)
        add(table, "lstsq", solved, wide_one, numbers(name, (2, 3, 2)), case=f"{name} wide")
        for form, x in [("", a), (" tall", tall), (" wide", wide_one)]:
            add(table, "lu", lambda x: lax.linalg.lu(x)[0], x, twice=twice, case=f"{name}{form}")
            add(table, "svd", lambda x: squared(*jnp.linalg.svd(x, full_matrices=False)), x, twice=twice, case=f"{name}{form}")
            add(table, "svdvals", jnp.linalg.svdvals, x, case=f"{name}{form}")
            polar = lambda x: (lambda u, _, vh: u @ vh)(*jnp.linalg.svd(x, full_matrices=False))
            add(table, "polar", polar, x, case=f"{name}{form}", twice=twice)
        add(table, "qr", lambda x: squared(*jnp.linalg.qr(x)), a, twice=twice)
        add(table, "qr", lambda x: squared(*jnp.linalg.qr(x)), tall, twice=twice, case=f"{name} tall")

        def left_columns(x):
            q, u = jnp.linalg.qr(x[..., :3])
            return squared(q, jnp.concatenate([u, q.conj().swapaxes(1, 2) @ x[..., 3:]], -1))

        add(table, "qr", left_columns, wide_one, twice=twice, case=f"{name} wide")
        add(table, "qr of one", lambda x: squared(jnp.linalg.qr(x)[1]), tall, twice=twice)
        hermitian = a + a.conj().swapaxes(1, 2)
        add(table, "eigh", lambda x: squared(*jnp.linalg.eigh(x)), hermitian, twice=twice)
        add(table, "eigvalsh", jnp.linalg.eigvalsh, hermitian)
    # Singular, and with equal singular values.
    singular = np.stack([np.eye(4), np.diag([2.0, 2.0, 0.0, 0.0])])
    add(table, "pinv", jnp.linalg.pinv, singular, case="singular")


def control(table):
    for name in ["f64"]:
        x, w, xs = numbers(name, (3, 4)), numbers(name, (4, 4), -1, 1), numbers(name, (5, 3, 4))
        step = lambda w: lambda i, x: jnp.tanh(x @ w + 0.125 * i)
        add(table, "for_loop", lambda x, w: lax.fori_loop(0, 4, step(w), x), x, w, twice=True)
        add(table, "for_loop none", lambda x, w: lax.fori_loop(0, 0, step(w), x), x, w)

        def rnn(h, xs, w):
            def body(h, x):
                h = jnp.tanh(h @ w + x)
                return h, h * x

            h, ys = lax.scan(body, h, xs)
            return jnp.concatenate([h[None], ys])

        add(table, "scan", rnn, x, xs, w, twice=True)

        def across(xs):
            return lax.scan(lambda c, x: (c * x, c + x), jnp.ones((5, 4), xs.dtype), xs.swapaxes(0, 1))[1]

        add(table, "scan across", across, xs, twice=True)

        def mixed(xs, w):
            def body(carry, x):
                count, c = carry
                return (count + 1, jnp.where(count % 2 == 0, jnp.sin(c + x), c * x)), None

            return lax.scan(body, (0, jnp.zeros((3, 4), xs.dtype)), xs * w.sum())[0][1]

        add(table, "scan counting", mixed, xs, w, twice=True)

        def nested(x, w):
            inner = lambda i, c: jnp.sin(c @ w) * (1 + i)
            return lax.fori_loop(0, 3, lambda i, c: lax.fori_loop(0, 2, inner, c) + x, x)

        add(table, "nested", nested, x, w, twice=True)
        choose = lambda x, w: lax.cond(x[0, 0] > 0, lambda: jnp.exp(x) @ w, lambda: x * x)
        add(table, "cond", choose, np.abs(x), w, twice=True)
        add(table, "cond", choose, -np.abs(x), w, case=f"{name} false", twice=True)

        def switching(xs, w):
            body = lambda c, x: (lax.cond(x[0, 0] > 0, lambda: jnp.sin(c) @ w, lambda: c * x), c)
            return lax.scan(body, xs[0], xs)[1]

        add(table, "scan cond", switching, xs, w, twice=True)


def fill(table):
    elementwise(table)
    axes(table)
    products(table)
    indices(table)
    windows(table)
    matrices(table)
    factors(table)
    control(table)
