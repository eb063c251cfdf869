"""Measurements of the training step of benches/train.rs by JAX and optax. Reads a name per line, and answers each with numbers.

`first`: the first loss, and the loss after 10 steps. `step`: milliseconds of a step. `memory`: the process's peak memory, and
the temporary bytes of the program.
"""

import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crates/gpu/peers"))
# Vocabulary, hidden, inner, layers, heads, heads of keys, size of a head, batch, length.
sys.argv[1:] = [str(size) for size in (1536, 256, 512, 4, 4, 2, 64, 8, 256)]

import train_jax as peer

for line in sys.stdin:
    name = line.strip()
    if name == "first":
        numbers = [peer.answer("first")["first"], peer.answer("later")["later"]]
    elif name == "step":
        numbers = [peer.answer("step")["ms"]]
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        numbers = [peak, peer.step.memory_analysis().temp_size_in_bytes / 1e6]
    print(*numbers, flush=True)
