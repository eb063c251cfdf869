"""Convolutions, pools and norms over channels by PyTorch, in float64 from inputs of the stored type.

Writes `tests/fixtures/nn/conv_layers.json`: cases as `layers.json` has them. The axes of a case without names are
called `_`.
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

FILE = Path(__file__).resolve().parents[1] / "fixtures" / "nn" / "conv_layers.json"
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
SPATIAL = {1: "x", 2: "y x", 3: "z y x"}
RNG = np.random.default_rng(20260311)
CASES = []


class Array:
    """Values of a type, and the names of their axes."""

    def __init__(self, dtype, axes, values):
        self.dtype, self.axes = dtype, axes.split()
        self.values = torch.as_tensor(values).to(TYPES[dtype])
        assert self.values.ndim == len(self.axes), (axes, self.values.shape)

    def wide(self):
        return self.values.double()

    def json(self):
        return array(self.dtype, self.axes, self.wide())


def array(dtype, axes, values):
    digits = [float(f"{v:.8g}") for v in values.reshape(-1).tolist()]
    return {"dtype": dtype, "axes": list(zip(axes, values.shape)), "values": digits}


def normal(dtype, axes, *shape, positive=False):
    # Few digits, which every type has.
    values = np.round(RNG.standard_normal(shape) * 16) / 16
    return Array(dtype, axes, abs(values) + 0.125 if positive else values)


def add(name, layer, inputs, dtype, axes, values, **attributes):
    assert not values.isnan().any(), name
    CASES.append({"name": name, "layer": layer, "attributes": attributes, "inputs": [x.json() for x in inputs],
                  "expected": array(dtype, axes.split(), values)})


def axes_of(rank, named, batch=True):
    names = f"{'batch ' if batch else ''}channel {SPATIAL[rank]}"
    return names if named else " ".join("_" for _ in names.split())


CONVS = [
    # batch, inputs, outputs, sizes, kernel, options
    (2, 3, 4, (9,), (3,), {}),
    (2, 3, 4, (9,), (4,), {"stride": 2, "padding": 1}),
    (1, 4, 6, (8,), (3,), {"dilation": 2, "groups": 2}),
    (2, 3, 4, (7, 6), (3, 2), {"stride": (2, 1), "padding": (1, 0)}),
    (2, 4, 4, (5, 5), (3, 3), {"padding": 1, "groups": 4}),
    (1, 3, 5, (6, 7), (1, 1), {"stride": 2}),
    (1, 2, 3, (4, 5, 3), (2, 3, 2), {"stride": (1, 2, 1), "padding": (0, 1, 1)}),
]
TRANSPOSES = [
    (2, 3, 4, (5,), (3,), {"stride": 2}),
    (2, 3, 4, (5,), (3,), {"stride": 2, "padding": 1, "output_padding": 1}),
    (1, 4, 6, (4,), (2,), {"stride": 3, "groups": 2}),
    (2, 3, 4, (4, 3), (3, 2), {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2)}),
    (1, 4, 4, (3, 4), (3, 3), {"stride": 2, "padding": 1, "dilation": 2, "groups": 4}),
    (1, 2, 3, (2, 3, 2), (2, 2, 2), {"stride": (2, 1, 2)}),
]


def convolutions():
    for layer, cases in [("conv", CONVS), ("conv_transpose", TRANSPOSES)]:
        for batch, inputs, outputs, sizes, kernel, options in cases:
            rank, groups = len(sizes), options.get("groups", 1)
            function = getattr(functional, f"{layer}{rank}d")
            transposed = layer == "conv_transpose"
            for dtype, stored, named in [("f32", "f32", True), ("f32", "f32", False), ("bf16", "bf16", True), ("f32", "bf16", True)]:
                if rank > 1 and stored == "bf16":
                    continue
                shape = (inputs, outputs // groups) if transposed else (outputs, inputs // groups)
                x = normal(dtype, axes_of(rank, named), batch, inputs, *sizes)
                w = normal(stored, f"_ _ {' '.join('_' * rank)}", *shape, *kernel)
                b = normal(stored, "_", outputs)
                # A product multiplies in the type of the weight.
                used = x.values.to(TYPES[stored]).double()
                for biased in [True, False] if named else [True]:
                    y = function(used, w.wide(), b.wide() if biased else None, **options)
                    axes = axes_of(rank, named)
                    add(f"{layer} {rank}d {dtype} by {stored} {options} {named} {biased}", layer, [x, w, b] if biased else [x, w],
                        dtype, axes, y, **{k: [v] * rank if isinstance(v, int) and k != "groups" else v for k, v in options.items()})
        x, w = normal("f32", axes_of(1, True, False), 3, 6), normal("f32", "_ _ _", *((3, 4, 3) if transposed else (4, 3, 3)))
        y = getattr(functional, f"{layer}1d")(x.wide(), w.wide())
        add(f"{layer} without a batch", layer, [x, w], "f32", axes_of(1, True, False), y)


def norms():
    for dtype in ["f32", "bf16"]:
        for rank, sizes, named in [(1, (5,), True), (2, (3, 4), True), (2, (1, 1), False), (3, (2, 3, 2), False)]:
            axes = axes_of(rank, named)
            x = normal(dtype, axes, 2, 6, *sizes)
            w, b, mean = (normal("f32", "_", 6) for _ in range(3))
            var = normal("f32", "_", 6, positive=True)
            name = f"{dtype} {list(sizes)} {named}"
            wide = [v.wide() for v in (w, b, mean, var)]
            y = functional.batch_norm(x.wide(), wide[2], wide[3], wide[0], wide[1], eps=1e-4)
            add(f"batch_norm {name}", "batch_norm", [x, w, b, mean, var], dtype, axes, y, epsilon=1e-4)
            running = [wide[2].clone(), wide[3].clone()]
            y = functional.batch_norm(x.wide(), *running, wide[0], wide[1], training=True, momentum=0.2, eps=1e-4)
            add(f"batch_norm train {name}", "batch_norm train", [x, w, b, mean, var], dtype, axes, y, epsilon=1e-4)
            for what, found in zip(["mean", "var"], running):
                add(f"batch_norm updated {what} {name}", f"batch_norm {what}", [x, w, b, mean, var], "f32", "_", found, epsilon=1e-4)
            y = functional.batch_norm(x.wide(), wide[2], wide[3], eps=1e-4)
            add(f"batch_norm plain {name}", "batch_norm plain", [x, mean, var], dtype, axes, y, epsilon=1e-4)
            for groups in [2, 6] if rank < 3 else [1]:
                y = functional.group_norm(x.wide(), groups, wide[0], wide[1], eps=1e-3)
                add(f"group_norm {groups} {name}", "group_norm", [x, w, b], dtype, axes, y, groups=groups, epsilon=1e-3)
            y = functional.group_norm(x.wide(), 3)
            add(f"group_norm plain {name}", "group_norm", [x], dtype, axes, y, groups=3, epsilon=1e-5)


def pools():
    def case(pool, sizes, options, function):
        rank = len(sizes)
        x = normal("f32", axes_of(rank, True), 1, 2, *sizes)
        add(f"{pool} {list(sizes)} {options}", pool, [x], "f32", axes_of(rank, True), function(x.wide()), **options)

    for rank, size in [(1, 9), (1, 4), (2, 7), (3, 5)]:
        sizes = tuple(size - i for i in range(rank))
        for kernel, stride, padding, ceil in [(2, 2, 0, False), (3, 2, 1, False), (3, 2, 1, True), (2, 3, 0, True), (3, 3, 1, True)]:
            options = {"kernel": kernel, "stride": stride, "padding": padding, "ceil": ceil}
            arguments = {"kernel_size": kernel, "stride": stride, "padding": padding, "ceil_mode": ceil}
            case("max_pool", sizes, options, lambda x: getattr(functional, f"max_pool{rank}d")(x, **arguments))
            for counted in [True, False] if padding else [True]:
                case("avg_pool", sizes, options | {"counted": counted},
                     lambda x: getattr(functional, f"avg_pool{rank}d")(x, **arguments, count_include_pad=counted))
        case("max_pool", sizes, {"kernel": 2, "stride": 1, "padding": 1, "ceil": False, "dilation": 2},
             lambda x: getattr(functional, f"max_pool{rank}d")(x, 2, 1, 1, 2))
        for to in [1, 2, 3, size - rank + 1, size + 2]:
            for pool in ["adaptive_avg_pool", "adaptive_max_pool"]:
                case(pool, sizes, {"to": to}, lambda x: getattr(functional, f"{pool}{rank}d")(x, to))


def main():
    torch.set_num_threads(1)
    convolutions()
    norms()
    pools()
    FILE.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in CASES) + "\n]\n")
    print(f"{len(CASES)} cases, {FILE.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
