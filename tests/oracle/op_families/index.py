"""Dynamic slices and gathers, by NumPy, which JAX confirms."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import DTYPES, SOME, limits, numbers

INDEX_TYPES = ["i8", "u8", "i16", "i32", "u32", "i64", "u64"]


def clamped(indices, size):
    """Indices as positions: negative ones count from the end, those still out of range are clamped."""
    wide = indices.astype(object)
    at = np.clip(np.where(wide < 0, wide + size, wide), 0, size - 1).astype(np.int64)
    if indices.dtype == np.int32:
        np.testing.assert_array_equal(at, jnp.arange(size).at[indices].get())
    return at


def placed(start, size, part):
    """The start of a slice of `part` elements: a negative one counts from the end, then it is clamped."""
    at = int(np.clip(start + size if start < 0 else start, 0, size - part))
    if abs(start) < 2**31:
        assert lax.dynamic_slice(jnp.arange(size), (np.int32(start),), (part,))[0] == at
    return at


def dynamic(table):
    for name in SOME:
        x = numbers(name, (4, 7))
        for start in [2, -1, 6, -5, -7, -8]:
            at = placed(start, 7, 3)
            table.add("dynamic_slice 1 of 3", [x, np.int32(start)], x[:, at : at + 3], case=f"{name} at {start}")
        y = x.copy()
        y[:, 5:7] = numbers(name, (4, 2), seed="update")
        table.add("dynamic_update_slice 1", [x, numbers(name, (4, 2), seed="update"), np.int32(100)], y)
        for start in [-4, -1, -9]:
            y, at = x.copy(), placed(start, 7, 2)
            y[:, at : at + 2] = numbers(name, (4, 2), seed="update")
            table.add("dynamic_update_slice 1", [x, numbers(name, (4, 2), seed="update"), np.int32(start)], y, case=f"{name} at {start}")
    x = numbers("f32", (4, 7))
    for name in INDEX_TYPES:
        lowest, highest = limits(name)
        for start in [1, lowest, highest]:
            at = placed(start, 7, 3)
            table.add("dynamic_slice 1 of 3", [x, np.array(start, DTYPES[name])], x[:, at : at + 3], case=f"start {start} of {name}")
    # More elements than the narrow type counts, so that adding the size must not wrap around.
    long = numbers("f32", (2, 300))
    for start in [-1, -128, 127]:
        at = placed(start, 300, 3)
        table.add("dynamic_slice 1 of 3", [long, np.int8(start)], long[:, at : at + 3], case=f"{start} of 300")
        indices = np.array([start, 0], np.int8)
        table.add("take 1", [long, indices], long[:, clamped(indices, 300)], case=f"{start} of 300")
        table.add("take_along_axis 1", [long, np.stack([indices] * 2)], long[:, clamped(indices, 300)], case=f"{start} of 300")
    table.add("dynamic_slice whole", [x, np.int32(3)], x)
    table.add("dynamic_slice of none", [x, np.int32(3)], x[:, :0])
    table.add("dynamic_slice at 2", [x], x[:, 2:5])
    table.add("dynamic_slice_along", [x, np.int32(2), np.int32(9)], x[2:4, 4:7])
    table.add("dynamic_slice_along", [x, np.int32(-3), np.int32(-4)], x[1:3, 3:6], case="from the end")
    table.add("dynamic_slice_along", [x, np.int64(-3), np.uint64(2**64 - 1)], x[1:3, 4:7], case="of two types")
    y = x.copy()
    y[3:4, 2:5] = 0
    table.add("dynamic_update_slice_along", [x, np.zeros((1, 3), np.float32), np.int32(3), np.int32(2)], y)
    table.add("dynamic_update_slice none", [x, np.zeros((4, 0), np.float32)], x)
    table.add("dynamic_update_slice mixed starts", [x, np.zeros((1, 3), np.float32), np.int64(3), np.uint8(2)], y)
    six = numbers("f32", (1, 2, 1, 3, 2, 4))
    table.add("dynamic_slice last of 1", [six, np.int32(-5)], six[..., :1])
    scalar = np.float32(7)
    table.add("dynamic_slice_along nothing", [scalar], scalar)


def gathers(table):
    for name in SOME:
        x = numbers(name, (5, 3))
        indices = np.array([[4, 0], [-1, 7], [2, 2]], np.int32)
        table.add("take 0", [x, indices], x[clamped(indices, 5)])
        along = np.array([[1, 0, 9], [-3, 2, 2]], np.int32)
        table.add("take_along_axis 1", [x[:2].copy(), along], np.take_along_axis(x[:2], clamped(along, 3), 1))
    x = numbers("f32", (2, 5, 3))
    for name in INDEX_TYPES:
        indices = np.array([0, 4, limits(name)[1], 2], DTYPES[name])
        table.add("take 1", [x, indices], x[:, clamped(indices, 5)])
    table.add("take 1", [x, np.int32(3)], x[:, 3])
    table.add("take 1", [x, np.zeros((0, 2), np.int32)], np.zeros((2, 0, 2, 3), np.float32))
    table.add("take 1", [x, np.array([[[1]], [[2]]], np.int32)], x[:, np.array([[[1]], [[2]]])])
    table.add("take 0", [numbers("f32", (5,)), np.int32(2)], numbers("f32", (5,))[2])
    # Named: x [batch, vocab, d], indices [batch, seq].
    indices = np.array([[0, 4, 1, 9], [2, -1, 3, 3]], np.int32)
    table.add("take in step", [x, indices], np.stack([x[i][clamped(indices[i], 5)] for i in range(2)]))
    # x [d, batch, vocab].
    table.add("take in step from behind", [x.transpose(2, 0, 1).copy(), indices], np.stack([x[i][clamped(indices[i], 5)] for i in range(2)]))
    # x [head, vocab, batch, d], indices [batch, head, seq].
    y = numbers("f32", (3, 5, 2, 4))
    indices = np.array([[[0, 1], [4, 2], [9, 3]], [[3, 0], [2, 2], [-4, 1]]], np.int32)
    at = clamped(indices, 5)
    table.add("take in step twice", [y, indices], y[np.arange(3)[None, :, None], at, np.arange(2)[:, None, None]])
    z = numbers("f32", (3, 5, 2))
    along = np.array([[[0, 1]], [[4, 4]], [[-1, 8]]], np.int32)
    table.add("take_along_axis 1", [z, along], np.take_along_axis(z, clamped(along, 5), 1))
    table.add("take_along_axis 1", [z, np.zeros((3, 0, 2), np.int32)], np.zeros((3, 0, 2), np.float32))
    table.add("take_along_axis 0", [numbers("f32", (5,)), np.array([4, 4, 0], np.int64)], numbers("f32", (5,))[[4, 4, 0]])


def one_hots(table):
    for name in ["i32", "u8", "i64"]:
        indices = np.array([[0, 3], [1, 100]], DTYPES[name])
        for wanted in ["f32", "bool", "i8"]:
            hot = (indices[..., None] == np.arange(4)).astype(DTYPES[wanted])
            table.add(f"one_hot 4 {wanted}", [indices], hot)
    table.add("one_hot 4 f32", [np.array([-1, 2], np.int32)], np.array([[0, 0, 0, 0], [0, 0, 1, 0]], np.float32))
    table.add("one_hot 4 f32", [np.int32(1)], np.array([0, 1, 0, 0], np.float32))
    table.add("one_hot 300 f32", [np.array([7, 255], np.uint8)], (np.array([[7], [255]]) == np.arange(300)).astype(np.float32))


def fill(table):
    dynamic(table)
    gathers(table)
    one_hots(table)
