"""Prints the milliseconds of JAX's ops, for benches/ops.rs. Reads a name per line, and answers each."""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SIZE = 1024


def norm(x, v):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * v + v


OPS = {
    "add": lambda a: a["x"] + a["y"],
    "broadcast_add": lambda a: a["x"] + a["v"],
    "mul_add": lambda a: a["x"] * a["y"] + a["v"],
    "exp": lambda a: jnp.exp(a["x"]),
    "tanh": lambda a: jnp.tanh(a["x"]),
    "sigmoid": lambda a: jax.nn.sigmoid(a["x"]),
    "gelu": lambda a: jax.nn.gelu(a["x"], approximate=False),
    "rsqrt": lambda a: lax.rsqrt(jnp.abs(a["x"])),
    "select": lambda a: jnp.where(a["x"] > 0, a["x"], a["y"]),
    "clamp": lambda a: jnp.clip(a["x"], -0.5, 0.5),
    "convert": lambda a: a["x"].astype(jnp.bfloat16),
    "transpose": lambda a: a["x"].T,
    "concatenate": lambda a: jnp.concatenate([a["x"], a["y"]]),
    "slice": lambda a: a["x"][:, 256:768],
    "pad": lambda a: jnp.pad(a["x"], ((0, 0), (3, 5))),
    "sum": lambda a: a["x"].sum(1),
    "max": lambda a: a["x"].max(0),
    "argmax": lambda a: jnp.argmax(a["x"], 1),
    "var": lambda a: jnp.var(a["x"], 1),
    "softmax": lambda a: jax.nn.softmax(a["x"]),
    "layer_norm": lambda a: norm(a["x"], a["v"]),
    "cumsum": lambda a: jnp.cumsum(a["x"], 1),
    "sort": lambda a: jnp.sort(a["x"], 1),
    "top_k": lambda a: lax.top_k(a["x"], 8)[0],
    "take": lambda a: jnp.take(a["x"], a["at"], 0),
    "index_add": lambda a: a["x"].at[a["at"]].add(a["y"][:512]),
    "dot": lambda a: a["x"] @ a["y"].T,
    "batched_dot": lambda a: jnp.einsum("bqi,bki->bqk", a["heads"], a["heads"]),
    "conv2d": lambda a: lax.conv(a["image"], a["kernel"], (1, 1), "SAME"),
    "max_pool": lambda a: lax.reduce_window(a["image"], -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1))),
}


def numbers(*sizes):
    return jnp.asarray(np.random.default_rng(int(np.prod(sizes))).uniform(-1, 1, sizes).astype(np.float32))


arguments = {
    "x": numbers(SIZE, SIZE),
    "y": numbers(SIZE, SIZE),
    "v": numbers(SIZE),
    "heads": numbers(8, 128, 64),
    "image": numbers(4, 16, 64, 64),
    "kernel": numbers(32, 16, 3, 3),
    "at": jnp.asarray(np.arange(512, dtype=np.int32) * 37 % SIZE),
}
for line in sys.stdin:
    op = jax.jit(OPS[line.strip()])
    op(arguments).block_until_ready()
    times = []
    for _ in range(30):
        start = time.perf_counter()
        op(arguments).block_until_ready()
        times.append(time.perf_counter() - start)
    print(min(sorted(times[:15])[7], sorted(times[15:])[7]) * 1e3, flush=True)
