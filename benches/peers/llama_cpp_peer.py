"""llama.cpp: a GGUF file, greedy."""

import peer
from llama_cpp_model import Model


def main():
    args = peer.arguments()
    model = Model(args.model, args.prompt + args.new, max(args.prompt, 32), args.threads)

    def generate(prompt, new):
        model.forget()
        model.feed(prompt)
        token = model.best()
        yield token
        for _ in range(new - 1):
            model.feed([token])
            token = model.best()
            yield token

    peer.measure(args, model.vocabulary, generate)


if __name__ == "__main__":
    main()
