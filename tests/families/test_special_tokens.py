"""A text has the tokens that the model's own tokenizer makes of it: those it adds, and [UNK]."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, processors

from attnscope.errors import InvalidRequest
from attnscope.trace.trace import Trace
from attnscope.web.serializers.traces import describe_plan
from tests.families.asking import ask
from tests.families.cases import made
from tests.families.made import GPT2, checkpoint, gpt2_tensors, tokenizer
from tests.families.seq2seq_made import made_pair

TEXT = "The animal"
BEGIN, END = "<bos>", "<eos>"


def begun(single: str) -> str:
    """The pieces of GPT-2 with others around a text."""
    found = Tokenizer.from_str(tokenizer())
    found.add_special_tokens([BEGIN, END])
    names = [(name, found.token_to_id(name)) for name in (BEGIN, END)]
    found.post_processor = processors.TemplateProcessing(single=single, special_tokens=names)
    return found.to_str()


@pytest.fixture
def decoder(tmp_path: Path) -> Path:
    """A decoder whose tokenizer sets a piece before a text."""
    definition = begun(f"{BEGIN} $A")
    config = {**GPT2, "vocab_size": Tokenizer.from_str(definition).get_vocab_size()}
    return checkpoint(tmp_path / "begun", config, gpt2_tensors(config), tokenizer=definition)


def tokens_of(trace: Trace) -> list[str | None]:
    assert trace.plan.words.tokens is not None
    return trace.plan.words.tokens[0]


def test_a_decoder_has_the_piece_that_its_tokenizer_adds(decoder: Path) -> None:
    trace, bare = ask(decoder, TEXT), ask(decoder, TEXT, special_tokens="none")
    assert tokens_of(trace) == [BEGIN, *tokens_of(bare)]
    assert describe_plan(trace.plan)["added"] == [[True, *[False] * bare.plan.n]]
    assert describe_plan(trace.plan)["offsets"][0][:2] == [(0, 0), (0, 3)]
    assert describe_plan(bare.plan)["added"] == [[False] * bare.plan.n]
    assert trace.plan.id != bare.plan.id
    again = ask(decoder, None, tokens=tokens_of(trace))
    np.testing.assert_array_equal(trace.layers[-1]["weights"], again.layers[-1]["weights"])


def test_an_encoder_can_be_asked_without_them(tmp_path: Path) -> None:
    folder = made("bert", tmp_path)
    whole, bare = tokens_of(ask(folder, TEXT)), tokens_of(ask(folder, TEXT, special_tokens="none"))
    assert whole == ["[CLS]", *bare, "[SEP]"]


def test_the_first_piece_of_a_decoder_of_two_halves_is_added(tmp_path: Path) -> None:
    words = ask(made_pair("t5", tmp_path), TEXT, context=TEXT).plan.words
    assert words.added is not None
    assert words.added[0] == [True, *[False] * (words.n - 1)]


def test_what_has_no_piece_is_shown_as_unknown(tmp_path: Path) -> None:
    plan = ask(made("bert", tmp_path), "the £ 猫").plan
    assert plan.words.tokens == [["[CLS]", "the", "[UNK]", "[UNK]", "[SEP]"]]
    assert describe_plan(plan)["unknown"] == [[False, False, True, True, False]]
    assert plan.words.offsets[0][2:4] == [(4, 5), (6, 7)]
    assert "unknown" not in describe_plan(ask(tmp_path / "bert", "the").plan)


def test_a_question_without_a_tokenizer_has_no_such_choice(
    decoder: Path, subtests: pytest.Subtests
) -> None:
    cases: list[dict[str, Any]] = [
        {"model": {"source": "seeded"}}, {"tokenizer": "words"}, {"model": {"source": "crafted",
         "name": "uniform"}},
    ]  # fmt: skip
    for fields in cases:
        with subtests.test(fields=fields):
            with pytest.raises(InvalidRequest) as refused:
                ask(decoder, TEXT, special_tokens="none", **fields)
            assert (refused.value.reason, refused.value.at) == (
                "no_special_tokens",
                "special_tokens",
            )
