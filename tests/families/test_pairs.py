"""Two sentences that are read together: their pieces, their places, and the type of each token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.probe import probe_question
from attnscope.errors import EmptyText, InvalidRequest, ShapeMismatch, TooManyTokens
from attnscope.trace.trace import Trace
from tests.families.asking import answered, ask
from tests.families.cases import SHORT, TEXT, made
from tests.families.encoders import BERT, encoder_tensors
from tests.families.made import checkpoint, gpt2, joined_pieces, word_pieces

PAIR = "it was tired"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("bert", tmp_path_factory.mktemp("bert"))


def tokens_of(trace: Trace) -> list[str | None]:
    assert trace.plan.words.tokens is not None
    return trace.plan.words.tokens[0]


def test_a_pair_stands_behind_its_text_with_places_of_its_own(folder: Path) -> None:
    words = ask(folder, "the street", pair=PAIR).plan.words
    assert words.tokens is not None
    assert words.tokens[0] == ["[CLS]", "the", "street", "[SEP]", "it", "was", "tired", "[SEP]"]
    assert words.offsets[0] == [
        (0, 0), (0, 3), (4, 10), (10, 10), (0, 2), (3, 6), (7, 12), (12, 12)
    ]  # fmt: skip
    assert words.sentences == [[0, 0, 0, 0, 1, 1, 1, 1]]
    assert words.kinds == [[0, 0, 0, 0, 1, 1, 1, 1]]


def test_roberta_joins_two_with_signs_and_knows_no_kinds(tmp_path: Path) -> None:
    words = ask(made("roberta", tmp_path), "the street", pair=PAIR).plan.words
    assert words.tokens is not None
    assert words.tokens[0][3:5] == ["[SEP]", "[SEP]"]
    assert words.kinds == [[0] * 9]
    assert words.sentences == [[0, 0, 0, 0, 0, 1, 1, 1, 1]]


def test_the_row_of_its_sentence_is_added_to_each_token(folder: Path) -> None:
    start = ask(folder, "the street", pair=PAIR).start
    table = encoder_tensors(BERT)["embeddings.token_type_embeddings.weight"]
    assert start.token_type is not None
    np.testing.assert_array_equal(start.token_type[0], table[[0, 0, 0, 0, 1, 1, 1, 1]])
    alone = ask(folder, "the street").start
    np.testing.assert_array_equal(alone.token_type[0], table[[0] * 4])


def test_each_text_has_a_second_one_of_its_own(folder: Path) -> None:
    both = ask(folder, [SHORT, "the"], pair=["it", PAIR])
    words = both.plan.words
    assert words.tokens is not None
    assert words.sentences is not None
    alone = ask(folder, "the", pair=PAIR)
    n = alone.plan.n
    assert words.tokens[1][:n] == tokens_of(alone)
    assert words.sentences[1][n:] == [None] * (words.n - n)
    for layer, one in zip(both.layers, alone.layers, strict=True):
        np.testing.assert_allclose(layer["weights"][1, :, :n, :n], one["weights"][0], atol=1e-5)


def test_a_pair_is_another_question_and_none_is_the_same(folder: Path) -> None:
    alone = ask(folder, SHORT).plan
    assert ask(folder, SHORT, pair=None).plan.id == alone.id
    assert ask(folder, SHORT, pair=PAIR).plan.id != alone.id
    assert "pair" not in alone.question.plain()


def test_a_pair_that_cannot_be_read_says_why(folder: Path, subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"text": ["a", "the"], "pair": PAIR}, ShapeMismatch, "pairs_of_texts", "pair"),
        ({"text": ["the"], "pair": [PAIR, PAIR]}, ShapeMismatch, "pairs_of_texts", "pair"),
        ({"text": "the", "pair": [PAIR]}, ShapeMismatch, "pairs_of_texts", "pair"),
        ({"text": "the", "pair": " "}, EmptyText, "no_token", "pair"),
        ({"text": " ", "pair": PAIR}, EmptyText, "no_token", "text"),
        ({"text": "the", "pair": "a\0"}, InvalidRequest, "nul_character", "pair"),
        ({"text": "the", "pair": PAIR, "tokenizer": "words"}, InvalidRequest,
         "pair_without_text", "pair"),
        ({"text": None, "tokens": ["the"], "pair": PAIR}, InvalidRequest, "pair_without_text",
         "pair"),
        ({"text": "the", "pair": TEXT * 4}, TooManyTokens, "tokens_over_model_context", "text"),
        ({"text": "the", "pair": "it " * 400_000}, TooManyTokens, "too_many_characters", "text"),
    ]  # fmt: skip
    for fields, kind, reason, at in cases:
        with subtests.test(fields=fields):
            with pytest.raises(kind) as refused:
                ask(folder, **fields)
            assert (refused.value.reason, refused.value.at) == (reason, at)


def test_a_pair_is_probed_without_its_second_text(folder: Path) -> None:
    trace, alone = (ask(folder, "the street", **more) for more in ({"pair": PAIR}, {}))
    question = probe_question(trace.plan, 0, 4, 2)
    assert question == probe_question(alone.plan, 0, 4, 2)
    assert len(tokens_of(answered(folder, question))) == 8


def test_a_model_of_one_sentence_takes_no_pair(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as refused:
        ask(gpt2(tmp_path / "gpt2"), "a", pair="b")
    assert (refused.value.reason, refused.value.at) == ("takes_no_pairs", "pair")
    with pytest.raises(InvalidRequest) as refused:
        ask(tmp_path / "gpt2", "a", pair="b", model={"source": "seeded"})
    assert refused.value.reason == "takes_no_pairs"


def test_a_type_that_the_table_lacks_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases = [
        (word_pieces(), 1, False), (joined_pieces(), 2, False),
        (word_pieces().replace('"type_id":1', '"type_id":2'), 2, True),
    ]  # fmt: skip
    for pieces, rows, refuses in cases:
        with subtests.test(pieces, rows=rows, refuses=refuses):
            config = {**BERT, "type_vocab_size": rows}
            folder = checkpoint(tmp_path / "one", config, encoder_tensors(config), tokenizer=pieces)
            if not refuses:
                start = ask(folder, "the", pair=PAIR).start
                assert start.token_type is not None
                assert len(np.unique(start.token_type[0], axis=0)) == 1
                continue
            with pytest.raises(InvalidRequest) as refused:
                ask(folder, "the", pair=PAIR)
            assert refused.value.reason == "no_such_kind"


def test_a_mask_in_the_text_is_one_token(folder: Path) -> None:
    trace = ask(folder, "the [MASK] was tired")
    assert tokens_of(trace)[2] == "[MASK]"
    assert trace.plan.words.offsets[0][2] == (4, 10)
