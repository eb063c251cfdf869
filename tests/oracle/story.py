"""The answers of the shipped story model, by `transformers` in float64 from its bfloat16 weights.

Writes `tests/fixtures/story/`: `expected.json`, a list of cases with `prompt` or `messages`, its `prompt_ids`
by the tokenizer, the greedy `tokens` up to and with the end token, their `text`, and `lead`: the
smallest lead of the best logit. `logits.safetensors` has, under each case's name, the
float64 logits `[vocabulary]` after the prompt.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from checkpoint import float64, modeling_modules, write_json

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples" / "llama" / "story"
FIXTURES = ROOT / "tests" / "fixtures" / "story"
LONGEST = 400

CASES = [
    {"name": "empty", "prompt": ""},
    {"name": "once", "prompt": "Once upon a time"},
    {"name": "unicode", "prompt": "Zoë 🌍 found a"},
    {"name": "asked", "messages": [{"role": "user", "content": "Tell me a story about a fox and a kite."}]},
    {"name": "history", "messages": [{"role": "user", "content": "Hello!"},
                                     {"role": "assistant", "content": "Hello! Would you like to hear a story?"},
                                     {"role": "user", "content": "Yes, please."}]},
]


def main():
    torch.set_num_threads(1)
    FIXTURES.mkdir(parents=True, exist_ok=True)
    tokenizer, logits = AutoTokenizer.from_pretrained(MODEL), {}
    with float64(*modeling_modules("llama")), torch.no_grad():
        model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float64).eval()
        for case in CASES:
            if "messages" in case:
                ids = tokenizer.apply_chat_template(case["messages"], add_generation_prompt=True, return_dict=False)
            else:
                ids = tokenizer(case["prompt"]).input_ids
            step, tokens, lead = model(torch.tensor([ids]), use_cache=True), [], float("inf")
            logits[case["name"]] = step.logits[0, -1].clone()
            while len(tokens) < LONGEST:
                best = step.logits[0, -1].topk(2)
                lead = min(lead, (best.values[0] - best.values[1]).item())
                tokens.append(best.indices[0].item())
                if tokens[-1] == model.config.eos_token_id:
                    break
                step = model(torch.tensor([[tokens[-1]]]), past_key_values=step.past_key_values, use_cache=True)
            case |= {"prompt_ids": ids, "tokens": tokens, "text": tokenizer.decode(tokens, skip_special_tokens=True), "lead": lead}
            print(case["name"], len(ids), "->", len(tokens), f"lead {lead:.4f}")
    write_json(FIXTURES / "expected.json", CASES)
    save_file(logits, FIXTURES / "logits.safetensors")


if __name__ == "__main__":
    main()
