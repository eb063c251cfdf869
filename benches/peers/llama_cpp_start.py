"""The time from a GGUF file to llama.cpp's first token, without the interpreter and its imports: prints seconds.

    llama_cpp_start.py --model S-bf16.gguf --prompt 32 --threads 2
"""

import argparse
import time

from llama_cpp_model import Model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--prompt", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    begin = time.perf_counter()
    model = Model(args.model, 4 * args.prompt, 4 * args.prompt, args.threads)
    model.feed(range(1, args.prompt + 1))
    model.best()
    print(time.perf_counter() - begin)


if __name__ == "__main__":
    main()
