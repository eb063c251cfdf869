"""Scatters, general gathers, and JAX's `x.at[..]`: by JAX, and by a loop of NumPy where both are exact."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import DTYPES, is_complex, is_float, limits, numbers

ORDINARY = ["bool", "u8", "i32", "bf16", "f16", "f32", "f64", "c64"]
NARROW = ["i4", "u2", "f8e4m3fn", "i8", "u16", "i64", "c128"]
INDEX_TYPES = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
UPDATES = ["set", "add", "mul", "max", "min"]
COMBINED = {
    "set": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": np.maximum,
    "min": np.minimum,
}


def allowed(update, name):
    if update in ("add", "mul"):
        return name != "bool"
    return update == "set" or not is_complex(name)


def is_exact(name):
    return name in ("bool", "u8", "i8", "u16", "i32", "i64", "f32", "f64")


def updated(x, update, axis, indices, updates):
    """Updates at indices along an axis, one after the other: negative indices count from the end, and
    updates at those still out of range are dropped."""
    x = np.moveaxis(x.copy(), axis, 0)
    with np.errstate(all="ignore"):
        for at in np.ndindex(*indices.shape):
            i = int(indices[at])
            i = i + x.shape[0] if i < 0 else i
            if 0 <= i < x.shape[0]:
                place = (slice(None),) * axis + at
                x[i] = COMBINED[update](x[i], updates[place])
    return np.moveaxis(x, 0, axis)


def by_jax(x, update, key, updates):
    return np.array(getattr(jnp.asarray(x).at[key], update)(jnp.asarray(updates)))


def widened(indices, size):
    """Indices of a narrow type as `i64`, which JAX counts from the end beyond their range too."""
    wide = indices.astype(object)
    return np.where(wide >= size, size, np.where(wide < -size, -size - 1, wide)).astype(np.int64)


def checked(x, update, axis, indices, updates):
    """The result of JAX, which the loop confirms where both are exact."""
    key = (slice(None),) * axis + (jnp.asarray(widened(indices, x.shape[axis])),)
    # Narrow floats are added and multiplied in `f32`, and rounded once.
    is_narrow = x.dtype.itemsize < 4 and x.dtype.kind in "fV"
    wide = [a.astype(np.float32) if is_narrow else a for a in (x, updates)]
    result = by_jax(wide[0], update, key, wide[1]).astype(x.dtype)
    if is_exact(x.dtype.name.replace("uint", "u").replace("int", "i").replace("float", "f")):
        np.testing.assert_array_equal(result, updated(x, update, axis, indices, updates))
    return result


def along_an_axis(table):
    indices = np.array([[4, 0, 0], [-1, 7, 2]], np.int32)
    distinct = np.array([[4, 0, 1], [-2, 7, 2]], np.int32)
    for update in UPDATES:
        for name in ORDINARY + (NARROW if update in ("set", "add") else ["i4"]):
            if not allowed(update, name):
                continue
            x = numbers(name, (5, 3), -2, 2)
            at = distinct if update == "set" else indices
            updates = numbers(name, (2, 3, 3), -2, 2, seed="updates")
            result = checked(x, update, 0, at, updates) if name not in ("i4", "u2") else narrow(x, update, at, updates)
            table.add(f"index_{update} 0", [x, at, updates], result)
    x, u = numbers("f32", (2, 5, 3)), lambda *shape: numbers("f32", shape, seed="updates")
    for name in ["i8", "u8", "i32", "u32", "i64", "u64"]:
        at = np.array([0, 4, limits(name)[1], 2, limits(name)[0] if name[0] == "i" else 3], DTYPES[name])
        table.add("index_add 1", [x, at, u(2, 5, 3)], checked(x, "add", 1, at, u(2, 5, 3)))
    # More elements than the narrow index types count.
    long = np.zeros((2, 300, 1), np.float32)
    for name in ["i8", "u8"]:
        at = np.array([0, limits(name)[1], 50, 100], DTYPES[name])
        table.add("index_add 1", [long, at, u(2, 4, 1)], checked(long, "add", 1, at, u(2, 4, 1)))
    table.add("index_add 1", [x, np.int32(3), u(2, 3)], checked(x, "add", 1, np.int32(3), u(2, 3)))
    table.add("index_add 1", [x, np.int32(-1), u(2, 3)], checked(x, "add", 1, np.int32(-1), u(2, 3)), case="from the end")
    table.add("index_add 1", [x, np.int32(-6), u(2, 3)], x, case="out of range")
    table.add("index_add 1", [x, np.zeros((0, 2), np.int32), u(2, 0, 2, 3)], x)
    nothing = np.zeros((2, 0, 3), np.float32)
    table.add("index_add 1", [nothing, np.array([0, 1], np.int32), u(2, 2, 3)], nothing)
    one = np.ones((1, 1, 1), np.float32)
    table.add("index_add 1", [one, np.array([0, 0, 1], np.int64), u(1, 3, 1)], checked(one, "add", 1, np.array([0, 0, 1]), u(1, 3, 1)))
    table.add("index_add 0", [numbers("f32", (5,)), np.array([1, 1], np.int32), u(2)], checked(numbers("f32", (5,)), "add", 0, np.array([1, 1]), u(2)))
    specials(table)
    batched(table)


def narrow(x, update, indices, updates):
    """Types below a byte, which wrap around to their own bits."""
    name = x.dtype.name
    bits, signed = int(name[-1]), name.startswith("int")
    wide = updated(x.astype(np.int64), update, 0, indices, updates.astype(np.int64)) & ((1 << bits) - 1)
    return np.where(signed & (wide >> (bits - 1) != 0), wide - (1 << bits), wide).astype(x.dtype)


def specials(table):
    for name in ["bf16", "f32"]:
        x = np.array([np.nan, 1, np.inf, -np.inf, -0.0], DTYPES[name])
        at = np.array([0, 1, 2, 3, 1, 4], np.int32)
        updates = np.array([1, np.nan, -np.inf, 2, 3, -0.0], DTYPES[name])
        for update in ["add", "mul", "max", "min"]:
            table.add(f"index_{update} 0", [x, at, updates], by_jax(x, update, (at,), updates), case=f"specials of {name}")
        table.add("index_set 0", [x, at[:4], updates[:4]], by_jax(x, "set", (at[:4],), updates[:4]), case=f"specials of {name}")
    for name in ["i32", "u8", "i64"]:
        lowest, highest = limits(name)
        x = np.array([highest, lowest, highest, 3], DTYPES[name])
        at, updates = np.array([0, 1, 2, 3, 2], np.int32), np.array([1, highest, 2, 100, 1], DTYPES[name])
        for update in UPDATES[1:]:
            table.add(f"index_{update} 0", [x, at, updates], updated(x, update, 0, at, updates), case=f"overflow of {name}")


def batched(table):
    # x [batch, vocab, d], indices [batch, seq], updates [batch, seq, d].
    x, at, u = numbers("f32", (2, 5, 3)), np.array([[0, 4, 1, 9], [2, -1, 3, 3]], np.int32), numbers("f32", (2, 4, 3))
    table.add("index_add in step", [x, at, u], np.stack([updated(x[i], "add", 0, at[i], u[i]) for i in range(2)]))
    # x [head, vocab, batch], indices [batch, head, seq], updates of any order.
    y, at = numbers("f32", (3, 5, 2)), np.array([[[0, 1], [4, 2], [9, 3]], [[3, 0], [2, 2], [-4, 1]]], np.int32)
    u = numbers("f32", (2, 3, 2))
    expected = y.copy()
    for b, h in np.ndindex(2, 3):
        expected[h, :, b] = updated(y[h, :, b], "max", 0, at[b, h], u[b, h])
    table.add("index_max in step twice", [y, at, u], expected)
    table.add("index_max in step turned", [y, at, u.transpose(2, 1, 0).copy()], expected)


def positions(table):
    """The inverse of `take_along_axis`."""
    for update in UPDATES:
        for name in ["bool", "i32", "bf16", "f32", "c64"] + (["i4", "f8e5m2"] if update == "set" else []):
            if not allowed(update, name):
                continue
            x, u = numbers(name, (2, 5), -2, 2), numbers(name, (2, 3), -2, 2, seed="updates")
            at = np.array([[1, 0, 9], [-4, 2, 4]] if update == "set" else [[1, 1, 9], [-3, 2, 1]], np.int32)
            row = (lambda i: narrow(x[i], update, at[i], u[i])) if name == "i4" else (lambda i: checked(x[i], update, 0, at[i], u[i]))
            table.add(f"scatter_along {update} 1", [x, at, u], np.stack([row(i) for i in range(2)]))
    x, at, u = numbers("f32", (3, 5, 2)), np.array([[[0, 1]], [[4, 4]], [[-1, 8]]], np.int64), numbers("f32", (3, 1, 2))
    expected = x.copy()
    for i, j in np.ndindex(3, 2):
        expected[i, :, j] = updated(x[i, :, j], "add", 0, at[i, :, j], u[i, :, j])
    table.add("scatter_along add 1", [x, at, u], expected)
    none = np.zeros((3, 0, 2), np.float32)
    table.add("scatter_along add 1", [x, np.zeros((3, 0, 2), np.int32), none], x)
    table.add("scatter_along add 1", [none, np.zeros((3, 1, 2), np.int32), u], none)
    table.add("scatter_along add 1", [np.ones((1, 1), np.float32), np.zeros((1, 1), np.uint8), np.ones((1, 1), np.float32)], np.full((1, 1), 2, np.float32))


def selections(table):
    """`x.at[..]` of JAX."""
    i, j = np.array([1, -1, 9, -9], np.int32), np.array([0, 2, 1, 1], np.int64)
    for name in ["bool", "i32", "f32", "c64"]:
        x = numbers(name, (5, 3, 4), -3, 3)
        for update in UPDATES:
            if allowed(update, name):
                u = numbers(name, (4, 3, 4), -2, 2)
                table.add(f"at {update} i", [x, i, u], by_jax(x, update, (i,), u))
        table.add("at get i", [x, i], jnp.asarray(x).at[i].get())
        fill = {"fill_value": True if name == "bool" else 1}
        table.add("at get_or i", [x, i], jnp.asarray(x).at[i].get(mode="fill", **fill))
    x = numbers("f32", (5, 3, 4))
    for name in INDEX_TYPES:
        values = [1, limits(name)[1], 4, limits(name)[0]]
        at = np.array(values, DTYPES[name])
        wide = np.array([v if 0 <= v < 5 else (v + 5 if -5 <= v < 0 else (6 if v > 0 else -7)) for v in values], np.int64)
        table.add("at get i", [x, at], jnp.asarray(x).at[wide].get(), case=f"indices of {name}")
        table.add("at get_or i", [x, at], jnp.asarray(x).at[wide].get(mode="fill", fill_value=1), case=f"indices of {name}")
        if name in ("i8", "u8", "i32", "u64"):
            u = numbers("f32", (4, 3, 4), seed=name)
            table.add("at add i", [x, at, u], by_jax(x, "add", (wide,), u), case=f"indices of {name}")
    for at in [np.int32(-2), np.int32(5), np.zeros((0,), np.int32), np.array([[3], [-4]], np.int32)]:
        u = numbers("f32", at.shape + (3, 4))
        table.add("at add i", [x, at, u], by_jax(x, "add", (at,), u), case=f"{at.tolist()}")
        table.add("at get i", [x, at], jnp.asarray(x).at[at].get(), case=f"{at.tolist()}")
    pairs = [("i j", (i, j), (4, 4)), ("i : j", (i, slice(None), j), (4, 3)), ("i 1..3", (i, slice(1, 3)), (4, 2, 4)), (": j 1", (slice(None), j, 1), (5, 4)), ("1 : j", (1, slice(None), j), (4, 3)), ("-1", (-1,), (3, 4)), (": 1.. -3", (slice(None), slice(1, None), -3), (5, 2)), ("0..0", (slice(0, 0),), (0, 3, 4))]
    for what, key, shape in pairs:
        given = [at for at in key if isinstance(at, np.ndarray)]
        for update in ["add", "min"] if what == "i j" else ["set", "add"]:
            u = numbers("f32", shape)
            assert jnp.asarray(x)[key].shape == shape, (what, jnp.asarray(x)[key].shape)
            table.add(f"at {update} {what}", [x, *given, u], by_jax(x, update, key, u))
        table.add(f"at get {what}", [x, *given], np.array(jnp.asarray(x).at[key].get()))


def general(table):
    """StableHLO's forms, by JAX's: blocks of two rows and two columns."""
    gathers = lax.GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(), start_index_map=(1, 0))
    scatters = lax.ScatterDimensionNumbers(update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(1, 0))
    at = np.array([[0, 0], [1, 3], [2, 1], [3, 0], [-1, 1], [1, 4]], np.int32)
    for name in ["bool", "i32", "bf16", "f32", "c64"]:
        x, u = numbers(name, (5, 4), -2, 2), numbers(name, (6, 2, 2), -2, 2)
        for row, mode in [("gather", "clip"), ("gather_or", "fill")]:
            fill = {"fill_value": True if name == "bool" else 1} if mode == "fill" else {}
            table.add(f"{row} blocks", [x, at], lax.gather(x, at, gathers, (2, 2), mode=mode, **fill))
        drop = {"mode": lax.GatherScatterMode.FILL_OR_DROP}
        if name != "bool":
            table.add("scatter blocks add", [x, at, u], lax.scatter_add(x, at, u, scatters, **drop))
        if not is_complex(name):
            table.add("scatter blocks max", [x, at, u], lax.scatter_max(x, at, u, scatters, **drop))
        table.add("scatter blocks set", [x, at[::3].copy(), u[::3].copy()], lax.scatter(x, at[::3], u[::3], scatters, **drop))
    pairs(table)


def pairs(table):
    """The larger of each pair with its tag, by a loop."""
    for name in ["i32", "f32", "u8"]:
        x, tags = numbers(name, (5,), 0, 9), np.arange(5, dtype=np.int32)
        at, u, new = np.array([1, 3, 1, 7, -1, 4], np.int32), numbers(name, (6,), 0, 9, seed="u"), np.arange(6, dtype=np.int32) + 10
        best, owner = x.copy(), tags.copy()
        for i, value, tag in zip(at, u, new):
            if 0 <= i < 5 and (value, tag) > (best[i], owner[i]):
                best[i], owner[i] = value, tag
        table.add("scatter_by best", [x, tags, at, u, new], [best, owner])


def fill(table):
    along_an_axis(table)
    positions(table)
    selections(table)
    general(table)
