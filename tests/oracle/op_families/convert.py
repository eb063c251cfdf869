"""Conversions between all element types, and bitcasts."""

import numpy as np

from reference import COMPLEX, DTYPES, EIGHTS, INTS, bits, every, integers, is_complex, is_float, limits, rounded, widened

HALVES = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.4999, 1.0001, -3.7, 5.5, 6.5, 7.5]


def source(name):
    """Elements that are hard to convert: ties, limits of other types, values too large for them, infinities, NaN."""
    if bits(name) <= 8:
        return every(name)
    if name in INTS:
        lowest, highest = limits(name)
        values = [lowest, lowest + 1, -1, 0, 1, 7, 127, 128, 255, 256, 257, 2049, 32767, 65535, 65537, 16777217, 2**31, 2**53 + 1, highest - 1, highest]
        return integers([v for v in values if lowest <= v <= highest], name)
    edges = [6, 7, 15.5, 30, 240, 248, 448, 464, 480, 57344, 61440, 65504, 65519, 65520, 1e5, 1e10, 1e-3, 1e-5, 2**-9, 2**-10]
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, 1 / 3, *HALVES, *edges, *(-e for e in edges)]
    return rounded(np.array(values), name)


def converted(x, name):
    """The result: rounded to nearest even; towards zero into integers, which saturate; NaN becomes 0."""
    given = x.dtype
    if name == "bool":
        return x != np.zeros((), given)
    if given == np.bool_:
        return x.astype(np.int8).astype(DTYPES[name])
    if given in (DTYPES[i] for i in INTS):
        return rounded(np.array([int(v) for v in x], object), name) if name in INTS else exact(x, name)
    if name in INTS:
        low, high = limits(name)
        whole = [0 if np.isnan(v) else low if v < low else high if v > high else int(v) for v in map(float, widened(x))]
        return integers(whole, name)
    return rounded(widened(x), name)


def exact(x, name):
    """Integers as floats, rounded once."""
    if bits(name) <= 16 and not is_complex(name):
        # No integer of a tested value lies between two of f64 and a tie of the narrow type.
        return rounded(np.array([float(int(v)) for v in x]), name)
    wide = np.uint64 if x.dtype == np.uint64 else np.int64
    return np.array([int(v) for v in x], wide).astype(DTYPES[name])


def within(x, low, high):
    """Elements between the limits; below 8 bits, the results of others are the platform's choice."""
    values = widened(x)
    with np.errstate(invalid="ignore"):
        return x[np.isfinite(values) & (values > low - 1) & (values < high + 1)]


def fill(table):
    for given in DTYPES:
        x = source(given)
        if is_complex(given):
            x = x[: len(x) // 2] + DTYPES[given].type(1j) * x[len(x) // 2 : len(x) // 2 * 2]
        for wanted in DTYPES:
            if wanted == given or is_complex(given) and not is_complex(wanted):
                continue
            part = x
            if is_float(given) and wanted in INTS and bits(wanted) < 8:
                part = within(x, *limits(wanted))
            if wanted == "f4e2m1fn" and is_float(given):
                # The type has no NaN.
                part = x[~np.isnan(widened(x))]
            table.add(f"convert {wanted}", [part], converted(part, wanted))
    table.add("convert f64", [np.float32(1.5)], np.float64(1.5))
    table.add("convert i32", [np.zeros((2, 0), np.float32)], np.zeros((2, 0), np.int32))
    for given, wanted in [
        ("f32", "i32"), ("f32", "u32"), ("u32", "f32"), ("f64", "i64"), ("u64", "f64"), ("bf16", "u16"), ("i16", "f16"),
        ("f16", "bf16"), ("c64", "c64"), ("u8", "i8"), ("i4", "u4"), ("u2", "i2"), ("f4e2m1fn", "u4"),
        *((f, "u8") for f in [*EIGHTS, "f8e8m0fnu"]), *(("i8", f) for f in [*EIGHTS, "f8e8m0fnu"]),
    ]:
        if given not in COMPLEX:
            x = source(given)
            table.add(f"bitcast {wanted}", [x], x.view(DTYPES[wanted]))
