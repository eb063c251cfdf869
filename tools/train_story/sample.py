"""Prints stories told by a trained folder, and counts how many of a hundred are whole."""

import argparse
import re
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import words

HERE = Path(__file__).resolve().parent
NAMES = set(words.BOY_NAMES + words.GIRL_NAMES)
PLAIN = ["", "Once upon a time", "There was a dragon", "Mia had a red balloon."]
ASKED = ["Tell me a story about a fox and a kite.", "Hello!", "Once upon a time", "a story about a spaceship",
         "What is the capital of France?", "Write a story about Greta."]


class Teller:
    """A model, its tokenizer, and generation from a prompt."""

    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def tell(self, ids, **how):
        """The new text for each copy of the prompt, and whether it ended by itself."""
        how = {"max_new_tokens": 400, "top_k": 0, "top_p": 0.95, "pad_token_id": 1, "do_sample": False} | how
        if not how["do_sample"]:
            how |= {"temperature": 1.0}
        ids = torch.tensor([ids])
        with torch.no_grad():
            out = self.model.generate(ids, attention_mask=torch.ones_like(ids), **how)[:, ids.shape[1]:]
        end = self.model.config.eos_token_id
        return [(self.tokenizer.decode(row, skip_special_tokens=True), end in row) for row in out]

    def plain(self, text):
        return self.tokenizer(text).input_ids

    def asked(self, text):
        return self.tokenizer.apply_chat_template([{"role": "user", "content": text}], add_generation_prompt=True,
                                                  return_dict=False)


def names(text):
    """The names of characters in a text."""
    return {w for w in re.findall(r"[A-Z][a-z]+", text) if w in NAMES}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=HERE.parents[1] / "examples/llama/story")
    teller = Teller(parser.parse_args().model)
    torch.set_num_threads(1)
    for label, prompts, encode in (("plain", PLAIN, teller.plain), ("asked", ASKED, teller.asked)):
        for prompt in prompts:
            for how in ({}, {"do_sample": True, "temperature": 0.7}):
                torch.manual_seed(1)
                text, ended = teller.tell(encode(prompt), **how)[0]
                print(f"=== {label} {prompt!r}, {'temperature 0.7' if how else 'greedy'}, {'ended' if ended else 'NOT ENDED'}")
                print((prompt if label == "plain" else "") + text + "\n")

    torch.manual_seed(2)
    told = teller.tell(teller.plain(""), do_sample=True, temperature=0.7, num_return_sequences=100)
    ended = sum(end for _, end in told)
    two = sum(len(names(text)) <= 2 for text, _ in told)
    print(f"of 100 stories at temperature 0.7: {ended} end by themselves, {two} name at most two characters, "
          f"{len({text for text, _ in told})} are distinct")


if __name__ == "__main__":
    main()
