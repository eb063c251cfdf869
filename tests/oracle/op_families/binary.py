"""Elementwise functions of two and three operands, comparisons among them."""

import jax.numpy as jnp
import numpy as np

from reference import COMPLEX, INTS, WIDE_FLOATS, bits, integers, is_complex, limits, numbers, rounded, specials, widened

SOME_FLOATS = [*WIDE_FLOATS, "f8e4m3fn", "f8e5m2", "f4e2m1fn"]
SOME_INTS = ["i2", "i4", "i8", "i32", "i64", "u2", "u4", "u8", "u16", "u32", "u64"]


def pairs(name):
    """Every pair of edges as a column and a row, which broadcast; some of them where there are very many."""
    edges = specials(name)
    if len(edges) > 24 and not is_complex(name):
        edges = edges[:: len(edges) // 20]
    return edges[:, None], edges[None, :]


def divisible(name):
    """As `pairs`; without divisors of 0 for the type that has no NaN."""
    a, b = pairs(name)
    return (a, b[widened(b) != 0][None, :]) if name == "f4e2m1fn" else (a, b)


def wide(function, name, *operands):
    """The function in f64 or c128, rounded once."""
    with np.errstate(all="ignore"):
        return rounded(np.asarray(function(*map(widened, operands))), name)


def whole(function, name, a, b):
    """The function of Python integers, the lowest bits kept."""
    a, b = np.broadcast_arrays(a, b)
    return integers(np.array([function(int(x), int(y)) for x, y in zip(a.flat, b.flat)], object).reshape(a.shape), name)


def quotient(name):
    """Towards zero; by zero all bits are one, as in XLA; the lowest by -1 is itself."""
    return lambda a, b: -1 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    """With the sign of the dividend; by zero it is the dividend."""
    return a if b == 0 else (abs(a) % abs(b)) * (-1 if a < 0 else 1)


def arithmetic(table):
    for name in SOME_INTS:
        a, b = pairs(name)
        width = bits(name)
        for row, function in {
            "add": lambda x, y: x + y,
            "sub": lambda x, y: x - y,
            "mul": lambda x, y: x * y,
            "div": quotient(name),
            "rem": remainder,
            "maximum": max,
            "minimum": min,
            "and": lambda x, y: x & y,
            "or": lambda x, y: x | y,
            "xor": lambda x, y: x ^ y,
            "shift_left": lambda x, y: 0 if not 0 <= y < width else x << y,
            "shift_right_arithmetic": lambda x, y: (-1 if signed(x, width) < 0 else 0) if not 0 <= y < width else signed(x, width) >> y,
            "shift_right_logical": lambda x, y: 0 if not 0 <= y < width else (x & ((1 << width) - 1)) >> y,
        }.items():
            table.add(row, [a, b], whole(function, name, a, b))
    for name in SOME_FLOATS + COMPLEX:
        a, b = divisible(name)
        exact = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y}
        if not is_complex(name):
            exact |= {"mul": lambda x, y: x * y, "div": lambda x, y: x / y, "maximum": np.maximum, "minimum": np.minimum}
        for row, function in exact.items():
            table.add(row, [a, b], wide(function, name, a, b))
    for name in SOME_FLOATS:
        a, b = divisible(name)
        if name in ["f32", "f64"]:
            # The remainder of numbers of very different magnitude is not exact on any platform.
            a, b = numbers(name, (9, 1), -9, 9), numbers(name, (1, 8), 0.5, 4)
        table.add("rem", [a, b], wide(np.fmod, name, a, b))
        x, y = numbers(name, (5, 7), 0.2, 5), numbers(name, (5, 7), -3, 3)
        table.add("pow", [x, y], wide(np.power, name, x, y))
        table.add("atan2", [y, x], wide(np.arctan2, name, y, x))
        table.add("atan2", [x, y], wide(np.arctan2, name, x, y), case=f"{name} in all quadrants")
    for name in WIDE_FLOATS:
        x, y = pairs(name)
        table.add("next_after", [x, y], np.nextafter(x, y))
        x, y = numbers(name, (5, 7), -3, 3), numbers(name, (5, 7), -3, 3, seed="right")
        table.add("next_after", [x, y], np.nextafter(x, y), case=f"{name} in both directions")
    for name in COMPLEX:
        x, y = numbers(name, (3, 5), 0.3, 3), numbers(name, (3, 5), 0.3, 2, seed="right")
        for row, function in {"mul": lambda a, b: a * b, "div": lambda a, b: a / b, "pow": lambda a, b: np.exp(b * np.log(a))}.items():
            table.add(row, [x, y], wide(function, name, x, y))
    truth = np.array([[True], [False]]), np.array([[True, False]])
    for row, function in {"add": np.logical_or, "mul": np.logical_and, "maximum": np.logical_or, "minimum": np.logical_and,
                          "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.items():
        table.add(row, truth, function(*truth))
    for name, result in [("f32", "c64"), ("f64", "c128")]:
        x, y = specials(name), specials(name)[::-1]
        parts = np.stack([x, y], -1).copy().view(np.complex64 if name == "f32" else np.complex128)[..., 0]
        table.add("complex", [x, y], parts)


def integer_power(name):
    """All bits of the exponent count, as in NumPy; a negative one divides 1 by the power, towards zero, and 0 has no inverse."""

    def power(x, y):
        if y < 0:
            return 0 if abs(x) != 1 else x if y % 2 else 1
        return pow(x, y, 1 << bits(name))

    return power


def powers(table):
    for name in INTS:
        lowest, highest = limits(name)
        near = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7]
        bases = [v for v in [*near, lowest, lowest + 1, highest - 1, highest] if lowest <= v <= highest]
        far = [8, 13, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129, 200, 255, 256, 1000, highest // 2, highest - 1, highest]
        exponents = [v for v in [*near, *far, lowest, lowest + 1, highest // 2 + 1] if lowest <= v <= highest]
        base, exponent = integers([[v] for v in sorted(set(bases))], name), integers([sorted(set(exponents))], name)
        power = integer_power(name)
        table.add("pow", [base, exponent], whole(power, name, base, exponent))
        table.add("x.pow(x)", [base], whole(power, name, base, base))
        for known in [0, 1, 13, 100, 255]:
            if known <= highest:
                table.add(f"x.pow({known})", [base], whole(power, name, base, np.full_like(base, known)))
        if name[0] == "i":
            table.add("x.pow(-1)", [base], whole(power, name, base, np.full_like(base, -1)))
    table.add("pow", [np.zeros((0, 3), np.int32), np.int32([2, -1, 3])], np.zeros((0, 3), np.int32))
    table.add("pow", [np.int64(-3), np.int64(65)], whole(integer_power("i64"), "i64", np.int64(-3), np.int64(65)))
    base, exponent = np.int64([3, 3, -1, 2, -1, 1, 7]), np.int64([64, 1 << 40, (1 << 62) + 1, 64, -3, -9, -1])
    table.add("known powers", [], whole(integer_power("i64"), "i64", base, exponent))
    base, exponent = np.uint64([3, 255, 2]), np.uint64([(1 << 64) - 1, 1 << 63, 1 << 63])
    table.add("known unsigned powers", [], whole(integer_power("u64"), "u64", base, exponent))


def truths(table):
    """`bool` has "or" for addition and "and" for multiplication, as in NumPy and JAX."""
    a, b = np.array([[False, False, True, True]]).T, np.array([[False, True, False, True]])
    functions = {
        "add": np.add,
        "mul": np.multiply,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "and": np.logical_and,
        "or": np.logical_or,
        "xor": np.logical_xor,
    }
    for row, function in functions.items():
        table.add(row, [a, b], function(a, b))
        assert np.array_equal(function(a, b), np.asarray(getattr(jnp, function.__name__)(a, b)))
    table.add("known truths", [], [np.broadcast_to(function(a, b), (4, 4)) for function in functions.values()])
    a, b = a[:, 0], b[0]
    table.add("truths in a loop", [], [a + b, a * b])


def signed(x, width):
    """The same bits as a signed integer."""
    return x - (1 << width) if x >> (width - 1) == 1 else x


def comparisons(table):
    order = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
    for name in ["bool", "i4", "u4", "i32", "u32", "i64", "u64", "f8e4m3fn", "f8e5m2", *WIDE_FLOATS]:
        a, b = pairs(name)
        for row, function in order.items():
            wide_a, wide_b = (a, b) if name in ["bool", *INTS] else (widened(a), widened(b))
            table.add(row, [a, b], function(wide_a, wide_b))
    for name in COMPLEX:
        a, b = pairs(name)
        table.add("eq", [a, b], a == b)
        table.add("ne", [a, b], a != b)


def choices(table):
    for name in ["bool", *SOME_INTS, *SOME_FLOATS, *COMPLEX]:
        a, b = numbers(name, (3, 5)), numbers(name, (3, 5), seed="right")
        where = numbers("bool", (3, 5))
        table.add("select", [where, a, b], np.where(where, a, b))
        if not is_complex(name):
            low, high = rounded(np.array([[-1], [0], [0]]), name), rounded(np.array([1, 1, 2, 3, 1]), name)
            if name == "bool":
                low, high = np.array([[False], [False], [True]]), np.array([True] * 5)
            if name[0] == "u":
                low = rounded(np.array([[1], [0], [0]]), name)
            wide_a, wide_low, wide_high = (x.astype(np.float64) for x in (a, low, high))
            table.add("clamp", [a, low, high], rounded(np.minimum(np.maximum(wide_a, wide_low), wide_high), name))
    x = specials("f32")
    table.add("clamp", [x, np.float32(-2), np.float32(2)], np.clip(x, -2, 2))
    where, a, b = numbers("bool", (3, 1)), numbers("f32", (4,)), np.float32(7)
    table.add("select", [where, a, b], np.where(where, a, b))
    table.add("select", [np.bool_(True), a, b], np.broadcast_to(a, (4,)))
    table.add("select", [np.zeros((0, 4), np.bool_), a, b], np.zeros((0, 4), np.float32))


def rust_numbers(table):
    for name in ["i32", "u8", "i4", "f32", "bf16", "f8e4m3fn", "f64", "c64"]:
        x = numbers(name, (7,), 1, 4)
        wide_x = widened(x)
        for row, y in {"x + 2": wide_x + 2, "5 - x": 5 - wide_x, "2 * x": 2 * wide_x, "x.maximum(2)": None}.items():
            if y is None and is_complex(name):
                continue
            table.add(row, [x], rounded(np.maximum(wide_x, 2) if y is None else y, name))
    for name in ["f32", "bf16", "f8e5m2", "f64", "c128"]:
        x = numbers(name, (7,))
        table.add("x * 0.5", [x], rounded(widened(x) * 0.5, name))
        table.add("1.0 over x", [x], rounded(1 / widened(x), name))
    x = numbers("i32", (7,), -9, 9)
    table.add("x % 4 == 1", [x], np.fmod(x, 4) == 1)
    truth = np.array([True, False])
    table.add("x & true", [truth], truth)


def fill(table):
    arithmetic(table)
    powers(table)
    truths(table)
    comparisons(table)
    choices(table)
    rust_numbers(table)
