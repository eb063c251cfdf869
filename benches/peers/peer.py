"""The parts that all Python peers share: arguments, the prompt, and the JSON line that they print.

The keys are those of the Llama example's `--bench --stats json`.
"""

import argparse
import json
import resource
import statistics
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="folder in the Hugging Face layout, or a GGUF file")
    parser.add_argument("--dtype", choices=["f32", "bf16"], required=True)
    parser.add_argument("--prompt", type=int, default=32)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--iterations", type=int, default=2)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def prompt(iteration, length, vocabulary):
    return [(iteration + 7 * i + 1) % vocabulary for i in range(length)]


def measure(args, vocabulary, generate):
    """`generate(prompt, new)` gives tokens one by one, the first when the prompt has been read."""
    runs, tokens = [], []
    for iteration in range(args.warmup + args.iterations):
        start = time.perf_counter()
        stream = generate(prompt(iteration, args.prompt, vocabulary), args.new)
        tokens = [next(stream)]
        first = time.perf_counter()
        tokens += list(stream)
        end = time.perf_counter()
        if iteration >= args.warmup:
            runs.append((args.prompt / (first - start), (len(tokens) - 1) / (end - first)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({
        "prefill_tok_s": statistics.median(run[0] for run in runs),
        "decode_tok_s": statistics.median(run[1] for run in runs),
        "peak_rss_bytes": peak,
        "tokens": tokens,
    }))
