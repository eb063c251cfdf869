"""Random checkpoints in the Hugging Face layout, and running them entirely in float64."""

import contextlib
import json
import sys
import zlib

import numpy as np
import torch
from safetensors.torch import save_file


def generator(name):
    """The random source of a case: the same on every run and machine."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def random_weights(shapes, rng, dtype):
    """Weights under which every layer matters: unit variance through matrices, norms around one."""
    weights = {}
    for name, shape in sorted(shapes.items()):
        values = rng.standard_normal(shape)
        if "norm" in name.lower():
            values = 0.1 * values + (0.0 if name.endswith("bias") else 1.0)
        elif name.endswith("bias"):
            values = 0.3 * values
        elif "embed" in name:
            # Less than the layers add: with tied embeddings the model would otherwise repeat its last token.
            values = 0.3 * values
        else:
            values = values / np.sqrt(shape[-1])
        # References are computed from the rounded values of the stored dtype.
        weights[name] = torch.from_numpy(np.asarray(values)).to(dtype)
    return weights


def save_weights(folder, weights, shards=1):
    """One `model.safetensors`, or shards with an index that names every tensor's file."""
    if shards == 1:
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        return
    names = sorted(weights)
    index = {"metadata": {"total_size": sum(w.numel() * w.element_size() for w in weights.values())}, "weight_map": {}}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = names[i::shards]
        save_file({n: weights[n] for n in part}, folder / file, metadata={"format": "pt"})
        index["weight_map"].update({n: file for n in part})
    index["weight_map"] = dict(sorted(index["weight_map"].items()))
    write_json(folder / "model.safetensors.index.json", index)


def write_json(path, value):
    """JSON that is identical on every run."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


class _DoubleTorch:
    """`torch` as the model files see it, with single precision replaced by double."""

    float = float32 = torch.float64

    def __getattr__(self, name):
        return getattr(torch, name)


@contextlib.contextmanager
def float64(*modules):
    """Runs the given `transformers` modules in float64 throughout.

    They compute norms, rotary angles and softmax in float32 whatever the weights' dtype is; within this
    context those places compute in float64 too.
    """
    double = _DoubleTorch()
    saved = [(m, m.torch) for m in modules]
    saved_float = torch.Tensor.float
    try:
        for m in modules:
            m.torch = double
        torch.Tensor.float = torch.Tensor.double
        yield
    finally:
        torch.Tensor.float = saved_float
        for m, original in saved:
            m.torch = original


def modeling_modules(model_type):
    """The modules that `float64` has to reach for a model type."""
    __import__(f"transformers.models.{model_type}.modeling_{model_type}")
    import transformers.modeling_rope_utils as rope

    return [sys.modules[f"transformers.models.{model_type}.modeling_{model_type}"], rope]
