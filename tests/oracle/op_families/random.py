"""Random numbers: JAX's bits of the same generator and state, and the numbers by the documented formulas."""

import numpy as np
from jax import lax

from reference import DTYPES

STATES = [np.array([0, 0], np.uint64), np.array([42, 0], np.uint64), np.array([2**64 - 1, 2**63 + 5], np.uint64)]
THREEFRY = lax.RandomAlgorithm.RNG_THREE_FRY


def bits(state, shape, name="u32"):
    state, values = lax.rng_bit_generator(state, shape, DTYPES[name], THREEFRY)
    return np.asarray(state), np.asarray(values)


def uniform(state, shape):
    state, values = bits(state, shape)
    return state, (values >> 8).astype(np.float64) / 2**24


def fill(table):
    for state in STATES:
        for name in ["u8", "u16", "u32", "u64"]:
            table.add(f"bits {name}", [state], bits(state, (5, 7), name), case=f"state {state[0]} {state[1]}")
    state = STATES[1]
    table.add("bits scalar", [state], bits(state, ()))
    table.add("bits none", [state], bits(state, (0, 3)))
    table.add("seed 42", [], list(bits(state, (4,))))
    after, values = uniform(state, (5, 7))
    table.add("uniform", [state], [after, values.astype(np.float32)])
    table.add("gumbel", [state], [after, (-np.log(-np.log(values + 2.0**-25))).astype(np.float32)])
    next_state, radius = uniform(state, (5, 7))
    after, angle = uniform(next_state, (5, 7))
    table.add("normal", [state], [after, (np.sqrt(-2 * np.log1p(-radius)) * np.cos(2 * np.pi * angle)).astype(np.float32)])
