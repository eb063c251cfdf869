"""Optimizers, clipping, averages and schedules of `crates/optim` by optax and PyTorch, in float64.

Writes `tests/fixtures/optim/optimizers.json`: parameters, the gradients of ten steps, and for each case the
parameters after some of the steps; norms and clipped gradients; and the values of schedules. Where optax and
PyTorch both have an optimizer, both give the same values here.
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch

jax.config.update("jax_enable_x64", True)
FILE = Path(__file__).resolve().parents[1] / "fixtures" / "optim" / "optimizers.json"
RNG = np.random.default_rng(20241123)
# The order is that of the paths, so that trees of JAX keep it.
SHAPES = {"bias": (5,), "empty": (0, 3), "kernel": (3, 4, 5), "one": (1, 1), "scalar": (), "tall": (6, 2),
          "weight": (4, 7)}
STEPS = 10
KEPT = [1, 2, 10]


def exact(values):
    """The values rounded to float32, so that tests in both types begin with the same."""
    return np.asarray(values, np.float32).astype(np.float64)


PARAMS = {name: exact(RNG.standard_normal(shape)) for name, shape in SHAPES.items()}
# Gradients of several magnitudes, some of them zero.
GRADIENTS = [{name: exact(RNG.standard_normal(shape) * 10.0 ** RNG.integers(-3, 2) *
                          (RNG.random(shape) > 0.1))
              for name, shape in SHAPES.items()} for _ in range(STEPS)]


def flat(tree):
    return {name: [float(v) for v in np.asarray(value, np.float64).ravel()] for name, value in tree.items()}


def by_optax(optimizer, every=1):
    params = {name: jnp.asarray(value) for name, value in PARAMS.items()}
    state = optimizer.init(params)
    kept = []
    for step in range(1, STEPS + 1):
        if step % every == 0:
            mean = {n: sum(GRADIENTS[step - 1 - i][n] for i in range(every)) / every for n in SHAPES}
            updates, state = optimizer.update({n: jnp.asarray(g) for n, g in mean.items()}, state, params)
            params = optax.apply_updates(params, updates)
        if step in KEPT:
            kept.append({name: np.asarray(value) for name, value in params.items()})
    return kept


def by_torch(make):
    params = {name: torch.tensor(value, requires_grad=True) for name, value in PARAMS.items()}
    optimizer = make(params)
    kept = []
    for step, gradients in enumerate(GRADIENTS, 1):
        for name, param in params.items():
            param.grad = torch.tensor(gradients[name])
        optimizer.step()
        if step in KEPT:
            kept.append({name: value.detach().numpy().copy() for name, value in params.items()})
    return kept


def agree(first, second, tolerance):
    for a, b in zip(first, second, strict=True):
        for name in SHAPES:
            np.testing.assert_allclose(a[name], b[name], rtol=tolerance, atol=tolerance, err_msg=name)


def matrices(params):
    """The mask of the tests: weight decay on all but `bias` and `scalar`."""
    return {name: name not in ("bias", "scalar") for name in params}


def groups(params, decay):
    masked = matrices(params)
    return [{"params": [params[n] for n in params if masked[n]], "weight_decay": decay},
            {"params": [params[n] for n in params if not masked[n]], "weight_decay": 0.0}]


class Both:
    """Muon for some matrices, and AdamW for the rest."""

    def __init__(self, params, matrices, muon, adamw):
        chosen = [n for n in params if n in matrices]
        self.all = [torch.optim.Muon([params[n] for n in chosen], **muon),
                    torch.optim.AdamW([params[n] for n in params if n not in chosen], **adamw)]

    def step(self):
        for optimizer in self.all:
            optimizer.step()


class DoubleTorch:
    """`torch` as the module of Muon sees it, which iterates in bfloat16: here in float64."""

    bfloat16 = torch.float64

    def __getattr__(self, name):
        return getattr(torch, name)


torch.optim._muon.torch = DoubleTorch()


def optimizers():
    flat_ones = ["empty", "one", "tall", "weight"]
    values, SGD = lambda params: list(params.values()), torch.optim.SGD
    adafactor = dict(min_dim_size_to_factor=4)
    # Given a count of int32, optax computes a schedule in float32.
    cosine = optax.warmup_cosine_decay_schedule(0.0, 0.1, 3, 8, 0.01)
    # name, optax, PyTorch, the difference that both may have.
    cases = [
        ("sgd", optax.sgd(0.1), lambda p: SGD(values(p), lr=0.1)),
        ("sgd momentum", optax.sgd(0.1, 0.9), lambda p: SGD(values(p), lr=0.1, momentum=0.9)),
        ("sgd nesterov", optax.sgd(0.1, 0.9, True),
         lambda p: SGD(values(p), lr=0.1, momentum=0.9, nesterov=True)),
        ("sgd decay", None, lambda p: SGD(groups(p, 0.1), lr=0.1, momentum=0.9)),
        ("adam", optax.adam(0.01), lambda p: torch.optim.Adam(values(p), lr=0.01)),
        ("adam betas", optax.adam(0.01, 0.8, 0.95, 1e-5),
         lambda p: torch.optim.Adam(values(p), lr=0.01, betas=(0.8, 0.95), eps=1e-5)),
        ("adamw", optax.adamw(0.01, weight_decay=0.1),
         lambda p: torch.optim.AdamW(values(p), lr=0.01, weight_decay=0.1)),
        ("adamw masked", optax.adamw(0.01, weight_decay=0.1, mask=matrices),
         lambda p: torch.optim.AdamW(groups(p, 0.1), lr=0.01)),
        ("adamw schedule", optax.adamw(lambda step: cosine(step.astype(jnp.float64)), weight_decay=0.1),
         None),
        ("lion", optax.lion(0.01, weight_decay=0.0), None),
        ("lion masked", optax.lion(0.01, 0.85, 0.95, weight_decay=0.5, mask=matrices), None),
        ("adafactor", optax.adafactor(0.01, **adafactor), None),
        # optax does not multiply the decay by the learning rate; hence 0.01 * 0.1.
        ("adafactor masked", optax.adafactor(0.01, momentum=0.9, weight_decay_rate=0.01 * 0.1,
                                             weight_decay_mask=matrices, **adafactor), None),
        ("adafactor plain", optax.adafactor(0.01, clipping_threshold=None,
                                            multiply_by_parameter_scale=False, factored=False), None),
        ("muon", None, lambda p: Both(p, flat_ones, dict(lr=0.02), dict(lr=0.02))),
        ("muon others", None, lambda p: Both(
            p, ["tall", "weight"], dict(lr=0.02, momentum=0.9, nesterov=False, weight_decay=0.5, adjust_lr_fn="match_rms_adamw"),
            dict(lr=0.003, betas=(0.8, 0.95), weight_decay=0.0))),
        ("clipped", optax.chain(optax.clip_by_global_norm(2.5), optax.sgd(0.1)), None),
    ]
    found = []
    for name, by_jax, torch_one in cases:
        kept = by_optax(by_jax) if by_jax else by_torch(torch_one)
        if by_jax and torch_one:
            agree(kept, by_torch(torch_one), 1e-12)
        assert all(np.isfinite(value).all() for tree in kept for value in tree.values()), name
        found.append({"name": name, "expected": [flat(tree) for tree in kept]})
    # optax' own MultiSteps computes the means in float32.
    kept = by_optax(optax.adam(0.01), every=3)
    agree(kept, by_optax(optax.MultiSteps(optax.adam(0.01), 3)), 1e-7)
    found.append({"name": "multi steps", "expected": [flat(tree) for tree in kept]})
    return found


def averages():
    """The moving average of the gradients of all steps, as if they were parameters."""
    ema = optax.ema(0.95, debias=True)
    state = ema.init({n: jnp.zeros(shape) for n, shape in SHAPES.items()})
    for gradients in GRADIENTS:
        average, state = ema.update({n: jnp.asarray(g) for n, g in gradients.items()}, state)
    return flat(average)


def clipping():
    gradients = {name: jnp.asarray(value) for name, value in GRADIENTS[0].items()}
    params = {name: torch.tensor(value, requires_grad=True) for name, value in PARAMS.items()}
    for name, param in params.items():
        param.grad = torch.tensor(GRADIENTS[0][name])
    norm = float(optax.global_norm(gradients))
    by_torch = float(torch.nn.utils.clip_grad_norm_(params.values(), 1.0))
    assert abs(norm - by_torch) < 1e-12 * norm
    clip = optax.clip(0.25)
    return {"norm": norm, "by_value": flat(clip.update(gradients, clip.init(gradients))[0])}


def schedules():
    steps = [0, 1, 2, 3, 4, 5, 9, 10, 11, 29, 30, 31, 60, 99, 100, 101, 109, 110, 111, 1000, 100000]
    cases = {
        "constant": optax.constant_schedule(0.3),
        "linear": optax.linear_schedule(1.0, 0.1, 100),
        "polynomial": optax.polynomial_schedule(1.0, 0.1, 2.0, 100),
        "cosine": optax.cosine_decay_schedule(0.5, 100, alpha=0.1),
        "exponential": optax.exponential_decay(0.5, 30, 0.5),
        "step": optax.exponential_decay(0.5, 30, 0.5, staircase=True),
        "warmup_cosine": optax.warmup_cosine_decay_schedule(0.0, 0.5, 10, 110, 0.05),
        "no warmup": optax.cosine_decay_schedule(0.5, 100),
        "then": optax.join_schedules([optax.constant_schedule(0.3), optax.linear_schedule(1.0, 0.0, 10),
                                      optax.exponential_decay(0.5, 30, 0.5)], [5, 30]),
    }
    found = [{"name": name, "values": [float(schedule(step)) for step in steps]}
             for name, schedule in cases.items()]
    # Noam's schedule without its warm-up, which optax does not have.
    found.append({"name": "inverse_sqrt", "values": [0.5 * (30 / (30 + step)) ** 0.5 for step in steps]})
    return {"steps": steps, "cases": found}


def main():
    result = {"shapes": SHAPES, "params": flat(PARAMS), "gradients": [flat(tree) for tree in GRADIENTS],
              "kept": KEPT, "cases": optimizers(), "average": averages(), "clipping": clipping(),
              "schedules": schedules()}
    FILE.parent.mkdir(exist_ok=True)
    # One line for each entry, so that a change shows where it is.
    lines = []
    for key, value in result.items():
        if isinstance(value, list) and isinstance(value[0], dict):
            value = "[\n" + ",\n".join(json.dumps(entry) for entry in value) + "\n]"
        else:
            value = json.dumps(value)
        lines.append(f"{json.dumps(key)}: {value}")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
