#!/usr/bin/env python3
"""Compares Hloom's Llama with llama.cpp, PyTorch, JAX and candle: batch 1, greedy, interleaved, medians.

    benches/peers/setup.sh                  # once: the Python peers, and candle
    python3 benches/peers/run.py S M        # shapes of tools/random_checkpoint.py
    python3 benches/peers/run.py S --dtypes bf16 --peers hloom,llama.cpp --rounds 5
    python3 benches/peers/run.py S --isa avx2         # as on a processor that has no more than AVX2

Each round starts every peer once as a process of its own, so that no two models fill the memory at the same time; a process
warms up and measures twice. Prints JSON lines as the other benches do; Hloom's carry their reference: of decoding llama.cpp, of
the prompt the best of all others and of Hloom without kernels (`hloom-off`), of memory the smallest other.
candle has no `bf16` products on the CPU: its `bf16` figures are those of `f16`.

`--isa avx2` limits every peer, as far as it can be limited: the kernels and the plugin, JAX, PyTorch with oneDNN and MKL, NumPy's OpenBLAS, and a llama.cpp that
`setup.sh` builds for it. candle cannot be limited and is left out, as it is where it is not built. `--isa native` limits none.
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
PEERS = ["hloom", "hloom-off", "llama.cpp", "torch", "jax", "candle"]
CANDLE = HERE / "candle/target/release/candle-peer"
OWN = ["hloom", "hloom-off"]
# The most memory, by the least of the others.
MEMORY = {("S", "bf16"): 1.20, ("S", "f32"): 1.10}
# The variables that limit each peer to an instruction set. XLA's library of products (YNNPACK) looks at the processor itself and uses what it
# finds, so it is off.
LIMITS = {
    "native": {},
    "avx2": {
        "HLOOM_KERNELS_ISA": "avx2", "HLOOM_XLA_OPTIONS": "xla_cpu_max_isa=AVX2 xla_cpu_experimental_ynn_fusion_type=",
        "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
    },
}
# Those of JAX alone: the plugin would read them too, and abort where it does not know one.
JAX_LIMITS = {"native": {}, "avx2": {"XLA_FLAGS": "--xla_cpu_max_isa=AVX2 --xla_cpu_experimental_ynn_fusion_type="}}
# Where `setup.sh` installs the llama.cpp that is built for the instruction set.
LLAMA_CPP_AVX2 = HERE / ".venv/llama_cpp_avx2"


def command(peer, folder, gguf, dtype, prompt, new):
    if peer in OWN:
        example = ROOT / "target/release/examples/llama"
        return [example, "--model", folder, "--dtype", dtype, "--platform", "cpu", "--temperature", 0, "--bench", "--stats", "json",
                "--bench-prompt", prompt, "--bench-new", new, "--bench-iterations", 2, "--bench-warmup", 1]
    tail = ["--dtype", dtype, "--prompt", prompt, "--new", new, "--threads", os.cpu_count()]
    if peer == "candle":
        return [CANDLE, "--model", folder, *tail]
    script = {"llama.cpp": "llama_cpp_peer.py", "torch": "torch_peer.py", "jax": "jax_peer.py"}[peer]
    return [PYTHON, HERE / script, "--model", gguf if peer == "llama.cpp" else folder, *tail]


def environment(peer, isa):
    threads = str(os.cpu_count())
    env = {**os.environ, "OMP_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads, "JAX_PLATFORMS": "cpu", **LIMITS[isa]}
    if peer == "hloom-off":
        env["HLOOM_KERNELS"] = "off"
    if peer == "jax":
        env |= JAX_LIMITS[isa]
    if peer == "llama.cpp" and isa == "avx2":
        env["PYTHONPATH"] = str(LLAMA_CPP_AVX2)
    return env


def run(words, env):
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


def processor():
    """Its name, and the widest instruction set that it has of those that are distinguished here."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    flags = fields.get("flags", "").split()
    widest = next((flag for flag in ("amx_bf16", "avx512_bf16", "avx512f", "avx2") if flag in flags), "unknown")
    return fields.get("model name", "unknown"), widest


def report(bench, value, unit, reference=None, target=None, smaller=False):
    ratio = value / reference if reference else None
    holds = None if ratio is None or target is None else ratio <= target if smaller else ratio >= target
    print(json.dumps({"bench": bench, "value": value, "unit": unit, "reference": reference, "ratio": ratio,
                      "target": target, "holds": holds}), flush=True)


def reference(key, medians, model):
    """The figure that Hloom's is compared with, and the target."""
    others = {peer: value for peer, value in medians.items() if peer != "hloom"}
    if key == "decode_tok_s":
        return others.get("llama.cpp"), 1.0
    if key == "prefill_tok_s":
        return max((value for peer, value in others.items() if peer != "candle"), default=None), 1.0
    foreign = [value for peer, value in others.items() if peer not in OWN]
    return min(foreign, default=None), MEMORY.get(model)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="+", help="S, M or another of tools/random_checkpoint.py")
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--prompts", default="32,128,512")
    parser.add_argument("--isa", choices=list(LIMITS), default="native")
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--checkpoints", help="folder where the checkpoints are written and kept")
    args = parser.parse_args()
    peers = args.peers.split(",")
    if args.isa == "avx2" or not CANDLE.exists():
        peers = [peer for peer in peers if peer != "candle"]
    if "llama.cpp" in peers and args.isa == "avx2" and not LLAMA_CPP_AVX2.exists():
        sys.exit(f"{LLAMA_CPP_AVX2} is missing: run benches/peers/setup.sh")
    name, widest = processor()
    print(json.dumps({"processor": name, "cores": os.cpu_count(), "isa": args.isa, "widest": widest}), flush=True)
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
                words = command(peer, folder, gguf, dtype, prompt, args.new)
                line = run(words, environment(peer, args.isa))
                if line:
                    found[peer].append(line)
        report(f"peers/{shape}/{dtype}/read_bandwidth", statistics.median(read), "GB/s")
        for key, unit in [("prefill_tok_s", "tokens/s"), ("decode_tok_s", "tokens/s"), ("peak_rss_bytes", "bytes")]:
            medians = {peer: statistics.median(line[key] for line in lines) for peer, lines in found.items() if lines}
            compared, target = reference(key, medians, (shape, dtype))
            for peer, value in medians.items():
                name = f"peers/{args.isa}/{shape}/{dtype}/{prompt}+{args.new}/{key}/{peer}"
                if peer == "hloom":
                    report(name, value, unit, compared, target, key == "peak_rss_bytes")
                else:
                    report(name, value, unit)


if __name__ == "__main__":
    main()
