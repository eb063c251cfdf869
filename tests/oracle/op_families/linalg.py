"""Factors, equations and spectra of matrices, by NumPy and SciPy in double precision.

What is not unique is compared by what it must satisfy: products of the factors, and products of orthonormal columns.
"""

import numpy as np
import scipy.linalg

from reference import numbers, rounded, widened

TYPES = ["f32", "f64", "c64", "c128"]
SQUARE = [(0, 0), (1, 1), (5, 5), (3, 4, 4), (0, 3, 3)]
OBLONG = [(0, 3), (3, 0), (1, 4), (5, 3), (2, 3, 4)]
# More columns than the factors are computed by at once.
LARGE = [(35, 36), (36, 35)]
NORMS = {"fro": "fro", "nuc": "nuc", "spectral": 2, "one": 1, "infinity": np.inf}


def part(name):
    return {"c64": "f32", "c128": "f64"}.get(name, name)


def complex_of(name):
    return {"f32": "c64", "f64": "c128"}.get(name, name)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def general(name, shape, seed=""):
    """Matrices that are far from singular."""
    a = numbers(name, shape, -1, 1, seed)
    size = min(shape[-2:])
    return rounded(widened(a) + 2 * np.sqrt(size) * np.eye(*shape[-2:])[::-1], name)


def positive(name, shape):
    a = widened(numbers(name, shape, -1, 1))
    return rounded(a @ adjoint(a) + np.eye(shape[-1]) * shape[-1], name)


def self_adjoint(name, shape):
    a = widened(numbers(name, shape, -1, 1))
    return rounded((a + adjoint(a)) / 2, name)


def each(function, a, *others):
    """A function of matrices for each of a stack."""
    flat = a.reshape((-1, *a.shape[-2:]))
    results = [function(m) for m in flat]
    return [np.array([r[i] for r in results]).reshape((*a.shape[:-2], *np.shape(results[0][i]))) for i in range(len(results[0]))]


def add(table, row, inputs, *outputs, case=None):
    table.add(row, inputs, list(outputs), case)


def shapes_for(name, shapes):
    """All shapes for one type, and some for the others."""
    return shapes if name == "f32" else [s for s in shapes if s in [(1, 1), (3, 4, 4), (3, 0), (5, 3), (2, 3, 4)]]


def factors(table, name):
    for shape in shapes_for(name, SQUARE):
        a = positive(name, shape)
        lower = np.linalg.cholesky(widened(a))
        add(table, "cholesky", [np.tril(a)], rounded(lower, name))
        add(table, "cholesky_upper", [np.triu(a)], rounded(adjoint(lower), name))
        columns = numbers(name, (*shape[:-1], 3), seed="right")
        add(table, "cholesky_solve", [a, columns], rounded(np.linalg.solve(widened(a), widened(columns)), name))
    for shape in shapes_for(name, SQUARE + OBLONG + LARGE):
        a = general(name, shape)
        k = min(shape[-2:])
        if 0 not in shape:
            add(table, "lu", [a], *[rounded(r, name) for r in each(scipy.linalg.lu, widened(a))])
            pivots = each(lambda m: (scipy.linalg.lu_factor(m)[1],), widened(a))[0]
            add(table, "pivots", [a], pivots.astype(np.int32))
        else:
            add(table, "pivots", [a], np.zeros((*shape[:-2], k), np.int32))
        q, r = np.linalg.qr(widened(a)) if 0 not in shape else (np.zeros((*shape[:-1], k)), np.zeros((*shape[:-2], k, shape[-1])))
        add(table, "qr", [a], rounded(q, name), rounded(r, name))
        if shape in LARGE:
            add(table, "svd", [a], a, *[rounded(np.eye(k), name)] * 2)
            continue
        m = shape[-2]
        wide = np.broadcast_to(np.eye(m), (*shape[:-2], m, m))
        add(table, "qr_full", [a], a, rounded(wide, name))
        add(table, "svd", [a], a, *[rounded(np.broadcast_to(np.eye(k), (*shape[:-2], k, k)), name)] * 2)
        bases = [np.broadcast_to(np.eye(size), (*shape[:-2], size, size)) for size in shape[-2:]]
        add(table, "svd_full", [a], a, *[rounded(basis, name) for basis in bases])
        add(table, "svdvals", [a], rounded(np.linalg.svd(widened(a), compute_uv=False), part(name)))


