"""Programs of linear algebra exported by JAX, with inputs and results, for `tests/it/exported.rs`.

Writes `tests/it/data/exported.safetensors` in the format of `reference.py`: the first input of a case is the serialized
program, as bytes.
"""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import export, lax

from reference import Table, numbers, rounded, widened

jax.config.update("jax_traceback_in_locations_limit", 0)


def adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def rebuilt_eig(a):
    w, v = jnp.linalg.eig(a)
    return (v * w[..., None, :]) @ jnp.linalg.inv(v), jnp.sum(w, -1)


def rebuilt_eigh(a, lower=True):
    w, v = lax.linalg.eigh(a, lower=lower, symmetrize_input=False, sort_eigenvalues=False)[::-1]
    return w, (v * w[..., None, :]) @ adjoint(v)


def rebuilt_svd(a, full):
    u, s, vh = jnp.linalg.svd(a, full_matrices=full)
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], s, adjoint(u) @ u, vh @ adjoint(vh)


SQUARE = {
    "cholesky": (lambda a: jnp.linalg.cholesky(a @ adjoint(a) + 3 * jnp.eye(a.shape[-1], dtype=a.dtype))),
    "cholesky upper": (lambda a: jsl.cholesky(a @ adjoint(a) + 3 * jnp.eye(a.shape[-1], dtype=a.dtype))),
    "cholesky of NaN": (lambda a: jnp.linalg.cholesky(-(a @ adjoint(a)))),
    "inv": jnp.linalg.inv,
    "det": jnp.linalg.det,
    "slogdet": jnp.linalg.slogdet,
    "eig": rebuilt_eig,
    "eigvals": lambda a: jnp.sum(jnp.linalg.eigvals(a) ** 2, -1),
    "eigh": lambda a: rebuilt_eigh((a + adjoint(a)) / 2),
    "eigh upper": lambda a: rebuilt_eigh((a + adjoint(a)) / 2, False),
    "eigvalsh": lambda a: jnp.linalg.eigvalsh((a + adjoint(a)) / 2),
    "expm": jsl.expm,
    "hessenberg": lambda a: jnp.vectorize(lambda m: jsl.hessenberg(m, calc_q=True), signature="(n,n)->(n,n),(n,n)")(a),
    "tridiagonal": lambda a: tuple(lax.linalg.tridiagonal((a + adjoint(a)) / 2)),
    "tridiagonal upper": lambda a: tuple(lax.linalg.tridiagonal((a + adjoint(a)) / 2, lower=False)),
}
OBLONG = {
    "lu": lambda a: tuple(jnp.vectorize(jsl.lu, signature="(m,n)->(m,m),(m,k),(k,n)")(a)),
    "pivots": lambda a: tuple(jsl.lu_factor(a)) if a.shape[-1] == a.shape[-2] else tuple(lax.linalg.lu(a)),
    "qr": lambda a: tuple(jnp.linalg.qr(a)),
    "qr complete": lambda a: tuple(jnp.linalg.qr(a, "complete"))[0][..., : a.shape[-1]] if a.shape[-2] > a.shape[-1] else jnp.linalg.qr(a, "complete")[0],
    "svd": lambda a: rebuilt_svd(a, False),
    "svd full": lambda a: rebuilt_svd(a, True),
    "svdvals": lambda a: jnp.linalg.svd(a, compute_uv=False),
    "pinv": jnp.linalg.pinv,
}


def triangular(**form):
    return lambda a, b: lax.linalg.triangular_solve(a + 4 * jnp.eye(a.shape[-1], dtype=a.dtype), b, **form)


EQUATIONS = {
    "solve": jnp.linalg.solve,
    "cho_solve": lambda a, b: jsl.cho_solve((jnp.linalg.cholesky(a @ adjoint(a) + 3 * jnp.eye(a.shape[-1], dtype=a.dtype)), True), b),
    "triangular left lower": triangular(left_side=True, lower=True),
    "triangular left upper unit": triangular(left_side=True, lower=False, unit_diagonal=True),
    "triangular left lower transposed": triangular(left_side=True, lower=True, transpose_a=True),
    "triangular left lower adjoint": triangular(left_side=True, lower=True, transpose_a=True, conjugate_a=True),
    "tridiagonal_solve": lambda a, b: lax.linalg.tridiagonal_solve(a[..., 0], 4 + a[..., 1], a[..., 2], b),
}


def add(table, row, function, case, *inputs):
    jitted = jax.jit(function)
    results = jitted(*inputs)
    program = export.export(jitted, platforms=["cpu"])(*inputs).mlir_module_serialized
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(results)]
    table.add(row, [np.frombuffer(program, np.uint8), *inputs], leaves, case)


def main():
    table = Table("exported")
    for name in ["f32", "f64", "c64", "c128"]:
        # The double types have the batches.
        batch = () if name in ("f32", "c64") else (2,)
        square = rounded(widened(numbers(name, (*batch, 4, 4))) + 3 * np.eye(4), name)
        # All functions of two types, and each routine of the others.
        few = name in ("f64", "c64")
        for row, function in SQUARE.items():
            if not few or row in ("cholesky", "inv", "eig", "eigh"):
                add(table, row, function, name, square)
        for shape in [(4, 3), (3, 4)]:
            a = numbers(name, (*batch, *shape))
            for row, function in OBLONG.items():
                if not few or row in ("pivots", "qr", "svd") and shape == (4, 3):
                    add(table, row, function, f"{name} {shape}", a)
        right = numbers(name, (*batch, 4, 2))
        for row, function in EQUATIONS.items():
            if not few or row in ("solve", "tridiagonal_solve"):
                add(table, row, function, name, square, right)
        b = numbers(name, (*batch, 2, 4))
        add(table, "triangular right upper", triangular(left_side=False, lower=False), name, square, b)
    a = np.array([[1, np.nan], [2, 1]], np.float32)
    for row in ["svdvals", "qr"]:
        add(table, row, OBLONG[row], "NaN", a)
    for row in ["eigvals", "eigvalsh", "det"]:
        add(table, row, SQUARE[row], "NaN", a)
    singular = np.array([[1, 2], [2, 4]], np.float64)
    add(table, "det", SQUARE["det"], "singular", singular)
    add(table, "pivots", OBLONG["pivots"], "singular", singular)
    large = numbers("f32", (40, 36))
    for row in ["svd", "qr", "pivots"]:
        add(table, row, OBLONG[row], "large", large)
    empty = np.zeros((0, 0), np.float32)
    for row in ["cholesky", "det", "inv"]:
        add(table, row, SQUARE[row], "empty", empty)
    cases, size = table.save()
    print(f"exported: {cases} programs, {size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
