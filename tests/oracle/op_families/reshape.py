"""Reshapes, transposes and reversals."""

import numpy as np

from reference import SOME, numbers


def fill(table):
    for name in SOME:
        x = numbers(name, (2, 6, 5))
        table.add("reshape 4 15", [x], x.reshape(4, 15))
        table.add("transpose 2 0 1", [x], x.transpose(2, 0, 1))
        table.add("reverse 0 -1", [x], x[::-1, :, ::-1])
        table.add("unflatten middle", [x], x.reshape(2, 2, 3, 5))
    x = numbers("f32", (2, 6, 5))
    table.add("merge first two", [x], x.reshape(12, 5))
    table.add("merge all", [x], x.reshape(60))
    table.add("merge one", [x], x)
    table.add("swap_axes 0 -1", [x], x.swapaxes(0, 2))
    table.add("transpose by name", [x], x.transpose(1, 2, 0))
    table.add("unflatten then transpose", [x], x.reshape(2, 3, 2, 5).transpose(0, 2, 1, 3))
    table.add("reverse nothing", [x], x)
    table.add("insert_axis 0", [x], x[None])
    table.add("insert_axis 1", [x], x[:, None])
    table.add("insert_axis -1", [x], x[..., None])
    table.add("insert_axis -1", [np.float32(3)], np.array([3], np.float32))
    table.add("squeeze 0 2", [x.reshape(1, 12, 1, 5)], x.reshape(12, 5))
    one = numbers("f32", (1, 1))
    table.add("squeeze all", [one], one.reshape(()))
    table.add("squeeze all", [one.reshape(())], one.reshape(()))
    table.add("reshape scalar", [one], one.reshape(()))
    table.add("reshape scalar", [one.reshape(1, 1, 1, 1, 1, 1)], one.reshape(()))
    none = np.zeros((3, 0, 2), np.float32)
    table.add("reshape 0 7", [none], np.zeros((0, 7), np.float32))
    table.add("transpose 2 0 1", [none], none.transpose(2, 0, 1))
    table.add("reverse 0 -1", [none], none)
    table.add("unflatten empty", [none], np.zeros((3, 0, 4, 2), np.float32))
    six = numbers("f32", (2, 1, 3, 2, 1, 2))
    table.add("transpose 6 axes", [six], six.transpose(5, 3, 1, 0, 2, 4))
    table.add("reverse 0 -1", [six], six[::-1, ..., ::-1])
