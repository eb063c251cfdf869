"""LoRA adapters as PEFT writes them, with the logits of the adapted model, for `crates/models/tests/it/lora.rs`.

Writes `tests/fixtures/adapters/<name>/`: `adapter_config.json` and `adapter_model.safetensors` for the model
`tests/fixtures/llama/grouped`, and `expected.safetensors` (the float64 `logits` of its prompt, `[prompt, vocabulary]`).
The model of `pissa`, `olora` and `alora` is not the base model with a product added to some layers.
"""

import json
import pathlib
import shutil

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
BASE = FIXTURES / "llama/grouped"
LAYERS = ["q_proj", "v_proj", "down_proj"]

CASES = {
    "plain": {},
    "rslora_off": {"use_rslora": False, "init_lora_weights": "gaussian"},
    "some_layers": {"layers_to_transform": [1], "target_modules": ["q_proj", "o_proj"]},
    "pissa": {"init_lora_weights": "pissa"},
    "olora": {"init_lora_weights": "olora"},
    "alora": {"alora_invocation_tokens": [9, 30]},
}


def main():
    prompt = json.loads((BASE / "prompt.json").read_text())["prompt_ids"]
    for name, fields in CASES.items():
        torch.manual_seed(7)
        model = AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)
        config = LoraConfig(**{"r": 3, "lora_alpha": 5, "target_modules": LAYERS, "task_type": "CAUSAL_LM", **fields})
        model = get_peft_model(model, config)
        with torch.no_grad():
            for path, weight in model.named_parameters():
                if "lora_B" in path and fields.get("init_lora_weights") not in ["pissa", "olora"]:
                    weight.copy_(torch.randn(weight.shape) / 4)
        folder = FIXTURES / "adapters" / name
        shutil.rmtree(folder, ignore_errors=True)
        model.save_pretrained(folder)
        (folder / "README.md").unlink(missing_ok=True)
        file = folder / "adapter_config.json"
        written = json.loads(file.read_text())
        # The path is that of this machine, and the order of a set.
        written["base_model_name_or_path"] = "grouped"
        written["target_modules"] = sorted(written["target_modules"])
        file.write_text(json.dumps(written, indent=2, sort_keys=True) + "\n")
        with torch.no_grad():
            logits = model.double()(torch.tensor([prompt])).logits[0]
        save_file({"logits": logits.contiguous()}, folder / "expected.safetensors")


if __name__ == "__main__":
    main()
