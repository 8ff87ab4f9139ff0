"""Checkpoints in numpy and in transformers: maps, what each layer receives, and the logits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transformers import PreTrainedTokenizerFast

from attnscope.analysis.predictions import logits_at
from attnscope.trace.trace import Trace
from tests.against_torch.transformers_model import run
from tests.families.asking import ask
from tests.families.cases import CASES, HEADS, TEXT, made, with_a_head

BOUND = 1e-5


def close(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Within the bound; of numbers above 1 it is relative."""
    return bool(np.abs(found - wanted).max() <= BOUND * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize("case", CASES)
def test_a_checkpoint_computes_what_transformers_computes(case: str, tmp_path: Path) -> None:
    folder = made(case, tmp_path)
    check(folder, ask(folder, TEXT))


@pytest.mark.parametrize("case", ["albert", "bert", "distilbert", "electra", "roberta"])
def test_a_pair_is_read_as_transformers_reads_it(case: str, tmp_path: Path) -> None:
    folder = made(case, tmp_path)
    trace = ask(folder, TEXT, pair="It was too tired.")
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    theirs = tokenizer(TEXT, "It was too tired.", truncation=False, padding=False)
    ids = trace.plan.model.pieces.ids
    assert [ids[token] for token in trace.plan.words.tokens[0]] == theirs["input_ids"]
    typed = trace.plan.model.token_type is not None and len(trace.plan.model.token_type) > 1
    assert max(trace.plan.words.kinds[0]) == (case != "roberta")
    check(folder, trace, trace.plan.words.kinds if typed else None)


@pytest.mark.parametrize("case", ["bert", "gpt2", "gpt_neox", "llama", "phi3", "qwen3"])
def test_position_ids_are_those_of_transformers(case: str, tmp_path: Path) -> None:
    folder = made(case, tmp_path)
    n = ask(folder, TEXT).plan.n
    places = [3 * i % 7 for i in range(n)]
    check(folder, ask(folder, TEXT, position_ids=places), places=[places])


def check(
    folder: Path, trace: Trace, kinds: list[list[int]] | None = None, places: Any = None
) -> None:
    theirs = run(folder, trace.plan.model.pieces.ids, trace.plan.words.tokens, kinds, places)
    assert len(trace.layers) == len(theirs.attentions)
    for layer, weights, received in zip(
        trace.layers, theirs.attentions, theirs.received, strict=True
    ):
        assert close(layer["weights"], weights)
        assert close(layer["x"], received)
    if theirs.logits is None:
        assert close(trace.layers[-1]["block_output"], theirs.last)
    else:
        assert close(logits_at(trace, 0, slice(None)), theirs.logits[0])


@pytest.mark.parametrize("case", HEADS)
def test_a_head_in_the_file_counts_where_the_config_ties_it(case: str, tmp_path: Path) -> None:
    folder = with_a_head(case, tmp_path)
    trace = ask(folder, TEXT)
    theirs = run(folder, trace.plan.model.pieces.ids, trace.plan.words.tokens)
    assert theirs.logits is not None
    assert close(logits_at(trace, 0, slice(None)), theirs.logits[0])


@pytest.mark.parametrize(
    "case",
    ["albert", "bert", "bloom", "distilbert", "electra", "gpt2", "opt", "roberta"],
)
def test_texts_of_other_lengths_are_padded_and_change_nothing(case: str, tmp_path: Path) -> None:
    folder = made(case, tmp_path)
    both = ask(folder, [TEXT, TEXT[:12]])
    alone = ask(folder, TEXT[:12])
    n = alone.plan.n
    for one, whole in zip(alone.layers, both.layers, strict=True):
        assert close(whole["weights"][1, :, :n, :n], one["weights"][0])