def equations(table, name):
    for shape in shapes_for(name, SQUARE):
        a = general(name, shape)
        wide = widened(a)
        columns = numbers(name, (*shape[:-1], 3), seed="right")
        rows = numbers(name, (*shape[:-2], 3, shape[-1]), seed="right")
        vector = numbers(name, shape[:-1], seed="vector")
        add(table, "solve", [a, columns], rounded(np.linalg.solve(wide, widened(columns)), name))
        add(table, "solve", [a, vector], rounded(np.linalg.solve(wide, widened(vector)[..., None])[..., 0], name))
        add(table, "inv", [a], rounded(np.linalg.inv(wide), name))
        sign, logarithm = np.linalg.slogdet(wide)
        add(table, "det", [a], rounded(np.linalg.det(wide), name))
        add(table, "slogdet", [a], rounded(sign, name), rounded(logarithm, part(name)))
        add(table, "trace", [a], rounded(np.trace(wide, axis1=-2, axis2=-1), name))
        for exponent in [0, 1, 3, -2] if shape in [(0, 0), (3, 4, 4)] else [5]:
            add(table, f"power {exponent}", [a], rounded(np.linalg.matrix_power(wide, exponent), name))
        # The other triangle is not read.
        triangles = rounded(wide + np.eye(shape[-1]) * 4, name)
        for form in ["left lower no", "left upper transpose", "left lower adjoint", "right lower no", "right upper transpose", "right upper adjoint", "left lower no unit", "right upper no unit"]:
            side, triangle, transpose, *unit = form.split()
            if shape not in [(0, 0), (1, 1), (3, 4, 4)]:
                continue
            t = np.tril(widened(triangles)) if triangle == "lower" else np.triu(widened(triangles))
            right = columns if side == "left" else rows
            if unit:
                t = t * (1 - np.eye(shape[-1])) + np.eye(shape[-1])
            t = {"no": t, "transpose": np.swapaxes(t, -1, -2), "adjoint": adjoint(t)}[transpose]
            b = widened(right)
            x = np.linalg.solve(t, b) if side == "left" else np.swapaxes(np.linalg.solve(np.swapaxes(t, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)
            add(table, f"triangular {form}", [triangles, right], rounded(x, name))
    for shape in shapes_for(name, OBLONG):
        a = general(name, shape)
        wide = widened(a)
        inverse = np.linalg.pinv(wide) if 0 not in shape else np.zeros((*shape[:-2], shape[-1], shape[-2]))
        add(table, "pinv", [a], rounded(inverse, name))
        right = numbers(name, (*shape[:-1], 2), seed="right")
        add(table, "lstsq", [a, right], rounded(inverse @ widened(right), name))
        add(table, "rank", [a], np.full(shape[:-2], min(shape[-2:]), np.int32))
        for row, order in NORMS.items():
            if shape in [(5, 3), (2, 3, 4)]:
                add(table, f"norm {row}", [a], rounded(np.linalg.norm(wide, order, (-2, -1)), part(name)))


def spectra(table, name):
    for shape in shapes_for(name, SQUARE):
        a = self_adjoint(name, shape)
        wide = widened(a)
        basis = rounded(np.broadcast_to(np.eye(shape[-1]), shape), name)
        values = np.linalg.eigvalsh(wide)
        add(table, "eigh", [a], rounded(values, part(name)), a, basis)
        add(table, "eigvalsh", [np.tril(a)], rounded(values, part(name)))
        a = general(name, shape)
        wide = widened(a)
        # A v = v w, vectors of norm 1, and the sums of the eigenvalues and of their squares.
        add(
            table,
            "eig",
            [a],
            rounded(wide, complex_of(name)),
            rounded(np.ones((*shape[:-2], shape[-1])), part(name)),
            rounded(np.trace(wide, axis1=-2, axis2=-1), complex_of(name)),
            rounded(np.trace(wide @ wide, axis1=-2, axis2=-1), complex_of(name)),
        )


def edges(table, name):
    # Not positive definite: NaN; the other matrix of the stack keeps its factor. Of complex numbers, either part may be NaN.
    if name[0] == "f":
        a = rounded(np.array([[[4, 1], [1, 3]], [[1, 2], [2, 1]]]), name)
        lower = np.zeros((2, 2, 2))
        lower[0] = np.linalg.cholesky(widened(a[0]))
        lower[1] = [[np.nan, 0], [np.nan, np.nan]]
        add(table, "cholesky", [a], rounded(lower, name), case=f"not positive definite {name}")
    singular = rounded(np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]]), name)
    zeros = rounded(np.zeros((3, 3)), name)
    for case, a in [("singular", singular), ("zeros", zeros)]:
        add(table, "det", [a], rounded(np.array(0.0), name), case=f"{case} {name}")
        add(table, "slogdet", [a], rounded(np.array(0.0), name), rounded(np.array(-np.inf), part(name)), case=f"{case} {name}")
        add(table, "svd", [a], a, *[rounded(np.eye(3), name)] * 2, case=f"{case} {name}")
        add(table, "rank", [a], np.array(np.linalg.matrix_rank(a), np.int32), case=f"{case} {name}")
        add(table, "pinv", [a], rounded(np.linalg.pinv(widened(a)), name), case=f"{case} {name}")
        add(table, "lu", [a], *[rounded(r, name) for r in scipy.linalg.lu(widened(a))], case=f"{case} {name}")
        add(table, "eigvalsh", [a * 0], rounded(np.zeros(3), part(name)), case=f"{case} {name}")
    a = rounded(np.array([[1, np.nan], [2, 1]]), name)
    real = lambda shape: rounded(np.full(shape, np.nan), part(name))
    add(table, "svdvals", [a], real(2), case=f"NaN {name}")
    add(table, "eigvalsh", [a.T.copy()], real(2), case=f"NaN {name}")
    a = rounded(np.array([[1, np.inf], [2, 1]]), name)
    add(table, "svdvals", [a], real(2), case=f"infinity {name}")


def fill(table):
    for name in TYPES:
        factors(table, name)
        equations(table, name)
        spectra(table, name)
        edges(table, name)
