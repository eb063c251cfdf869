"""Dot products and attention by NumPy in float64, for the tests of the kernels.

    python tests/oracle/kernel_values.py crates/kernels/tests/it/data

Operands are generated from a seed, here and in the tests, so that only results are stored.
"""

import json
import sys
from pathlib import Path

import numpy as np


class Random:
    """SplitMix64: numbers of 24 bits between -1 and 1."""

    def __init__(self, seed):
        self.state = seed

    def draw(self, shape, dtype):
        count = int(np.prod(shape))
        with np.errstate(over="ignore"):
            step = np.uint64(0x9E3779B97F4A7C15)
            z = np.uint64(self.state) + step * np.arange(1, count + 1, dtype=np.uint64)
            self.state = (self.state + int(step) * count) % 2**64
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = (z ^ (z >> np.uint64(31))) >> np.uint64(40)
        return rounded(z.astype(np.float64) / 2**23 - 1.0, dtype).reshape(shape)


def rounded(values, dtype):
    """Numbers rounded to an element type, in float64."""
    if dtype == "bf16":
        bits = values.astype(np.float32).view(np.uint32)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    return values.astype({"f32": np.float32, "f16": np.float16}[dtype]).astype(np.float64)


def listed(array):
    """Finite numbers for JSON, with more digits than a kernel is accurate to, and names for the others."""
    return [float(f"{v:.12g}") if np.isfinite(v) else str(v) for v in array.ravel().tolist()]


def linear(seed, types, sizes, special=()):
    x_type, weight_type = types
    rows, n, k = sizes
    random = Random(seed)
    x, weight, bias = (
        random.draw((rows, k), x_type),
        random.draw((n, k), weight_type),
        random.draw((n,), "f32"),
    )
    for operand, place, value in special:
        {"x": x, "weight": weight}[operand].reshape(-1)[place] = float(value)
    with np.errstate(invalid="ignore"):
        y = x @ weight.T + bias
        # The reference value of rounding errors.
        size = np.abs(x) @ np.abs(weight).T + np.abs(bias)
    case = {"seed": seed, "x": x_type, "weight": weight_type, "sizes": sizes, "special": special}
    return case | {"y": listed(y), "size": [float(f"{v:.3g}") if np.isfinite(v) else str(v) for v in size.ravel()]}


def seen(mask, seq, positions):
    token, position = np.arange(seq)[:, None], np.arange(positions)[None, :]
    return {
        "all": position >= 0 * token,
        "causal": position <= positions // 2 + token,
        "holes": (token * positions + position) % 3 == 1,
    }[mask]


def attend(seed, dtype, sizes, mask, special=()):
    seq, kv_heads, group, positions, dim = sizes
    random = Random(seed)
    query = random.draw((seq, kv_heads, group, dim), dtype)
    key = random.draw((kv_heads, positions, dim), dtype)
    value = random.draw((kv_heads, positions, dim), dtype)
    for operand, place, number in special:
        {"query": query, "key": key, "value": value}[operand].reshape(-1)[place] = float(number)
    with np.errstate(invalid="ignore", divide="ignore"):
        see = seen(mask, seq, positions)[None, :, None, :]
        scores = np.where(see, np.einsum("shgd,hpd->hsgp", query, key), -np.inf)
        weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True, initial=-np.inf))
        weights /= weights.sum(axis=-1, keepdims=True)
        # Values outside the visible positions have no effect on a result, whatever they are.
        read = np.flatnonzero(see.any(axis=(0, 1, 2)))
        read = slice(read[0], read[-1] + 1) if read.size else slice(0)
        out = np.einsum("hsgp,hpd->hsgd", weights[..., read], value[:, read])
        # The mean of no values.
        out[:, ~see.any(axis=(0, 2, 3))] = 0
    return {"seed": seed, "dtype": dtype, "sizes": sizes, "mask": mask, "special": special, "out": listed(out)}


def save(name, cases):
    text = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (Path(sys.argv[1]) / name).write_text(f"[\n{text}\n]\n")


TYPES = [("f32", "f32"), ("f32", "bf16"), ("f32", "f16"), ("bf16", "bf16"), ("f16", "f16"), ("bf16", "f32")]
SIZES = [(1, 1, 1), (1, 5, 70), (2, 3, 0), (3, 6, 33), (8, 4, 64), (14, 9, 37), (1, 3, 16384), (9, 2, 16383)]
SPECIAL = [("x", 40, "inf"), ("weight", 0, "nan"), ("weight", 90, "-inf"), ("x", 100, "-inf"), ("weight", 210, "inf")]
products = [linear(i, types, sizes) for i, (types, sizes) in enumerate((t, s) for t in TYPES for s in SIZES)]
products += [linear(i, types, (rows, 4, 70), SPECIAL) for rows in (2, 13) for i, types in enumerate(TYPES)]
save("linear.json", products)

CASES = [
    ((1, 1, 1, 1, 1), "all"),
    ((1, 2, 4, 70, 32), "causal"),
    ((2, 1, 3, 65, 33), "holes"),
    ((1, 1, 2, 1300, 16), "all"),
    ((8, 2, 2, 9, 7), "causal"),
    ((3, 1, 2, 600, 20), "causal"),
    ((2, 1, 1, 9, 4), "holes"),
    ((1, 1, 1, 0, 3), "all"),
]
attentions = [attend(i, dtype, *case) for dtype in ("f32", "bf16", "f16") for i, case in enumerate(CASES)]
SEEN = [("key", 5, "nan"), ("value", 30, "inf"), ("query", 2, "-inf"), ("value", 100, "nan")]
attentions += [
    attend(7, dtype, (2, 2, 2, 20, 5), mask, special)
    for dtype in ("f32", "bf16", "f16")
    for mask in ("all", "causal", "holes")
    for special in (SEEN[:1], SEEN[1:2], SEEN[2:])
]
save("attend.json", attentions)
