"""Prints the milliseconds of JAX's and NumPy's products `[rows, k]` by `[n, k]`, for
benches/kernels.rs.

Reads `dtype:rows:n:k` per line, and answers each with two numbers: the second is `nan` where NumPy
has no product of such elements by OpenBLAS.
"""

import functools
import itertools
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np


TURNS = itertools.count()


def seconds(run):
    turn = next(TURNS)
    start = time.perf_counter()
    run(turn)
    return time.perf_counter() - start


def median(run):
    # As the bench does: a processor that was idle is slow for its first milliseconds.
    warm = 0.0
    while warm < 0.005:
        warm += seconds(run)
    times = [seconds(run) for _ in range(5)]
    return sorted(times)[len(times) // 2] * 1e3


@functools.lru_cache(maxsize=1)
def products(dtype, rows, n, k):
    """A call of each product, with one of the weights."""
    size = n * k * dtype.itemsize
    # As in the bench: as many different weights as it takes for none to be in a cache.
    copies = min(max((512 << 20) // size, 1), 64) if rows <= 128 else 1
    x = jnp.full((rows, k), 0.0115, dtype)
    weights = [jnp.full((n, k), 0.0115, dtype) for _ in range(copies)]
    product = jax.jit(lambda x, w: jax.lax.dot_general(x, w, (((1,), (1,)), ((), ()))))
    by_jax = lambda turn: product(x, weights[turn % copies]).block_until_ready()
    by_jax(0)
    if dtype != jnp.float32:
        return by_jax, None
    array, arrays = np.array(x), [np.array(weight) for weight in weights]
    by_numpy = lambda turn: array @ arrays[turn % copies].T
    by_numpy(0)
    return by_jax, by_numpy


TYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}
for line in sys.stdin:
    dtype, *sizes = line.strip().split(":")
    calls = products(jnp.dtype(TYPES[dtype]), *map(int, sizes))
    times = [median(call) if call else math.nan for call in calls]
    # OpenBLAS's threads spin for a while, which would disturb what is measured next.
    time.sleep(0.1)
    print(*times, flush=True)
