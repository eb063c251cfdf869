"""The time from a GGUF file to llama.cpp's first token, without the interpreter and its imports: prints seconds.

    llama_cpp_start.py --model S-bf16.gguf --prompt 32 --threads 2
"""

import argparse
import ctypes
import time

import llama_cpp as c
import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--prompt", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    quiet = c.llama_log_callback(lambda level, text, data: None)
    begin = time.perf_counter()
    c.llama_backend_init()
    c.llama_log_set(quiet, ctypes.c_void_p(0))
    model = c.llama_model_load_from_file(args.model.encode(), c.llama_model_default_params())
    assert model, "the model does not load"
    options = c.llama_context_default_params()
    options.n_ctx = options.n_batch = options.n_ubatch = 4 * args.prompt
    options.n_threads = options.n_threads_batch = args.threads
    context = c.llama_init_from_model(model, options)
    assert context, "no context can be made"
    tokens = (c.llama_token * args.prompt)(*range(1, args.prompt + 1))
    assert c.llama_decode(context, c.llama_batch_get_one(tokens, args.prompt)) == 0, "decoding failed"
    vocabulary = c.llama_vocab_n_tokens(c.llama_model_get_vocab(model))
    logits = np.ctypeslib.as_array(c.llama_get_logits_ith(context, -1), (vocabulary,))
    int(logits.argmax())
    print(time.perf_counter() - begin)


if __name__ == "__main__":
    main()
