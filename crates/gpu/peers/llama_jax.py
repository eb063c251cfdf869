"""The model of crates/gpu/src/llama in JAX: the same function of the same weights.

Arguments: the text of config.json, and the numbers of positions, of prompt tokens, of steps and of texts.
Reads a request per line, and answers each with one line of JSON:

`compile`: seconds to compile prefill and decode, and seconds to make the weights.
`logits FILE`: writes the logits after the prompt, f32, and after the last step that follows the
    given tokens; the tokens are those of a line of JSON in FILE.
`prefill COUNT`: the median of so many measurements of the seconds until the token after the prompt
    is known, and all of them.
`decode COUNT`: the same for the steps, waiting once at the end.
`decode_read COUNT`: the same, reading each token.
`memory`: temporary bytes of both programs.
`exit`: ends the process.
"""

import json
import math
import sys
import time
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

CONFIG = json.loads(sys.argv[1])
POSITIONS, PROMPT, STEPS, BATCH = map(int, sys.argv[2:6])
TEXTS = () if BATCH == 1 else (BATCH,)
HIDDEN, INNER = CONFIG["hidden_size"], CONFIG["intermediate_size"]
VOCAB, LAYERS = CONFIG["vocab_size"], CONFIG["num_hidden_layers"]
HEADS, KV_HEADS = CONFIG["num_attention_heads"], CONFIG["num_key_value_heads"]
DIM, GROUPS = HIDDEN // HEADS, HEADS // KV_HEADS
EPSILON = CONFIG["rms_norm_eps"]
SMALLEST, MOST_NEGATIVE = 1e-30, float(np.finfo(np.float32).min)


# Weights


def fill(seed, scale, offset, *, shape):
    """`offset + (h - 127.5) * scale` for 8 bits `h` of a hash of the index and the seed."""
    word = jnp.uint32
    index = lax.iota(jnp.uint32, math.prod(shape))
    value = index + seed * word(0x9E3779B9)
    for shift, factor in (16, 0x7FEB352D), (15, 0x846CA68B):
        value = (value ^ lax.shift_right_logical(value, word(shift))) * word(factor)
    bits = lax.shift_right_logical(value, word(24)).astype(jnp.float32)
    return ((bits - 127.5) * scale + offset).astype(jnp.bfloat16).reshape(shape)


