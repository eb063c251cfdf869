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
# Mixtures of experts.
ROUTER = {"output_router_logits": False, "router_aux_loss_coef": 0.001}
MIXTRAL = ROUTER | {"architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "sliding_window": None, "rope_theta": 1e6,
                    "router_jitter_noise": 0.0, "num_local_experts": 5, "num_experts_per_tok": 2, "intermediate_size": 20,
                    "hidden_size": 16}
QWEN_EXPERTS = ROUTER | {"num_experts": 7, "num_experts_per_tok": 3, "moe_intermediate_size": 12, "decoder_sparse_step": 1,
                         "mlp_only_layers": [], "hidden_size": 16, "max_window_layers": 2, "sliding_window": None,
                         "use_sliding_window": False, "rope_theta": 1e6, "rms_norm_eps": 1e-6}
QWEN2_MOE = QWEN_EXPERTS | {"architectures": ["Qwen2MoeForCausalLM"], "model_type": "qwen2_moe", "norm_topk_prob": False,
                            "shared_expert_intermediate_size": 22}
QWEN3_MOE = QWEN_EXPERTS | {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "norm_topk_prob": True,
                            "head_dim": 8}
LLAMA3_ROPE = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 64}
# Heads of 16, so that the scaled bands of frequencies differ within one head.
WIDE = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1}
# Fields that a model type's own configuration does not have.
FOREIGN = {"mistral": {"attention_bias", "mlp_bias", "pretraining_tp"}, "qwen2": {"attention_bias", "mlp_bias", "pretraining_tp"},
           "qwen3": {"mlp_bias", "pretraining_tp"}, "mixtral": {"attention_bias", "mlp_bias", "pretraining_tp"},
           "qwen2_moe": {"attention_bias", "mlp_bias", "pretraining_tp"}, "qwen3_moe": {"mlp_bias", "pretraining_tp"}}
# Names of an expert's matrices in checkpoints: gate, up, down.
EXPERTS = {"mixtral": ("block_sparse_moe", "w1", "w3", "w2"), "qwen2_moe": ("mlp", "gate_proj", "up_proj", "down_proj"),
           "qwen3_moe": ("mlp", "gate_proj", "up_proj", "down_proj")}

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
    "mixtral": dict(config=MIXTRAL),
    # One expert for each token; a prompt of one token.
    "mixtral_top1": dict(config=MIXTRAL | {"num_experts_per_tok": 1, "num_local_experts": 3, "bos_token_id": None}, prompt=1),
    # All experts; shards that have some of a layer's experts each.
    "mixtral_all": dict(config=MIXTRAL | {"num_experts_per_tok": 4, "num_local_experts": 4, "sliding_window": 6}, shards=3),
    "mixtral_tied_bf16": dict(config=MIXTRAL | {"tie_word_embeddings": True, "num_key_value_heads": 1}, dtype="bfloat16", prompt=6),
    "qwen2_moe": dict(config=QWEN2_MOE),
    # A plain layer before one with experts; no biases.
    "qwen2_moe_mixed": dict(config=QWEN2_MOE | {"qkv_bias": False, "mlp_only_layers": [0], "norm_topk_prob": True}),
    "qwen3_moe": dict(config=QWEN3_MOE),
    # Every second layer has experts, except the last.
    "qwen3_moe_step": dict(config=QWEN3_MOE | {"num_hidden_layers": 4, "decoder_sparse_step": 2, "mlp_only_layers": [3],
                                               "norm_topk_prob": False, "intermediate_size": 24, "num_experts_per_tok": 1}),
    # As newer versions of the library write it.
    "qwen3_moe_renamed": dict(config=QWEN3_MOE | {
        "num_experts": ..., "num_local_experts": 6, "num_experts_per_tok": 5, "max_window_layers": ..., "rope_scaling": ..., "rope_theta": ...,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}, "dtype": "float32", "torch_dtype": ..., "norm_topk_prob": False}),
}
NEW_TOKENS = 12
# The best logit must lead the second by this share of the largest, so that no tie decides a greedy token.
MARGIN = 0.005
# The last expert that a token goes to must lead the next by as much, in logits, so that rounding does not choose another; stored
# in 16 bits, weights are tested in 16 bits too.
ROUTER_MARGIN = {"float32": 1e-3, "bfloat16": 3e-2}


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
    if config["model_type"] in EXPERTS:
        shapes = split_experts(shapes, *EXPERTS[config["model_type"]])
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


def split_experts(shapes, block, gate, up, down):
    """Shapes with the library's names in memory, where a layer's experts are fused, as shapes with the names in checkpoints."""
    split = {}
    for name, shape in shapes.items():
        layer, _, part = name.partition(".mlp.")
        if part == "gate.weight":
            split[f"{layer}.{block}.gate.weight"] = shape
        elif part == "experts.gate_up_proj":
            for expert in range(shape[0]):
                for matrix in (gate, up):
                    split[f"{layer}.{block}.experts.{expert}.{matrix}.weight"] = (shape[1] // 2, shape[2])
        elif part == "experts.down_proj":
            split |= {f"{layer}.{block}.experts.{expert}.{down}.weight": shape[1:] for expert in range(shape[0])}
        else:
            split[name] = shape
    return split


def router_margin(folder, config, text):
    """The smallest lead of a chosen expert over one that is not, in logits."""
    count = config.get("num_local_experts", config.get("num_experts"))
    chosen = config.get("num_experts_per_tok")
    if config["model_type"] not in EXPERTS or chosen == count:
        return float("inf")
    with torch.no_grad():
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        routers = [r for r in model(text[None], output_router_logits=True).router_logits if r is not None]
    best = torch.cat(routers).topk(chosen + 1).values
    return (best[:, -2] - best[:, -1]).min().item()


def reference(folder, config, prompt):
    """Logits over the prompt, then greedy tokens and their logits; all in float64."""
    with float64(*modeling_modules(config["model_type"])), torch.no_grad():
        # The grouped products of the library have no float64.
        options = {"experts_implementation": "eager"} if config["model_type"] in EXPERTS else {}
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, **options).eval()
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
    if config["model_type"] in ("qwen3", "qwen2_moe", "qwen3_moe"):
        plain.pop("sliding_window", None)
    variants = [plain] if plain else []
    if config["model_type"] in EXPERTS:
        variants.append({"num_experts_per_tok": config["num_experts_per_tok"] % 2 + 1})
    if "norm_topk_prob" in config:
        variants.append({"norm_topk_prob": not config["norm_topk_prob"]})
    for changes in variants:
        check_effect(name, folder, config | changes, sorted(changes), prompt, logits)


def check_effect(name, folder, config, changed, prompt, logits):
    """Checks that the model with another configuration has other logits."""
    with tempfile.TemporaryDirectory() as other, torch.no_grad():
        for file in folder.glob("model*"):
            shutil.copy(file, other)
        write_json(Path(other) / "config.json", config)
        without = AutoModelForCausalLM.from_pretrained(other, dtype=torch.float32).eval()(prompt[None]).logits[0]
    change = ((without - logits).abs().max() / logits.abs().max()).item()
    assert change > 5e-3, f"{name}: {changed} changes the logits by {change:.1e} only"


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
        sure = router_margin(folder, config, torch.cat([prompt, tokens]))
        if sure < ROUTER_MARGIN[case.get("dtype", "float32")]:
            continue
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
