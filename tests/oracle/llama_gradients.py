"""Losses and gradients of the tiny checkpoints of `llama.py` from PyTorch's autograd in float64.

Writes `tests/fixtures/llama_gradients/<case>.safetensors`: `tokens` and `targets`, `[batch, seq]`,
`loss`, the mean cross entropy of the next tokens, and for each weight `gradient.<name>`, computed
in float64 and stored as float32.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

from checkpoint import float64, modeling_modules
from llama import FIXTURES

GRADIENTS = FIXTURES.parent / "llama_gradients"
# Grouped heads; a tied table; all biases; odd sizes; scaled angles; a window; normalized heads.
CASES = ["grouped", "tied", "biases", "odd_sizes", "rope_llama3", "mistral_window", "qwen3"]
LENGTH = 13


def batch(folder):
    """Two texts: the start of the case's prompt, and the same tokens in another order."""
    prompt = json.loads((folder / "prompt.json").read_text())["prompt_ids"]
    first = [prompt[i % len(prompt)] for i in range(LENGTH + 1)]
    rows = torch.tensor([first, [first[(5 * i + 3) % len(first)] for i in range(LENGTH + 1)]])
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


def main():
    GRADIENTS.mkdir(exist_ok=True)
    for name in CASES:
        folder = FIXTURES / name
        tokens, targets = batch(folder)
        model_type = json.loads((folder / "config.json").read_text())["model_type"]
        with float64(*modeling_modules(model_type)):
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64)
            logits = model(tokens, use_cache=False).logits
            assert logits.dtype == torch.float64
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
            loss.backward()
        out = {"tokens": tokens, "targets": targets, "loss": loss.detach()}
        # A tied table is one parameter, whose gradient is of both uses.
        out |= {f"gradient.{n}": p.grad.float().contiguous() for n, p in model.named_parameters()}
        save_file(out, GRADIENTS / f"{name}.safetensors")
        print(f"{name}: loss {loss.item():.6f}, {len(out) - 3} gradients")


if __name__ == "__main__":
    main()
