#!/usr/bin/env python3
"""Measures Hloom's Llama beside llama.cpp, PyTorch, JAX and candle: batch 1, greedy, taking turns, medians.

    benches/peers/setup.sh                  # once: the Python peers, and candle
    python3 benches/peers/run.py S M        # shapes of tools/random_checkpoint.py
    python3 benches/peers/run.py S --dtypes bf16 --peers hloom,llama.cpp --rounds 5

Each round starts every peer once as a process of its own, so that no two models fill the memory at the same time; a process
warms up and measures twice. Prints JSON lines as the other benches do; Hloom's carry the best peer as reference.
candle has no `bf16` products on the CPU: its `bf16` figures are those of `f16`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = HERE / ".venv/bin/python"
PEERS = ["hloom", "llama.cpp", "torch", "jax", "candle"]


def command(peer, folder, gguf, dtype, prompt, new):
    if peer == "hloom":
        example = ROOT / "target/release/examples/llama"
        return [example, "--model", folder, "--dtype", dtype, "--platform", "cpu", "--temperature", 0, "--bench", "--stats", "json",
                "--bench-prompt", prompt, "--bench-new", new, "--bench-iterations", 2, "--bench-warmup", 1]
    tail = ["--dtype", dtype, "--prompt", prompt, "--new", new, "--threads", os.cpu_count()]
    if peer == "candle":
        return [HERE / "candle/target/release/candle-peer", "--model", folder, *tail]
    script = {"llama.cpp": "llama_cpp_peer.py", "torch": "torch_peer.py", "jax": "jax_peer.py"}[peer]
    return [PYTHON, HERE / script, "--model", gguf if peer == "llama.cpp" else folder, *tail]


def run(words):
    threads = str(os.cpu_count())
    env = {**os.environ, "OMP_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([str(word) for word in words], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{words[0]} {words[1]}: {done.stderr.strip()[-500:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def read_bandwidth():
    """Bytes that all cores together read from memory, in GB/s."""
    code = ("import numpy as np, threading, time\n"
            "n = %d\na = [np.ones(1 << 25) for _ in range(n)]\n"
            "best = 0\n"
            "for _ in range(5):\n"
            "    t = [threading.Thread(target=x.sum) for x in a]\n"
            "    s = time.perf_counter(); [x.start() for x in t]; [x.join() for x in t]\n"
            "    best = max(best, n * a[0].nbytes / (time.perf_counter() - s) / 1e9)\n"
            "print(best)") % os.cpu_count()
    return float(subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout)


def report(bench, value, unit, reference=None):
    ratio = value / reference if reference else None
    print(json.dumps({"bench": bench, "value": value, "unit": unit, "reference": reference, "ratio": ratio,
                      "target": None, "holds": None}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="+", help="S, M or another of tools/random_checkpoint.py")
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--prompts", default="32,512")
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--checkpoints", help="folder where the checkpoints are written and kept")
    args = parser.parse_args()
    peers = args.peers.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(args.checkpoints or temporary)
        base.mkdir(parents=True, exist_ok=True)
        for shape in args.shapes:
            for dtype in args.dtypes.split(","):
                compare(base, shape, dtype, peers, args)


def compare(base, shape, dtype, peers, args):
    folder, gguf = base / f"{shape}-{dtype}", base / f"{shape}-{dtype}.gguf"
    if not folder.exists():
        subprocess.run([PYTHON, ROOT / "tools/random_checkpoint.py", shape, dtype, folder], check=True, stdout=sys.stderr)
    if "llama.cpp" in peers and not gguf.exists():
        subprocess.run([PYTHON, HERE / "write_gguf.py", folder, gguf], check=True, stdout=sys.stderr)
    for prompt in map(int, args.prompts.split(",")):
        found = {peer: [] for peer in peers}
        read = []
        for _ in range(args.rounds):
            read.append(read_bandwidth())
            for peer in peers:
                line = run(command(peer, folder, gguf, dtype, prompt, args.new))
                if line:
                    found[peer].append(line)
        report(f"peers/{shape}/{dtype}/read_bandwidth", statistics.median(read), "GB/s")
        for key, unit in [("prefill_tok_s", "tokens/s"), ("decode_tok_s", "tokens/s"), ("peak_rss_bytes", "bytes")]:
            medians = {peer: statistics.median(line[key] for line in lines) for peer, lines in found.items() if lines}
            others = [value for peer, value in medians.items() if peer != "hloom"]
            best = (min if key == "peak_rss_bytes" else max)(others, default=None)
            for peer, value in medians.items():
                name = f"peers/{shape}/{dtype}/{prompt}+{args.new}/{key}/{peer}"
                report(name, value, unit, best if peer == "hloom" else None)


if __name__ == "__main__":
    main()
