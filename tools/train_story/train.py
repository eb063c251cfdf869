"""Trains the small Llama of `examples/llama/story` and writes it as a Hugging Face folder."""

import argparse
import json
import math
import time
from pathlib import Path

import torch
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

import tokenizer as story_tokenizer
from conversations import BOS, EOS
from rows import CONTEXT, Rows

HERE = Path(__file__).resolve().parent


def configuration(tokenizer):
    """2.75 million parameters: 4 layers, grouped-query attention, tied embeddings."""
    return LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=256, intermediate_size=512, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, head_dim=64, max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5, tie_word_embeddings=True, use_cache=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        bos_token_id=tokenizer.token_to_id(BOS), eos_token_id=tokenizer.token_to_id(EOS), pad_token_id=None)


def optimisers(model):
    """Muon for the matrices within the layers, Adam for embeddings and norms."""
    inner = [p for n, p in model.named_parameters() if p.dim() == 2 and "embed" not in n]
    outer = [p for n, p in model.named_parameters() if p.dim() != 2 or "embed" in n]
    made = [torch.optim.Muon(inner, lr=0.02, momentum=0.95, weight_decay=0.0),
            torch.optim.AdamW(outer, lr=0.003, betas=(0.9, 0.98), weight_decay=0.0, fused=True)]
    for optimiser in made:
        for group in optimiser.param_groups:
            group["peak"] = group["lr"]
    return made


def rate(progress):
    """The share of the peak learning rate: up over the first 3 %, then a cosine down to a fiftieth."""
    if progress < 0.03:
        return progress / 0.03
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (progress - 0.03) / 0.97))


def losses(model, batch):
    """The weighted loss that is trained on, and the plain mean in nats per learnt token."""
    ids, targets, weights = batch
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(ids, use_cache=False).logits
    each = torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="none")
    weights = weights.flatten()
    return (each * weights).sum() / weights.sum(), each.detach().sum() / (weights > 0).sum()


def save(model, tokenizer, folder):
    """The folder that the example embeds: weights in bfloat16."""
    folder.mkdir(parents=True, exist_ok=True)
    model.to(torch.bfloat16)
    model.generation_config = GenerationConfig(
        bos_token_id=model.config.bos_token_id, eos_token_id=model.config.eos_token_id,
        do_sample=True, temperature=0.7, top_p=0.95, max_new_tokens=400)
    model.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    # One of the tools that read such folders looks for the base of the rotary embedding at the top level.
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rope_theta"] = config["rope_parameters"]["rope_theta"]
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    story_tokenizer.save(tokenizer, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "examples/llama/story")
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--tokens", type=int, default=2200, help="tokens in a batch")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    tokenizer = story_tokenizer.train(args.seed)
    rows = Rows(tokenizer, args.seed + 1)
    held_out = [Rows(tokenizer, args.seed + 2).batch(8192, kind) for kind in (0.0, 0.6, 1.0)]
    model = LlamaForCausalLM(configuration(tokenizer))
    both = optimisers(model)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters", flush=True)

    start, smooth, seen = time.time(), None, 0
    for step in range(args.steps):
        progress = step / args.steps
        batch = rows.batch(args.tokens, progress)
        loss, plain = losses(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimiser in both:
            for group in optimiser.param_groups:
                group["lr"] = group["peak"] * rate(progress)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        seen += batch[0].numel()
        smooth = plain.item() if smooth is None else 0.95 * smooth + 0.05 * plain.item()
        if step % 50 == 49:
            print(f"step {step + 1} tokens {seen:,} loss {smooth:.4f} {time.time() - start:.0f} s", flush=True)

    model.eval()
    with torch.no_grad():
        plain = [f"{losses(model, batch)[1].item():.4f}" for batch in held_out]
    print(f"held-out loss {', '.join(plain)} (one turn, conversations, full context); {time.time() - start:.0f} s")
    save(model, tokenizer, args.out)


if __name__ == "__main__":
    main()
