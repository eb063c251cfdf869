"""Reductions and dot products."""

import numpy as np

from . import windows
from .dtypes import FLOATS, HAS_INFINITY, LARGEST, NUMPY, REAL, holder, is_complex, is_float, is_int, limits, ulp, wrapped
from .result import Expected


def accumulator(dtype):
    """The accumulation type of sums and products."""
    return dtype if REAL.get(dtype, dtype) in ("f32", "f64") else "f32"


def identity(reduction, dtype):
    if reduction in ("sum", "any"):
        return 0
    if reduction in ("prod", "all"):
        return 1
    low = reduction == "max"
    if dtype == "bool":
        return not low
    if is_int(dtype):
        return limits(dtype)[0 if low else 1]
    if dtype == "f8e8m0fnu":
        return 2.0**-127 if low else 2.0**127
    best = np.inf if dtype in HAS_INFINITY else LARGEST[dtype]
    return -best if low else best


COMBINE = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "any": np.logical_or,
    "all": np.logical_and,
}


def start_of(reduction, dtype):
    return np.array(identity(reduction, dtype)).astype(holder(dtype))


def tolerance(reduction, x, dtype, fold, count):
    """The tolerance of sums and products in another order, and the elements where an order may overflow."""
    wide = accumulator(dtype)
    parts = np.abs(x)
    finite = np.where(np.isfinite(parts), parts, 0)
    largest = LARGEST[REAL.get(wide, wide)]
    if reduction == "sum":
        total = fold(np.add, finite, 0.0)
        return (4 + count) * ulp(wide, total), total >= largest
    high = fold(np.multiply, np.maximum(finite, 1), 1.0)
    low = fold(np.multiply, np.where(finite == 0, 1, np.minimum(finite, 1)), 1.0)
    out = (high >= largest) | (low <= 2.0 ** FLOATS[REAL.get(wide, wide)][1])
    return None, out


def combined(reduction, x, dtype, fold, count):
    """The results of `fold`: a reduction along axes, or a cumulative one along one axis."""
    if is_int(dtype):
        return Expected(wrapped(fold(COMBINE[reduction], x, start_of(reduction, dtype)), dtype), dtype)
    if dtype == "bool" or reduction in ("max", "min"):
        values = fold(COMBINE[reduction], x, start_of(reduction, dtype))
        return Expected(values.astype(holder(dtype)), dtype)
    values = fold(COMBINE[reduction], x, start_of(reduction, dtype))
    error, out = tolerance(reduction, x, dtype, fold, count)
    if error is None:
        error = (4 + count) * ulp(accumulator(dtype), np.abs(values))
    if accumulator(dtype) != dtype:
        error = error + ulp(dtype, np.abs(values))
    if is_complex(dtype):
        error, out = 4 * error, out | ~np.isfinite(values)
    return Expected(values, dtype, error, out)


def reduce(reduction, x, dtype, axes):
    count = int(np.prod([x.shape[a] for a in axes]))
    fold = lambda function, x, start: function.reduce(x, axis=tuple(axes), initial=start) if axes else x
    return combined(reduction, x, dtype, fold, count)


def cumulative(reduction, x, dtype, axis):
    fold = lambda function, x, start: function.accumulate(x, axis=axis)
    return combined(reduction, x, dtype, fold, x.shape[axis])


def over_devices(reduction, parts, dtype):
    """As a reduction, except that devices exchange sums in the element type, where they may overflow."""
    x = np.stack(parts)
    expected = reduce(reduction, x, dtype, [0])
    if is_float(dtype) and reduction in ("sum", "prod"):
        finite = np.where(np.isfinite(x), np.abs(x), 0)
        high = finite.sum(0) if reduction == "sum" else np.maximum(finite, 1).prod(0)
        tolerance = expected.tolerance + len(parts) * ulp(dtype, high)
        return Expected(expected.values, dtype, tolerance, expected.skip | (high >= LARGEST[dtype]))
    return expected


def size(dtype):
    """The size of an element in bytes."""
    return np.dtype(NUMPY[dtype]).itemsize


