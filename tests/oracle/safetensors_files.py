"""Safetensors files as Python's `safetensors` writes them, with values that `ml_dtypes` computes.

Writes `tests/fixtures/safetensors/`:
- `dtypes.safetensors`: one tensor per element type, named like the type in the file; each of shape `[2, 3]` except `F4`
  (`[2, 4]`), with elements of interest; `dtypes.json` has each one's bytes in hexadecimal.
- `shapes.safetensors`: float32 tensors `scalar` (7.5), `empty` of `[0, 3]`, `one` of `[1]`, `deep` of eight axes of 1 and
  2, and `odd` of `[5]` bytes, so that the following data is not aligned.
- `floats.safetensors`: for each small float type, `<type>.codes` with every code and `<type>.values` with the float32 that
  it encodes; `f32` with values that are hard to round, and `f32.BF16`, `f32.F16` with the rounded values.
- `sharded/`: two shards and their index, tensors `layers.<i>.weight` of float32 `[2, 2]`, filled with `i`.
"""

import json
import shutil
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors import TensorSpec, serialize_file
from safetensors.numpy import save_file

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "safetensors"

SMALL = {
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "F8_E8M0": ml_dtypes.float8_e8m0fnu,
}

# The type names of the low-level writer.
WRITER = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F4": "float4_e2m1fn_x2",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2": "float8_e5m2",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F8_E8M0": "float8_e8m0fnu",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
}


def write(path, tensors):
    """Writes `tensors`: a name, a type's name in files, a shape and an array of the bytes for each."""
    specs = {
        name: TensorSpec(dtype=WRITER[dtype], shape=shape, data_ptr=array.ctypes.data, data_len=array.nbytes)
        for name, dtype, shape, array in tensors
    }
    serialize_file(specs, path, None)


def integers(dtype):
    info = np.iinfo(dtype)
    return np.array([info.min, info.max, 0, 1, 2, 100], dtype)


def floats(dtype):
    return np.array([0.0, -0.0, 1.5, -2.0, np.inf, np.nan], np.float64).astype(dtype)


def dtypes():
    values = {
        "BOOL": np.array([True, False, False, True, True, False]),
        **{f"{sign}{bits}": integers(f"{name}{bits}") for sign, name in [("I", "int"), ("U", "uint")] for bits in [8, 16, 32, 64]},
        **{name: np.array([0, 1, 0x38, 0x7F, 0x80, 0xFF], np.uint8) for name in SMALL},
        "F16": floats(np.float16),
        "BF16": floats(ml_dtypes.bfloat16),
        "F32": floats(np.float32),
        "F64": floats(np.float64),
        "C64": np.array([0, 1, 1j, 1 + 2j, np.inf, -3], np.complex64),
        # Two elements to a byte, the first in the low half.
        "F4": np.array([0x10, 0x32, 0x54, 0x76], np.uint8),
    }
    # The writer takes the shape of the bytes and writes twice the last axis for packed pairs.
    tensors = [(name, name, [2, 2] if name == "F4" else [2, 3], value) for name, value in values.items()]
    write(FIXTURES / "dtypes.safetensors", tensors)
    expected = {name: value.tobytes().hex() for name, value in values.items()}
    (FIXTURES / "dtypes.json").write_text(json.dumps(expected, indent=2) + "\n")


def shapes():
    tensors = {
        "scalar": np.array(7.5, np.float32),
        "empty": np.zeros((0, 3), np.float32),
        "one": np.array([-1.0], np.float32),
        "deep": np.arange(16, dtype=np.float32).reshape(1, 2, 1, 2, 2, 1, 2, 1),
        "odd": np.arange(5, dtype=np.uint8),
    }
    save_file(tensors, FIXTURES / "shapes.safetensors", {"format": "np"})


def conversions():
    tensors = []
    for name, dtype in SMALL.items():
        codes = np.arange(256, dtype=np.uint8)
        tensors.append((f"{name}.codes", name, [256], codes))
        tensors.append((f"{name}.values", "F32", [256], codes.view(dtype).astype(np.float32)))
    random = np.random.default_rng(0)
    bits = random.integers(0, 2**32, 2000, dtype=np.uint32)
    moderate = (random.standard_normal(2000) * 10.0 ** random.integers(-9, 6, 2000)).astype(np.float32)
    halfway = (np.arange(0x3F80, 0x4080, dtype=np.uint32) << 16 | 0x8000).view(np.float32)
    halfway16 = (np.arange(0x3800, 0x3900, dtype=np.uint16).view(np.float16).astype(np.float32)).view(np.uint32) + 0x1000
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.996, 65520, 1e-8, 5.96e-8, 2.98e-8, 3.4e38, 1e-45], np.float32)
    values = np.concatenate([bits.view(np.float32), moderate, halfway, halfway16.view(np.float32), special])
    with np.errstate(all="ignore"):
        rounded = {"BF16": values.astype(ml_dtypes.bfloat16), "F16": values.astype(np.float16)}
    tensors.append(("f32", "F32", [len(values)], values))
    tensors += [(f"f32.{name}", name, [len(values)], value) for name, value in rounded.items()]
    write(FIXTURES / "floats.safetensors", tensors)


def sharded():
    folder = FIXTURES / "sharded"
    folder.mkdir()
    weight_map = {}
    for shard, layers in enumerate([[0, 2], [1, 3]], start=1):
        name = f"model-0000{shard}-of-00002.safetensors"
        tensors = {f"layers.{i}.weight": np.full((2, 2), i, np.float32) for i in layers}
        save_file(tensors, folder / name, {"format": "np"})
        weight_map |= {tensor: name for tensor in tensors}
    index = {"metadata": {"total_size": 64}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


if __name__ == "__main__":
    shutil.rmtree(FIXTURES, ignore_errors=True)
    FIXTURES.mkdir(parents=True)
    dtypes()
    shapes()
    conversions()
    sharded()
    for path in FIXTURES.rglob("*.safetensors"):
        path.chmod(0o644)
