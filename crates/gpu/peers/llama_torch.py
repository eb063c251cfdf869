"""The model of crates/gpu/src/llama in PyTorch, with a static cache and CUDA graphs.

Arguments and requests are those of llama_jax.py. Activations are bf16, as in transformers.
"""

import json
import math
import sys
import time
import traceback

import numpy as np
import torch
import torch.nn.functional as F

CONFIG = json.loads(sys.argv[1])
POSITIONS, PROMPT, STEPS, BATCH = map(int, sys.argv[2:6])
HIDDEN, INNER = CONFIG["hidden_size"], CONFIG["intermediate_size"]
VOCAB, LAYERS = CONFIG["vocab_size"], CONFIG["num_hidden_layers"]
HEADS, KV_HEADS = CONFIG["num_attention_heads"], CONFIG["num_key_value_heads"]
DIM = HIDDEN // HEADS
EPSILON = CONFIG["rms_norm_eps"]
IS_CUDA = torch.cuda.is_available()
DEVICE = "cuda" if IS_CUDA else "cpu"
# The elements of a weight that are made at once: the hash needs 8 bytes for each.
PART = 1 << 26
MASK = 0xFFFFFFFF


def fill(seed, scale, offset, shape):
    """`offset + (h - 127.5) * scale` for 8 bits `h` of a hash, of 32-bit words, of the index and the seed."""
    result = torch.empty(math.prod(shape), dtype=torch.bfloat16, device=DEVICE)
    for start in range(0, result.numel(), PART):
        part = result[start : start + PART]
        value = torch.arange(start, start + part.numel(), device=DEVICE)
        value = (value + (seed * 0x9E3779B9 & MASK)) & MASK
        for shift, factor in (16, 0x7FEB352D), (15, 0x846CA68B):
            value = (value ^ (value >> shift)) * factor & MASK
        part.copy_(((value >> 24).float() - 127.5) * np.float32(scale).item() + offset)
    return result.reshape(shape)


