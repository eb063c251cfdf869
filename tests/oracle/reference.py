"""Cases of ops: edge-case inputs for each element type, results rounded from a wider type, and the file format."""

import zlib
from pathlib import Path

import jax
import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

jax.config.update("jax_enable_x64", True)

DATA = Path(__file__).resolve().parents[1] / "it" / "data"

# The type names in Hloom, in its order.
DTYPES = {
    "bool": np.dtype(np.bool_),
    "i2": np.dtype(ml_dtypes.int2),
    "i4": np.dtype(ml_dtypes.int4),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u2": np.dtype(ml_dtypes.uint2),
    "u4": np.dtype(ml_dtypes.uint4),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f4e2m1fn": np.dtype(ml_dtypes.float4_e2m1fn),
    "f8e3m4": np.dtype(ml_dtypes.float8_e3m4),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3),
    "f8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8e4m3b11fnuz": np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "f8e8m0fnu": np.dtype(ml_dtypes.float8_e8m0fnu),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

SIGNED = ["i2", "i4", "i8", "i16", "i32", "i64"]
UNSIGNED = ["u2", "u4", "u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
WIDE_FLOATS = ["bf16", "f16", "f32", "f64"]
# Every 8-bit float that has a zero and a sign.
EIGHTS = ["f8e3m4", "f8e4m3", "f8e4m3fn", "f8e4m3fnuz", "f8e4m3b11fnuz", "f8e5m2", "f8e5m2fnuz"]
FLOATS = WIDE_FLOATS + EIGHTS + ["f4e2m1fn"]
COMPLEX = ["c64", "c128"]
# One or two of each kind, where only the width of the elements matters.
SOME = ["bool", "i4", "u8", "i16", "i32", "u64", "f4e2m1fn", "f8e4m3fn", "bf16", "f32", "f64", "c64", "c128"]


def is_float(name):
    return name[0] == "f" or name == "bf16"


def is_complex(name):
    return name[0] == "c"


def bits(name):
    """The number of bits of an element."""
    digits = name.lstrip("bfiuc")
    return 1 if name == "bool" else int(digits.split("e")[0])


def limits(name):
    """The lowest and the highest value of an integer type, as Python numbers."""
    width = bits(name)
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if name[0] == "i" else (0, (1 << width) - 1)


def generator(text):
    """The random source of a case: the same on every run and machine."""
    return np.random.default_rng(zlib.crc32(text.encode()))


def integers(values, name):
    """Python numbers or an array as an integer type, keeping the lowest bits of each."""
    width = bits(name)
    wide = np.array([int(v) for v in np.asarray(values, object).flat], object) & ((1 << width) - 1)
    if name[0] == "i":
        wide = np.array([v - (1 << width) if v >> (width - 1) else v for v in wide], object)
    return wide.astype(np.int64 if name[0] == "i" else np.uint64).astype(DTYPES[name]).reshape(np.shape(values))


def rounded(values, name):
    """Values of a wide type in the type called `name`."""
    values = np.asarray(values)
    if name in INTS:
        return integers(values, name)
    with np.errstate(all="ignore"):
        return values.astype(DTYPES[name])


def widened(values):
    """Values in the type that results are computed in: f64, or c128 for complex numbers."""
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)


def numbers(name, shape, low=-4.0, high=4.0, seed=""):
    """Random elements: floats and complex parts between `low` and `high`, integers in that range as far as the type has it."""
    rng = generator(f"{name}{shape}{low}{high}{seed}")
    if name == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if name in INTS:
        lowest, highest = limits(name)
        return integers(rng.integers(max(int(low), lowest), min(int(high), highest) + 1, shape), name)
    values = rng.uniform(low, high, shape)
    if is_complex(name):
        values = values + 1j * rng.uniform(low, high, shape)
    return rounded(values, name)


def every(name):
    """Every bit pattern of a type of at most 8 bits."""
    count = 1 << bits(name)
    if name == "bool":
        return np.array([False, True])
    if name in INTS:
        return integers(range(count), name)
    return np.arange(count, dtype=np.uint8).view(DTYPES[name])


def specials(name):
    """The elements at the edges of a type: all of them for 8 bits and less."""
    if bits(name) <= 8:
        return every(name)
    if name in INTS:
        lowest, highest = limits(name)
        values = [lowest, lowest + 1, highest - 1, highest, 0, 1, 2, 3, 5, 100, highest // 3, 1 << (bits(name) // 2)]
        return integers(values + ([-1, -2, -3, -5, -100] if name[0] == "i" else []), name)
    if is_complex(name):
        parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0]
        return np.array([complex(a, b) for a in parts for b in parts], DTYPES[name])
    largest = float(ml_dtypes.finfo(DTYPES[name]).max)
    smallest = float(ml_dtypes.finfo(DTYPES[name]).smallest_normal)
    finite = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 0.1, 0.75, 7.25, 10.0, 88.0, 1000.0, largest, smallest]
    return rounded([s * v for v in finite for s in (1, -1)] + [np.inf, -np.inf, np.nan], name)


def spread(name, low=-4.0, high=4.0):
    """The edges of a type and random elements, in one vector of odd length."""
    if bits(name) <= 8:
        return every(name)
    if is_complex(name):
        return np.concatenate([specials(name), numbers(name, (32,), low, high)])
    return np.concatenate([specials(name), numbers(name, (64 + len(specials(name)) % 2 + 1,), low, high)])


class Table:
    """The cases of one family."""

    def __init__(self, family):
        self.family = family
        self.tensors = {}
        self.cases = set()

    def add(self, row, inputs, outputs, case=None):
        """A case of a row; it is named after its first input unless `case` is given."""
        inputs = [np.asarray(x) for x in inputs]
        outputs = [np.asarray(x) for x in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
        case = case or " ".join(describe(x) for x in inputs) or describe(outputs[0])
        assert "/" not in row + case, (row, case)
        assert (row, case) not in self.cases, f"{row}/{case} is there twice"
        self.cases.add((row, case))
        for kind, arrays in (("in", inputs), ("out", outputs)):
            for i, array in enumerate(arrays):
                raw = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
                if array.dtype in (DTYPES["i2"], DTYPES["i4"]):
                    # Sign bits fill the byte, as in a wider integer.
                    raw = array.astype(np.int8).reshape(-1).view(np.uint8)
                self.tensors[f"{row}/{case}/{kind}{i}:{describe(array)}"] = raw

    def save(self):
        """Writes the file; returns the number of cases and the size."""
        DATA.mkdir(parents=True, exist_ok=True)
        path = DATA / f"{self.family}.safetensors"
        save_file(dict(sorted(self.tensors.items())), path)
        return len(self.cases), path.stat().st_size


def describe(array):
    """`f32[2, 3]`, as Hloom prints a shape without names."""
    return f"{NAMES[array.dtype]}[{', '.join(map(str, array.shape))}]"
