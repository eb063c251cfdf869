"""Sums of products by equations, and of groups of rows."""

import numpy as np

from reference import INTS, numbers, rounded, widened

NUMBERS = ["i8", "u8", "i32", "u64", "bf16", "f16", "f32", "f64", "c64", "c128"]

# Equations with the shapes of their operands.
PAIRS = [
    ("ij,jk->ik", [(3, 4), (4, 5)]),
    ("ij,kj->ki", [(3, 4), (5, 4)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("i,j->ij", [(3,), (4,)]),
    ("i,i->", [(7,), (7,)]),
    ("i,i->i", [(7,), (7,)]),
    ("ij,ij->j", [(3, 4), (3, 4)]),
    ("ij,k->k", [(3, 4), (5,)]),
    ("ij,jk", [(3, 4), (4, 5)]),
    ("ba,cb", [(3, 4), (5, 3)]),
    ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
    ("...i,i...->...", [(2, 3), (3, 2)]),
    ("ii,i->i", [(4, 4), (4,)]),
    (",i->i", [(), (3,)]),
]
SINGLE = [
    ("ij->ji", [(3, 4)]),
    ("ij->", [(3, 4)]),
    ("ij->i", [(3, 4)]),
    ("ii->i", [(4, 4)]),
    ("ii->", [(4, 4)]),
    ("iji->j", [(3, 4, 3)]),
    ("iii->i", [(3, 3, 3)]),
    ("...i->i...", [(2, 3, 4)]),
    ("ba", [(2, 3)]),
    ("->", [()]),
]
MANY = [
    ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
    ("i,i,i->", [(4,), (4,), (4,)]),
    ("bij,bjk,k,b->i", [(2, 3, 4), (2, 4, 5), (5,), (2,)]),
    ("ij,jk,kl,lm,mi->", [(2, 3), (3, 4), (4, 2), (2, 3), (3, 2)]),
    ("...a,ab,...b->...", [(3, 4), (4, 5), (3, 5)]),
    ("ab,cd,ef->fca", [(2, 3), (2, 2), (3, 2)]),
]
EMPTY = [
    ("ij,jk->ik", [(3, 0), (0, 5)]),
    ("ij,jk->ik", [(0, 4), (4, 5)]),
    ("ij,jk->ik", [(1, 1), (1, 1)]),
    ("bij,bjk->bik", [(0, 3, 4), (0, 4, 5)]),
    ("ij->", [(0, 3)]),
    ("ii->", [(0, 0)]),
    ("ij,jk,kl->il", [(3, 4), (4, 0), (0, 2)]),
    ("i,j->ij", [(0,), (4,)]),
]
# Axes of size 1 that stretch.
STRETCHED = [
    ("ij,jk->ik", [(3, 1), (4, 5)]),
    ("ij,jk->ik", [(3, 4), (1, 5)]),
    ("bij,bjk->bik", [(1, 3, 4), (2, 4, 5)]),
    ("bij,bjk->bik", [(2, 3, 1), (1, 4, 5)]),
    ("bij,bjk->bik", [(2, 3, 4), (1, 1, 5)]),
    ("i,i->", [(1,), (7,)]),
    ("i,i->i", [(7,), (1,)]),
    ("i,i->i", [(1,), (0,)]),
    ("i,i,i->", [(1,), (4,), (1,)]),
    ("ii,i->i", [(1, 1), (4,)]),
    ("...ij,...jk->...ik", [(2, 1, 3, 1), (5, 4, 2)]),
]


def summed(equation, operands, name):
    """The sum of products in f64, c128 or Python integers, rounded once."""
    if name in INTS:
        return rounded(np.einsum(equation, *[x.astype(np.int64) for x in operands]).astype(object), name)
    return rounded(np.einsum(equation, *map(widened, operands)), name)


def values(name, shapes):
    low = 0 if name[0] == "u" else -2
    return [numbers(name, shape, low, 2, seed=f"{i}") for i, shape in enumerate(shapes)]


def grouped(x, w, sizes):
    """Each group of rows with its matrix, `w` as `[group, in, out]`."""
    out = np.zeros((x.shape[0], w.shape[2]), np.float64)
    start = 0
    for matrix, size in zip(w, np.maximum(sizes, 0)):
        out[start : start + size] = widened(x)[start : start + size] @ widened(matrix)
        start += size
    return out


def fill(table):
    for equation, shapes in PAIRS + SINGLE + MANY:
        for name in NUMBERS if shapes in ([(3, 4), (4, 5)], [(2, 3, 4), (2, 4, 5)]) else ["i32", "f32", "c64"]:
            operands = values(name, shapes)
            table.add(equation, operands, summed(equation, operands, name))
    for equation, shapes in EMPTY + STRETCHED:
        operands = values("f32", shapes)
        table.add(equation, operands, summed(equation, operands, "f32"), case=f"f32 of shapes {shapes}")
    special = [np.array([[np.nan, 1], [np.inf, 2]], np.float32), np.array([[1, 0], [2, -1]], np.float32)]
    table.add("ij,jk->ik", special, summed("ij,jk->ik", special, "f32"), case="f32 of specials")
    for count, left, right in [(0, (2, 3), (4,)), (1, (2, 3), (3, 4)), (2, (5, 2, 3), (2, 3, 4)), (1, (3,), (3,))]:
        a, b = values("f32", [left, right])
        table.add(f"tensordot {count}", [a, b], rounded(np.tensordot(widened(a), widened(b), count), "f32"), case=f"f32 of shapes {left} and {right}")

    for name in ["bf16", "f16", "f32", "f64"]:
        x, w = numbers(name, (20, 5), -2, 2), numbers(name, (3, 5, 4), -2, 2, seed="w")
        sizes = np.array([7, 0, 13], np.int32)
        table.add("ragged_dot", [x, w, sizes], rounded(grouped(x, w, sizes), name))
    rows = [(20, [7, 0, 9]), (20, [0, 0, 0]), (20, [20, 0, 0]), (20, [0, 0, 20]), (20, [9, 9, 9]), (20, [-3, 5, 4]), (1, [0, 1, 0]), (0, [0, 0, 0]), (300, [100, 101, 99]), (300, [1, 298, 1]), (129, [64, 1, 64])]
    for count, sizes in rows:
        sizes = np.array(sizes, np.int32)
        x, w = numbers("f32", (count, 5), -2, 2), numbers("f32", (3, 5, 4), -2, 2, seed="w")
        expected = rounded(grouped(x, w, sizes), "f32")
        table.add("ragged_dot", [x, w, sizes], expected, case=f"f32 of {count} rows in {list(sizes)}")
        table.add("ragged_dot transposed", [x, w.transpose(0, 2, 1).copy(), sizes], expected, case=f"f32 of {count} rows in {list(sizes)}")
    sizes = np.array([2] * 40, np.int64)
    x, w = numbers("f32", (80, 3), -2, 2), numbers("f32", (40, 3, 2), -2, 2, seed="w")
    table.add("ragged_dot", [x, w, sizes], rounded(grouped(x, w, sizes), "f32"), case="f32 of many groups")
    for shapes in [[(4, 3), (0, 3, 2), (0,)], [(4, 0), (2, 0, 3), (2,)], [(4, 3), (2, 3, 0), (2,)]]:
        x, w = values("f32", shapes[:2])
        sizes = np.full(shapes[2], 2, np.int32)
        table.add("ragged_dot", [x, w, sizes], rounded(grouped(x, w, sizes), "f32"), case=f"f32 of shapes {shapes}")
