"""Tiny random checkpoints of the Llama family with reference logits from `transformers` in float64.

Writes `tests/fixtures/llama/<case>/`: `config.json` and weights in the hub's layout,
`prompt.json` (`prompt_ids`, `greedy_tokens`) and `expected.safetensors` (float64 `logits`
`[prompt, vocabulary]` over the prompt, `greedy_logits` `[new, vocabulary]` from which each greedy
token was taken).
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

from checkpoint import float64, generator, modeling_modules, random_weights, save_weights, write_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "llama"

BASE = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "hidden_act": "silu",
    "hidden_size": 24,
    "initializer_range": 0.02,
    "intermediate_size": 40,
    "max_position_embeddings": 128,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-5,
    "rope_scaling": None,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
    "use_cache": True,
    "vocab_size": 61,
}
MISTRAL = {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": None}
QWEN2 = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "rms_norm_eps": 1e-6, "rope_theta": 1e6,
         "sliding_window": 64, "use_sliding_window": False, "max_window_layers": 2}
QWEN3 = QWEN2 | {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 16}
LLAMA3_ROPE = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 64}
# Heads of 16, so that the scaled bands of frequencies differ within one head.
WIDE = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1}
# Fields that a model type's own configuration does not have.
FOREIGN = {"mistral": {"attention_bias", "mlp_bias", "pretraining_tp"}, "qwen2": {"attention_bias", "mlp_bias", "pretraining_tp"},
           "qwen3": {"mlp_bias", "pretraining_tp"}}

# Name: changes to `BASE`, then the storage format and the length of the prompt.
CASES = {
    "multi_head": dict(config={"num_key_value_heads": 4}),
    "grouped": dict(config={}),
    "multi_query": dict(config={"num_key_value_heads": 1}),
    # Llama 1 and 2 checkpoints: no head count for keys in the configuration, rotary buffers among the weights.
    "llama2_layout": dict(config={"num_key_value_heads": ..., "rope_theta": ..., "attention_bias": ..., "mlp_bias": ...}, rotary_buffers=True),
    "tied": dict(config={"tie_word_embeddings": True, "num_attention_heads": 4, "num_key_value_heads": 1}),
    "rope_llama3": dict(config=WIDE | {"rope_scaling": LLAMA3_ROPE, "rope_theta": 500000.0}, prompt=40),
    # The format of newer versions of the library: the rotary embedding in one object.
    "rope_parameters": dict(config=WIDE | {"rope_scaling": ..., "rope_theta": ..., "dtype": "float32", "torch_dtype": ...,
                                           "rope_parameters": LLAMA3_ROPE | {"rope_theta": 500000.0}}, weights_of="rope_llama3", prompt=40),
    "rope_linear": dict(config=WIDE | {"rope_scaling": {"type": "linear", "factor": 4.0}}),
    "rope_yarn": dict(config=WIDE | {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}}, prompt=40),
    "rope_yarn_explicit": dict(config=WIDE | {"rope_scaling": {
        "rope_type": "yarn", "factor": 2.5, "original_max_position_embeddings": 48, "beta_fast": 16.0, "beta_slow": 2.0,
        "attention_factor": 0.9}}, prompt=40),
    "rope_yarn_mscale": dict(config=WIDE | {"rope_scaling": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "mscale": 0.8, "mscale_all_dim": 0.5,
        "truncate": False}}, prompt=40),
    # Prompt and answer stay within `max_position_embeddings`: the frequencies are the unscaled ones.
    "rope_dynamic": dict(config=WIDE | {"max_position_embeddings": 64, "rope_scaling": {"type": "dynamic", "factor": 2.0}}),
    # The prompt is longer than `max_position_embeddings`: the base grows with the length, and with every new token.
    "rope_dynamic_long": dict(config=WIDE | {"max_position_embeddings": 16, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}),
    "head_dim": dict(config={"head_dim": 14, "num_attention_heads": 3, "num_key_value_heads": 3}),
    "attention_bias": dict(config={"attention_bias": True}),
    "mlp_bias": dict(config={"mlp_bias": True}),
    "biases": dict(config={"attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    "sharded": dict(config={}, shards=3),
    "sharded_tied_bf16": dict(config={"tie_word_embeddings": True}, shards=2, dtype="bfloat16"),
    "bf16": dict(config={"hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 2}, dtype="bfloat16"),
    "f16": dict(config={"hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 2}, dtype="float16"),
    "odd_sizes": dict(config={"hidden_size": 35, "intermediate_size": 51, "num_attention_heads": 5, "num_key_value_heads": 1,
                              "head_dim": 10, "vocab_size": 71, "num_hidden_layers": 3}, prompt=23),
    "gelu": dict(config={"hidden_act": "gelu"}),
    "gelu_tanh": dict(config={"hidden_act": "gelu_pytorch_tanh"}),
    "single_head": dict(config={"num_attention_heads": 1, "num_key_value_heads": 1, "num_hidden_layers": 1, "hidden_size": 16}),
    "long_prompt": dict(config={"max_position_embeddings": 256, "hidden_size": 16, "intermediate_size": 32, "vocab_size": 31,
                                "bos_token_id": None}, prompt=150),
    "mistral": dict(config=MISTRAL | {"head_dim": 12}),
    "mistral_window": dict(config=MISTRAL | {"sliding_window": 8}),
    "mistral_window_long": dict(config=MISTRAL | {"sliding_window": 5, "hidden_size": 16, "vocab_size": 31}, prompt=70),
    "qwen2": dict(config=QWEN2),
    "qwen2_tied_bf16": dict(config=QWEN2 | {"tie_word_embeddings": True}, dtype="bfloat16"),
    # The first layer sees everything, the second the last eight positions.
    "qwen2_window": dict(config=QWEN2 | {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}),
    "qwen2_yarn": dict(config=QWEN2 | WIDE | {"rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}}, prompt=40),
    "qwen3": dict(config=QWEN3),
    "qwen3_bias_tied": dict(config=QWEN3 | {"attention_bias": True, "tie_word_embeddings": True, "num_key_value_heads": 1}),
}
NEW_TOKENS = 12
# The best logit must lead the second by this share of the largest, so that no tie decides a greedy token.
MARGIN = 0.005


def configuration(case):
    """The `config.json` of a case; `...` removes a field."""
    merged = BASE | case["config"]
    merged["torch_dtype" if "dtype" not in merged else "dtype"] = case.get("dtype", "float32")
    foreign = FOREIGN.get(merged["model_type"], set()) - case["config"].keys()
    return {k: v for k, v in sorted(merged.items()) if v is not ... and k not in foreign}


def write_checkpoint(name, case, folder):
    """Configuration and weights, as files."""
    config = configuration(case)
    write_json(folder / "config.json", config)
    with torch.device("meta"):
        empty = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
    shapes = {n: tuple(t.shape) for n, t in empty.state_dict().items()}
    if config["tie_word_embeddings"]:
        shapes.pop("lm_head.weight")
    dtype = getattr(torch, case.get("dtype", "float32"))
    weights = random_weights(shapes, generator(case.get("weights_of", name)), dtype)
    if case.get("rotary_buffers"):
        half = config["hidden_size"] // config["num_attention_heads"] // 2
        for layer in range(config["num_hidden_layers"]):
            weights[f"model.layers.{layer}.self_attn.rotary_emb.inv_freq"] = 10000.0 ** (-torch.arange(half) / half)
    save_weights(folder, weights, case.get("shards", 1))
    return config


def reference(folder, config, prompt):
    """Logits over the prompt, then greedy tokens and their logits; all in float64."""
    with float64(*modeling_modules(config["model_type"])), torch.no_grad():
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
        assert model.model.rotary_emb.inv_freq.dtype == torch.float64
        step = model(prompt[None], use_cache=True)
        logits, tokens, greedy_logits = step.logits[0], [], []
        # As in generation, the keys and values of earlier positions are cached as they were computed.
        for _ in range(NEW_TOKENS):
            greedy_logits.append(step.logits[0, -1])
            tokens.append(step.logits[0, -1].argmax())
            step = model(tokens[-1][None, None], past_key_values=step.past_key_values, use_cache=True)
    assert logits.dtype == torch.float64
    return logits, torch.stack(tokens), torch.stack(greedy_logits)


def check_single_precision(folder, prompt, logits):
    """Checks that the unmodified library in float32 agrees with the float64 run."""
    with torch.no_grad():
        plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()(prompt[None]).logits[0]
    worst = ((plain - logits).abs().max() / logits.abs().max()).item()
    assert worst < 2e-5, f"{folder.name}: float32 is {worst:.1e} away from float64"
    return worst


def check_features(name, folder, config, prompt, logits):
    """Checks that the feature of a case affects its logits."""
    if name == "rope_dynamic":
        return
    plain = {"rope_scaling": None, "sliding_window": None, "use_sliding_window": False, "hidden_act": "silu"}
    if "rope_parameters" in config:
        plain["rope_parameters"] = {"rope_type": "default", "rope_theta": config["rope_parameters"]["rope_theta"]}
    plain = {k: v for k, v in plain.items() if config.get(k, v) != v}
    if config["model_type"] == "qwen2" and not config["use_sliding_window"]:
        plain.pop("sliding_window", None)
    if config["model_type"] == "qwen3":
        plain.pop("sliding_window", None)
    if not plain:
        return
    with tempfile.TemporaryDirectory() as other, torch.no_grad():
        for file in folder.glob("model*"):
            shutil.copy(file, other)
        write_json(Path(other) / "config.json", {k: v for k, v in (config | plain).items()})
        without = AutoModelForCausalLM.from_pretrained(other, dtype=torch.float32).eval()(prompt[None]).logits[0]
    change = ((without - logits).abs().max() / logits.abs().max()).item()
    assert change > 5e-3, f"{name}: {sorted(plain)} changes the logits by {change:.1e} only"


def make(name, case):
    """Writes one case; returns the distance of float32 from the reference and the smallest lead of a greedy token."""
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = write_checkpoint(name, case, folder)
    for attempt in range(200):
        ids = generator(f"{name}/prompt/{attempt}").integers(3, config["vocab_size"], case.get("prompt", 27))
        if config["bos_token_id"] is not None:
            ids[0] = config["bos_token_id"]
        prompt = torch.from_numpy(ids)
        logits, tokens, greedy_logits = reference(folder, config, prompt)
        best = greedy_logits.topk(2).values
        lead = ((best[:, 0] - best[:, 1]).min() / greedy_logits.abs().max()).item()
        if lead > MARGIN and config["eos_token_id"] not in tokens and len(set(tokens.tolist())) > 3:
            break
    else:
        raise SystemExit(f"{name}: no prompt with a clear greedy answer")
    worst = check_single_precision(folder, prompt, logits)
    check_features(name, folder, config, prompt, logits)
    save_file({"logits": logits.contiguous(), "greedy_logits": greedy_logits.contiguous()}, folder / "expected.safetensors")
    write_json(folder / "prompt.json", {"prompt_ids": prompt.tolist(), "greedy_tokens": tokens.tolist()})
    return worst, lead


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="only these")
    wanted = parser.parse_args().cases or list(CASES)
    torch.set_num_threads(1)
    for name in wanted:
        worst, lead = make(name, CASES[name])
        print(f"{name}: float32 within {worst:.1e}, smallest greedy lead {lead:.3f}", flush=True)


if __name__ == "__main__":
    main()