def dot(a, b, given, wanted, dims):
    """Batch axes, then the left's own, then the right's own."""
    def matrix(x, batch, contracting, first):
        own = [i for i in range(x.ndim) if i not in batch and i not in contracting]
        order = batch + own + contracting if first else batch + contracting + own
        sizes = lambda axes: int(np.prod([x.shape[i] for i in axes]))
        moved = x.transpose(order)
        middle = (sizes(own), sizes(contracting)) if first else (sizes(contracting), sizes(own))
        return moved.reshape(sizes(batch), *middle), [x.shape[i] for i in batch], [x.shape[i] for i in own]

    left, batch, left_own = matrix(a, dims["left_batch"], dims["left_contracting"], True)
    right, _, right_own = matrix(b, dims["right_batch"], dims["right_contracting"], False)
    sizes = batch + left_own + right_own
    if is_int(given):
        wide = np.int64 if given[0] == "i" else np.uint64
        values = np.matmul(left.astype(wide), right.astype(wide)).reshape(sizes)
        return Expected(wrapped(values, wanted), wanted)
    # One element at a time: NumPy's matrix product may return NaN for rows without NaN.
    products = left[:, :, :, None] * right[:, None, :, :]
    values = products.sum(axis=2).reshape(sizes)
    finite = np.where(np.isfinite(products), np.abs(products), 0).sum(axis=2).reshape(sizes)
    error, out = sums(values, finite, left.shape[-1], given, wanted)
    # A fused multiply-add does not overflow in between.
    inputs = np.isfinite(left)[:, :, :, None] & np.isfinite(right)[:, None, :, :]
    out = out | (inputs & ~np.isfinite(products)).any(axis=2).reshape(sizes)
    return summed(values, error, out, given, wanted)


def sums(values, finite, count, given, wanted):
    """The tolerance of sums of products, of which `finite` are those of the absolute values, and which may overflow."""
    bits = lambda dtype: FLOATS[REAL.get(dtype, dtype)][0]
    narrow = min(given, wanted, key=bits)
    wide = accumulator(max(given, wanted, key=bits))
    # A plugin may take fewer digits for the product where the operands have fewer.
    error = (4 + count) * ulp(wide, finite) + 2 * ulp(narrow, np.abs(values)) + ulp(wanted, np.abs(values))
    if size(wanted) <= size(given):
        # Where the result is not wider, the product is first rounded to the operands' type, whose range may be smaller.
        error = error + ulp(given, np.abs(values))
    if narrow in ("f16", "bf16") or bits(narrow) < 7:
        error = error + ulp(narrow, finite) * (0.5 if count > 1 else 0)
    return error, finite >= min(LARGEST[REAL.get(wanted, wanted)], LARGEST[REAL.get(given, given)])


def summed(values, error, out, given, wanted):
    # Folded conversions to a type without infinities may lose an infinity.
    out = out | (np.isinf(values) & (wanted == "f4e2m1fn"))
    if is_complex(given):
        error, out = 4 * error, out | ~np.isfinite(values)
    return Expected(values, wanted, error, out)


def convolution(x, kernel, given, wanted, dims):
    if is_int(given):
        wide = np.int64 if given[0] == "i" else np.uint64
        return Expected(wrapped(windows.convolved(x.astype(wide), kernel.astype(wide), dims), wanted), wanted)
    values = windows.convolved(x, kernel, dims)
    finite = windows.convolved(*(np.where(np.isfinite(side), np.abs(side), 0) for side in (x, kernel)), dims)
    taken = kernel.size // max(kernel.shape[dims["kernel"][1]], 1)
    error, out = sums(values, finite, taken, given, wanted)
    # Padding may be multiplied, which makes infinities NaN.
    out = out | (not (np.isfinite(x).all() and np.isfinite(kernel).all()))
    return summed(values, error, out, given, wanted)


def reduce_window(reduction, x, dtype, window):
    count = int(np.prod(window["sizes"]))

    def fold(function, x, start):
        sizes, results = windows.reduced([x], window, lambda part: function.reduce(part, initial=start))
        return np.array(results, None if results else x.dtype).reshape(sizes)

    return combined(reduction, x, dtype, fold, count)
