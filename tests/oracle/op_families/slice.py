"""Slicing, padding and concatenation."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import SOME, numbers, rounded


def padded(x, low, high, interior, value, axis):
    """`lax.pad` along one axis."""
    edges = [(0, 0, 0)] * x.ndim
    edges[axis] = (low, high, interior)
    if x.dtype.kind == "V" or x.dtype.itemsize == 1:
        # JAX pads few of the narrow types: pad the indices of the elements instead.
        index = np.arange(1, x.size + 1, dtype=np.int32).reshape(x.shape)
        index = np.asarray(lax.pad(jnp.asarray(index), np.int32(0), edges))
        return np.concatenate([[value], x.reshape(-1)]).astype(x.dtype)[index]
    return np.asarray(lax.pad(jnp.asarray(x), value, edges))


def fill(table):
    for name in SOME:
        x = numbers(name, (4, 7))
        zero, one = rounded(np.zeros(()), name), rounded(np.ones(()), name)
        table.add("slice 1..-1", [x], x[:, 1:-1])
        table.add("slice_step 1.. by 3", [x], x[:, 1::3])
        table.add("pad 1 2", [x], padded(x, 1, 2, 0, one, 1))
        table.add("pad_interior 0 1 by 2", [x], padded(x, 0, 1, 2, zero, 0))
        y, z = numbers(name, (4, 1), seed="second"), numbers(name, (4, 3), seed="third")
        table.add("concatenate 1", [x, y, z], np.concatenate([x, y, z], 1))
        table.add("stack", [x, x[::-1].copy()], np.stack([x, x[::-1]]))
    x = numbers("f32", (4, 7))
    table.add("slice ..=-3", [x], x[:, :-2])
    table.add("slice -3..", [x], x[:, -3:])
    table.add("slice 2..2", [x], x[:, 2:2])
    table.add("slice ..", [x], x)
    table.add("slice_step .. by 100", [x], x[:, :1])
    table.add("slice first by name", [x], x[1:3])
    table.add("index -1", [x], x[:, -1])
    table.add("index 0", [x], x[0])
    table.add("index 0", [x[0].copy()], x[0, 0])
    table.add("index -2", [x], x[:, -2])
    table.add("split 2", [x], np.split(x, 2))
    table.add("split 7", [x[0].copy()], np.split(x[0], 7))
    table.add("split_sizes 1 0 3", [x], np.split(x, [1, 1], axis=0))
    table.add("split_sizes 7", [x], [x])
    table.add("pad -1 -2", [x], padded(x, -1, -2, 0, np.float32(0), 1))
    table.add("pad -1 3", [x], padded(x, -1, 3, 0, np.float32(-2.5), 1))
    table.add("pad_interior -1 -1 by 1", [x], padded(x, -1, -1, 1, np.float32(9), 1))
    table.add("pad to nothing", [x], x[:, :0])
    empty = np.zeros((2, 0), np.float32)
    table.add("pad 1 2", [empty], np.ones((2, 3), np.float32))
    table.add("slice 2..2", [np.zeros((0, 3), np.float32)], np.zeros((0, 0), np.float32))
    table.add("concatenate 1", [empty, np.ones((2, 2), np.float32), empty], np.ones((2, 2), np.float32))
    table.add("concatenate one", [x], x)
    table.add("stack", [np.float32(1), np.float32(2)], np.array([1, 2], np.float32))
    nan = np.array([np.nan, -0.0], np.float32)
    table.add("pad with -inf", [nan], np.concatenate([np.full(1, -np.inf, np.float32), nan]))
    six = numbers("f32", (1, 2, 1, 2, 1, 7))
    table.add("slice 1..-1", [six], six[:, 1:-1])
