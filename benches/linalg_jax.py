"""Prints the milliseconds of JAX's functions of a 512 x 512 matrix, for benches/linalg.rs: a line for each name that it reads."""

import sys
import time

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np

SIZE = 512
FUNCTIONS = {
    "cholesky": jnp.linalg.cholesky,
    "solve": lambda a: jnp.linalg.solve(a, a[:, :64]),
    "triangular_solve": lambda a: jsl.solve_triangular(a, a, lower=True),
    "qr": lambda a: jnp.linalg.qr(a)[0],
    "svd": lambda a: jnp.linalg.svd(a, full_matrices=False)[0],
    "eigh": lambda a: jnp.linalg.eigh(a)[1],
    "fft": lambda a: jnp.fft.fft(a).real,
}


def measure(function):
    a = np.random.default_rng(1).uniform(-0.5, 0.5, (SIZE, SIZE)).astype(np.float32)
    a = jnp.asarray(np.tril(a) + np.tril(a, -1).T + SIZE * np.eye(SIZE, dtype=np.float32))
    function = jax.jit(function)
    function(a).block_until_ready()
    times = []
    for _ in range(9):
        start = time.perf_counter()
        function(a).block_until_ready()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e3


for line in sys.stdin:
    print(measure(FUNCTIONS[line.strip()]), flush=True)
