"""GGUF files as Python's `gguf` writes them, with the values that it dequantises.

Writes `tests/fixtures/gguf/`:
- `blocks.gguf`: for each element type a tensor of its name, of shape `[rows, one block]`: random blocks, the first with
  ordinary scales, the others with scales that are zero, negative zero, subnormal, the largest, infinite and NaN.
- `quantized.gguf`: matrices of normal numbers, quantised by the package, with metadata of every type.
- `quantize.safetensors`: numbers `x`, their bytes as the package quantises them, and as llama.cpp does for K kinds, by
  the library of `llama-cpp-python`.
- `values.safetensors`: the float32 values of the tensors of both, as `blocks.<name>` and `quantized.<name>`.

Writes `crates/graph/src/iq_grids.bin`: the grids of the IQ types, two bytes for each vector.

With arguments, for the ignored tests of `crates/io/tests/it/gguf`:
- `gguf_files.py values FOLDER` writes the values of `FOLDER/model.gguf` as `FOLDER/values.safetensors`.
- `gguf_files.py same A B` fails unless the package reads the same from both files.
"""

import ctypes
import shutil
import struct
import sys
import warnings
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind
from gguf import quants
from safetensors.numpy import save_file

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "gguf"
GRIDS = ROOT / "crates" / "graph" / "src" / "iq_grids.bin"

# The positions of scales of 16 bits in a block.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0],
    "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
    "IQ1_S": [0], "IQ2_XXS": [0], "IQ2_XS": [0], "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0],
    "IQ4_NL": [0], "IQ4_XS": [0], "TQ1_0": [52], "TQ2_0": [64],
}  # fmt: skip

HOSTILE = [0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0x7C00, 0xFC00, 0x7E00]
ORDINARY = 4

PLAIN = {
    "F32": np.float32, "F16": np.float16, "F64": np.float64,
    "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64,
}  # fmt: skip


def grids():
    classes = [quants.IQ2_XXS, quants.IQ2_XS, quants.IQ2_S, quants.IQ3_XXS, quants.IQ3_S, quants.IQ1_S]
    GRIDS.write_bytes(b"".join(bytes.fromhex(kind.grid_hex.decode()) for kind in classes))


def blocks(name, random):
    """Random blocks of a quantised type as an array of bytes, one block a row."""
    _, size = gguf.GGML_QUANT_SIZES[Kind[name]]
    if name in ("MXFP4", "NVFP4"):
        # Every code of a scale.
        rows = random.integers(0, 256, (256, size), dtype=np.uint8)
        scales = 1 if name == "MXFP4" else 4
        rows[:, :scales] = (np.arange(256)[:, None] + 64 * np.arange(scales)) % 256
        return rows
    rows = random.integers(0, 256, (ORDINARY + len(HOSTILE), size), dtype=np.uint8)
    for row, scale in zip(rows, [None] * ORDINARY + HOSTILE):
        if name == "IQ1_M":
            bits = random.integers(0x2000, 0x3C00) if scale is None else scale
            for i in range(4):
                row[49 + 2 * i] = row[49 + 2 * i] & 0x0F | (bits >> (4 * i) & 0xF) << 4
        for at in HALVES.get(name, []):
            bits = random.integers(0x2000, 0x3C00) if scale is None else scale
            row[at : at + 2] = list(struct.pack("<H", bits))
    return rows


def plain(name, random):
    dtype = PLAIN[name]
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        ends = [info.min, info.max, 0, -1, 1, 100]
        return np.concatenate([np.array(ends, dtype), random.integers(info.min, info.max, 42, dtype=dtype)])
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, -6e-8, 1.5, 65504, 1 / 3, 1e-45, 3e38, 1e300, 1e-300]
    normal = random.standard_normal(34)
    return np.concatenate([special, normal]).astype(dtype)


def every_block(values):
    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(FIXTURES / "blocks.gguf", "test")
    for name in PLAIN:
        array = plain(name, random)
        writer.add_tensor(name, array)
        values[f"blocks.{name}"] = array.astype(np.float32)
    bits = random.integers(0, 2**16, 64, dtype=np.uint16)
    bits[:6] = [0, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 1]
    tensors = {"BF16": bits.view(np.uint8)[None]}
    tensors |= {name: blocks(name, random) for name in [*HALVES, "IQ1_M", "MXFP4", "NVFP4"]}
    for name, array in tensors.items():
        writer.add_tensor(name, array, raw_dtype=Kind[name])
        values[f"blocks.{name}"] = quants.dequantize(array, Kind[name])
    write(writer)


