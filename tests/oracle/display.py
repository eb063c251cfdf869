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
formatted = [
    (np.array([1 / 3, -2.5, 1234.56789, 1e-6], np.float32), {"precision": 3}),
    (np.array([1 / 3, -2.5, 1234.56789, 1e-6], np.float32), {"precision": 3, "suppress_small": True}),
    (np.array([1 / 3, -2.5, 1234.56789], np.float32), {"precision": 0}),
    (np.array([1e9, 1.5], np.float64), {"precision": 3, "suppress_small": True}),
    (np.arange(12, dtype=np.int32).reshape(3, 4), {"threshold": 5, "edgeitems": 1}),
    (np.arange(10, dtype=np.int32), {"max_line_width": 12}),
    (np.arange(12, dtype=np.float32) / 7, {"precision": 4, "threshold": 6, "edgeitems": 2}),
    (np.array([1 + 2.34567j, 3 - 0.5j], np.complex64), {"precision": 2}),
    (np.array([np.nan, 1.23456789012], np.float64), {"precision": 12}),
    (np.array([0.00012345], np.float32), {"precision": 2, "suppress_small": True}),
    (np.array(3.14159265, np.float32), {"precision": 2}),
    (np.arange(36, dtype=np.int32).reshape(6, 6), {"threshold": 0, "edgeitems": 2, "max_line_width": 20}),
]
out = []
for a, options in [(a, {}) for a in cases] + formatted:
    out.append({
        "dtype": {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32", "int64": "i64", "bool": "bool", "complex64": "c64"}[str(a.dtype)],
        "dims": list(a.shape),
        "hex": a.tobytes().hex() if a.size <= 1000 else "",
        "arange": a.size > 1000,
        "options": options,
        "text": np.array2string(a, **options),
    })
path = pathlib.Path(__file__).parents[2] / "crates/runtime/src/display_numpy.json"
path.write_text(json.dumps(out, indent=1) + "\n")