def make_weights():
    """In the order of the leaves of the model's tree, which numbers the seeds."""
    fill_jit = jax.jit(fill, static_argnames="shape")
    count = 0

    def tensor(*shape, embedding=False):
        nonlocal count
        if len(shape) == 1:
            scale, offset = 1 / 1024, 1.0
        else:
            scale, offset = math.sqrt(3 / (1 if embedding else shape[1])) / 128, 0.0
        result = fill_jit(np.uint32(count), np.float32(scale), np.float32(offset), shape=shape)
        count += 1
        return result

    def layer():
        return {
            "norm1": tensor(HIDDEN),
            "q": tensor(HEADS * DIM, HIDDEN),
            "k": tensor(KV_HEADS * DIM, HIDDEN),
            "v": tensor(KV_HEADS * DIM, HIDDEN),
            "o": tensor(HIDDEN, HEADS * DIM),
            "norm2": tensor(HIDDEN),
            "gate": tensor(INNER, HIDDEN),
            "up": tensor(INNER, HIDDEN),
            "down": tensor(HIDDEN, INNER),
        }

    weights = {"embed": tensor(VOCAB, HIDDEN, embedding=True)}
    weights["layers"] = [layer() for _ in range(LAYERS)]
    weights["norm"] = tensor(HIDDEN)
    weights["head"] = tensor(VOCAB, HIDDEN)
    frequency = CONFIG["rope_theta"] ** (-2.0 * np.arange(DIM // 2) / DIM)
    angle = np.arange(POSITIONS)[:, None] * frequency
    weights["cos"] = jnp.asarray(np.cos(angle), jnp.float32)
    weights["sin"] = jnp.asarray(np.sin(angle), jnp.float32)
    return weights


def make_cache():
    zeros = lambda: jnp.zeros((*TEXTS, KV_HEADS, POSITIONS, DIM), jnp.bfloat16)
    return [(zeros(), zeros()) for _ in range(LAYERS)]


# The model: norms, softmax and residuals in f32, products of bf16 with sums in f32


def product(axes, x, weight):
    """Multiplied in the weight's type, with sums in f32."""
    x = x.astype(weight.dtype)
    if jax.default_backend() == "cpu":
        # XLA's CPU compiler lacks small products of bf16 with results in f32.
        x, weight = x.astype(jnp.float32), weight.astype(jnp.float32)
    return jnp.einsum(axes, x, weight, preferred_element_type=jnp.float32)


def linear(x, weight):
    """`x`, f32[.., seq, in], times a transposed weight, bf16[out, in]: f32[.., seq, out]."""
    return product("...si,oi->...so", x, weight)


def rms_norm(x, weight):
    scale = lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + EPSILON)
    return x * scale * weight.astype(jnp.float32)


def rotate(x, cos, sin):
    """`x`: f32[.., heads, dim]; `cos` and `sin`: f32[seq, 1.., dim / 2]."""
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def attend(query, key, value, mask):
    """`query`: f32[.., seq, kv, group, dim]; `key` and `value`: bf16[.., kv, position, dim]."""
    scores = product("...skgd,...kpd->...ksgp", query * (1 / math.sqrt(DIM)), key)
    scores = jnp.where(mask[:, None, :], scores, -jnp.inf)
    most = jnp.maximum(scores.max(axis=-1, keepdims=True), MOST_NEGATIVE)
    weights = jnp.exp(scores - most)
    weights = weights / jnp.maximum(weights.sum(axis=-1, keepdims=True), SMALLEST)
    return product("...ksgp,...kpd->...ksgd", weights, value).swapaxes(-4, -3)


def layer(weights, x, cache, start, mask, cos, sin):
    shape = x.shape[:-1]
    h = rms_norm(x, weights["norm1"])
    query = linear(h, weights["q"]).reshape(*shape, KV_HEADS, GROUPS, DIM)
    key = linear(h, weights["k"]).reshape(*shape, KV_HEADS, DIM)
    value = linear(h, weights["v"]).reshape(*shape, KV_HEADS, DIM)
    angles = lambda *axes: (jnp.expand_dims(cos, axes), jnp.expand_dims(sin, axes))
    key, query = rotate(key, *angles(1)), rotate(query, *angles(1, 2))

    def write(old, new):
        at = (0,) * (old.ndim - 2) + (start, 0)
        return lax.dynamic_update_slice(old, new.astype(old.dtype).swapaxes(-3, -2), at)

    cache = (write(cache[0], key), write(cache[1], value))
    mixed = attend(query, *cache, mask)
    x = x + linear(mixed.reshape(*shape, HEADS * DIM), weights["o"])
    h = rms_norm(x, weights["norm2"])
    return x + linear(jax.nn.silu(linear(h, weights["gate"])) * linear(h, weights["up"]), weights["down"]), cache


def prefill(weights, cache, tokens, start):
    """`tokens`: i32[.., seq]. A batch is a leading axis: `jax.vmap` would scatter into the cache."""
    count = tokens.shape[-1]
    cos, sin = (lax.dynamic_slice_in_dim(weights[name], start, count) for name in ("cos", "sin"))
    mask = (jnp.arange(count) + start)[:, None] >= jnp.arange(POSITIONS)[None, :]
    x = weights["embed"][tokens].astype(jnp.float32)
    new_cache = []
    for own, old in zip(weights["layers"], cache):
        x, new = layer(own, x, old, start, mask, cos, sin)
        new_cache.append(new)
    x = rms_norm(x, weights["norm"])
    logits = linear(x[..., -1:, :], weights["head"])[..., 0, :]
    return new_cache, jnp.argmax(logits, axis=-1).astype(jnp.int32), start + count, logits


def decode(weights, cache, token, position):
    return prefill(weights, cache, token[..., None], position)


prefill_jit = jax.jit(prefill, donate_argnums=1)
decode_jit = jax.jit(decode, donate_argnums=1)


def specs():
    """The arguments as shapes, so that tracing does not wait for the weights."""
    weights = jax.eval_shape(make_weights)
    cache = jax.eval_shape(make_cache)
    integers = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)
    return weights, cache, integers(*TEXTS, PROMPT), integers(*TEXTS), integers()


