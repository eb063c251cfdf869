"""Models with random weights and their outputs by NumPy in float64, for pages of the guide.

Writes `tests/fixtures/guide/<page>.safetensors`, with float32 weights and inputs, and float64 outputs that are
computed from the stored weights, one position or step after the other:

The weights are those below `model`.

- `state_space`: a selective state-space block (Mamba). `input` `[batch, time, in]`, `output` of the same shape,
  and `state` `[batch, inner, state]`, the state after the last position.
- `diffusion`: a denoiser of points with classes, sampled by DDIM with guidance. `noise` `[batch, in]`, `class`
  (int32 `[batch]`), `schedule.step` (float32 `[step]`, from noisy to clean), `schedule.signal` and
  `schedule.next_signal` (float32 `[step]`), and `sample` `[batch, in]`.
"""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "guide"


def random(rng, *shape, scale=None):
    scale = shape[-1] ** -0.5 if scale is None else scale
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def model(weights):
    return {f"model.{name}": array for name, array in weights.items()}


def exact(tensors):
    return {name: array.astype(np.float64) for name, array in tensors.items()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return np.logaddexp(0, x)


def state_space(rng):
    batch, time, width, inner, state, rank, taps = 2, 9, 6, 8, 4, 3, 4
    weights = {
        "norm.weight": 1 + random(rng, width, scale=0.1),
        "in_proj.weight": random(rng, 2 * inner, width),
        "conv1d.weight": random(rng, inner, 1, taps),
        "conv1d.bias": random(rng, inner, scale=0.1),
        "x_proj.weight": random(rng, rank + 2 * state, inner),
        "dt_proj.weight": random(rng, inner, rank),
        "dt_proj.bias": random(rng, inner, scale=0.5),
        "A_log": np.log(np.tile(np.arange(1, state + 1), (inner, 1))).astype(np.float32),
        "D": 1 + random(rng, inner, scale=0.1),
        "out_proj.weight": random(rng, width, inner),
    }
    x = random(rng, batch, time, width, scale=1)
    w = exact(weights)
    output = np.zeros((batch, time, width))
    h = np.zeros((batch, inner, state))
    window = np.zeros((batch, inner, taps))
    for t in range(time):
        u = x[:, t].astype(np.float64)
        normed = u / np.sqrt((u * u).mean(-1, keepdims=True) + 1e-5) * w["norm.weight"]
        hidden, gate = np.split(normed @ w["in_proj.weight"].T, 2, axis=-1)
        window = np.concatenate([window[..., 1:], hidden[..., None]], axis=-1)
        hidden = silu((window * w["conv1d.weight"][:, 0]).sum(-1) + w["conv1d.bias"])
        dt, b, c = np.split(hidden @ w["x_proj.weight"].T, [rank, rank + state], axis=-1)
        dt = softplus(dt @ w["dt_proj.weight"].T + w["dt_proj.bias"])
        a = -np.exp(w["A_log"])
        h = np.exp(dt[..., None] * a) * h + (dt * hidden)[..., None] * b[:, None]
        y = (h * c[:, None]).sum(-1) + w["D"] * hidden
        output[:, t] = u + (y * silu(gate)) @ w["out_proj.weight"].T
    return model(weights) | {"input": x, "output": output, "state": h}


def diffusion(rng):
    batch, width, hidden, classes, frequencies, steps, guidance = 5, 2, 16, 3, 4, 12, 2.0
    weights = {
        "up.weight": random(rng, hidden, width),
        "up.bias": random(rng, hidden, scale=0.1),
        "time.weight": random(rng, hidden, 2 * frequencies),
        "time.bias": random(rng, hidden, scale=0.1),
        # The last row is that of no class.
        "class.weight": random(rng, classes + 1, hidden, scale=0.5),
        "middle.weight": random(rng, hidden, hidden),
        "middle.bias": random(rng, hidden, scale=0.1),
        "down.weight": random(rng, width, hidden),
        "down.bias": random(rng, width, scale=0.1),
    }
    w = exact(weights)
    noise = random(rng, batch, width, scale=1)
    label = rng.integers(0, classes, batch).astype(np.int32)
    # The cosine schedule: the share of the signal at each time, from noisy to clean.
    times = np.linspace(0.9, 0, steps + 1)
    share = np.cos(times * np.pi / 2) ** 2
    step, signal, after = (array.astype(np.float32) for array in (times[:-1], share[:-1], share[1:]))

    def predicted(x, t, label):
        angles = t * 2.0 ** np.arange(frequencies) * np.pi
        embedded = np.concatenate([np.sin(angles), np.cos(angles)]) @ w["time.weight"].T + w["time.bias"]
        h = silu(x @ w["up.weight"].T + w["up.bias"] + embedded + w["class.weight"][label])
        h = h + silu(h @ w["middle.weight"].T + w["middle.bias"])
        return h @ w["down.weight"].T + w["down.bias"]

    x = noise.astype(np.float64)
    for t, now, then in zip(step.astype(np.float64), signal.astype(np.float64), after.astype(np.float64)):
        without = predicted(x, t, np.full(batch, classes))
        found = without + guidance * (predicted(x, t, label) - without)
        clean = (x - np.sqrt(1 - now) * found) / np.sqrt(now)
        x = np.sqrt(then) * clean + np.sqrt(1 - then) * found
    schedule = {"schedule.step": step, "schedule.signal": signal, "schedule.next_signal": after}
    return model(weights) | schedule | {"noise": noise, "class": label, "sample": x}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for seed, page in enumerate([state_space, diffusion]):
        tensors = page(np.random.default_rng(seed))
        save_file({name: np.ascontiguousarray(array) for name, array in tensors.items()}, FOLDER / f"{page.__name__}.safetensors")
