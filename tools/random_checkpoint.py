#!/usr/bin/env python3
"""Writes a random Llama checkpoint in the Hugging Face layout, for benchmarks.

    tools/random_checkpoint.py S bf16 /tmp/s-bf16
    tools/random_checkpoint.py M f32 /tmp/m-f32 --shards 4

Needs NumPy only. The weights are such that logits stay finite in float16: normal, with the deviation
`1 / sqrt(inputs)`, drawn from a table so that a gigabyte takes about a second. The same seed writes the same bytes.
"""

import argparse
import json
import struct
import sys
import time
from pathlib import Path

import numpy as np

# Hidden size, layers, heads, key-value heads, intermediate size, vocabulary.
SHAPES = {
    "XS": (192, 4, 6, 2, 512, 4096),
    "S": (768, 12, 12, 4, 2048, 32000),
    # TinyLlama 1.1B.
    "M": (2048, 22, 32, 4, 5632, 32000),
    # Llama 3.2 1B has tied embeddings and a rotary embedding for long contexts; this is its size only.
    "L": (2048, 16, 32, 8, 8192, 128256),
    # Llama 3.1 8B.
    "8B": (4096, 32, 32, 8, 14336, 128256),
}
DTYPES = {"f32": ("F32", "float32", 4), "bf16": ("BF16", "bfloat16", 2), "f16": ("F16", "float16", 2)}
TABLE = 1 << 20


def tensors(shape):
    """Names and shapes, in the order in which they are stored."""
    hidden, layers, heads, kv_heads, intermediate, vocabulary = shape
    kv = hidden // heads * kv_heads
    yield "model.embed_tokens.weight", (vocabulary, hidden)
    for i in range(layers):
        layer = f"model.layers.{i}."
        yield layer + "input_layernorm.weight", (hidden,)
        yield layer + "self_attn.q_proj.weight", (hidden, hidden)
        yield layer + "self_attn.k_proj.weight", (kv, hidden)
        yield layer + "self_attn.v_proj.weight", (kv, hidden)
        yield layer + "self_attn.o_proj.weight", (hidden, hidden)
        yield layer + "post_attention_layernorm.weight", (hidden,)
        yield layer + "mlp.gate_proj.weight", (intermediate, hidden)
        yield layer + "mlp.up_proj.weight", (intermediate, hidden)
        yield layer + "mlp.down_proj.weight", (hidden, intermediate)
    yield "model.norm.weight", (hidden,)
    yield "lm_head.weight", (vocabulary, hidden)


def configuration(shape, dtype):
    hidden, layers, heads, kv_heads, intermediate, vocabulary = shape
    return {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "hidden_size": hidden, "initializer_range": 0.02, "intermediate_size": intermediate,
        "max_position_embeddings": 2048, "mlp_bias": False, "model_type": "llama", "num_attention_heads": heads,
        "num_hidden_layers": layers, "num_key_value_heads": kv_heads, "rms_norm_eps": 1e-5, "rope_scaling": None,
        "rope_theta": 10000.0, "tie_word_embeddings": False, "torch_dtype": DTYPES[dtype][1], "use_cache": True,
        "vocab_size": vocabulary,
    }


def encode(values, dtype):
    """float32 values as the bytes' integer or float type of the file."""
    if dtype == "f32":
        return values.astype("<f4")
    if dtype == "f16":
        return values.astype("<f2")
    bits = values.astype("<f4").view("<u4")
    # Round to nearest, ties to even; there is no NaN here.
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


class Values:
    """Random values in a dtype: windows at random offsets into one table per deviation."""

    def __init__(self, dtype, seed):
        self.dtype = dtype
        self.rng = np.random.default_rng(seed)
        self.normal = self.rng.standard_normal(2 * TABLE, dtype=np.float32)
        self.tables = {}

    def chunks(self, name, shape):
        """The tensor's content, in pieces of at most `TABLE` values."""
        if name.endswith("norm.weight"):
            yield encode(np.ones(shape, np.float32), self.dtype)
            return
        deviation = 1.0 if "embed_tokens" in name else shape[-1] ** -0.5
        if deviation not in self.tables:
            self.tables[deviation] = encode(self.normal * np.float32(deviation), self.dtype)
        table, left = self.tables[deviation], int(np.prod(shape))
        while left:
            n = min(left, TABLE)
            start = int(self.rng.integers(0, TABLE))
            yield table[start : start + n]
            left -= n


def write_file(path, listed, dtype, values, align):
    """One safetensors file. Returns the bytes of tensor data."""
    code, _, width = DTYPES[dtype]
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in listed:
        size = int(np.prod(shape)) * width
        header[name] = {"dtype": code, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    # Spaces after the header are allowed; the data then begins at a multiple of `align`.
    text += b" " * (-(len(text) + 8) % align)
    with open(path, "wb", buffering=0) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in listed:
            for chunk in values.chunks(name, shape):
                view = memoryview(np.ascontiguousarray(chunk)).cast("B")
                while view:
                    view = view[file.write(view) :]
    return offset


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("dtype", choices=DTYPES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--align", type=int, default=64, help="alignment of the data in bytes (default: 64)")
    args = parser.parse_args()
    if args.shards < 1 or args.align < 1:
        parser.error("--shards and --align must be at least 1")

    start, shape = time.time(), SHAPES[args.shape]
    args.folder.mkdir(parents=True, exist_ok=True)
    for stale in args.folder.glob("model*.safetensors*"):
        stale.unlink()
    values, listed = Values(args.dtype, args.seed), list(tensors(shape))
    if args.shards == 1:
        total = write_file(args.folder / "model.safetensors", listed, args.dtype, values, args.align)
    else:
        total, where = 0, {}
        for i in range(args.shards):
            file = f"model-{i + 1:05}-of-{args.shards:05}.safetensors"
            part = listed[i * len(listed) // args.shards : (i + 1) * len(listed) // args.shards]
            total += write_file(args.folder / file, part, args.dtype, values, args.align)
            where.update({name: file for name, _ in part})
        index = {"metadata": {"total_size": total}, "weight_map": where}
        (args.folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")
    # Last: a folder without a configuration is one that was not finished.
    (args.folder / "config.json").write_text(json.dumps(configuration(shape, args.dtype), indent=2) + "\n")
    print(f"{args.folder}: {total:,} bytes in {time.time() - start:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
