"""Dot products: by name, by pairs of axes, of matrices."""

import numpy as np

from reference import COMPLEX, DTYPES, INTS, numbers, rounded, widened

NUMBERS = ["i4", "u4", "i8", "u8", "i16", "i32", "u32", "i64", "u64", "f4e2m1fn", "f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64", *COMPLEX]


def product(equation, a, b, name):
    """The sum of products in f64, c128 or Python integers, rounded once."""
    if name in INTS or a.dtype.name in ("int4", "uint4"):
        wide = np.einsum(equation, a.astype(np.int64), b.astype(np.int64))
        return rounded(wide.astype(object), name)
    return rounded(np.einsum(equation, widened(a), widened(b)), name)


def operands(name, left, right):
    """Values whose sums fit the type."""
    low = 0 if name[0] == "u" else -1 if name in ("i4", "f4e2m1fn") else -2
    return numbers(name, left, low, 2), numbers(name, right, low, 2, seed="right")


def fill(table):
    for name in NUMBERS:
        a, b = operands(name, (3, 7), (5, 7))
        table.add("dot in", [a, b], product("bi,oi->bo", a, b, name))
        a, b = operands(name, (2, 3, 4), (2, 4, 5))
        table.add("matmul", [a, b], product("bij,bjk->bik", a, b, name))
    for given, wanted in [("i8", "i32"), ("u8", "u32"), ("i4", "i32"), ("bf16", "f32"), ("f16", "f32"), ("f8e4m3fn", "f32"), ("f8e5m2", "bf16"), ("f32", "f64"), ("c64", "c128")]:
        a, b = (numbers(given, s, -9, 9, seed=str(s)) for s in [(3, 7), (5, 7)])
        table.add(f"dot into {wanted}", [a, b], product("bi,oi->bo", a, b, wanted))
    for left, right, equation in [
        ((7,), (7,), "i,i->"), ((3, 7), (7,), "bi,i->b"), ((7,), (7, 5), "i,io->o"), ((3, 7), (7, 5), "bi,io->bo"),
        ((2, 3, 7), (7, 5), "abi,io->abo"), ((7,), (2, 7, 5), "i,bio->bo"), ((2, 1, 3, 7), (2, 1, 7, 5), "abci,abio->abco"),
        ((3, 0), (0, 5), "bi,io->bo"), ((0, 3), (3, 5), "bi,io->bo"), ((1, 1), (1, 1), "bi,io->bo"), ((33, 65), (65, 17), "bi,io->bo"),
    ]:
        a, b = operands("f32", left, right)
        table.add("matmul", [a, b], product(equation, a, b, "f32"), case=f"f32 of shapes {list(left)} and {list(right)}")
    q, k = operands("f32", (2, 5, 3, 4), (2, 7, 3, 4))
    table.add("dot over shared names", [q, k], product("bqhd,bkhd->bhqk", q, k, "f32"))
    a, b = operands("f32", (3, 4, 5), (4, 5, 6))
    table.add("dot two axes", [a, b], product("aij,ijb->ab", a, b, "f32"))
    a, b = operands("f32", (3, 4), (4, 3))
    table.add("dot all axes", [a, b], product("ij,ji->", a, b, "f32"))
    a, b = operands("f32", (4, 3, 5), (5, 2, 4))
    table.add("dot_general 0-2 batch 2-0", [a, b], product("iab,bci->bac", a, b, "f32"))
    a, b = operands("f32", (3,), (2, 4))
    table.add("dot_general outer", [a, b], product("a,bc->abc", a, b, "f32"))
    a, b = operands("f32", (), ())
    table.add("dot_general outer", [a, b], product(",->", a, b, "f32"))
    a, b = operands("f32", (3, 4), (3, 4))
    table.add("dot_general batch all", [a, b], product("ab,ab->ab", a, b, "f32"))
    for precision in ["high", "highest"]:
        a, b = numbers("f32", (4, 130)), numbers("f32", (3, 130), seed="right")
        table.add(f"dot {precision}", [a, b], product("bi,oi->bo", a, b, "f32"))
    a = np.array([[1, np.inf, -2], [np.nan, 0, 1], [0, 0, 0]], np.float32)
    b = np.array([[1, 1, 1], [0, 0.5, 0], [1, -1, 0]], np.float32)
    with np.errstate(invalid="ignore"):
        table.add("dot in", [a, b], (a[:, None, :] * b[None]).sum(-1).astype(DTYPES["f32"]), case="f32 with infinities and NaN")
