"""Tiny random BERT encoders with reference sentence embeddings from `transformers` in float64.

Writes `tests/fixtures/bert/<case>/`: `config.json`, weights, and `expected.safetensors` with the inputs
`input_ids`, `attention_mask`, `token_type_ids` (int64 `[batch, sequence]`), the float64 `hidden`
`[batch, sequence, hidden]` of the last layer, and `embeddings` `[batch, hidden]`: the mean over the positions
that the mask keeps, divided by its length. `hidden` at masked positions is meaningless.
"""

import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertModel

from checkpoint import float64, generator, modeling_modules, random_weights, save_weights, write_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "bert"

BASE = {
    "architectures": ["BertModel"],
    "attention_probs_dropout_prob": 0.1,
    "classifier_dropout": None,
    "gradient_checkpointing": False,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 24,
    "initializer_range": 0.02,
    "intermediate_size": 48,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 40,
    "model_type": "bert",
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "pad_token_id": 0,
    "position_embedding_type": "absolute",
    "torch_dtype": "float32",
    "type_vocab_size": 2,
    "use_cache": True,
    "vocab_size": 90,
}
CASES = {
    # As MiniLM is stored: names without a prefix, and a buffer of positions among the weights.
    "minilm": dict(config={}, lengths=[17, 9, 1, 12], buffer=True),
    # A checkpoint of a larger model that contains the encoder: every name begins with "bert.".
    "prefixed": dict(config={}, lengths=[5, 8], prefix="bert."),
    "odd_sizes": dict(config={"hidden_size": 21, "num_attention_heads": 3, "intermediate_size": 31, "vocab_size": 53,
                              "num_hidden_layers": 3}, lengths=[13, 2, 7]),
    "unpadded": dict(config={}, lengths=[11, 11]),
    "full_length": dict(config={"max_position_embeddings": 16}, lengths=[16, 3]),
    "f16": dict(config={}, lengths=[10, 4], dtype="float16"),
    "relu": dict(config={"hidden_act": "relu", "layer_norm_eps": 1e-5}, lengths=[6, 10]),
}


def inputs(name, lengths, config):
    """Ids padded with zeros on the right, their mask, and types: a second segment from the middle on."""
    rng, width = generator(f"{name}/inputs"), max(lengths)
    ids, mask, types = (torch.zeros(len(lengths), width, dtype=torch.int64) for _ in range(3))
    for row, n in enumerate(lengths):
        ids[row, :n] = torch.from_numpy(rng.integers(1, config["vocab_size"], n))
        mask[row, :n] = 1
        if row % 2 == 1:
            types[row, n // 2 : n] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def pool(hidden, mask):
    """The normalised mean over the kept positions."""
    kept = mask[..., None].to(hidden.dtype)
    mean = (hidden * kept).sum(1) / kept.sum(1)
    return mean / mean.norm(dim=-1, keepdim=True)


def make(name, case):
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = BASE | case["config"] | {"torch_dtype": case.get("dtype", "float32")}
    write_json(folder / "config.json", config)
    with torch.device("meta"):
        empty = BertModel(BertConfig.from_pretrained(folder))
    shapes = {n: tuple(t.shape) for n, t in empty.state_dict().items()}
    weights = random_weights(shapes, generator(name), getattr(torch, config["torch_dtype"]))
    weights = {case.get("prefix", "") + n: w for n, w in weights.items()}
    if case.get("buffer"):
        weights["embeddings.position_ids"] = torch.arange(config["max_position_embeddings"])[None]
    save_weights(folder, weights)

    given = inputs(name, case["lengths"], config)
    with float64(*modeling_modules("bert")), torch.no_grad():
        model, loaded = BertModel.from_pretrained(folder, dtype=torch.float64, output_loading_info=True)
        assert not loaded["missing_keys"], loaded
        hidden = model.eval()(**given).last_hidden_state
    assert hidden.dtype == torch.float64
    embeddings = pool(hidden, given["attention_mask"])
    # A row must not depend on the padding for a longer neighbour.
    with torch.no_grad():
        for row, n in enumerate(case["lengths"]):
            alone = {k: v[row : row + 1, :n] for k, v in given.items()}
            again = pool(model(**alone).last_hidden_state, alone["attention_mask"])[0]
            assert (again - embeddings[row]).abs().max() < 1e-12, name
    save_file(given | {"hidden": hidden.contiguous(), "embeddings": embeddings.contiguous()}, folder / "expected.safetensors")


def main():
    torch.set_num_threads(1)
    for name, case in CASES.items():
        make(name, case)
        print(name, flush=True)


if __name__ == "__main__":
    main()
