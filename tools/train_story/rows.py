"""Batches of tokens: what the model sees, in the order in which it learns best.

A row with one story in it has two names, and whoever guesses among those two is nearly right, so copying a name
from what was said before pays early. In a row that is filled up with several stories there are more to confuse.
So single turns come first, whole conversations then, and rows of the full context, with several conversations in
each, last.
"""

import random

import torch

import words
from conversations import document, single

CONTEXT = 1024
# Up to which share of the steps each kind of row is used.
SINGLE_UNTIL, DOCUMENT_UNTIL = 0.5, 0.9
# Words that must agree with what was said before count for more.
AGREEING = set(words.BOY_NAMES + words.GIRL_NAMES) | {"he", "she", "him", "her", "his", "He", "She", "His", "Her"}
AGREEING_WEIGHT = 3.0


class Rows:
    """An endless supply of batches."""

    def __init__(self, tokenizer, seed):
        self.tokenizer = tokenizer
        self.rng = random.Random(seed)
        self.agreeing = torch.zeros(tokenizer.get_vocab_size())
        for token, i in tokenizer.get_vocab().items():
            # A space before the word is "Ġ" in byte-level vocabularies.
            self.agreeing[i] = float(token.removeprefix("Ġ") in AGREEING)

    def encoded(self, parts):
        """Ids, and targets with -100 where nothing is learnt."""
        ids, targets = [], []
        for text, learnt in parts:
            part = self.tokenizer.encode(text, add_special_tokens=False).ids
            ids += part
            targets += part if learnt else [-100] * len(part)
        return ids, targets

    def batch(self, tokens, progress):
        """About `tokens` tokens for a point of the training between 0 and 1: inputs, targets, weights."""
        if progress >= DOCUMENT_UNTIL:
            rows = [self.full_row() for _ in range(max(1, tokens // CONTEXT))]
        else:
            make, rows, longest = single if progress < SINGLE_UNTIL else document, [], 0
            while True:
                row = self.encoded(make(self.rng))
                longest = max(longest, len(row[0]))
                if rows and longest * (len(rows) + 1) > tokens:
                    break
                rows.append(tuple(part[: CONTEXT + 1] for part in row))
        width = max(len(ids) for ids, _ in rows)
        ids = torch.tensor([ids + [0] * (width - len(ids)) for ids, _ in rows])[:, :-1]
        targets = torch.tensor([t + [-100] * (width - len(t)) for _, t in rows])[:, 1:]
        weights = torch.where(targets < 0, 0.0, 1.0 + (AGREEING_WEIGHT - 1.0) * self.agreeing[targets.clamp(min=0)])
        return ids, targets, weights

    def full_row(self):
        """Documents one after another until the context is full."""
        ids, targets = [], []
        while len(ids) <= CONTEXT:
            more = self.encoded(document(self.rng))
            ids, targets = ids + more[0], targets + more[1]
        return ids[: CONTEXT + 1], targets[: CONTEXT + 1]
