"""Sampling distributions of the logits processors of `transformers`, in float64.

Writes `tests/fixtures/sampling/distributions.json`: `logits` (named vectors, every value exact in float32)
and `cases` (`name`, `logits`, the parameters, `previous_tokens`, and `probabilities` over the vocabulary).
The order is that of generation: repetition penalty, temperature, top-k, top-p, min-p. Within one logits
vector no two values are equal, so that no cut falls between equal values.
"""

from pathlib import Path

import torch
from transformers.generation.logits_process import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from checkpoint import generator, write_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "sampling"
VOCABULARY = 53


def vectors():
    """Logits of several kinds."""
    normal = generator("sampling").standard_normal(VOCABULARY)
    made = {
        "even": 0.25 * normal,
        "usual": 2.5 * normal,
        "peaked": 9.0 * normal,
        "shifted": 2.0 * normal + 300.0,
        "negative": 2.0 * normal - 300.0,
        # Large enough to overflow an exponential that does not subtract the maximum.
        "large": 400.0 * normal,
        "two": normal[:2],
        "one": normal[:1],
    }
    made = {name: torch.from_numpy(v).float().double() for name, v in made.items()}
    for name, v in made.items():
        assert len(set(v.tolist())) == len(v), name
    return made


# Each with its changed parameters; absent means off.
PARAMETERS = [
    {},
    {"temperature": 0.7},
    {"temperature": 1.6},
    {"top_k": 1},
    {"top_k": 5},
    {"top_k": 1000},
    {"top_p": 0.3},
    {"top_p": 0.9},
    {"top_p": 0.999},
    {"min_p": 0.05},
    {"min_p": 0.5},
    {"min_p": 1.0},
    {"repeat_penalty": 1.3},
    {"repeat_penalty": 0.8},
    {"repeat_penalty": 1.3, "repeat_last_n": 4},
    {"repeat_penalty": 1.3, "repeat_last_n": 0},
    {"temperature": 0.7, "top_k": 20, "top_p": 0.9},
    {"temperature": 1.2, "top_p": 0.8, "min_p": 0.1},
    {"repeat_penalty": 1.2, "temperature": 0.8, "top_k": 12, "top_p": 0.95, "min_p": 0.02},
]


def probabilities(logits, p, previous):
    """The distribution that the next token is drawn from."""
    processors = LogitsProcessorList()
    last = p.get("repeat_last_n", len(previous))
    recent = previous[len(previous) - last:]
    if "repeat_penalty" in p and recent:
        processors.append(RepetitionPenaltyLogitsProcessor(p["repeat_penalty"]))
    if "temperature" in p:
        processors.append(TemperatureLogitsWarper(p["temperature"]))
    if "top_k" in p:
        processors.append(TopKLogitsWarper(p["top_k"]))
    if "top_p" in p:
        processors.append(TopPLogitsWarper(p["top_p"]))
    if "min_p" in p:
        processors.append(MinPLogitsWarper(p["min_p"]))
    scores = processors(torch.tensor([recent], dtype=torch.long), logits[None].clone())
    return torch.softmax(scores, dim=-1)[0]


def main():
    FIXTURES.mkdir(parents=True, exist_ok=True)
    cases, made = [], vectors()
    for name, logits in made.items():
        # With repeats: a token is penalized once, however often it occurs.
        previous = generator(f"previous/{name}").integers(0, len(logits), 9).tolist()
        previous[3] = previous[8] = int(logits.argmax())
        for p in PARAMETERS:
            result = probabilities(logits, p, previous)
            assert result.dtype == torch.float64 and abs(result.sum().item() - 1) < 1e-12
            label = " ".join(f"{k}={v}" for k, v in p.items()) or "softmax"
            cases.append({"name": f"{name}: {label}", "logits": name, **p, "previous_tokens": previous,
                          "probabilities": result.tolist()})
    write_json(FIXTURES / "distributions.json", {"logits": {n: v.tolist() for n, v in made.items()}, "cases": cases})
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
