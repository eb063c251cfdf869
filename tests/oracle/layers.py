"""Layers and functions of `crates/nn` by JAX and NumPy, in float64 from inputs of the stored type.

Writes `tests/fixtures/nn/layers.json`: cases with a `layer`, its `attributes`, `inputs` and `expected`, arrays
as `{"dtype", "axes", "values"}`. JAX's own functions are the reference where it has them; rotations are
products of complex numbers, with frequencies after the papers that `crates/nn/src/rope_config.rs` names.
"""

import json
import math
from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

jax.config.update("jax_enable_x64", True)
FILE = Path(__file__).resolve().parents[1] / "fixtures" / "nn" / "layers.json"
DTYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "bool": np.bool_}
RNG = np.random.default_rng(20240607)
CASES = []


def digits(values):
    """The values with nine digits, which tell all `f32` apart."""
    return [float(f"{v:.9g}") for v in values.ravel()]


class Array:
    """Values of a type, and the names of their axes."""

    def __init__(self, dtype, axes, values):
        self.dtype, self.axes = dtype, axes.split()
        self.values = np.asarray(values).astype(DTYPES[dtype])
        assert self.values.ndim == len(self.axes), (axes, self.values.shape)

    def wide(self):
        return jnp.asarray(self.values.astype(np.float64))

    def json(self):
        return {"dtype": self.dtype, "axes": list(zip(self.axes, self.values.shape)),
                "values": digits(self.values.astype(np.float64))}


def normal(dtype, axes, *shape, scale=1.0):
    return Array(dtype, axes, scale * RNG.standard_normal(shape))


def add(name, layer, inputs, dtype, axes, values, **attributes):
    values = np.asarray(values, np.float64)
    assert values.ndim == len(axes.split()) and not np.isnan(values).any(), name
    expected = {"dtype": dtype, "axes": list(zip(axes.split(), values.shape)), "values": digits(values)}
    CASES.append({"name": name, "layer": layer, "attributes": attributes,
                  "inputs": [x.json() for x in inputs], "expected": expected})


# The axes and sizes of inputs whose last axis has `n` elements.
def shapes(n):
    return [("x", (n,)), ("seq x", (1, n)), ("seq x", (0, n)), ("batch seq x", (2, 3, n))]


def linear():
    for dtype, stored in [("f32", "f32"), ("bf16", "bf16"), ("f32", "bf16")]:
        for n, out in [(1, 1), (7, 5), (17, 9)]:
            for axes, shape in shapes(n):
                x = normal(dtype, axes, *shape)
                w, b = normal(stored, "out in", out, n), normal(stored, "out", out)
                # A product multiplies in the type of the weight.
                used = x.values.astype(DTYPES[stored]).astype(np.float64)
                y = used @ w.wide().T
                name = f"{dtype} by {stored} {list(shape)}"
                # The outputs keep the name of the inputs' axis.
                add(f"linear {name}", "linear", [x, w], dtype, axes, y)
                if len(shape) in (1, 3):
                    to = " ".join([*axes.split()[:-1], "hidden"])
                    add(f"linear with bias {name}", "linear", [x, w, b], dtype, to, y + b.wide(), to="hidden")


def embedding():
    for dtype in ["f32", "bf16"]:
        table = normal(dtype, "vocab in", 11, 3)
        for axes, ids in [("", 4), ("seq", []), ("seq", [0]), ("batch seq", [[10, 0, 3], [3, 3, 9]])]:
            ids = np.asarray(ids, np.int32)
            add(f"embedding {dtype} {list(ids.shape)}", "embedding", [Array("i32", axes, ids), table], dtype,
                f"{axes} in".strip(), table.wide()[ids])
        outside = Array("i32", "seq", [-1, 11, 2**31 - 1, -2**31])
        add(f"embedding {dtype} outside", "embedding", [outside, table], dtype, "seq in",
            table.wide()[np.array([0, 10, 10, 0])])
        x = normal(dtype, "seq in", 2, 3)
        add(f"embedding {dtype} as linear", "embedding as linear", [x, table], dtype, "seq in",
            x.wide() @ table.wide().T)


