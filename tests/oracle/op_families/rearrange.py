"""Repeating, shifting and regrouping elements, triangles and grids."""

import numpy as np

from reference import DTYPES, SOME, numbers, rounded

MODES = {"Reflect": "reflect", "Symmetric": "symmetric", "Edge": "edge", "Wrap": "wrap"}


def shuffled(x, r):
    b, c, h, w = x.shape
    return x.reshape(b, c // r**2, r, r, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(b, c // r**2, h * r, w * r)


def unshuffled(x, r):
    b, c, h, w = x.shape
    return x.reshape(b, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4).reshape(b, c * r**2, h // r, w // r)


def fill(table):
    for name in SOME:
        x = numbers(name, (3, 4))
        table.add("repeat 1 by 3", [x], np.repeat(x, 3, 1))
        table.add("tile 1 by 3", [x], np.tile(x, (1, 3)))
        table.add("roll 1 by 1", [x], np.roll(x, 1, 1))
        table.add("tril 0", [x], np.where(np.tri(3, 4, 0, bool), x, np.zeros((), x.dtype)))
        table.add("triu 1", [x], np.where(np.tri(3, 4, 0, bool), np.zeros((), x.dtype), x))
        table.add("moveaxis", [numbers(name, (2, 3, 4))], np.moveaxis(numbers(name, (2, 3, 4)), 0, -1))
        table.add("eye", [np.zeros((3, 5), x.dtype)], rounded(np.eye(3, 5), name) if name != "bool" else np.eye(3, 5, dtype=bool))
        table.add("zeros_like", [x], np.zeros_like(x))
        table.add("ones_like", [x], np.ones_like(x))
        square = np.zeros((3, 4, 4), x.dtype)
        square[:, np.arange(4), np.arange(4)] = x
        table.add("diag 1", [x], square)
        table.add("unstack 1", [x], [x[:, i] for i in range(4)])
    for shape in [(1, 4), (3, 0), (0, 4), (1, 1)]:
        x = numbers("f32", shape)
        table.add("repeat 1 by 3", [x], np.repeat(x, 3, 1))
        table.add("tile 1 by 3", [x], np.tile(x, (1, 3)))
        table.add("roll 1 by 1", [x], np.roll(x, 1, 1))
        table.add("tril 0", [x], np.tril(x))
        table.add("triu 1", [x], np.triu(x, 1))
    x = numbers("i32", (5, 3))
    for by in [-7, -1, 3, 6]:
        table.add(f"roll 0 by {by}", [x], np.roll(x, by, 0))
    for k in [-9, -2, -1, 1, 2, 9]:
        table.add(f"tril {k}", [numbers("i32", (4, 5))], np.tril(numbers("i32", (4, 5)), k))
        table.add(f"triu {k}", [numbers("i32", (2, 5, 4))], np.triu(numbers("i32", (2, 5, 4)), k))
    table.add("triu 1", [numbers("f32", (2, 5, 4))], np.triu(numbers("f32", (2, 5, 4)), 1))
    for shape in [(3, 3), (2, 5), (5, 2), (1, 4), (0, 3), (3, 0), (2, 4, 3), (3, 2, 4)]:
        x = numbers("f32", shape)
        table.add("diagonal", [x], np.diagonal(x, 0, -2, -1))
    table.add("diagonal of others", [numbers("i32", (3, 2, 4))], np.diagonal(numbers("i32", (3, 2, 4)), 0, 2, 0))
    table.add("repeat 1 by 0", [numbers("f32", (2, 3))], np.zeros((2, 0), np.float32))
    table.add("moveaxis back", [numbers("f32", (2, 3, 4))], np.moveaxis(numbers("f32", (2, 3, 4)), 2, 0))

    for mode, of_numpy in MODES.items():
        for shape, low, high in [((2, 5), 2, 3), ((2, 5), 0, 1), ((3, 2), 5, 4), ((2, 1), 2, 2), ((2, 3), 13, 8), ((0, 3), 1, 1)]:
            x = numbers("f32", shape)
            table.add(f"pad {mode} {low} {high}", [x], np.pad(x, ((0, 0), (low, high)), mode=of_numpy))
        x = numbers("c64", (4,))
        table.add(f"pad {mode} first", [x], np.pad(x, (2, 1), mode=of_numpy))

    for shape, size, step in [((7, 2), 3, 1), ((7, 2), 3, 2), ((7, 2), 7, 5), ((7, 2), 1, 3), ((7, 0), 2, 2), ((4, 2), 0, 1)]:
        x = numbers("f32", shape)
        windows = [x[i : i + size] for i in range(0, shape[0] - size + 1, step)]
        table.add(f"unfold {size} {step}", [x], np.moveaxis(np.array(windows, np.float32).reshape(len(windows), size, shape[1]), 1, -1))
    for name in ["f32", "i8"]:
        x = numbers(name, (2, 12, 2, 3))
        table.add("pixel_shuffle 2", [x], shuffled(x, 2))
        y = numbers(name, (2, 3, 4, 6))
        table.add("pixel_unshuffle 2", [y], unshuffled(y, 2))
        z = np.moveaxis(x, 1, -1)
        table.add("pixel_shuffle last", [z], np.moveaxis(shuffled(x, 2), 1, -1))

    for name in ["i32", "f32", "bf16"]:
        a, b, c = numbers(name, (2,)), numbers(name, (3,)), numbers(name, (1,))
        table.add("meshgrid", [a, b, c], np.meshgrid(a, b, c, indexing="ij"))
    for name in ["i32", "u8", "i64", "f32", "bf16", "f64"]:
        like = np.zeros((), DTYPES[name])
        table.add("arange_step up", [like], rounded(np.arange(3, 20, 4), name))
        table.add("arange_step none", [like], rounded(np.arange(3, 3, 4), name))
    table.add("arange_step down", [], np.arange(5, -4, -2, dtype=np.int32))
    table.add("arange_step extreme", [], np.array([np.iinfo(np.int64).min, -1, np.iinfo(np.int64).max - 1], np.int64))
    for name in ["f32", "f64", "bf16", "f16"]:
        like = np.zeros((), DTYPES[name])
        table.add("linspace 7", [like], rounded(np.linspace(-1.5, 4, 7), name))
        table.add("linspace 1", [like], rounded(np.linspace(-1.5, 4, 1), name))
        table.add("linspace 0", [like], rounded(np.linspace(-1.5, 4, 0), name))
        for row, window in [("hann", np.hanning), ("hamming", np.hamming), ("blackman", np.blackman)]:
            # At two samples a Blackman window is nothing but the rounding of its edges.
            for size in [0, 1, 7] if row == "blackman" else [0, 1, 2, 7]:
                table.add(f"{row} {size}", [like], rounded(window(size), name))
            table.add(f"{row} periodic", [like], rounded(window(9)[:-1], name))
