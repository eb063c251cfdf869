"""Scatters, by the StableHLO specification: slices that do not fit are dropped as a whole."""

import numpy as np

from . import elementwise
from .dtypes import LARGEST, REAL, is_complex, is_float, ulp
from .result import Expected

BINARY = {"add": "add", "mul": "mul", "max": "maximum", "min": "minimum"}


def targets(x, indices, sizes, dims):
    """The operand's flat position for each update; -1 for those that are dropped."""
    places = np.full(sizes, -1, np.int64)
    window, vector = dims["update_window_dims"], dims["index_vector_dim"]
    dropped = dims["inserted_window_dims"] + dims["input_batching_dims"]
    shown = [d for d in range(x.ndim) if d not in dropped]
    sizes_of = [1] * x.ndim
    for axis, of in zip(shown, window):
        sizes_of[axis] = sizes[of]
    for at in np.ndindex(*sizes):
        batch = [at[d] for d in range(len(sizes)) if d not in window]
        index = batch[:vector] + [slice(None)] + batch[vector:] if vector < indices.ndim else batch
        vectors = np.atleast_1d(indices[tuple(index)])
        start = [0] * x.ndim
        for i, axis in enumerate(dims["scatter_dims_to_operand_dims"]):
            start[axis] = int(vectors[i])
        for axis, of in zip(dims["input_batching_dims"], dims["scatter_indices_batching_dims"]):
            start[axis] = batch[of if of < vector else of - 1]
        if not all(0 <= s <= n - b for s, n, b in zip(start, x.shape, sizes_of)):
            continue
        for axis, of in zip(shown, window):
            start[axis] += at[of]
        places[at] = np.ravel_multi_index(start, x.shape) if x.ndim else 0
    return places


def scatter(x, indices, updates, dims, dtype):
    places = targets(x, indices, updates.shape, dims).reshape(-1)
    values, updates = x.reshape(-1).copy(), updates.reshape(-1)
    skip, slack = np.zeros(values.shape, bool), np.zeros(values.shape)
    order = np.argsort(places, kind="stable")
    order = order[places[order] >= 0]
    # The ordinal of each update among those of its element.
    starts = np.searchsorted(places[order], places[order])
    ordinal = np.arange(len(order)) - starts
    several = np.bincount(places[order], minlength=len(values)) > 1
    update = dims["update"]
    if update == "set":
        values[places[order]] = updates[order]
        return Expected(values.reshape(x.shape), dtype, skip=several.reshape(x.shape), moves=True)
    magnitude = np.abs(values)
    for round in range(ordinal.max(initial=-1) + 1):
        chosen = order[ordinal == round]
        at = places[chosen]
        expected = elementwise.binary(BINARY[update], dtype, dtype, values[at], updates[chosen])
        # A later round adds to what the element's type holds.
        values[at] = expected.values if not several[at].any() else np.where(several[at], expected.rounded(), expected.values)
        slack[at] = np.maximum(slack[at], expected.tolerance)
        skip[at] |= expected.skip
        part = np.abs(updates[chosen])
        magnitude[at] = magnitude[at] + part if update == "add" else np.maximum(magnitude[at], 1) * np.maximum(part, 1)
    if (is_float(dtype) or is_complex(dtype)) and update in ("add", "mul"):
        # Several updates are in any order, each of which rounds.
        loose = several & np.isfinite(magnitude)
        count = len(order) + 2
        slack = np.where(loose, slack + 4 * count * ulp(dtype, np.where(loose, magnitude, 0)), slack)
        skip |= several & ~(magnitude < LARGEST[REAL.get(dtype, dtype)] / 4)
        if update == "mul":
            skip |= several
    return Expected(values.reshape(x.shape), dtype, slack.reshape(x.shape), skip.reshape(x.shape))
