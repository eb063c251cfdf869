"""The tokenizer: byte-level BPE, trained on the stories themselves."""

import json
import random

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from conversations import ASSISTANT, BOS, CHAT_TEMPLATE, EOS, SPECIAL, USER, document

VOCABULARY = 1536


def train(seed, documents=30_000):
    """A tokenizer whose first ids are the special tokens."""
    rng = random.Random(seed)

    def texts():
        for _ in range(documents):
            for text, _ in document(rng):
                for token in SPECIAL:
                    text = text.replace(token, "")
                yield text

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts(), trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False,
        # Every byte, so that no text is unknown.
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, tokenizer.token_to_id(BOS))])
    return tokenizer


def save(tokenizer, folder):
    """Writes `tokenizer.json` and `tokenizer_config.json`."""
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": EOS,
        "additional_special_tokens": [USER, ASSISTANT],
        "add_bos_token": True,
        "clean_up_tokenization_spaces": False,
        "model_max_length": 1024,
        "chat_template": CHAT_TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