def quantized(values):
    random = np.random.default_rng(1)
    writer = gguf.GGUFWriter(FIXTURES / "quantized.gguf", "test")
    writer.add_custom_alignment(64)
    writer.add_uint8("one.u8", 255)
    writer.add_int8("one.i8", -128)
    writer.add_uint16("one.u16", 65535)
    writer.add_int16("one.i16", -32768)
    writer.add_uint32("one.u32", 2**32 - 1)
    writer.add_int32("one.i32", -(2**31))
    writer.add_float32("one.f32", 1.5)
    writer.add_bool("one.bool", True)
    writer.add_string("one.string", "größe 層 \0 \n")
    writer.add_uint64("one.u64", 2**64 - 1)
    writer.add_int64("one.i64", -(2**63))
    writer.add_float64("one.f64", 1e300)
    writer.add_array("many.i32", [1, -2, 3])
    writer.add_array("many.f32", [0.5, -0.25])
    writer.add_array("many.bool", [True, False])
    writer.add_array("many.string", ["a", "", "ß"])
    writer.add_array("many.u8", bytes(range(10)))
    writer.add_array("many.array", [[1, 2], [3]])
    for name in ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "TQ1_0", "TQ2_0", "MXFP4"]:
        array = random.standard_normal((2, 3, 256)).astype(np.float32)
        data = quants.quantize(array, Kind[name])
        writer.add_tensor(name, data, raw_dtype=Kind[name])
        values[f"quantized.{name}"] = quants.dequantize(data, Kind[name])
    writer.add_tensor("vector", np.arange(5, dtype=np.float32))
    values["quantized.vector"] = np.arange(5, dtype=np.float32)
    write(writer)


def quantize():
    import llama_cpp  # only here: it is compiled when it is installed

    random = np.random.default_rng(2)
    x = random.standard_normal((24, 256)).astype(np.float32)
    x[1] *= 0.02
    x[2] = 0
    x[3] = 0.3
    x[4] = -0.3
    x[5] = np.abs(x[5])
    x[6] = -np.abs(x[6])
    x[7] *= 1e-6
    x[8] *= np.float32(1e-30)
    x[9] = np.clip(x[9], -1, 1) * 60_000
    x[10, ::32] = 40
    x[11] = np.round(x[11] * 4) / 4
    x[12] = random.standard_t(3, 256)
    x[13] += 5
    x[14, :128] = 0
    tensors = {"x": x}
    for name in ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"]:
        tensors[name] = quants.quantize(x, Kind[name])
    library = ctypes.CDLL(str(next(Path(llama_cpp.__file__).parent.rglob("libggml-base.so"))))
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    for name in ["Q4_K", "Q5_K", "Q6_K"]:
        kind = Kind[name]
        block, size = gguf.GGML_QUANT_SIZES[kind]
        rows = np.zeros((len(x), 256 // block * size), np.uint8)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, rows)]
        sizes = [ctypes.c_int64(number) for number in (0, len(x), 256)]
        library.ggml_quantize_chunk(int(kind), *pointers, *sizes, None)
        tensors[name] = rows
    save_file(tensors, FIXTURES / "quantize.safetensors")


def write(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def values_of(folder):
    tensors = gguf.GGUFReader(folder / "model.gguf").tensors
    values = {tensor.name: quants.dequantize(tensor.data, tensor.tensor_type) for tensor in tensors}
    save_file(values, folder / "values.safetensors")


def same(a, b):
    a, b = gguf.GGUFReader(a), gguf.GGUFReader(b)
    fields = [{name: field for name, field in file.fields.items() if name[:5] != "GGUF."} for file in (a, b)]
    assert fields[0].keys() == fields[1].keys()
    for name, field in fields[0].items():
        other = fields[1][name]
        assert field.types == other.types, name
        parts = zip(field.parts, other.parts, strict=True)
        assert all(np.array_equal(part.view(np.uint8), found.view(np.uint8)) for part, found in parts), name
    tensors = [{tensor.name: tensor for tensor in file.tensors} for file in (a, b)]
    assert tensors[0].keys() == tensors[1].keys()
    for name, tensor in tensors[0].items():
        other = tensors[1][name]
        assert tensor.tensor_type == other.tensor_type, name
        assert tensor.shape.tolist() == other.shape.tolist(), name
        assert np.array_equal(tensor.data.view(np.uint8), other.data.view(np.uint8)), name


if __name__ == "__main__":
    if sys.argv[1:2] == ["values"]:
        sys.exit(values_of(Path(sys.argv[2])))
    if sys.argv[1:2] == ["same"]:
        sys.exit(same(*sys.argv[2:4]))
    warnings.simplefilter("ignore", RuntimeWarning)
    shutil.rmtree(FIXTURES, ignore_errors=True)
    FIXTURES.mkdir(parents=True)
    grids()
    values = {}
    every_block(values)
    quantized(values)
    quantize()
    # One form of NaN, so that the file does not depend on the processor.
    for name, array in values.items():
        values[name] = np.where(np.isnan(array), np.float32(np.nan), array)
    save_file(values, FIXTURES / "values.safetensors")
    for path in [*FIXTURES.iterdir(), GRIDS]:
        path.chmod(0o644)