def norms():
    for dtype in ["f32", "bf16"]:
        for n in [1, 7, 33]:
            for axes, shape in shapes(n):
                # Small values, beside which epsilon is large.
                for scale in [1.0, 1e-3] if shape == (7,) else [1.0]:
                    x = normal(dtype, axes, *shape, scale=scale)
                    w, b = normal("f32", "in", n), normal("f32", "in", n)
                    name, wide, epsilon = f"{dtype} {list(shape)} times {scale}", x.wide(), 1e-5
                    rms = wide / jnp.sqrt((wide**2).mean(-1, keepdims=True) + epsilon) * w.wide()
                    add(f"rms_norm {name}", "rms_norm", [x, w], dtype, axes, rms, epsilon=epsilon)
                    y = jax.nn.standardize(wide, axis=-1, epsilon=epsilon) * w.wide()
                    add(f"layer_norm with bias {name}", "layer_norm", [x, w, b], dtype, axes, y + b.wide(),
                        epsilon=epsilon)
                    if len(shape) == 1:
                        add(f"layer_norm {name}", "layer_norm", [x, w], dtype, axes, y, epsilon=epsilon)


def attentions():
    for dtype in ["f32", "bf16"]:
        for sizes in [(1, 1, 1, 1, 1), (3, 2, 3, 5, 4), (0, 1, 2, 3, 4), (5, 1, 4, 9, 3)]:
            seq, heads, group, positions, dim = sizes
            for masked in ["", "causal", "window", "one"] if dtype == "f32" else ["", "causal"]:
                q = normal(dtype, "seq kv_head group dim", seq, heads, group, dim)
                k, v = (normal(dtype, "kv_head position dim", heads, positions, dim) for _ in "kv")
                at, to = np.arange(seq)[:, None] + positions - seq, np.arange(positions)
                window = (at >= to) & (at - to < 2)
                mask = {"": None, "causal": at >= to, "window": window, "one": at == to}[masked]
                scale = 0.37
                # [batch, length, heads, dim], with the groups of a head side by side.
                wide = [q.wide().reshape(1, seq, heads * group, dim)]
                wide += [t.wide().transpose(1, 0, 2)[None] for t in (k, v)]
                full = None if mask is None else mask[None, None]
                found = jax.nn.dot_product_attention(*wide, mask=full, scale=scale) if seq else wide[0]
                inputs = [q, k, v] + ([] if mask is None else [Array("bool", "seq position", mask)])
                add(f"attention {dtype} {list(sizes)} {masked}", "attention", inputs, dtype,
                    "seq kv_head group dim", found.reshape(seq, heads, group, dim), scale=scale)
    for sizes in [(0, 3, 3, None), (2, 3, 6, None), (2, 3, 6, 1), (2, 3, 6, 2), (4, 1, 5, 9), (0, 0, 4, None)]:
        start, queries, positions, window = sizes
        at, to = np.arange(queries)[:, None] + start, np.arange(positions)
        seen = (at >= to) & (at - to < (window or 10**6))
        add(f"causal_mask {list(sizes)}", "causal_mask", [Array("i32", "", start)], "bool",
            "seq position", seen, queries=queries, positions=positions, window=window)


def caches():
    for dtype, new_dtype in [("f32", "f32"), ("bf16", "f32")]:
        for start, count in [(0, 1), (2, 3), (4, 3), (7, 2), (-1, 2), (1, 0)]:
            cache = normal(dtype, "kv_head position dim", 2, 6, 3)
            new = normal(new_dtype, "seq kv_head dim", count, 2, 3)
            value = normal(new_dtype, "seq kv_head dim", count, 2, 3)
            rounded = [t.values.astype(DTYPES[dtype]).astype(np.float64) for t in (new, value)]
            first = min(max(start, 0), 6 - count)
            both = []
            for written in rounded:
                result = np.array(cache.wide())
                result[:, first:first + count] = written.transpose(1, 0, 2)
                both.append(result)
            add(f"kv_cache {dtype} {[start, count]}", "kv_cache", [cache, new, value, Array("i32", "", start)],
                dtype, "both kv_head position dim", np.stack(both))


