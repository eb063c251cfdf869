"""Broadcasting: by position, by name, and of elementwise operands."""

import numpy as np

from reference import SOME, numbers

TARGET = (2, 3, 4)


def fill(table):
    for name in SOME:
        x = numbers(name, (3, 1))
        table.add("broadcast_to 2 3 4", [x], np.broadcast_to(x, TARGET))
    for shape in [(), (1,), (4,), (3, 4), (1, 1, 1), (2, 1, 4), TARGET]:
        x = numbers("f32", shape)
        table.add("broadcast_to 2 3 4", [x], np.broadcast_to(x, TARGET), case=f"f32 of shape {list(shape)}")
    for shape in [(1,), (0,), (3, 0), (3, 1)]:
        x = numbers("i32", shape)
        table.add("broadcast_to 3 0", [x], np.zeros((3, 0), np.int32))
    x = numbers("f32", (2, 1, 3))
    table.add("broadcast_to 6 axes", [x], np.broadcast_to(x, (1, 2, 1, 2, 5, 3)))

    # Named: x is [batch, in] or as in the row's name.
    a, b = numbers("f32", (3, 5)), numbers("f32", (5,), seed="right")
    table.add("[a b] + [b]", [a, b], a + b)
    table.add("[b] + [a b]", [b, a], a + b)
    table.add("[a b] - [a]", [a.T.copy(), b], a.T - b[:, None])
    c = numbers("f32", (5, 3), seed="swapped")
    table.add("[a b] - [b a]", [a, c], a - c.T)
    d = numbers("f32", (4,), seed="outer")
    table.add("[a] * [b]", [d, b], d[:, None] * b)
    e = numbers("f32", (5, 2, 3), seed="three")
    table.add("[a b] - [b c a]", [a, e], a.T[:, None, :] - e)
    table.add("[c a] to [a b c]", [numbers("i32", (4, 2))], np.broadcast_to(numbers("i32", (4, 2)).T[:, None, :], (2, 3, 4)))

    # By position, as in NumPy.
    shapes = [((), (3,)), ((3,), ()), ((2, 1, 4), (3, 1)), ((1,), (0,)), ((5, 1), (1, 7)), ((2, 1, 1, 3, 1, 2), (4, 1, 1, 2)), ((1, 1), (1,))]
    for left, right in shapes:
        x, y = numbers("f32", left), numbers("f32", right, seed="right")
        table.add("x - y", [x, y], x - y)
    x, y = numbers("bool", (3, 1)), numbers("bool", (4,))
    table.add("x & y", [x, y], x & y)
