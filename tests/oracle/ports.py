"""Tiny random models with reference outputs from `transformers` in float64, for the ports that the guide shows.

Writes `tests/fixtures/ports/<model>/`: `config.json`, `model.safetensors`, and `expected.safetensors` with the
inputs and the float64 `logits`: of `gpt2` for `input_ids` (int64 `[batch, sequence]`), `[batch, sequence,
vocabulary]`; of `vit` and both of `resnet` for `pixel_values` (float32 `[batch, channels, height, width]`),
`[batch, labels]`.
"""

import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel, ResNetConfig, ResNetForImageClassification, ViTConfig, ViTForImageClassification

from checkpoint import float64, generator, modeling_modules, random_weights, save_weights, write_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "ports"

GPT2 = {
    "architectures": ["GPT2LMHeadModel"],
    "activation_function": "gelu_new",
    "bos_token_id": 60,
    "eos_token_id": 60,
    "layer_norm_epsilon": 1e-5,
    "model_type": "gpt2",
    "n_ctx": 32,
    "n_embd": 24,
    "n_head": 3,
    "n_layer": 2,
    "n_positions": 32,
    "tie_word_embeddings": True,
    "torch_dtype": "float32",
    "vocab_size": 61,
}
VIT = {
    "architectures": ["ViTForImageClassification"],
    "hidden_act": "gelu",
    "hidden_size": 24,
    "id2label": {str(i): f"LABEL_{i}" for i in range(5)},
    "image_size": 12,
    "intermediate_size": 48,
    "label2id": {f"LABEL_{i}": i for i in range(5)},
    "layer_norm_eps": 1e-12,
    "model_type": "vit",
    "num_attention_heads": 3,
    "num_channels": 3,
    "num_hidden_layers": 2,
    "patch_size": 4,
    "qkv_bias": True,
    "torch_dtype": "float32",
}

# The forms of ResNet-50 and ResNet-18, with fewer and narrower layers.
RESNET = {
    "architectures": ["ResNetForImageClassification"],
    "depths": [2, 1, 2],
    "downsample_in_bottleneck": False,
    "downsample_in_first_stage": False,
    "embedding_size": 6,
    "hidden_act": "relu",
    "hidden_sizes": [24, 36, 52],
    "id2label": {str(i): f"LABEL_{i}" for i in range(5)},
    "label2id": {f"LABEL_{i}": i for i in range(5)},
    "layer_type": "bottleneck",
    "model_type": "resnet",
    "num_channels": 3,
    "torch_dtype": "float32",
}
RESNET_BASIC = RESNET | {"depths": [1, 2], "embedding_size": 6, "hidden_sizes": [6, 10], "layer_type": "basic"}


def gpt2_inputs(rng):
    return {"input_ids": torch.from_numpy(rng.integers(0, GPT2["vocab_size"], (2, 9)))}


def vit_inputs(rng):
    side = VIT["image_size"]
    return {"pixel_values": torch.from_numpy(rng.standard_normal((2, VIT["num_channels"], side, side))).float()}


def resnet_inputs(rng):
    return {"pixel_values": torch.from_numpy(rng.standard_normal((2, 3, 30, 27))).float()}


# Names as the published checkpoints have them, where the library's own differ.
RENAMED = {
    "gpt2": [("transformer.", "")],
    "vit": [
        ("vit.layers.", "vit.encoder.layer."),
        ("attention.q_proj", "attention.attention.query"),
        ("attention.k_proj", "attention.attention.key"),
        ("attention.v_proj", "attention.attention.value"),
        ("attention.o_proj", "attention.output.dense"),
        ("mlp.fc1", "intermediate.dense"),
        ("mlp.fc2", "output.dense"),
    ],
}
MODELS = {
    "gpt2": (GPT2, GPT2Config, GPT2LMHeadModel, gpt2_inputs),
    "vit": (VIT, ViTConfig, ViTForImageClassification, vit_inputs),
    "resnet": (RESNET, ResNetConfig, ResNetForImageClassification, resnet_inputs),
    "resnet_basic": (RESNET_BASIC, ResNetConfig, ResNetForImageClassification, resnet_inputs),
}


def published(name, weight):
    for old, new in RENAMED.get(name, []):
        weight = weight.replace(old, new)
    return weight


def adjusted(name, weight):
    """Kernels whose products sum to unit variance, and the statistics of batch norms."""
    if name.endswith("convolution.weight"):
        return weight * (weight.shape[-1] / weight[0].numel()) ** 0.5
    if name.endswith("running_mean"):
        return 3 * (weight - 1)
    return torch.tensor(7) if name.endswith("num_batches_tracked") else weight


def make(name):
    config, config_class, model_class, inputs = MODELS[name]
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_json(folder / "config.json", config)
    # GPT-2 calls its norms `ln_1`, which the random weights are to know as norms.
    with torch.device("meta"):
        empty = model_class(config_class.from_pretrained(folder))
    shapes = {n.replace("ln_", "norm.ln_"): tuple(t.shape) for n, t in empty.state_dict().items()}
    shapes.pop("lm_head.weight", None)
    weights = random_weights(shapes, generator(name), torch.float32)
    weights = {n: adjusted(n, w).contiguous() for n, w in weights.items()}
    save_weights(folder, {published(name, n.replace("norm.ln_", "ln_")): w for n, w in weights.items()})

    given = inputs(generator(f"{name}/inputs"))
    with float64(*modeling_modules(config["model_type"])), torch.no_grad():
        model, loaded = model_class.from_pretrained(folder, dtype=torch.float64, output_loading_info=True)
        assert not set(loaded["missing_keys"]) - {"lm_head.weight"}, loaded
        wide = {k: v.double() if v.is_floating_point() else v for k, v in given.items()}
        logits = model.eval()(**wide).logits
    assert logits.dtype == torch.float64
    save_file(given | {"logits": logits.contiguous()}, folder / "expected.safetensors")


def main():
    torch.set_num_threads(1)
    for name in MODELS:
        make(name)
        print(name, flush=True)


if __name__ == "__main__":
    main()