def make_weights():
    """In the order of the leaves of the model's tree, which numbers the seeds."""
    count = 0

    def tensor(*shape, embedding=False):
        nonlocal count
        if len(shape) == 1:
            scale, offset = 1 / 1024, 1.0
        else:
            scale, offset = math.sqrt(3 / (1 if embedding else shape[1])) / 128, 0.0
        count += 1
        return fill(count - 1, scale, offset, shape)

    def layer():
        return {
            "norm1": tensor(HIDDEN),
            "q": tensor(HEADS * DIM, HIDDEN),
            "k": tensor(KV_HEADS * DIM, HIDDEN),
            "v": tensor(KV_HEADS * DIM, HIDDEN),
            "o": tensor(HIDDEN, HEADS * DIM),
            "norm2": tensor(HIDDEN),
            "gate": tensor(INNER, HIDDEN),
            "up": tensor(INNER, HIDDEN),
            "down": tensor(HIDDEN, INNER),
        }

    weights = {"embed": tensor(VOCAB, HIDDEN, embedding=True)}
    weights["layers"] = [layer() for _ in range(LAYERS)]
    weights["norm"] = tensor(HIDDEN)
    weights["head"] = tensor(VOCAB, HIDDEN)
    frequency = CONFIG["rope_theta"] ** (-2.0 * np.arange(DIM // 2) / DIM)
    angle = np.arange(POSITIONS)[:, None] * frequency
    table = lambda values: torch.from_numpy(np.concatenate([values, values], axis=1)).to(DEVICE, torch.float32)
    weights["cos"], weights["sin"] = table(np.cos(angle)), table(np.sin(angle))
    return weights


def synchronize():
    if IS_CUDA:
        torch.cuda.synchronize()


def rotate(x, cos, sin):
    """`x`: [batch, heads, seq, dim]."""
    a, b = x.chunk(2, dim=-1)
    return (x * cos + torch.cat([-b, a], dim=-1) * sin).to(x.dtype)


class Model:
    """The weights, the cache, and the graph of a step."""

    def __init__(self):
        self.weights = None

    def compile(self):
        started = time.perf_counter()
        self.weights = make_weights()
        zeros = lambda: torch.zeros(BATCH, KV_HEADS, POSITIONS, DIM, dtype=torch.bfloat16, device=DEVICE)
        self.cache = [(zeros(), zeros()) for _ in range(LAYERS)]
        tokens = np.arange(PROMPT) * 7919 + 31 * np.arange(BATCH)[:, None] + 1
        self.tokens = torch.from_numpy(tokens % VOCAB).to(DEVICE)
        self.prompt_positions = torch.arange(PROMPT, device=DEVICE)
        self.position = torch.zeros(1, dtype=torch.int64, device=DEVICE)
        self.token = torch.zeros(BATCH, dtype=torch.int64, device=DEVICE)
        self.logits = torch.zeros(BATCH, VOCAB, dtype=torch.bfloat16, device=DEVICE)
        synchronize()
        made = time.perf_counter()
        self.run_prefill()
        self.graph = None
        if IS_CUDA:
            # PyTorch captures after warm-up calls on another stream.
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.step()
            torch.cuda.current_stream().wait_stream(stream)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.step()
        self.run_prefill()
        return {"seconds": time.perf_counter() - made, "weights": made - started}

    def forward(self, tokens, positions):
        """Logits after the last of `tokens`, [batch, seq], at these positions."""
        weights = self.weights
        count = tokens.shape[1]
        cos, sin = weights["cos"][positions], weights["sin"][positions]
        mask = positions[:, None] >= torch.arange(POSITIONS, device=DEVICE)
        x = weights["embed"][tokens]
        heads = lambda y, number: y.view(BATCH, count, number, DIM).transpose(1, 2)
        for layer, (keys, values) in zip(weights["layers"], self.cache):
            h = F.rms_norm(x, (HIDDEN,), layer["norm1"], EPSILON)
            query = rotate(heads(F.linear(h, layer["q"]), HEADS), cos, sin)
            keys.index_copy_(2, positions, rotate(heads(F.linear(h, layer["k"]), KV_HEADS), cos, sin))
            values.index_copy_(2, positions, heads(F.linear(h, layer["v"]), KV_HEADS))
            mixed = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask, enable_gqa=True)
            x = x + F.linear(mixed.transpose(1, 2).reshape(BATCH, count, HIDDEN), layer["o"])
            h = F.rms_norm(x, (HIDDEN,), layer["norm2"], EPSILON)
            x = x + F.linear(F.silu(F.linear(h, layer["gate"])) * F.linear(h, layer["up"]), layer["down"])
        x = F.rms_norm(x[:, -1], (HIDDEN,), weights["norm"], EPSILON)
        return F.linear(x, weights["head"])

    def step(self):
        self.logits.copy_(self.forward(self.token[:, None], self.position))
        self.token.copy_(self.logits.argmax(dim=-1))
        self.position += 1

    def run_step(self):
        if self.graph:
            self.graph.replay()
        else:
            self.step()

    def run_prefill(self):
        synchronize()
        started = time.perf_counter()
        self.logits.copy_(self.forward(self.tokens, self.prompt_positions))
        self.first = self.logits.argmax(dim=-1)
        self.first.cpu()
        return time.perf_counter() - started

    def start_decode(self):
        self.token.copy_(self.first)
        self.position.fill_(PROMPT)
        synchronize()

    def run_decode(self, read):
        self.start_decode()
        started = time.perf_counter()
        for _ in range(STEPS):
            self.run_step()
            if read:
                self.token.cpu()
        synchronize()
        return time.perf_counter() - started

    def write_logits(self, path):
        """The steps follow the other program's tokens."""
        with open(path) as file:
            tokens = json.load(file)
        self.run_prefill()
        first = self.logits.float().cpu().numpy()
        same = self.first.tolist() == tokens[0]
        self.start_decode()
        for token in tokens[:-1]:
            self.token.copy_(torch.tensor(token, device=DEVICE))
            self.run_step()
        last = self.logits.float().cpu().numpy()
        with open(path, "wb") as file:
            file.write(first.astype("<f4").tobytes() + last.astype("<f4").tobytes())
        return {"first_is_same": same, "last_is_same": self.token.tolist() == tokens[-1]}


def repeated(measure, count):
    times = [measure() for _ in range(int(count))]
    return {"seconds": sorted(times)[len(times) // 2], "all": times}


def answer(model, name, *arguments):
    match name:
        case "compile":
            return model.compile()
        case "logits":
            return model.write_logits(*arguments)
        case "prefill":
            return repeated(model.run_prefill, *arguments)
        case "decode":
            return repeated(lambda: model.run_decode(read=False), *arguments)
        case "decode_read":
            return repeated(lambda: model.run_decode(read=True), *arguments)
    return {"error": f"unknown request {name}"}


@torch.inference_mode()
def main():
    model = Model()
    for line in sys.stdin:
        words = line.split()
        if words == ["exit"]:
            return
        try:
            result = answer(model, *words)
        except Exception:
            result = {"error": traceback.format_exc()}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
