"""Files by NumPy, for the tests of `hloom_io::npy`: each element type in three forms, and the same in row-major order.

Writes `tests/fixtures/npy/`.
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "npy"
TYPES = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
    "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
    "c128": np.complex128,
}


def values(name, dtype):
    wide = np.array([[-3, 7, 2], [11, -5, 9]])
    if name == "bool":
        return wide > 5
    if name[0] == "u":
        return np.abs(wide).astype(dtype)
    return (wide + 0.5j * wide if name[0] == "c" else wide).astype(dtype)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    forms = {}
    for name, dtype in TYPES.items():
        x = values(name, dtype)
        big = x.astype(x.dtype.newbyteorder(">"))
        forms[f"{name} of rank 2"] = x
        forms[f"{name} of rank 2, column-major, big-endian"] = np.asfortranarray(big)
        forms[f"{name} of rank 3, column-major"] = np.asfortranarray(np.stack([x, x[::-1]]))
    forms["f64 of rank 0"] = np.float64(-3)
    forms["f32 of rank 1"] = np.zeros(0, np.float32)
    forms["u8 of rank 4"] = np.asfortranarray(np.arange(24, dtype=np.uint8).reshape(2, 3, 1, 4))
    forms["i32 of no rows"] = np.asfortranarray(np.zeros((3, 0, 2), np.int32))
    np.savez_compressed(FOLDER / "arrays.npz", **forms)
    plain = {name: np.ascontiguousarray(x).astype(x.dtype.newbyteorder("=")).reshape(x.shape) for name, x in forms.items()}
    np.savez_compressed(FOLDER / "row_major.npz", **plain)
    np.save(FOLDER / "small.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    np.save(FOLDER / "dates.npy", np.array(["2024-01-01"], "datetime64[D]"))


if __name__ == "__main__":
    main()