def frequencies(dim, theta, kind, s, length):
    """Angles per position of each pair, and the factor on cosines and sines."""
    index = np.arange(dim // 2)
    plain = 1.0 / theta ** (2 * index / dim)
    turns = s.get("positions", 1) * plain / (2 * math.pi)
    if kind == "default":
        return plain, 1.0
    if kind == "linear":
        return plain / s["factor"], 1.0
    if kind == "dynamic":
        length = max(length, s["positions"])
        grown = theta * (s["factor"] * length / s["positions"] - (s["factor"] - 1)) ** (dim / (dim - 2))
        return 1.0 / grown ** (2 * index / dim), 1.0
    if kind == "llama3":
        low, high = s["low_freq_factor"], s["high_freq_factor"]
        kept = np.clip((turns - low) / (high - low), 0, 1)
        return plain * (kept + (1 - kept) / s["factor"]), 1.0
    low, high = (dim * math.log(s["positions"] / (s[beta] * 2 * math.pi)) / (2 * math.log(theta))
                 for beta in ("beta_fast", "beta_slow"))
    if s["truncate"]:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    kept = 1 - np.clip((index - low) / (high - low), 0, 1)
    return plain * (kept + (1 - kept) / s["factor"]), s["attention_factor"]


def ropes():
    scalings = [
        ("default", {}),
        ("linear", {"factor": 4.0}),
        ("dynamic", {"factor": 2.0, "positions": 16}),
        ("llama3", {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "positions": 64}),
        ("yarn", {"factor": 4.0, "attention_factor": 1.1386294361119891, "beta_fast": 32.0, "beta_slow": 1.0,
                  "positions": 64, "truncate": True}),
        ("yarn", {"factor": 4.0, "attention_factor": 1.0, "beta_fast": 8.0, "beta_slow": 2.0, "positions": 128,
                  "truncate": False}),
    ]
    for kind, s in scalings:
        for dtype in ["f32", "bf16"]:
            sizes = [(16, 21, 2, 40), (16, 0, 3, 3), (6, 5, 1, 6), (4, 3, 0, 3)]
            for dim, start, count, length in sizes if dtype == "f32" else sizes[:1]:
                x = normal(dtype, "seq head dim", count, 2, dim)
                angles, factor = frequencies(dim, 1000.0, kind, s, length)
                turn = factor * np.exp(1j * (start + np.arange(count))[:, None, None] * angles)
                wide = np.asarray(x.wide())
                turned = (wide[..., :dim // 2] + 1j * wide[..., dim // 2:]) * turn
                add(f"rope {kind} {dtype} {[dim, start, count, length]}", "rope",
                    [x, Array("i32", "", start), Array("i32", "", length)], dtype, "seq head dim",
                    np.concatenate([turned.real, turned.imag], -1), dim=dim, theta=1000.0, scaling={kind: s}, count=count)


def activations():
    tanh = jax.nn.gelu
    functions = {"silu": jax.nn.silu, "swish": jax.nn.silu, "gelu": lambda x: tanh(x, approximate=False),
                 "gelu_new": tanh, "gelu_fast": tanh, "gelu_pytorch_tanh": tanh, "relu": jax.nn.relu}
    for name, function in functions.items():
        for dtype in ["f32", "bf16"]:
            inputs = [np.linspace(-6, 6, 25), 0.75, [], [-1e4, 1e4, -0.0]]
            for x in [Array(dtype, "x" if np.ndim(values) else "", values) for values in inputs]:
                add(f"activation {name} {dtype} {list(x.values.shape)}", "activation", [x], dtype, " ".join(x.axes),
                    function(x.wide()), function=name)


if __name__ == "__main__":
    for fill in [linear, embedding, norms, attentions, caches, ropes, activations]:
        fill()
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in CASES) + "\n]\n")
    print(len(CASES), "cases,", FILE.stat().st_size, "bytes")
