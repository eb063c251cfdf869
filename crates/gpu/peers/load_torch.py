"""Loads a file of safetensors to the device by PyTorch: reads `load FILE` per line, answers with seconds."""

import json
import sys
import time
import traceback

import torch
from safetensors.torch import load_file

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def load(path):
    started = time.perf_counter()
    tensors = load_file(path, device=DEVICE)
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return {"seconds": time.perf_counter() - started, "tensors": len(tensors)}


for line in sys.stdin:
    _, path = line.split()
    try:
        result = load(path)
    except Exception:
        result = {"error": traceback.format_exc()}
    print(json.dumps(result), flush=True)
