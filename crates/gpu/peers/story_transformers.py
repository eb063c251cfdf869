"""The tokens that `transformers` generates on the CPU, greedily and in f32: `FOLDER PROMPT COUNT`, the prompt as ids with commas.

Answers each line that it reads with a line of JSON.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM

folder, prompt, count = sys.argv[1], [int(token) for token in sys.argv[2].split(",")], int(sys.argv[3])
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
with torch.no_grad():
    tokens, past = list(prompt), None
    fed = torch.tensor([prompt])
    for _ in range(count):
        out = model(fed, past_key_values=past, use_cache=True)
        past, token = out.past_key_values, int(out.logits[0, -1].argmax())
        tokens.append(token)
        fed = torch.tensor([[token]])

for line in sys.stdin:
    print(json.dumps({"tokens": tokens[len(prompt):]}), flush=True)
