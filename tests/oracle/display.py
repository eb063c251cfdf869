"""Writes crates/runtime/src/display_numpy.json: arrays and their text by NumPy."""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(0)
cases = [
    np.array(3.5, np.float32),
    np.array(7, np.int32),
    np.array(True),
    np.zeros((0,), np.float32),
    np.zeros((2, 0), np.float32),
    np.array([1.0, 2.0, 3.0], np.float32),
    np.array([0.1, 0.25, -3.0], np.float32),
    np.array([1 / 3, 2 / 3], np.float64),
    np.array([1.0, np.nan, np.inf, -np.inf], np.float32),
    np.array([1e-5, 1.5, 1e10], np.float32),
    np.array([1e-9, 2e-9], np.float64),
    np.array([123456.0, 1.0], np.float64),
    np.array([[1, -2], [30, 4]], np.int64),
    np.array([[True, False], [False, True]]),
    rng.normal(size=(2, 3)).astype(np.float32),
    rng.normal(size=(2, 2, 3)).astype(np.float64),
    rng.integers(0, 100, size=(30,)).astype(np.int32),
    rng.normal(size=(40,)).astype(np.float32),
    rng.normal(size=(2, 25)).astype(np.float32),
    np.arange(1001, dtype=np.int32),
    np.arange(2000, dtype=np.float32).reshape(2, 1000),
    np.arange(40000, dtype=np.int32).reshape(200, 200),
    np.arange(3000, dtype=np.int32).reshape(3, 10, 100),
    np.array([0.0, -0.0], np.float32),
    np.array([5.0e-324], np.float64),
    np.array([[0.5]], np.float16),
]
out = []
for a in cases:
    out.append({
        "dtype": {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32", "int64": "i64", "bool": "bool"}[str(a.dtype)],
        "dims": list(a.shape),
        "hex": a.tobytes().hex() if a.size <= 1000 else "",
        "arange": a.size > 1000,
        "text": str(a) if a.ndim else np.array2string(a),
    })
path = pathlib.Path(__file__).parents[2] / "crates/runtime/src/display_numpy.json"
path.write_text(json.dumps(out, indent=1) + "\n")
