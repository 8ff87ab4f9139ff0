"""Folders of Marian with models of SentencePiece: two tokenizers, one vocabulary."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile, InvalidRequest, ModelChanged
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.marian_pieces import marian_pieces
from tests.families.asking import ask
from tests.spm_files import SOURCE, TARGET, ids_of, marian, spm, with_pieces

GOLDEN = Path(__file__).parent.parent / "golden/marian.json"


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_odd_texts_are_cut_as_transformers_cuts_them(kind: str, tmp_path: Path) -> None:
    golden: dict[str, Any] = json.loads(GOLDEN.read_text())[kind]
    models, size = lzma.decompress(base64.b64decode(golden["models"])), golden["source_bytes"]
    folder = with_pieces(tmp_path, models[:size], models[size:], golden["ids"])
    pieces = marian_pieces(folder, len(golden["ids"]))
    offenders = {}
    for text, read, written in golden["cut"]:
        source, target = (
            [one.id for one in side.tokenize(text)] for side in (pieces.source, pieces)
        )
        if (source, target) != (read, written):
            offenders[text] = (source, read, target, written)
    assert not offenders
    assert len(golden["cut"]) > 300


def test_the_context_is_cut_by_one_model_and_the_text_by_the_other(tmp_path: Path) -> None:
    folder = marian(tmp_path / "pair")
    planned = ask(folder, "the", context="the cat sat").plan
    assert planned.context is not None
    assert planned.context.tokens == [[" the", " cat", " s", "at", "</s>"]]
    assert planned.context.offsets == [[(0, 3), (4, 7), (8, 9), (9, 11), (11, 11)]]
    assert planned.context.added == [[False, False, False, False, True]]
    # ▁the is a piece of the target too, but ▁ t h and what follows are likelier, and e has no row.
    assert planned.words.tokens == [["<pad>", " the"]]
    ids = ids_of(SOURCE, TARGET, more=[">>fra<<"])
    assert planned.context.ids is not None
    assert planned.context.ids[0].tolist() == [ids[one] for one in
                                               ("▁the", "▁cat", "▁s", "at", "</s>")]  # fmt: skip


def test_a_language_is_one_piece_before_the_source(tmp_path: Path) -> None:
    folder = marian(tmp_path / "pair")

    def tokens(text: str) -> list[list[str | None]] | None:
        context = ask(folder, "", context=text).plan.context
        return None if context is None else context.tokens

    assert tokens(">>fra<< the cat") == [[">>fra<<", " the", " cat", "</s>"]]
    assert tokens(">>xyz<< the cat") == [["<unk>", " the", " cat", "</s>"]]
    assert tokens("the</s>cat") == [[" the", "</s>", " cat", "</s>"]]


def test_a_sign_that_the_source_does_not_know_has_the_row_of_the_target(tmp_path: Path) -> None:
    planned = ask(marian(tmp_path / "pair"), "", context="the ß the 猫犬").plan
    assert planned.context is not None
    assert planned.context.tokens == [[" the", " ", "ß", " the", " ", "<unk>", "</s>"]]
    assert planned.context.unknown == [[False, False, False, False, False, True, False]]
    assert planned.context.offsets[0][5] == (10, 12)


def test_a_text_goes_on_in_pieces_of_the_target(tmp_path: Path) -> None:
    from attnscope.analysis.continuation import Sampling, continue_text, continued

    trace = ask(marian(tmp_path / "pair"), "die", context="the cat")
    ids, _ = continue_text(trace, 6, Sampling())
    pieces = trace.plan.model.pieces
    assert pieces is not None
    assert not {pieces.names[i] for i in ids} & {"<pad>", "<unk>"}
    question = continued(trace.plan, ids)
    again = ask(tmp_path / "pair", question.text, context="the cat", tokens=question.tokens)
    assert again.plan.words.ids is not None
    assert again.plan.words.ids[0].tolist()[-6:] == ids


def test_tokens_by_name_are_rows_of_the_one_vocabulary(tmp_path: Path) -> None:
    folder = marian(tmp_path / "pair")
    by_text = ask(folder, "die", context="the cat")
    by_name = ask(folder, None, tokens=["<pad>", " die"], context=None,
                  context_tokens=[" the", " cat", "</s>"])  # fmt: skip
    np.testing.assert_array_equal(by_text.layers[-1]["output"], by_name.layers[-1]["output"])
    with pytest.raises(InvalidRequest) as refused:
        ask(folder, None, tokens=["die"], context="the")
    assert refused.value.reason == "not_in_vocabulary"


def test_another_file_is_another_model(tmp_path: Path) -> None:
    model = Checkpoint(marian(tmp_path / "pair"))
    before = model.digest("main")
    assert [one.text for one in model.pieces.source.tokenize("cat")] == [" cat", "</s>"]
    (tmp_path / "pair/source.spm").write_bytes(spm(TARGET))
    assert model.digest("main") != before
    assert next(iter(model.pieces.source.tokenize("cat"))).text == " "
    (tmp_path / "pair/config.json").unlink()
    with pytest.raises(ModelChanged):
        model.digest("main")


def without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def write(name: str, data: bytes | dict[str, Any]) -> Callable[[Path], object]:
    content = json.dumps(data).encode() if isinstance(data, dict) else data
    return lambda folder: (folder / name).write_bytes(content)


OPTIONS, IDS = "tokenizer_config.json", ids_of(SOURCE, TARGET)
STRIPS = {"0": {"content": "</s>", "lstrip": True}}
# How a folder is spoilt, the reason that is given, and where.
SPOILT: list[tuple[Callable[[Path], object], str, str]] = [
    (without("source.spm"), "spm_missing", "source.spm"),
    (without("target.spm"), "spm_missing", "target.spm"),
    (without("vocab.json"), "spm_missing", "vocab.json"),
    (write("target.spm", b""), "spm_broken", "target.spm"),
    (write("source.spm", b"\0" * (16 << 20) + b"\0"), "spm_large", "source.spm"),
    (write("vocab.json", b"[1, 2]"), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", b'["a", "b"]'), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", b"{"), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", b'{"\\ud800": 1}'), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", {"a": True}), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", {"a": -1}), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", b"[" * 100_000), "spm_vocabulary", "vocab.json"),
    (write("vocab.json", {**IDS, "b": 10**9}), "other_vocabulary", "vocab.json"),
    (write("vocab.json", {k: v for k, v in IDS.items() if k != "<unk>"}), "spm_special",
     "vocab.json"),
    (write(OPTIONS, b"[]"), "spm_options", OPTIONS),
    (write(OPTIONS, b"{"), "spm_options", OPTIONS),
    (write(OPTIONS, {"separate_vocabs": True}), "spm_option", OPTIONS),
    (write(OPTIONS, {"sp_model_kwargs": {"enable_sampling": True}}), "spm_option", OPTIONS),
    (write(OPTIONS, {"added_tokens_decoder": STRIPS}), "spm_option", OPTIONS),
    (write(OPTIONS, {"added_tokens_decoder": [1]}), "spm_option", OPTIONS),
    (write(OPTIONS, {"extra_special_tokens": {"a": "<eop>"}}), "spm_special", "vocab.json"),
    (write(OPTIONS, {"unk_token": 7}), "spm_option", OPTIONS),
    (write(OPTIONS, {"additional_special_tokens": 7}), "spm_option", OPTIONS),
    (write(OPTIONS, {"additional_special_tokens": ["<eop>"]}), "spm_special", "vocab.json"),
]  # fmt: skip


def test_a_folder_that_is_spoilt_says_what_is_wrong(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (spoil, reason, at) in enumerate(SPOILT):
        with subtests.test(reason, number=number):
            folder = marian(tmp_path / str(number))
            spoil(folder)
            with pytest.raises(BadWeightsFile) as refused:
                Checkpoint(folder).pieces  # noqa: B018
            assert (refused.value.reason, refused.value.at) == (reason, at)


def test_options_may_be_missing_and_say_what_is_usual(tmp_path: Path) -> None:
    folder = marian(tmp_path / "pair")
    (folder / OPTIONS).unlink()
    before = [one.id for one in Checkpoint(folder).pieces.tokenize("die <unk>a")]
    usual = {"content": "</s>", "lstrip": False, "rstrip": False, "single_word": False}
    config = {"eos_token": usual, "added_tokens_decoder": {"0": usual}, "sp_model_kwargs": {},
            "additional_special_tokens": None}  # fmt: skip
    (folder / OPTIONS).write_text(json.dumps(config))
    assert [one.id for one in Checkpoint(folder).pieces.tokenize("die <unk>a")] == before
