"""Prints the milliseconds of JAX's and NumPy's products `[rows, k]` by `[n, k]`, for
benches/kernels.rs.

Each argument is `dtype:rows:n:k`; a line of two numbers comes back for each, the second `-` where
NumPy has no product of such elements by OpenBLAS.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np


def median(run):
    times = []
    for turn in range(5):
        start = time.perf_counter()
        run(turn)
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e3


def measure(dtype, rows, n, k):
    size = n * k * dtype.itemsize
    # As the bench has it: so many weights in turn that none is still in a cache.
    copies = min(max((512 << 20) // size, 1), 64) if rows <= 128 else 1
    x = jnp.full((rows, k), 0.0115, dtype)
    weights = [jnp.full((n, k), 0.0115, dtype) for _ in range(copies)]
    product = jax.jit(lambda x, w: jax.lax.dot_general(x, w, (((1,), (1,)), ((), ()))))
    product(x, weights[0]).block_until_ready()
    by_jax = median(lambda turn: product(x, weights[(turn + 1) % copies]).block_until_ready())
    if dtype != jnp.float32:
        return by_jax, "-"
    x, weights = np.array(x), [np.array(weight) for weight in weights]
    x @ weights[0].T
    return by_jax, median(lambda turn: x @ weights[(turn + 1) % copies].T)


TYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}
for argument in sys.argv[1:]:
    dtype, *sizes = argument.split(":")
    print(*measure(jnp.dtype(TYPES[dtype]), *map(int, sizes)), flush=True)
