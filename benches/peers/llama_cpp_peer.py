"""llama.cpp, through the C API that the package carries: a GGUF file, greedy."""

import ctypes

import llama_cpp as c
import numpy as np
import peer


def main():
    args = peer.arguments()
    c.llama_backend_init()
    c.llama_log_set(QUIET, ctypes.c_void_p(0))
    model = c.llama_model_load_from_file(args.model.encode(), c.llama_model_default_params())
    assert model, "the model does not load"
    options = c.llama_context_default_params()
    options.n_ctx = args.prompt + args.new
    options.n_batch = options.n_ubatch = max(args.prompt, 32)
    options.n_threads = options.n_threads_batch = args.threads
    context = c.llama_init_from_model(model, options)
    assert context, "no context can be made"
    vocabulary = c.llama_vocab_n_tokens(c.llama_model_get_vocab(model))

    def best():
        logits = c.llama_get_logits_ith(context, -1)
        return int(np.ctypeslib.as_array(logits, (vocabulary,)).argmax())

    def feed(tokens):
        array = (c.llama_token * len(tokens))(*tokens)
        assert c.llama_decode(context, c.llama_batch_get_one(array, len(tokens))) == 0, "decoding failed"

    def generate(prompt, new):
        c.llama_memory_clear(c.llama_get_memory(context), True)
        feed(prompt)
        token = best()
        yield token
        for _ in range(new - 1):
            feed([token])
            token = best()
            yield token

    peer.measure(args, vocabulary, generate)


QUIET = c.llama_log_callback(lambda level, text, data: None)

if __name__ == "__main__":
    main()