class Model:
    """The compiled programs and what they work on."""

    def __init__(self):
        weights, cache, tokens, token, position = specs()
        self.lowered = [
            prefill_jit.lower(weights, cache, tokens, position),
            decode_jit.lower(weights, cache, token, position),
        ]

    def compile(self):
        started = time.perf_counter()
        self.prefill, self.decode = (lowered.compile() for lowered in self.lowered)
        compiled = time.perf_counter()
        self.weights, self.cache = jax.block_until_ready((make_weights(), make_cache()))
        tokens = np.arange(PROMPT) * 7919 + 31 * np.arange(BATCH)[:, None] + 1
        self.tokens = jnp.asarray((tokens % VOCAB).reshape(*TEXTS, PROMPT), jnp.int32)
        self.start = jnp.asarray(0, jnp.int32)
        self.run_prefill()
        return {"seconds": compiled - started, "weights": time.perf_counter() - compiled}

    def run_prefill(self):
        started = time.perf_counter()
        self.cache, *self.first, self.logits = self.prefill(self.weights, self.cache, self.tokens, self.start)
        np.asarray(self.first[0])
        return time.perf_counter() - started

    def run_decode(self, read):
        token, position = self.first
        started = time.perf_counter()
        for _ in range(STEPS):
            self.cache, token, position, _ = self.decode(self.weights, self.cache, token, position)
            if read:
                np.asarray(token)
        token.block_until_ready()
        return time.perf_counter() - started

    def write_logits(self, path):
        """The steps follow the other program's tokens: one token that differs would change all later logits."""
        with open(path) as file:
            tokens = json.load(file)
        self.run_prefill()
        first, (own, position) = np.asarray(self.logits), self.first
        same = np.asarray(own).ravel().tolist() == tokens[0]
        for token in tokens[:-1]:
            self.cache, own, position, logits = self.decode(
                self.weights, self.cache, jnp.asarray(token, jnp.int32).reshape(TEXTS), position)
        with open(path, "wb") as file:
            file.write(first.astype("<f4").tobytes() + np.asarray(logits).astype("<f4").tobytes())
        return {"first_is_same": same, "last_is_same": np.asarray(own).ravel().tolist() == tokens[-1]}

    def memory(self):
        sizes = [program.memory_analysis().temp_size_in_bytes for program in (self.prefill, self.decode)]
        return {"prefill": sizes[0], "decode": sizes[1]}


def repeated(measure, count):
    times = [measure() for _ in range(int(count))]
    return {"seconds": sorted(times)[len(times) // 2], "all": times}


def answer(model, name, *arguments):
    match name:
        case "compile":
            return model.compile()
        case "logits":
            return model.write_logits(*arguments)
        case "prefill":
            return repeated(model.run_prefill, *arguments)
        case "decode":
            return repeated(lambda: model.run_decode(read=False), *arguments)
        case "decode_read":
            return repeated(lambda: model.run_decode(read=True), *arguments)
        case "memory":
            return model.memory()
    return {"error": f"unknown request {name}"}


def main():
    model, failure = None, None
    try:
        model = Model()
    except Exception:
        failure = traceback.format_exc()
    for line in sys.stdin:
        words = line.split()
        if words == ["exit"]:
            return
        if failure is None:
            try:
                result = answer(model, *words)
            except Exception:
                result = {"error": traceback.format_exc()}
        else:
            result = {"error": failure}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
