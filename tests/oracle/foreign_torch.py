"""Modules that `torch.export` and `torch_xla` wrote as StableHLO, with inputs and PyTorch's results, for
`tests/it/foreign.rs` and the `hloom` command.

Writes `tests/fixtures/stablehlo/torch/<name>/`: the folder `program`, `inputs.safetensors` and `outputs.safetensors`.
Needs an environment of its own: `torch==2.9.0`, `torch-xla==2.9.0`, `safetensors`, `numpy`.
"""

import os

os.environ["PJRT_DEVICE"] = "CPU"

import pathlib
import shutil

import torch
from safetensors.torch import save_file
from torch import nn
from torch_xla.stablehlo import exported_program_to_stablehlo

FOLDER = pathlib.Path(__file__).parent.parent / "fixtures/stablehlo/torch"


class Dictionary(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x, y):
        return {"scaled": torch.relu(self.fc(x)) * self.scale, "sum": x + y}


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, xs):
        h = torch.zeros(xs.shape[1], 4)
        for i in range(xs.shape[0]):
            h = self.cell(xs[i], h)
        return h


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 5)
        )

    def forward(self, image):
        return self.layers(image).softmax(-1)


class Lambda(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def write(name, module, *inputs):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    module = module.eval()
    with torch.no_grad():
        program = exported_program_to_stablehlo(torch.export.export(module, inputs))
        results = module(*inputs)
    program.save(str(folder / "program"))
    # The text repeats the bytecode.
    (folder / "program/functions/forward.mlir").unlink()
    match results:
        case dict():
            outputs = results
        case tuple():
            outputs = {str(i): value for i, value in enumerate(results)}
        case value:
            outputs = {"result": value}
    save_file({f"arg{i}": value.contiguous() for i, value in enumerate(inputs)}, folder / "inputs.safetensors")
    save_file({key: value.detach().contiguous() for key, value in outputs.items()}, folder / "outputs.safetensors")


def main():
    torch.manual_seed(19)
    write("dictionary", Dictionary(), torch.randn(2, 4), torch.randn(2, 4))
    write("gru", Recurrent(), torch.randn(5, 2, 3))
    write("attention", Attention(), torch.randn(2, 5, 8))
    write("classifier", Classifier(), torch.randn(2, 3, 8, 8))
    write("embedding", nn.Sequential(nn.Embedding(11, 4), nn.LayerNorm(4)), torch.tensor([[1, 10], [0, 3]]))
    write("sort", Lambda(lambda x: torch.sort(x, -1)[0]), torch.randn(3, 7))
    write("gather", Lambda(lambda x, i: (torch.gather(x, 1, i), x[0])), torch.randn(3, 5), torch.tensor([[0, 4], [2, 2], [1, 0]]))
    write("f16", Lambda(lambda x, y: (x * y).exp()), torch.randn(3, 4).half(), torch.randn(3, 4).half())
    # Weights of `bf16` cannot be written.
    write("bf16", Lambda(lambda x, w: x.bfloat16() @ w.bfloat16()), torch.randn(2, 4), torch.randn(4, 3))
    write("convolution_1d", nn.Conv1d(3, 4, 3, stride=2, dilation=2, groups=1), torch.randn(2, 3, 11))
    write("integers", Lambda(lambda a, b: (a + b, a * b, a > b)), torch.tensor([1, 2, 3]), torch.tensor([3, 2, 1]))


if __name__ == "__main__":
    main()
