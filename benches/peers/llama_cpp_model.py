"""A GGUF file loaded by llama.cpp, through the C API that the package carries."""

import ctypes

import llama_cpp as c
import numpy as np


class Model:
    """A model with a context of `context` tokens, `batch` of them at a time."""

    def __init__(self, path, context, batch, threads):
        c.llama_backend_init()
        c.llama_log_set(QUIET, ctypes.c_void_p(0))
        self.model = c.llama_model_load_from_file(path.encode(), c.llama_model_default_params())
        assert self.model, "the model does not load"
        options = c.llama_context_default_params()
        options.n_ctx = context
        options.n_batch = options.n_ubatch = batch
        options.n_threads = options.n_threads_batch = threads
        self.context = c.llama_init_from_model(self.model, options)
        assert self.context, "no context can be made"
        self.vocabulary = c.llama_vocab_n_tokens(c.llama_model_get_vocab(self.model))

    def feed(self, tokens):
        array = (c.llama_token * len(tokens))(*tokens)
        batch = c.llama_batch_get_one(array, len(tokens))
        assert c.llama_decode(self.context, batch) == 0, "decoding failed"

    def best(self):
        """The likeliest next token."""
        logits = c.llama_get_logits_ith(self.context, -1)
        return int(np.ctypeslib.as_array(logits, (self.vocabulary,)).argmax())

    def forget(self):
        c.llama_memory_clear(c.llama_get_memory(self.context), True)


QUIET = c.llama_log_callback(lambda level, text, data: None)
