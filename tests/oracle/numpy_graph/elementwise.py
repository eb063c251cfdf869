"""Elementwise functions."""

import math

import numpy as np

from .dtypes import NUMPY, REAL, flushed, is_complex, is_float, is_int, limits, of_pattern, pattern, smallest_normal, ulp, width, wrapped
from .result import Expected

# Units in the last place of functions that are not exact.
UNITS = {"sqrt": 1, "rsqrt": 4}
TRANSCENDENTAL = 16
# The same for floats below 32 bits: these are composed of several ops, each of which rounds.
NARROW_UNITS = {"sigmoid": 4, "rsqrt": 2, "log1p": 2, "exp_m1": 2, "cbrt": 3}
# Complex functions that are exact beside 1 alone: sums that cancel are among their steps.
WHOLE = {"log", "log1p", "sin", "cos", "tan"}
ERF = np.frompyfunc(math.erf, 1, 1)
ABOVE = 1e5


def sign(x):
    return np.sign(x) if not np.iscomplexobj(x) else np.where(x == 0, 0, x / np.abs(x))


def away_from_zero(x):
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)


FUNCTIONS = {
    "exp": np.exp,
    "exp_m1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": lambda x: np.asarray(ERF(x), np.float64),
}
EXACT = {
    "abs": np.abs,
    "neg": np.negative,
    "sign": sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": away_from_zero,
    "round_even": np.rint,
    "real": np.real,
    "imag": np.imag,
}


def unary(op, dtype, result, x):
    if op == "is_finite":
        return Expected(np.isfinite(x), "bool")
    if op == "not":
        return Expected(~x if dtype == "bool" else wrapped(~x, dtype), dtype)
    if op in ("population_count", "count_leading_zeros"):
        bits = [int(b) for b in pattern(x, dtype).flat]
        counts = [b.bit_count() if op == "population_count" else width(dtype) - b.bit_length() for b in bits]
        return Expected(wrapped(np.array(counts, np.uint64).reshape(x.shape), dtype), dtype)
    if op in EXACT:
        values = EXACT[op](x)
        if is_int(dtype):
            return Expected(wrapped(values, dtype), result)
        # The modulus and the phase of a complex number are not exact.
        inexact = is_complex(dtype) and op in ("abs", "sign")
        tolerance = 4 * ulp(result, np.abs(values)) if inexact else 0
        odd = is_complex(dtype) & (op in ("abs", "sign")) & ~np.isfinite(x)
        odd |= (op == "imag") & (dtype == "f8e8m0fnu")
        return Expected(values, result, tolerance, odd | (inexact & extreme(x, dtype)))
    values = FUNCTIONS[op](x)
    tolerance = UNITS.get(op, TRANSCENDENTAL) * ulp(result, np.abs(values))
    if op == "cbrt" and not is_complex(dtype):
        # A power with the exponent 1/3 rounded to its type: the error is multiplied by the logarithm of the operand.
        logarithm = np.abs(np.log2(np.abs(np.where(np.isfinite(x) & (x != 0), x, 1))))
        tolerance = (TRANSCENDENTAL + logarithm / 8) * ulp(result, np.abs(values))
    if not is_complex(dtype):
        if result not in ("f32", "f64"):
            tolerance = NARROW_UNITS.get(op, 1) * ulp(result, np.abs(values))
        skip = (np.abs(x) > ABOVE) & (op in ("sin", "cos", "tan"))
        return Expected(values, result, tolerance, skip)
    # Where a part is far smaller than the whole, only the whole is exact.
    skip = ~np.isfinite(x) | ~np.isfinite(values) | extreme(x, dtype) | (np.abs(x) > 80)
    return Expected(values, result, 64 * ulp(result, np.maximum(np.abs(values), 1 if op in WHOLE else 0)), skip)


def extreme(x, dtype):
    """Complex numbers whose squares overflow or underflow."""
    part = np.maximum(np.abs(x.real), np.abs(x.imag))
    least = np.minimum(np.abs(x.real), np.abs(x.imag))
    far = 1e15 if dtype == "c64" else 1e100
    return (part > far) | ((part < 1 / far) & (part != 0)) | ((least < part / far) & (least != 0))


