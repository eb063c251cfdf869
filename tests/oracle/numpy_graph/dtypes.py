"""Element types, and arrays of them in a type that holds each value exactly.

Integers are held in int64 or uint64, floats in float64, complex numbers in complex128.
"""

import ml_dtypes
import numpy as np

# Fraction bits and exponent of the smallest normal number.
FLOATS = {
    "f4e2m1fn": (1, 0),
    "f8e3m4": (4, -2),
    "f8e4m3": (3, -6),
    "f8e4m3fn": (3, -6),
    "f8e4m3fnuz": (3, -7),
    "f8e4m3b11fnuz": (3, -10),
    "f8e5m2": (2, -14),
    "f8e5m2fnuz": (2, -15),
    "f8e8m0fnu": (0, -127),
    "bf16": (7, -126),
    "f16": (10, -14),
    "f32": (23, -126),
    "f64": (52, -1022),
}
LARGEST = {
    "f4e2m1fn": 6.0,
    "f8e3m4": 15.5,
    "f8e4m3": 240.0,
    "f8e4m3fn": 448.0,
    "f8e4m3fnuz": 240.0,
    "f8e4m3b11fnuz": 30.0,
    "f8e5m2": 57344.0,
    "f8e5m2fnuz": 57344.0,
    "f8e8m0fnu": 2.0**127,
    "bf16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max),
    "f16": 65504.0,
    "f32": float(np.finfo(np.float32).max),
    "f64": float(np.finfo(np.float64).max),
}
HAS_INFINITY = {"f8e3m4", "f8e4m3", "f8e5m2", "bf16", "f16", "f32", "f64"}
NUMPY = {
    "bool": np.bool_,
    **{f"i{w}": getattr(np, f"int{w}") for w in (8, 16, 32, 64)},
    **{f"u{w}": getattr(np, f"uint{w}") for w in (8, 16, 32, 64)},
    "f4e2m1fn": ml_dtypes.float4_e2m1fn,
    "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
}
REAL = {"c64": "f32", "c128": "f64"}


def is_float(dtype):
    return dtype in FLOATS


def is_complex(dtype):
    return dtype in REAL


def is_int(dtype):
    return dtype[0] in "iu"


def width(dtype):
    """The number of bits of an integer."""
    return int(dtype[1:])


def limits(dtype):
    """The lowest and the highest value of an integer type, as Python numbers."""
    bits = width(dtype)
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if dtype[0] == "i" else (0, (1 << bits) - 1)


def holder(dtype):
    """The NumPy type that values are held in."""
    if dtype == "bool":
        return np.bool_
    if is_complex(dtype):
        return np.complex128
    return np.float64 if is_float(dtype) else np.int64 if dtype[0] == "i" else np.uint64


def wrapped(values, dtype):
    """The lowest bits of 64-bit integers, as values of an integer type."""
    values = np.asarray(values)
    bits = width(dtype)
    if bits == 64:
        return values.astype(holder(dtype))
    low = values.astype(np.uint64) & np.uint64((1 << bits) - 1)
    if dtype[0] == "u":
        return low
    sign = np.int64(1 << (bits - 1))
    return (low.astype(np.int64) ^ sign) - sign


def rounded(values, dtype):
    """Held values rounded to the nearest value of the type; integers wrap."""
    values = np.asarray(values)
    if dtype == "bool":
        return values.astype(np.bool_)
    if is_int(dtype):
        return wrapped(values, dtype)
    with np.errstate(all="ignore"):
        return values.astype(NUMPY[dtype]).astype(holder(dtype))


def decoded(raw, dtype, sizes):
    """Held values of bytes in host layout, where types below a byte take a byte each."""
    raw = np.frombuffer(raw, np.uint8)
    if dtype == "bool":
        values = raw != 0
    elif is_int(dtype) and width(dtype) < 8:
        values = wrapped(raw.astype(np.uint64), dtype)
    elif dtype == "f4e2m1fn":
        values = (raw & 15).view(NUMPY[dtype]).astype(np.float64)
    else:
        with np.errstate(all="ignore"):
            values = raw.view(NUMPY[dtype]).astype(holder(dtype))
    return values.reshape(sizes)


def pattern(values, dtype):
    """The bits of held values, as unsigned integers."""
    if dtype == "bool":
        return values.astype(np.uint64)
    if is_int(dtype):
        return values.astype(np.uint64) & np.uint64((1 << width(dtype)) - 1)
    narrow = values.astype(NUMPY[dtype])
    return narrow.view(f"u{narrow.dtype.itemsize}").astype(np.uint64)


def of_pattern(bits, dtype):
    """The held values of bits."""
    if dtype == "bool":
        return bits != 0
    if is_int(dtype):
        return wrapped(bits, dtype)
    size = np.dtype(NUMPY[dtype]).itemsize
    with np.errstate(all="ignore"):
        return bits.astype(f"u{size}").view(NUMPY[dtype]).astype(np.float64)


def ulp(dtype, magnitude):
    """The distance between neighbours of a float type at a magnitude; 0 for other types."""
    dtype = REAL.get(dtype, dtype)
    if not is_float(dtype):
        return np.zeros(np.shape(magnitude))
    fraction, lowest = FLOATS[dtype]
    magnitude = np.where(np.isfinite(magnitude), magnitude, 0)
    _, exponent = np.frexp(np.minimum(magnitude, LARGEST[dtype]))
    return np.ldexp(1.0, np.maximum(exponent - 1, lowest) - fraction)


def smallest_normal(dtype):
    return 2.0 ** FLOATS[REAL.get(dtype, dtype)][1]


def flushed(values, dtype):
    """The values with subnormal ones replaced by 0, for the types that processors flush."""
    if dtype == "f8e8m0fnu":
        # Its smallest value is below the range of f32, in which it is computed.
        return np.where(values < 2.0**-126, 0.0, values)
    if REAL.get(dtype, dtype) not in ("f32", "f64", "bf16", "f16"):
        return values
    smallest = smallest_normal(dtype)
    if is_complex(dtype):
        return flushed(values.real, REAL[dtype]) + 1j * flushed(values.imag, REAL[dtype])
    return np.where(np.abs(values) < smallest, np.copysign(0.0, values), values)
