"""Prints the milliseconds of JAX's draws of a million numbers, for benches/random.rs: to compile, and to run.

Reads the name of a draw per line, and answers each, so that both programs alternate.
"""

import sys
import time

import jax
import jax.numpy as jnp

COUNT = 1_000_000
DRAWS = {
    "bits": lambda key: jax.random.bits(key, (COUNT,), jnp.uint32),
    "uniform": lambda key: jax.random.uniform(key, (COUNT,)),
    "normal": lambda key: jax.random.normal(key, (COUNT,)),
    "gumbel": lambda key: jax.random.gumbel(key, (COUNT,)),
    "randint": lambda key: jax.random.randint(key, (COUNT,), 0, 1000),
    "permutation": lambda key: jax.random.permutation(key, COUNT),
    "gamma": lambda key: jax.random.gamma(key, 2.5, (COUNT,)),
}

for line in sys.stdin:
    draw = jax.jit(DRAWS[line.strip()])
    key = jax.random.key(7)
    start = time.perf_counter()
    draw.lower(key).compile()
    compiled = time.perf_counter() - start
    draw(key).block_until_ready()
    times = []
    for _ in range(7):
        start = time.perf_counter()
        draw(key).block_until_ready()
        times.append(time.perf_counter() - start)
    print(compiled * 1e3, sorted(times)[3] * 1e3, flush=True)
