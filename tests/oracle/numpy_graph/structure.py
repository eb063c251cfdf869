"""Ops that move elements, by the StableHLO specification."""

import numpy as np

from .dtypes import is_int, limits


def broadcast(x, axes, sizes):
    shape = [1] * len(sizes)
    for axis, to in enumerate(axes):
        shape[to] = x.shape[axis]
    order = np.argsort(axes, kind="stable") if axes else []
    return np.broadcast_to(x.transpose(order).reshape(shape), sizes)


def strided(x, start, limit, stride):
    return x[tuple(slice(a, b, s) for a, b, s in zip(start, limit, stride))]


def padded(x, value, low, high, interior):
    for axis, (before, behind, between) in enumerate(zip(low, high, interior)):
        if between and x.shape[axis] > 0:
            size = list(x.shape)
            size[axis] = (x.shape[axis] - 1) * (between + 1) + 1
            wide = np.full(size, value, x.dtype)
            wide[(slice(None),) * axis + (slice(None, None, between + 1),)] = x
            x = wide
        size = list(x.shape)
        size[axis] += before + behind
        wide = np.full(size, value, x.dtype)
        first, last = max(0, -before), x.shape[axis] - max(0, -behind)
        if last > first:
            to = max(before, 0)
            wide[(slice(None),) * axis + (slice(to, to + last - first),)] = x[(slice(None),) * axis + (slice(first, last),)]
        x = wide
    return x


def starts_of(indices, sizes, block):
    """Starts, clamped so that the block is in bounds."""
    return [min(max(int(i), 0), n - b) for i, n, b in zip(indices, sizes, block)]


def dynamic_slice(x, indices, block):
    at = starts_of(indices, x.shape, block)
    return x[tuple(slice(a, a + b) for a, b in zip(at, block))]


def dynamic_update_slice(x, update, indices):
    at = starts_of(indices, x.shape, update.shape)
    x = x.copy()
    x[tuple(slice(a, a + b) for a, b in zip(at, update.shape))] = update
    return x


def gather(x, indices, dims, sizes):
    result = np.empty(sizes, x.dtype)
    offsets, vector = dims["offset_dims"], dims["index_vector_dim"]
    batch_dims = [d for d in range(len(sizes)) if d not in offsets]
    hidden = dims["collapsed_slice_dims"] + dims["operand_batching_dims"]
    shown = [d for d in range(x.ndim) if d not in hidden]
    for at in np.ndindex(*sizes):
        batch = [at[d] for d in batch_dims]
        index = batch[:vector] + [slice(None)] + batch[vector:] if vector < indices.ndim else batch
        vectors = np.atleast_1d(indices[tuple(index)])
        start = [0] * x.ndim
        for i, axis in enumerate(dims["start_index_map"]):
            start[axis] = min(max(int(vectors[i]), 0), x.shape[axis] - dims["slice_sizes"][axis])
        for axis, index_axis in zip(dims["operand_batching_dims"], dims["start_indices_batching_dims"]):
            start[axis] = batch[index_axis if index_axis < vector else index_axis - 1]
        for axis, result_axis in zip(shown, offsets):
            start[axis] += at[result_axis]
        result[at] = x[tuple(start)]
    return result


def key(value, descending):
    """Keys in the order of the elements: NaNs last when ascending and first when descending; both zeros are equal."""
    nan = value != value
    if descending:
        return (not nan, 0 if nan else -value)
    return (nan, 0 if nan else value)


def sorting(keys, axis, descending):
    """The indices of a stable sort along an axis."""
    plain = keys.astype(np.int64) if keys.dtype == np.bool_ else keys
    order = np.empty(keys.shape, np.int64)
    rows, places = np.moveaxis(plain, axis, -1), np.moveaxis(order, axis, -1)
    for at in np.ndindex(*rows.shape[:-1]):
        row = rows[at].tolist()
        places[at] = sorted(range(len(row)), key=lambda i: key(row[i], descending))
    return order


def top_k(x, k):
    """By the total order of floats: both zeros and NaNs of both signs differ."""
    values = np.empty(x.shape[:-1] + (k,), x.dtype)
    indices = np.empty(x.shape[:-1] + (k,), np.int64)
    for at in np.ndindex(*x.shape[:-1]):
        row = x[at].tolist()
        negative = np.signbit(x[at]).tolist()
        def rank(i):
            if row[i] != row[i]:
                return (2 if negative[i] else 0, 0, False)
            return (1, -row[i], negative[i])
        order = sorted(range(len(row)), key=rank)[:k]
        indices[at], values[at] = order, x[at][order]
    return values, indices


def first_best(x, axis, largest):
    """The index of the first extremum, or of the first NaN."""
    if not x.size:
        return np.zeros([n for i, n in enumerate(x.shape) if i != axis], np.int64)
    if x.dtype == np.float64:
        nan = np.isnan(x)
        worst = -np.inf if largest else np.inf
        best = np.argmax(np.where(nan, worst, x), axis) if largest else np.argmin(np.where(nan, worst, x), axis)
        return np.where(nan.any(axis), np.argmax(nan, axis), best)
    return np.argmax(x, axis) if largest else np.argmin(x, axis)


def iota(sizes, axis, dtype):
    shape = [1] * len(sizes)
    shape[axis] = sizes[axis]
    return np.broadcast_to(np.arange(sizes[axis]).reshape(shape), sizes)


def extreme(dtype, largest):
    """The identity of the reduction: the lowest value for a maximum."""
    if dtype == "bool":
        return not largest
    if is_int(dtype):
        return limits(dtype)[0 if largest else 1]
    return -np.inf if largest else np.inf
