"""Layers and functions of `crates/nn` by JAX, PyTorch and NumPy, in float64 from inputs of the stored type.

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
import torch
import torch.nn.functional as F

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
            table.wide()[np.array([10, 10, 10, 0])])
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
            first = min(max(start + 6 if start < 0 else start, 0), 6 - count)
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
    if kind == "longrope":
        return plain / np.array(s["factors"]), s["attention_factor"]
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
    functions = {"relu2": lambda x: jax.nn.relu(x) ** 2, "relu6": jax.nn.relu6, "leaky_relu": jax.nn.leaky_relu,
                 "elu": jax.nn.elu, "selu": jax.nn.selu, "quick_gelu": lambda x: x * jax.nn.sigmoid(1.702 * x),
                 "mish": jax.nn.mish, "hardswish": jax.nn.hard_swish, "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh,
                 "linear": lambda x: x, "silu": jax.nn.silu, "swish": jax.nn.silu, "gelu": lambda x: tanh(x, approximate=False),
                 "gelu_new": tanh, "gelu_fast": tanh, "gelu_pytorch_tanh": tanh, "relu": jax.nn.relu}
    for name, function in functions.items():
        for dtype in ["f32", "bf16"]:
            inputs = [np.linspace(-6, 6, 25), 0.75, [], [-1e4, 1e4, -0.0]]
            for x in [Array(dtype, "x" if np.ndim(values) else "", values) for values in inputs]:
                add(f"activation {name} {dtype} {list(x.values.shape)}", "activation", [x], dtype, " ".join(x.axes),
                    function(x.wide()), function=name)


def tensor(x):
    """The values in float64, or as integers."""
    return torch.from_numpy(x.values.astype(np.int64 if x.dtype == "i32" else np.float64))


def losses():
    for dtype in ["f32", "bf16"]:
        for axes, shape in [("vocab", (7,)), ("batch vocab", (5, 7)), ("batch vocab", (0, 3)), ("batch vocab", (3, 1))]:
            logits = normal(dtype, axes, *shape, scale=3.0)
            labels = Array("i32", axes.replace("vocab", "").strip(), RNG.integers(0, shape[-1], shape[:-1]))
            for smoothing, ignored in [(0.0, None), (0.1, None), (0.25, 1)]:
                options = {"label_smoothing": smoothing, "ignore_index": -100 if ignored is None else ignored}
                found = F.cross_entropy(tensor(logits), tensor(labels), reduction="none", **options)
                add(f"cross_entropy {dtype} {list(shape)} {smoothing} {ignored}", "cross_entropy", [logits, labels], "f32",
                    " ".join(labels.axes), found.numpy(), label_smoothing=smoothing, ignore_index=ignored)
            targets = Array(dtype, axes, RNG.dirichlet(np.ones(shape[-1]), shape[:-1]))
            if len(shape) == 2:
                found = F.cross_entropy(tensor(logits), tensor(targets), reduction="none")
                add(f"soft_cross_entropy {dtype} {list(shape)}", "soft_cross_entropy", [logits, targets], "f32", "batch", found.numpy())
        x, y = normal(dtype, "batch in", 4, 5, scale=2.0), normal(dtype, "batch in", 4, 5)
        pairs = {
            "squared_error": F.mse_loss, "absolute_error": F.l1_loss,
            "huber": lambda x, y, reduction: F.huber_loss(x, y, reduction=reduction, delta=0.7),
        }
        for name, loss in pairs.items():
            add(f"{name} {dtype}", "loss", [x, y], "f32", "batch in", loss(tensor(x), tensor(y), reduction="none").numpy(), function=name)
        large = Array(dtype, "in", [-200.0, -1.5, -0.0, 0.0, 0.5, 3.0, 200.0])
        truth = Array(dtype, "in", [0.0, 1.0, 0.25, 0.5, 0.75, 1.0, 1.0])
        found = F.binary_cross_entropy_with_logits(tensor(large), tensor(truth), reduction="none")
        add(f"bce_with_logits {dtype}", "loss", [large, truth], "f32", "in", found.numpy(), function="bce_with_logits")
        found = F.kl_div(F.log_softmax(tensor(large) / 50, 0), tensor(truth), reduction="none")
        logs = Array(dtype, "in", F.log_softmax(tensor(large) / 50, 0).numpy())
        found = F.kl_div(tensor(logs), tensor(truth), reduction="none")
        add(f"kl_divergence {dtype}", "loss", [logs, truth], "f32", "in", found.numpy(), function="kl_divergence")
        signs = Array(dtype, "in", [1, -1, 1, -1, 1, -1, 1])
        add(f"hinge {dtype}", "loss", [large, signs], "f32", "in", np.maximum(0, 1 - large.wide() * signs.wide()), function="hinge")


def recurrents():
    for kind, module, count in [("lstm", torch.nn.LSTM, 4), ("gru", torch.nn.GRU, 3)]:
        for time, batch, n, hidden in [(5, 2, 3, 4), (1, 1, 1, 1), (3, 0, 2, 3), (7, 1, 4, 2)]:
            x = normal("f32", "time batch in", time, batch, n)
            weights = [normal("f32", axes, *shape) for axes, shape in [
                ("gate in", (count * hidden, n)), ("gate hidden", (count * hidden, hidden)),
                ("gate", (count * hidden,)), ("gate", (count * hidden,))]]
            layer = module(n, hidden).double()
            with torch.no_grad():
                for parameter, value in zip(layer.parameters(), weights):
                    parameter.copy_(tensor(value))
                found = layer(tensor(x))[0].numpy()
            add(f"{kind} {[time, batch, n, hidden]}", kind, [x, *weights], "f32", "time batch in", found)


def resizes():
    for sizes, to in [((3, 5), (6, 9)), ((4, 6), (2, 4)), ((1, 1), (3, 2)), ((5, 7), (5, 3)), ((2, 3), (5, 1)), ((8, 9), (3, 2))]:
        for dtype in ["f32", "bf16"]:
            x = normal(dtype, "channel height width", 2, *sizes)
            wide = tensor(x)[None]
            kinds = [("nearest", "nearest", {}), ("nearest", "nearest-exact", {}), ("linear", "bilinear", {}), ("cubic", "bicubic", {})]
            if dtype == "f32":
                kinds += [(k, m, {"align_corners": True}) for k, m in [("linear", "bilinear"), ("cubic", "bicubic")]]
                # PyTorch 2.15 antialiases the wrong axis where the width becomes 1.
                kinds += [(k, m, {"antialias": True}) for k, m in [("linear", "bilinear"), ("cubic", "bicubic")] if to[1] > 1]
            for kind, mode, options in kinds:
                # PyTorch takes another curve with antialiasing.
                cubic = -0.5 if options.get("antialias") else -0.75
                found = F.interpolate(wide, to, mode=mode, **options)[0].numpy()
                add(f"resize {dtype} {sizes} to {to} {mode} {options}", "resize", [x], dtype, "channel height width", found,
                    to=to, kind=kind, mode=mode, of="torch", cubic=cubic, **{"align_corners": False, "antialias": False, **options})
            for kind in ["nearest", "linear", "cubic"]:
                for antialias in [True, False]:
                    found = jax.image.resize(x.wide(), (2, *to), kind, antialias=antialias)
                    add(f"resize {dtype} {sizes} to {to} {kind} {antialias}", "resize", [x], dtype, "channel height width", found,
                        to=to, kind=kind, of="jax", cubic=-0.5, align_corners=False, antialias=antialias)


def mixtures():
    for tokens, experts, k, n, hidden in [(10, 4, 2, 3, 5), (1, 3, 1, 2, 2), (17, 8, 3, 4, 6), (0, 2, 1, 3, 3), (40, 2, 2, 3, 4)]:
        for normalize, capacity in [(True, None), (False, None), (True, 3)]:
            x, router = normal("f32", "token in", tokens, n), normal("f32", "expert in", experts, n)
            up, down = normal("f32", "expert hidden in", experts, hidden, n), normal("f32", "expert in hidden", experts, n, hidden)
            shares = np.asarray(jax.nn.softmax(x.wide() @ router.wide().T, -1))
            y, taken = np.zeros((tokens, n)), np.zeros(experts, int)
            for token, share in enumerate(shares):
                chosen = np.argsort(-share, kind="stable")[:k]
                weight = share[chosen] / (share[chosen].sum() if normalize else 1)
                for expert, w in zip(chosen, weight):
                    taken[expert] += 1
                    if capacity is None or taken[expert] <= capacity:
                        inner = jax.nn.silu(up.wide()[expert] @ x.wide()[token])
                        y[token] += w * np.asarray(down.wide()[expert] @ inner)
            add(f"mixture {[tokens, experts, k, n, hidden]} {normalize} {capacity}", "mixture", [x, router, up, down], "f32",
                "token in", y, k=k, normalize=normalize, capacity=capacity)


def attentions_with_options():
    """Softmax over all positions and the sink, whose value is zero."""
    for dtype in ["f32", "bf16"]:
        for seq, heads, group, positions, dim in [(3, 2, 3, 5, 4), (1, 1, 1, 1, 1), (4, 1, 2, 9, 3), (2, 2, 1, 0, 3)]:
            for masked, biased, cap, sunk in [("", False, None, False), ("causal", True, None, False), ("none", False, None, False),
                                              ("some", False, 5.0, True), ("some", True, 2.0, False), ("none", False, None, True)]:
                q = normal(dtype, "seq kv_head group dim", seq, heads, group, dim)
                k, v = (normal(dtype, "kv_head position dim", heads, positions, dim) for _ in "kv")
                at, to = np.arange(seq)[:, None] + positions - seq, np.arange(positions)
                some = (RNG.random((seq, positions)) < 0.6) & (np.arange(seq)[:, None] != 1)
                mask = {"": None, "causal": at >= to, "none": np.zeros((seq, positions), bool), "some": some}[masked]
                bias = normal("f32", "kv_head group seq position", heads, group, seq, positions) if biased else None
                sinks = normal("f32", "kv_head group", heads, group) if sunk else None
                scores = np.einsum("shgd,hpd->hgsp", np.asarray(q.wide()), np.asarray(k.wide())) * 0.37
                scores = scores if cap is None else cap * np.tanh(scores / cap)
                scores = scores if bias is None else scores + np.asarray(bias.wide())
                weights = np.exp(scores) * (1 if mask is None else mask)
                total = weights.sum(-1, keepdims=True) + (0 if sinks is None else np.exp(np.asarray(sinks.wide()))[..., None, None])
                weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
                found = np.einsum("hgsp,hpd->shgd", weights, np.asarray(v.wide()))
                inputs = [q, k, v] + [x for x in [None if mask is None else Array("bool", "seq position", mask), bias, sinks] if x is not None]
                for chunk in [None, 2, 4]:
                    add(f"attention_with {dtype} {[seq, heads, group, positions, dim]} {masked} {biased} {cap} {sunk} {chunk}", "attention_with",
                        inputs, dtype, "seq kv_head group dim", found, mask=mask is not None, bias=biased, sinks=sunk, soft_cap=cap, chunk=chunk)


def attentions_to_nothing():
    """Queries of which some or all see no position: their results are zeros."""
    global RNG
    RNG = np.random.default_rng(44)
    for dtype in ["f32", "bf16"]:
        for seq, heads, group, positions, dim in [(4, 2, 3, 5, 4), (40, 1, 2, 9, 3), (1, 1, 1, 3, 2), (2, 1, 1, 0, 3)]:
            for masked in ["some", "none"]:
                q = normal(dtype, "seq kv_head group dim", seq, heads, group, dim)
                k, v = (normal(dtype, "kv_head position dim", heads, positions, dim) for _ in "kv")
                mask = (RNG.random((seq, positions)) < 0.6) & (np.arange(seq)[:, None] % 2 == 1) & (masked == "some")
                scores = np.einsum("shgd,hpd->hgsp", np.asarray(q.wide()), np.asarray(k.wide())) * 0.37
                weights = np.exp(scores) * mask
                total = weights.sum(-1, keepdims=True)
                weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
                found = np.einsum("hgsp,hpd->shgd", weights, np.asarray(v.wide()))
                inputs = [q, k, v, Array("bool", "seq position", mask)]
                add(f"attention {dtype} {[seq, heads, group, positions, dim]} sees {masked}", "attention", inputs, dtype,
                    "seq kv_head group dim", found, scale=0.37)


def rings():
    """The keys of a text in a ring, as they are seen by its last queries."""
    for positions, window, total, count in [(6, 4, 3, 2), (6, 4, 11, 3), (5, 5, 9, 1), (7, 3, 20, 4), (4, 4, 1, 1)]:
        text = normal("f32", "seq kv_head dim", total, 2, 3)
        start = total - count
        cache = np.zeros((2, positions, 3))
        for p in range(start):
            cache[:, p % positions] = text.values[p]
        after = cache.copy()
        for p in range(start, total):
            after[:, p % positions] = text.values[p]
        new = Array("f32", "seq kv_head dim", text.values[start:])
        add(f"ring {[positions, window, total, count]}", "ring", [Array("f32", "kv_head position dim", cache), new, Array("i32", "", start)],
            "f32", "kv_head position dim", after)
        # What each query sees, as sums over the positions of its window.
        seen = [text.values[max(0, q - window + 1):q + 1].astype(np.float64).sum(0) for q in range(start, total)]
        add(f"ring_mask {[positions, window, total, count]}", "ring_mask", [Array("f32", "kv_head position dim", after), Array("i32", "", start)],
            "f32", "seq kv_head dim", np.stack(seen), queries=count, window=window)


def layouts_of_rotations():
    for dtype in ["f32", "bf16"]:
        for dim, rotated, interleaved in [(8, 8, True), (10, 6, True), (10, 6, False), (7, 4, False), (6, 2, True)]:
            x = normal(dtype, "seq head dim", 5, 2, dim)
            angles, _ = frequencies(rotated, 1000.0, "default", {}, 5)
            turn = np.exp(1j * (2 + np.arange(5))[:, None, None] * angles)
            wide = np.array(x.wide())
            part = wide[..., :rotated]
            pairs = part[..., 0::2] + 1j * part[..., 1::2] if interleaved else part[..., :rotated // 2] + 1j * part[..., rotated // 2:]
            turned = pairs * turn
            if interleaved:
                wide[..., 0:rotated:2], wide[..., 1:rotated:2] = turned.real, turned.imag
            else:
                wide[..., :rotated] = np.concatenate([turned.real, turned.imag], -1)
            add(f"rope layout {dtype} {[dim, rotated, interleaved]}", "rope layout", [x], dtype, "seq head dim", wide,
                rotated=rotated, interleaved=interleaved)


def initializers():
    make = jax.nn.initializers
    kinds = {
        "normal": make.normal(0.5), "truncated_normal": make.truncated_normal(0.5), "uniform": make.uniform(0.5),
        "glorot_uniform": make.glorot_uniform(1, 0), "glorot_normal": make.glorot_normal(1, 0), "he_uniform": make.he_uniform(1, 0),
        "he_normal": make.he_normal(1, 0), "lecun_uniform": make.lecun_uniform(1, 0), "lecun_normal": make.lecun_normal(1, 0),
        "out": make.variance_scaling(3.0, "fan_out", "normal", 1, 0), "constant": make.constant(0.25), "ones": make.ones, "zeros": make.zeros,
    }
    for name, initializer in kinds.items():
        for axes, shape in [("out in", (5, 7)), ("out in height width", (4, 3, 2, 3))]:
            found = initializer(jax.random.key(7), shape, np.float32)
            add(f"initializer {name} {list(shape)}", "initializer", [Array("f32", axes, np.zeros(shape))], "f32", axes,
                np.asarray(found, np.float64), kind=name)


if __name__ == "__main__":
    for fill in [linear, embedding, norms, attentions, caches, ropes, activations, losses, recurrents, resizes,
                 mixtures, attentions_with_options, rings, layouts_of_rotations, initializers, attentions_to_nothing]:
        fill()
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in CASES) + "\n]\n")
    print(len(CASES), "cases,", FILE.stat().st_size, "bytes")
