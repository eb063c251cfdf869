"""`jax.jit` of the same model, as one writes it: a static cache that is donated, unrolled layers, greedy."""

import json
import struct
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import peer

STORED = {"F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16}


def weights(folder):
    found = {}
    for file in sorted(Path(folder).glob("*.safetensors")):
        data = np.memmap(file, np.uint8, "r")
        (size,) = struct.unpack("<Q", data[:8].tobytes())
        for name, entry in json.loads(data[8:8 + size].tobytes()).items():
            if name != "__metadata__":
                start, end = entry["data_offsets"]
                values = data[8 + size + start:8 + size + end].view(STORED[entry["dtype"]])
                found[name] = jnp.asarray(values.reshape(entry["shape"]))
    return found


def main():
    args = peer.arguments()
    config = json.loads((Path(args.model) / "config.json").read_text())
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    layers, dim = config["num_hidden_layers"], config["hidden_size"] // heads
    theta, eps = config.get("rope_theta", 10000.0), config["rms_norm_eps"]
    context = args.prompt + args.new
    w = weights(args.model)
    dtype = w["lm_head.weight"].dtype

    def norm(x, weight):
        y = x.astype(jnp.float32)
        return (y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + eps)).astype(dtype) * weight

    def rope(x, positions):
        frequency = theta ** (-jnp.arange(0, dim, 2, dtype=jnp.float32) / dim)
        angle = positions[:, None, None] * frequency
        a, b = jnp.split(x.astype(jnp.float32), 2, -1)
        cos, sin = jnp.cos(angle), jnp.sin(angle)
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1).astype(dtype)

    @partial(jax.jit, donate_argnums=3)
    def step(w, tokens, start, cache):
        rows = tokens.shape[0]
        positions = start + jnp.arange(rows)
        x = w["model.embed_tokens.weight"][tokens]
        seen = jnp.arange(context)[None, :] <= positions[:, None]
        new = []
        for i in range(layers):
            get = lambda name: w[f"model.layers.{i}.{name}.weight"]
            h = norm(x, get("input_layernorm"))
            q = rope((h @ get("self_attn.q_proj").T).reshape(rows, heads, dim), positions)
            k = rope((h @ get("self_attn.k_proj").T).reshape(rows, kv_heads, dim), positions)
            v = (h @ get("self_attn.v_proj").T).reshape(rows, kv_heads, dim)
            keys = jax.lax.dynamic_update_slice(cache[i][0], k, (start, 0, 0))
            values = jax.lax.dynamic_update_slice(cache[i][1], v, (start, 0, 0))
            new.append((keys, values))
            q = q.reshape(rows, kv_heads, heads // kv_heads, dim)
            scores = jnp.einsum("rkgd,pkd->kgrp", q, keys).astype(jnp.float32) / dim**0.5
            scores = jax.nn.softmax(jnp.where(seen, scores, -1e30), -1).astype(dtype)
            mixed = jnp.einsum("kgrp,pkd->rkgd", scores, values).reshape(rows, heads * dim)
            x = x + mixed @ get("self_attn.o_proj").T
            h = norm(x, get("post_attention_layernorm"))
            x = x + (jax.nn.silu(h @ get("mlp.gate_proj").T) * (h @ get("mlp.up_proj").T)) @ get("mlp.down_proj").T
        logits = norm(x[-1], w["model.norm.weight"]) @ w["lm_head.weight"].T
        return jnp.argmax(logits)[None], new

    def generate(prompt, new):
        cache = [tuple(jnp.zeros((context, kv_heads, dim), dtype) for _ in range(2)) for _ in range(layers)]
        token, cache = step(w, jnp.asarray(prompt), 0, cache)
        yield int(token[0])
        for position in range(len(prompt), len(prompt) + new - 1):
            token, cache = step(w, token, position, cache)
            yield int(token[0])

    peer.measure(args, config["vocab_size"], generate)


if __name__ == "__main__":
    main()
