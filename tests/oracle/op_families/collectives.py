"""Collectives.

A case is a mesh, written as its sizes. Its tensors have an axis of devices first, and a result for every choice of mesh axes,
in every order: those of `choices`. Ops that only move elements are computed once, on 1, 2, 3... with 0 where no device sent one, and
serve every element type; reductions have a case for each type.
"""

import itertools

import ml_dtypes
import numpy as np

from reference import (
    COMPLEX,
    DTYPES,
    INTS,
    SIGNED,
    bits,
    every,
    generator,
    integers,
    is_complex,
    is_float,
    numbers,
    rounded,
    widened,
)

MESHES = [(2,), (3,), (2, 2), (2, 3)]
# Divisible by every number of devices that a group can have.
ROWS, COLUMNS = 12, 2


def name_of(mesh):
    return "x".join(map(str, mesh))


def choices(mesh):
    """Every choice of mesh axes in every order."""
    axes = range(len(mesh))
    return [chosen for count in range(1, len(mesh) + 1) for chosen in itertools.permutations(axes, count)]


def groups(mesh, axes):
    """The devices in groups that differ only along `axes`, each in row-major order of these axes."""
    others = [axis for axis in range(len(mesh)) if axis not in axes]
    devices = np.arange(np.prod(mesh)).reshape(mesh)
    return devices.transpose(*others, *axes).reshape(-1, np.prod([mesh[axis] for axis in axes]))


def exchanged(mesh, axes, x, given):
    """The results of all devices: `given` returns the result of the device at a position of a group, from the group's values."""
    results = [None] * len(x)
    for group in groups(mesh, axes):
        for at, device in enumerate(group):
            results[device] = given([x[other] for other in group], at)
    return np.stack(results)


MOVES = {
    "all_gather 0": lambda group, at: np.concatenate(group, axis=0),
    "all_gather 1": lambda group, at: np.concatenate(group, axis=1),
    "all_to_all 0 1": lambda group, at: np.concatenate([np.split(x, len(group), axis=0)[at] for x in group], axis=1),
    "all_to_all 0 0": lambda group, at: np.concatenate([np.split(x, len(group), axis=0)[at] for x in group], axis=0),
    # The last device sends nothing.
    "collective_permute up": lambda group, at: group[at - 1] if at > 0 else np.zeros_like(group[0]),
    # In a circle, two steps at a time.
    "collective_permute round": lambda group, at: group[(at - 2) % len(group)],
    "collective_broadcast last": lambda group, at: group[-1],
    "axis_index": lambda group, at: np.array(at, np.int32),
}


def addends(name, shape):
    """Numbers whose sums along the first axis are exact in every order; integers may wrap."""
    rng = generator(f"addends {name}{shape}")
    if name in INTS:
        return integers(rng.integers(-(1 << 62), 1 << 62, shape), name)
    part = {"c64": "f32", "c128": "f64"}.get(name, name)
    exact = 1 << (ml_dtypes.finfo(DTYPES[part]).nmant + 1)
    most = max(1, exact // shape[0])

    def real():
        values = rng.integers(-most, most + 1, shape)
        # Where even ones overflow, some devices have zeros.
        kept = np.argsort(rng.random(shape), axis=0) < exact // most
        return values * kept

    values = real() + 1j * real() if is_complex(name) else real().astype(np.float64)
    return rounded(values, name)


def factors(name, shape):
    """Numbers whose products along the first axis are exact in every order; integers may wrap."""
    rng = generator(f"factors {name}{shape}")
    if name in INTS:
        return integers(rng.integers(-(1 << 62), 1 << 62, shape), name)
    if is_complex(name):
        return rounded(rng.choice(np.array([1, -1, 1j, -1j, 1 + 1j]), shape), name)
    # One device has a 2 and another a half.
    order = np.argsort(rng.random(shape), axis=0)
    values = np.where(order == 0, 2.0, np.where(order == 1, 0.5, 1.0))
    signs = rng.choice([1.0, 1.0 if name == "f8e8m0fnu" else -1.0], shape)
    return rounded(values * signs, name)


def ordered(name, shape):
    """Ordered numbers, with a few NaNs."""
    rng = generator(f"ordered {name}{shape}")
    if bits(name) <= 8:
        # 2^-127 is subnormal in f32, and a platform may flush it to 0.
        values = every(name)[1 if name == "f8e8m0fnu" else 0:]
        return values[rng.integers(0, len(values), shape)]
    values = numbers(name, shape, -100, 100)
    if is_float(name):
        edges = rounded(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]), name)
        places = rng.random(shape) < 0.2
        values[places] = edges[rng.integers(0, len(edges), shape)][places]
    return values


REDUCTIONS = {
    # In a type of powers of two, without a zero and a sign, sums are not exact.
    "sum": (addends, np.add, [name for name in DTYPES if name not in ("bool", "f8e8m0fnu")]),
    "prod": (factors, np.multiply, [name for name in DTYPES if name != "bool"]),
    "max": (ordered, np.maximum, [name for name in DTYPES if name not in ("bool", *COMPLEX)]),
    "min": (ordered, np.minimum, [name for name in DTYPES if name not in ("bool", *COMPLEX)]),
    "any": (lambda name, shape: numbers(name, shape), np.logical_or, ["bool"]),
    "all": (lambda name, shape: numbers(name, shape, seed="all"), np.logical_and, ["bool"]),
}


def reduced(name, function, group):
    """The group's values reduced, without rounding."""
    values = np.stack(group)
    if name in INTS:
        values = values.astype(np.int64 if name in SIGNED else np.uint64).astype(object)
    elif name != "bool":
        values = widened(values)
    return rounded(function.reduce(values, axis=0), name)


def fill(table):
    for mesh in MESHES:
        devices = int(np.prod(mesh))
        x = np.arange(1, devices * ROWS * COLUMNS + 1, dtype=np.int32).reshape(devices, ROWS, COLUMNS)
        for row, given in MOVES.items():
            table.add(row, [x], [exchanged(mesh, axes, x, given) for axes in choices(mesh)], case=name_of(mesh))
        # Slices of the result of an `all_reduce`.
        x = np.arange(1, devices * ROWS + 1, dtype=np.int32).reshape(devices, ROWS)
        given = lambda group, at: np.split(group[at], len(group))[at]
        table.add("reduce_scatter", [x], [exchanged(mesh, axes, x, given) for axes in choices(mesh)], case=name_of(mesh))
        for row, (draw, function, names) in REDUCTIONS.items():
            for name in names:
                x = draw(name, (devices, ROWS))
                given = lambda group, at: reduced(name, function, group)
                results = np.stack([exchanged(mesh, axes, x, given) for axes in choices(mesh)])
                table.add(row, [x], results, case=f"{name} {name_of(mesh)}")
