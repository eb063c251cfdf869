"""The loop of the bench `lazy` in PyTorch's eager mode: prints the microseconds of a step."""

import statistics
import sys
import time

import torch

layers, batch, size, steps, together = map(int, sys.argv[1:])


def values(count, scale):
    return torch.tensor([((i * 7919 % 1000) / 500 - 1) * scale for i in range(count)])


weights = [values(size * size, size**-0.5).reshape(size, size) for _ in range(layers)]
biases = [values(size, 0.1) for _ in range(layers)]
x = values(batch * size, 1).reshape(batch, size)
times = []
with torch.no_grad():
    for _ in range(max(steps // together, 1) + 1):
        start = time.perf_counter()
        for _ in range(together):
            for weight, bias in zip(weights, biases):
                x = torch.tanh(x @ weight + bias)
        times.append((time.perf_counter() - start) / together)
print(statistics.median(times[1:]) * 1e6)
