"""Products of bf16 matrices by NumPy in float64, for the tests of the kernels.

    python tests/oracle/kernels.py crates/kernels/tests/data
"""

import json
import sys
from pathlib import Path

import numpy as np


def bf16(values):
    """The bits of the nearest bf16 numbers."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def wide(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


rng = np.random.default_rng(0)
cases = []
for rows, n, k in [(1, 5, 70), (3, 6, 33), (8, 4, 64), (14, 9, 37)]:
    x, weight = bf16(rng.standard_normal((rows, k))), bf16(rng.standard_normal((n, k)))
    y = wide(x) @ wide(weight).T
    arrays = {"x": x.ravel().tolist(), "weight": weight.ravel().tolist(), "y": y.ravel().tolist()}
    cases.append({"rows": rows, "n": n, "k": k} | arrays)
(Path(sys.argv[1]) / "linear.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")
