"""Text corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tokenizers import Tokenizer

from training import batches, gates, heads, names, poems, prediction, texts, vocabulary
from training.opened import Run, opened
from training.recipes import Recipe


class Corpus(NamedTuple):
    recipe: Recipe
    text: str
    tokenizer: Tokenizer
    train: np.ndarray
    held_out: np.ndarray

    def batch(self, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return batches.mixed(self.train, self.recipe, draw)

    def on_the_way(self, run: Run) -> dict[str, float]:
        loss = prediction.loss(run, self.held_out, self.recipe.context)
        return {"loss": loss} | heads.measured(run, self.recipe.vocabulary).figures

    def measured(self, folder: Path) -> dict[str, Any]:
        loss = prediction.loss(opened(folder), self.held_out, self.recipe.context)
        ids, size = (self.train, self.held_out), self.recipe.vocabulary
        counted = {
            "unigram": prediction.unigram(*ids, size),
            "bigram": prediction.bigram(*ids, size),
        }
        heard = len(names.heard(self.text, self.recipe.language or ""))
        return {**gates.of_text(folder), "heard": heard, "loss": loss, **counted}


def corpus(recipe: Recipe, packages: Path) -> Corpus:
    if recipe.language == "en":
        text = texts.english(packages)
        tokenizer = vocabulary.bytes_in_pairs(text.train, recipe.vocabulary)
    else:
        text = poems.chinese(packages)
        tokenizer = vocabulary.common_characters(text.train, recipe.vocabulary)
    train, held_out = (vocabulary.encoded(tokenizer, part) for part in text)
    return Corpus(recipe, text.train, tokenizer, train, held_out)
