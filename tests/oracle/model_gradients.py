"""Losses and gradients of tiny BERT, Whisper and ResNet models from PyTorch's autograd in float64.

Writes `tests/fixtures/model_gradients/<case>.safetensors`: `loss`, for each weight `gradient.<name>`,
computed in float64 and stored as float32, and what the loss is of:

* BERT, with the checkpoints of `bert.py`: `input_ids`, `attention_mask`, `token_type_ids` (`[batch, seq]`) and
  `probe`, `[batch, seq, hidden]`: the mean over the kept positions and the features of `(hidden - probe)^2`.
* Whisper, with those of `whisper.py`: `features` `[mel, frame]`, `tokens` and `targets` `[seq]`: the mean cross
  entropy of the next tokens.
* ResNet, with those of `ports.py`: `pixels` `[batch, channel, height, width]`, `labels` `[batch]`: the mean cross
  entropy in training mode, with the batch's own statistics; `updated.<name>` are the running ones afterwards.
"""

from itertools import count
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel, ResNetForImageClassification, WhisperForConditionalGeneration

from checkpoint import float64, generator, modeling_modules

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
OUT = FIXTURES / "model_gradients"


def write(name, out, model, loss):
    """The gradients of all weights, which are checked to have some."""
    loss.backward()
    gradients = {n.removeprefix("model."): p.grad for n, p in model.named_parameters() if p.grad is not None}
    assert all(g.dtype == torch.float64 and g.abs().max() > 0 for g in gradients.values()), name
    out |= {"loss": loss.detach()} | {f"gradient.{n}": g.to(torch.float32) for n, g in gradients.items()}
    save_file({n: t.clone(memory_format=torch.contiguous_format) for n, t in out.items()}, OUT / f"{name}.safetensors")
    print(f"{name}: loss {loss.item():.6f}, {len(gradients)} gradients", flush=True)


def bert(case):
    folder = FIXTURES / "bert" / case
    given = load_file(folder / "expected.safetensors")
    inputs = {n: given[n] for n in ("input_ids", "attention_mask", "token_type_ids")}
    probe = torch.from_numpy(generator(f"{case}/probe").standard_normal(given["hidden"].shape)).float()
    with float64(*modeling_modules("bert")):
        # Its pooler is no part of the encoder.
        model = BertModel.from_pretrained(folder, dtype=torch.float64, add_pooling_layer=False).eval()
        hidden = model(**inputs).last_hidden_state
        kept = inputs["attention_mask"].double()
        off = ((hidden - probe.double()) ** 2).mean(-1)
        write(f"bert_{case}", inputs | {"probe": probe}, model, (off * kept).sum() / kept.sum())


def whisper(case):
    folder = FIXTURES / "whisper" / case
    given = load_file(folder / "expected.safetensors")
    tokens, targets = given["tokens"][:-1], given["tokens"][1:]
    with float64(*modeling_modules("whisper")):
        model = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")
        model = model.eval()
        model.model.encoder.embed_positions.requires_grad_(True)
        logits = model(given["features"].double()[None], decoder_input_ids=tokens[None], use_cache=False).logits[0]
        loss = torch.nn.functional.cross_entropy(logits, targets)
        out = {"features": given["features"], "tokens": tokens, "targets": targets}
        write(f"whisper_{case}", out, model, loss)


def resnet(case):
    labels = torch.tensor([4, 0, 2, 1, 3, 3, 0, 1])

    def trained(pixels, dtype):
        model = ResNetForImageClassification.from_pretrained(FIXTURES / "ports" / case, dtype=dtype).train()
        return model, torch.nn.functional.cross_entropy(model(pixels.to(dtype)).logits, labels)

    def margin(pixels):
        """The least distance of an input of a ReLU from 0, where rounding decides whether it has a gradient."""
        least = []
        model = ResNetForImageClassification.from_pretrained(FIXTURES / "ports" / case, dtype=torch.float64).train()
        for module in model.modules():
            if isinstance(module, torch.nn.ReLU):
                module.register_forward_pre_hook(lambda _, inputs: least.append(inputs[0].abs().min().item()))
        model(pixels.double())
        return min(least)

    random = generator(f"{case}/training")
    # Odd sizes: strides and pools reach the borders differently.
    drawn = (torch.from_numpy(random.standard_normal((8, 3, 45, 38))).float() for _ in count())
    pixels = next(pixels for pixels in drawn if margin(pixels) > 5e-6)
    model, loss = trained(pixels, torch.float64)
    updated = {f"updated.{n}": t.float() for n, t in model.state_dict().items() if "running" in n}
    write(case, {"pixels": pixels, "labels": labels} | updated, model, loss)


def main():
    OUT.mkdir(exist_ok=True)
    torch.set_num_threads(1)
    for case in ("minilm", "odd_sizes", "relu"):
        bert(case)
    for case in ("multilingual", "older"):
        whisper(case)
    for case in ("resnet", "resnet_basic"):
        resnet(case)


if __name__ == "__main__":
    main()
