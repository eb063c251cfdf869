"""The training step of `hloom-gpu train` and benches/train.rs by JAX and optax, for a model of the sizes that its arguments give.

Reads a request per line, and answers each with a line of JSON. `first`: the first loss, of the weights below. `later`: the
loss after 10 steps. `step`: milliseconds of a step.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

VOCAB, HIDDEN, INNER, LAYERS, HEADS, KV_HEADS, DIM, BATCH, LENGTH = map(int, sys.argv[1:10])


def weights():
    """Values that both programs make: small, and different for each weight."""

    def matrix(index, *shape):
        values = np.arange(np.prod(shape), dtype=np.float64) * 0.7548776662466927 + 0.1 * index
        return jnp.asarray(((values % 1 - 0.5) * 0.08).reshape(shape), jnp.float32)

    sizes = {
        "q": (HEADS * DIM, HIDDEN), "k": (KV_HEADS * DIM, HIDDEN), "v": (KV_HEADS * DIM, HIDDEN), "o": (HIDDEN, HEADS * DIM),
        "gate": (INNER, HIDDEN), "up": (INNER, HIDDEN), "down": (HIDDEN, INNER),
    }
    layer = lambda at: {n: matrix(1 + 7 * at + i, *s) for i, (n, s) in enumerate(sizes.items())} | {
        "norm1": jnp.ones(HIDDEN), "norm2": jnp.ones(HIDDEN)}
    return {"embed": matrix(0, VOCAB, HIDDEN), "layers": [layer(at) for at in range(LAYERS)], "norm": jnp.ones(HIDDEN)}


def rms_norm(x, weight):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * weight


def rope(x, cos, sin):
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def loss(params, tokens, targets):
    frequency = 10000.0 ** (-np.arange(DIM // 2) / (DIM // 2))
    angle = np.arange(LENGTH)[:, None] * frequency
    cos, sin = (jnp.asarray(f(angle), jnp.float32)[:, None] for f in (np.cos, np.sin))
    x = params["embed"][tokens]
    for layer in params["layers"]:
        h = rms_norm(x, layer["norm1"])
        heads = lambda w, n: (h @ w.T).reshape(BATCH, LENGTH, n, DIM)
        q, k = rope(heads(layer["q"], HEADS), cos, sin), rope(heads(layer["k"], KV_HEADS), cos, sin)
        mixed = jax.nn.dot_product_attention(q, k, heads(layer["v"], KV_HEADS), is_causal=True)
        x = x + mixed.reshape(BATCH, LENGTH, -1) @ layer["o"].T
        h = rms_norm(x, layer["norm2"])
        x = x + (jax.nn.silu(h @ layer["gate"].T) * (h @ layer["up"].T)) @ layer["down"].T
    logits = rms_norm(x, params["norm"]) @ params["embed"].T
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


params = weights()
mask = jax.tree.map(lambda w: w.ndim > 1, params)
optimizer = optax.chain(
    optax.clip_by_global_norm(1.0), optax.adamw(1e-3, b1=0.9, b2=0.98, eps=1e-8, weight_decay=0.01, mask=mask))


def update(params, state, tokens, targets):
    value, gradients = jax.value_and_grad(loss)(params, tokens, targets)
    changes, state = optimizer.update(gradients, state, params)
    return optax.apply_updates(params, changes), state, value


state = optimizer.init(params)
tokens = jnp.asarray((np.arange(BATCH * (LENGTH + 1)) * 7919 % VOCAB).reshape(BATCH, LENGTH + 1), jnp.int32)
tokens, targets = tokens[:, :-1], tokens[:, 1:]
step = jax.jit(update, donate_argnums=(0, 1)).lower(params, state, tokens, targets).compile()

losses = []


def answer(name):
    global params, state
    if name == "first" or name == "later":
        while len(losses) < (1 if name == "first" else 11):
            params, state, value = step(params, state, tokens, targets)
            losses.append(float(value))
        return {name: losses[-1]}
    start = time.perf_counter()
    params, state, value = step(params, state, tokens, targets)
    jax.block_until_ready((params, state, value))
    return {"ms": 1e3 * (time.perf_counter() - start)}


if __name__ == "__main__":
    for line in sys.stdin:
        try:
            print(json.dumps(answer(line.strip())), flush=True)
        except Exception as error:
            print(json.dumps({"error": str(error)}), flush=True)
