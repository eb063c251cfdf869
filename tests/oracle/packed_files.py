"""Quantised weights as the layouts of safetensors checkpoints have them, with their values.

Writes `tests/fixtures/packed/`: for each layout `NAME.safetensors`, and `values.safetensors` with the float32 values as
`NAME.<weight>`. The values are chosen first, as integers with scales, and packed as the layouts' packages do, so that a
mistake in the order of bits would have to be made twice.
"""

import json
import shutil
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "packed"
E2M1 = np.float32([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
random = np.random.default_rng(0)
values = {}


def write(name, tensors, expected):
    save_file({key: np.ascontiguousarray(array) for key, array in tensors.items()}, FIXTURES / f"{name}.safetensors")
    for weight, array in expected.items():
        values[f"{name}.{weight}"] = np.ascontiguousarray(array, np.float32)


def scales(*shape):
    return (0.01 + random.random(shape)).astype(np.float32)


def words(fields, bits):
    """Fields of the last axis in words of 32 bits, the first one in the lowest bits."""
    count = 32 // bits
    fields = fields.astype(np.uint32).reshape(*fields.shape[:-1], -1, count)
    shifted = fields << (bits * np.arange(count, dtype=np.uint32))
    return np.bitwise_or.reduce(shifted, -1).view(np.int32)


def fp8():
    numbers = random.standard_normal((150, 136)).astype(ml_dtypes.float8_e4m3fn)
    wide = numbers.astype(np.float32)
    block = scales(2, 2)
    spread = np.repeat(np.repeat(block, 128, 0), 128, 1)[:150, :136]
    write("fp8_block", {"a.weight": numbers, "a.weight_scale_inv": block}, {"a.weight": wide * spread})
    channel, tensor = scales(150, 1), scales(1)
    numbers, wide, channel = numbers[:24, :40], wide[:24, :40], channel[:24]
    vector = {"v.weight": numbers, "v.weight_scale": channel[:, 0]}
    tensors = {"c.weight": numbers, "c.weight_scale": channel, "t.weight": numbers, "t.weight_scale": tensor, **vector}
    tensors["t.input_scale"] = tensor
    expected = {"c.weight": wide * channel, "v.weight": wide * channel, "t.weight": wide * tensor}
    write("fp8", tensors, expected)


def int8():
    numbers = random.integers(-128, 128, (24, 40)).astype(np.int8)
    channel, zeros = scales(24, 1), random.integers(-5, 6, (24, 1)).astype(np.int8)
    tensors = {"s.weight": numbers, "s.weight_scale": channel, "z.weight": numbers, "z.weight_scale": channel}
    tensors["z.weight_zero_point"] = zeros
    wide = numbers.astype(np.float32)
    write("int8", tensors, {"s.weight": wide * channel, "z.weight": (wide - zeros) * channel})
    write("codes8", {"w.weight": numbers, "w.SCB": channel[:, 0]}, {"w.weight": wide * (channel / np.float32(127))})


def packed(bits):
    half = 2 ** (bits - 1)
    numbers = random.integers(-half, half, (16, 64))
    scale = scales(16, 4).astype(np.float16)
    zeros = random.integers(-half, half, (16, 4))
    shape = np.int64([16, 64])
    wide = np.repeat(scale.astype(np.float32), 16, 1)
    order = random.permutation(64)
    groups = np.argsort(order) // 16
    parts = {"weight_packed": words(numbers + half, bits), "weight_scale": scale, "weight_shape": shape}
    tensors = {f"s.{key}": array for key, array in parts.items()}
    tensors |= {f"z.{key}": array for key, array in parts.items()}
    tensors |= {f"g.{key}": array for key, array in parts.items()}
    tensors["z.weight_zero_point"] = words(zeros.T + half, bits).T
    tensors["g.weight_g_idx"] = groups.astype(np.int32)
    expected = {
        "s.weight": numbers.astype(np.float32) * wide,
        "z.weight": (numbers - np.repeat(zeros, 16, 1)).astype(np.float32) * wide,
        "g.weight": numbers.astype(np.float32) * scale.astype(np.float32)[:, groups],
    }
    write(f"packed{bits}", tensors, expected)


def fp4():
    codes = random.integers(0, 16, (3, 8, 2, 32))
    pairs = (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8)
    exponents = random.integers(118, 132, (3, 8, 2)).astype(np.uint8)
    powers = np.float32(2.0) ** (exponents.astype(np.float32) - 127)
    expected = (E2M1[codes] * powers[..., None]).reshape(3, 8, 64)
    write("mxfp4", {"e_blocks": pairs, "e_scales": exponents}, {"e": expected})
    scale = scales(24, 4).astype(ml_dtypes.float8_e4m3fn)
    whole = np.float32([37.5])
    tensors = {"w.weight_packed": pairs.reshape(24, 32), "w.weight_scale": scale, "w.weight_global_scale": whole}
    wide = np.repeat(scale.astype(np.float32) / whole, 16, 1)
    write("nvfp4", tensors, {"w.weight": E2M1[codes].reshape(24, 64) * wide})


def awq():
    numbers, zeros = random.integers(0, 16, (64, 24)), random.integers(0, 16, (2, 24))
    scale = scales(2, 24).astype(np.float16)
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    pack = lambda fields: words(fields.reshape(len(fields), -1, 8)[..., order].reshape(fields.shape), 4)
    wide = np.repeat(scale.astype(np.float32), 32, 0)
    expected = (numbers - np.repeat(zeros, 32, 0)).astype(np.float32) * wide
    write("awq", {"w.qweight": pack(numbers), "w.qzeros": pack(zeros), "w.scales": scale}, {"w.weight": expected.T})


def gptq(bits):
    most = 2**bits
    numbers, zeros = random.integers(0, most, (64, 32)), random.integers(0, most - 1, (4, 32))
    scale = scales(4, 32).astype(np.float16)
    groups = np.arange(64) // 16
    shuffled = random.permutation(groups)
    tensors, expected = {}, {}
    for name, index in [("o", groups), ("g", shuffled)]:
        tensors[f"{name}.qweight"] = words(numbers.T, bits).T
        tensors[f"{name}.qzeros"] = words(zeros, bits)
        tensors[f"{name}.scales"] = scale
        tensors[f"{name}.g_idx"] = index.astype(np.int32)
        wide = scale.astype(np.float32)[index]
        expected[f"{name}.weight"] = ((numbers - (zeros[index] + 1)).astype(np.float32) * wide).T
    write(f"gptq{bits}", tensors, expected)


def nf4():
    table = np.sort(random.standard_normal(16)).astype(np.float32)
    codes = random.integers(0, 16, (12, 100))
    flat = codes.reshape(-1)
    pairs = (flat[::2] << 4 | flat[1::2]).astype(np.uint8)[:, None]
    blocks = -(-flat.size // 64)
    absmax = scales(blocks)
    state = {"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [12, 100]}
    text = lambda state: np.frombuffer(json.dumps(state).encode(), np.uint8)
    parts = {"": pairs, ".quant_map": table}
    key = ".quant_state.bitsandbytes__nf4"
    plain = parts | {".absmax": absmax, key: text(state)}
    inner, outer = random.integers(0, 256, blocks).astype(np.uint8), scales(-(-blocks // 8))
    inner_table = np.sort(random.random(256)).astype(np.float32)
    state |= {"nested_blocksize": 8, "nested_dtype": "float32", "nested_offset": 0.125}
    nested = parts | {".absmax": inner, ".nested_quant_map": inner_table, ".nested_absmax": outer, key: text(state)}
    tensors = {f"p.weight{end}": array for end, array in plain.items()}
    tensors |= {f"n.weight{end}": array for end, array in nested.items()}
    spread = lambda scale: np.repeat(scale, 64)[: flat.size].reshape(codes.shape)
    scale = inner_table[inner] * np.repeat(outer, 8)[:blocks] + np.float32(0.125)
    write("nf4", tensors, {"p.weight": table[codes] * spread(absmax), "n.weight": table[codes] * spread(scale)})


if __name__ == "__main__":
    shutil.rmtree(FIXTURES, ignore_errors=True)
    FIXTURES.mkdir(parents=True)
    fp8()
    int8()
    packed(4)
    packed(8)
    fp4()
    awq()
    for bits in (2, 4, 8):
        gptq(bits)
    nf4()
    save_file(values, FIXTURES / "values.safetensors")
    for path in FIXTURES.iterdir():
        path.chmod(0o644)