def quotient(a, b, dtype):
    """Towards zero; by zero all bits are one; the lowest by -1 is itself."""
    safe = np.where(b == 0, np.ones_like(b), b)
    if dtype[0] == "u":
        return np.where(b == 0, ~np.zeros_like(a), a // safe)
    q = a // safe
    q = q + ((a - q * safe != 0) & ((a < 0) != (safe < 0)))
    # For 64 bits, NumPy cannot divide the lowest value by -1.
    q = np.where(safe == -1, np.zeros_like(a) - a, q)
    return np.where(b == 0, -np.ones_like(a), q)


def remainder(a, b, dtype):
    """With the sign of the dividend; by zero it is the dividend."""
    safe = np.where(b == 0, np.ones_like(b), b)
    return np.where(b == 0, a, a - quotient(a, safe, dtype) * safe)


def power(base, exponent, dtype):
    """Wrapping; negative exponents give the reciprocal rounded towards zero."""
    bits = exponent.astype(np.uint64)
    result, square = np.ones_like(base), base.copy()
    for at in range(64):
        result = np.where((bits >> np.uint64(at)) & np.uint64(1) != 0, result * square, result)
        square = square * square
    if dtype[0] == "i":
        odd = exponent % 2 != 0
        reciprocal = np.where(base == 1, 1, np.where(base == -1, np.where(odd, -1, 1), 0))
        result = np.where(exponent < 0, reciprocal, result)
    return result


def shifted(op, a, b, dtype):
    bits = width(dtype)
    count = pattern(b, dtype)
    far = count >= bits
    count = np.where(far, 0, count).astype(np.uint64)
    if op == "shift_left":
        return np.where(far, 0, pattern(a, dtype) << count).astype(np.uint64)
    if op == "shift_right_logical":
        return np.where(far, 0, pattern(a, dtype) >> count).astype(np.uint64)
    signed = wrapped(pattern(a, dtype), "i" + dtype[1:])
    return np.where(far, -(signed < 0).astype(np.int64), signed >> count.astype(np.int64))


def binary(op, dtype, result, a, b):
    if op in ("and", "or", "xor"):
        return Expected({"and": a & b, "or": a | b, "xor": a ^ b}[op], dtype)
    if op == "complex":
        values = np.empty(a.shape, np.complex128)
        values.real, values.imag = a, b
        return Expected(values, result, moves=True)
    if dtype == "bool":
        return Expected({"add": a | b, "mul": a & b, "maximum": a | b, "minimum": a & b}[op], dtype)
    if is_int(dtype):
        if op.startswith("shift"):
            return Expected(wrapped(shifted(op, a, b, dtype), dtype), dtype)
        functions = {
            "add": lambda: a + b,
            "sub": lambda: a - b,
            "mul": lambda: a * b,
            "div": lambda: quotient(a, b, dtype),
            "rem": lambda: remainder(a, b, dtype),
            "pow": lambda: power(a, b, dtype),
            "maximum": lambda: np.maximum(a, b),
            "minimum": lambda: np.minimum(a, b),
        }
        return Expected(wrapped(functions[op](), dtype), dtype)
    return inexact(op, dtype, result, a, b)


def inexact(op, dtype, result, a, b):
    if op in ("maximum", "minimum"):
        if is_complex(dtype):
            first = {"maximum": np.greater_equal, "minimum": np.less_equal}[op]
            order = np.where(a.real != b.real, first(a.real, b.real), first(a.imag, b.imag))
            return Expected(np.where(order, a, b), dtype, skip=~(np.isfinite(a) & np.isfinite(b)))
        return Expected({"maximum": np.maximum, "minimum": np.minimum}[op](a, b), dtype)
    largest = np.maximum(np.abs(a), np.abs(b))
    if op in ("add", "sub"):
        # A product may be added without rounding it first.
        values = a + b if op == "add" else a - b
        return Expected(values, result, ulp(dtype, np.maximum(largest, np.abs(values))))
    if op in ("mul", "div"):
        if dtype == "f64":
            values = (a.astype(np.longdouble) * b if op == "mul" else a.astype(np.longdouble) / b).astype(np.float64)
        else:
            values = a * b if op == "mul" else a / b
        units = 8 if is_complex(dtype) else 1
        odd = is_complex(dtype) & (~np.isfinite(values) | ~np.isfinite(a) | ~np.isfinite(b))
        if is_complex(dtype):
            odd |= extreme(a, dtype) | extreme(b, dtype)
        return Expected(values, result, units * ulp(dtype, np.abs(values)), odd)
    if op == "rem":
        values = np.fmod(a, b)
        return Expected(values, result, ulp(dtype, np.abs(values)), np.abs(a) > 2.0**20 * np.abs(b))
    if op == "next_after":
        values = np.nextafter(a.astype(NUMPY[dtype]), b.astype(NUMPY[dtype])).astype(np.float64)
        # Comparisons take what is below the normal range for zero.
        return Expected(values, result, 0, (np.abs(a) < 2 * smallest_normal(dtype)) & (np.abs(b) < 2 * smallest_normal(dtype)))
    if op == "atan2":
        if is_complex(dtype):
            values = -1j * np.log((b + 1j * a) / np.sqrt(a * a + b * b))
            return Expected(values, result, 0, True)
        values = np.arctan2(a, b)
        tolerance = 16 * ulp(dtype, np.abs(values)) if result in ("f32", "f64") else ulp(dtype, np.abs(values))
        # The quotient of two subnormal numbers is NaN.
        return Expected(values, result, tolerance, (np.maximum(np.abs(a), np.abs(b)) < smallest_normal(dtype)) & ((a != 0) | (b != 0)))
    assert op == "pow", op
    if is_complex(dtype):
        values = np.exp(b * np.log(a))
        odd = ~np.isfinite(values) | extreme(a, dtype) | extreme(b, dtype) | (np.abs(a) > 50) | (np.abs(b) > 20) | (a == 0)
        exponent = np.abs(b * np.log(np.where(a == 0, 1, a)))
        return Expected(values, result, (64 + 16 * np.where(np.isfinite(exponent), exponent, 0)) * ulp(dtype, np.abs(values)), odd)
    # C's `pow` returns 1 for 1 to the power of a quiet NaN.
    a, b = (np.where(np.isnan(x), np.nan, x) for x in (a, b))
    values = np.power(a, b)
    exponent = np.abs(b * np.log2(np.abs(np.where(a == 0, 1, a))))
    units = 16 + np.where(np.isfinite(exponent), exponent, 0)
    if result not in ("f32", "f64"):
        units = 1 + units / 2.0**13
    return Expected(values, result, units * ulp(dtype, np.abs(values)))


ORDER = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def compare(op, a, b):
    return Expected(ORDER[op](a, b), "bool")


def clamp(low, x, high, dtype):
    values = np.minimum(np.maximum(x, low), high)
    return Expected(values, dtype)


def convert(x, given, wanted):
    if wanted == given:
        return Expected(x, wanted, moves=True)
    if wanted == "bool":
        return Expected(x != 0, wanted)
    if given == "bool":
        x = x.astype(np.int64)
        floats = x.astype(np.complex128 if is_complex(wanted) else np.float64)
        # Without a zero in the type, its replacement is the platform's choice.
        return Expected(wrapped(x, wanted) if is_int(wanted) else floats, wanted, skip=(x == 0) & (wanted == "f8e8m0fnu"))
    if is_complex(given) and not is_complex(wanted):
        x, given = x.real, REAL[given]
    if is_int(given):
        if is_int(wanted):
            return Expected(wrapped(x, wanted), wanted)
        wide = x.astype(np.longdouble).astype(np.float64)
        if wanted == "f8e8m0fnu":
            return Expected(wide, wanted, ulp(wanted, np.abs(wide)), wide <= 0)
        return Expected(wide.astype(np.complex128) if is_complex(wanted) else wide, wanted)
    if is_int(wanted):
        low, high = limits(wanted)
        whole = [0 if math.isnan(v) else low if v < low else high if v > high else int(v) for v in map(float, x.flat)]
        values = np.array(whole, np.int64 if wanted[0] == "i" else np.uint64).reshape(x.shape)
        # Below a byte, and for computed narrow floats, the result of out-of-range values is the platform's choice.
        out = ~np.isfinite(x) | (x <= low - 1) | (x >= high + 1)
        return Expected(values, wanted, skip=out & ((width(wanted) < 8) | given.startswith(("f8", "f4"))))
    if is_complex(wanted):
        # Subnormal parts may be flushed to zero.
        least = smallest_normal(REAL[given]) if is_complex(given) and given != wanted else 0.0
        return Expected(x.astype(np.complex128), wanted, least)
    # NumPy converts through f32 where the plugin may not; without a NaN in the type, its replacement differs.
    through = 1.0 if given == "f64" and wanted not in ("f32",) else 0.0
    skip = np.isnan(x) & (wanted == "f4e2m1fn")
    if wanted == "f8e8m0fnu":
        skip = skip | (x <= 0) | (np.abs(x) < 2.0**-126) | ~np.isfinite(x)
    return Expected(x, wanted, through * ulp(wanted, np.abs(x)), skip)


def bitcast(x, bits, given, wanted):
    if given == wanted:
        return Expected(x, wanted, moves=True)
    if bits is None:
        skip = np.isnan(x) if is_float(given) else False
        return Expected(of_pattern(pattern(x, given), wanted), wanted, skip=skip, moves=True)
    return Expected(of_pattern(bits, wanted), wanted, moves=True)


__all__ = ["unary", "binary", "compare", "clamp", "convert", "bitcast", "flushed"]


def reduce_precision(x, dtype, exponent_bits, mantissa_bits):
    """Rounded to nearest even; infinite above the format, 0 below its normal numbers."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    values = np.ldexp(np.rint(np.ldexp(fraction, min(mantissa_bits, 52) + 1)), exponent - min(mantissa_bits, 52) - 1)
    most = 2.0 ** (1 << min(exponent_bits - 1, 9)) if exponent_bits <= 10 else np.inf
    values = np.where(np.abs(values) >= most, np.copysign(np.inf, values), values)
    values = np.where(np.abs(values) < 4 / most, np.copysign(0.0, values), values)
    values = np.where(np.isfinite(x), values, x)
    # The type's own limits are those of wider formats; numbers below its normal ones may be flushed.
    return Expected(values, dtype, 0, (np.abs(x) < smallest_normal(dtype)) & (x != 0))
