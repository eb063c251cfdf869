"""Activation functions."""

import jax
import ml_dtypes
import numpy as np

from reference import DTYPES, numbers, rounded, specials, widened

FUNCTIONS = {
    "relu": jax.nn.relu,
    "leaky_relu": lambda x: jax.nn.leaky_relu(x, 0.1),
    "silu": jax.nn.silu,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": jax.nn.gelu,
}
NORMALISED = {"softmax": jax.nn.softmax, "log_softmax": jax.nn.log_softmax}


def wide(function, x, name):
    """The function in f64, rounded once."""
    return rounded(np.asarray(jax.jit(function)(widened(x))), name)


def fill(table):
    for row, function in FUNCTIONS.items():
        for name in ["f8e4m3fn", "bf16", "f16", "f32", "f64"]:
            x = numbers(name, (3, 33), -5, 5)
            table.add(row, [x], wide(function, x, name))
        x = np.array([0.0, -0.0, 1e-6, -1e-6, 20.0, -20.0, np.nan], np.float32)
        table.add(row, [x], wide(function, x, "f32"))
        for name in ["bf16", "f32", "f64"]:
            most = float(ml_dtypes.finfo(DTYPES[name]).max)
            x = rounded(np.array([1e30, -1e30, most, -most, np.inf, -np.inf]), name)
            table.add(row, [x], wide(function, x, name), case=f"{name} at its limits")
        table.add(row, [np.float32(0.75)], wide(function, np.float32(0.75), "f32"))
        table.add(row, [np.zeros((0, 3), np.float32)], np.zeros((0, 3), np.float32))
    x = specials("f32")
    table.add("relu", [x], np.maximum(x, 0))
    table.add("relu", [numbers("i32", (5,))], np.maximum(numbers("i32", (5,)), 0))
    for row, function in NORMALISED.items():
        for name in ["bf16", "f16", "f32", "f64"]:
            x = numbers(name, (3, 7), -5, 5)
            table.add(f"{row} -1", [x], wide(function, x, name))
        x = np.array([[1000, 999, -1000], [-np.inf, 0, 1], [np.nan, 0, 1], [-1e30, -1e30, 1e30], [np.inf, 0, 1], [-np.inf] * 3], np.float32)
        table.add(f"{row} -1", [x], wide(function, x, "f32"))
        x = numbers("f32", (2, 5, 3), -5, 5)
        table.add(f"{row} 1", [x], wide(lambda v: function(v, axis=1), x, "f32"))
        table.add(f"{row} -1", [np.zeros((3, 1), np.float32)], np.full((3, 1), row == "softmax", np.float32))
        table.add(f"{row} -1", [np.zeros((0, 5), np.float32)], np.zeros((0, 5), np.float32))
        table.add(f"{row} -1", [np.zeros((2, 0), np.float32)], np.zeros((2, 0), np.float32))
