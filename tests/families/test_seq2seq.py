"""An encoder with a decoder: every stage of both halves, whose words their layers have, what comes
next. The figures that transformers gave are in test_golden.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from attnscope.analysis.ablations import ablate_heads, log_probability
from attnscope.analysis.continuation import Sampling, check_room, continue_text, continued
from attnscope.analysis.contributions import contributions
from attnscope.analysis.decode import check_layer, decode, step_ends
from attnscope.analysis.gradients import RowNorm, check_objective
from attnscope.analysis.predictions import likeliest, logits_at
from attnscope.errors import EmptyText, InvalidRequest, TooManyTokens
from attnscope.installed.checkpoint import Checkpoint
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from attnscope.trace.plan import Limits
from attnscope.trace.stages import BY_NAME
from attnscope.trace.trace import Trace, answer
from attnscope.web.serializers.numpy_program import main
from attnscope.web.serializers.traces import describe_plan
from tests.families.asking import ask
from tests.families.made import checkpoint, with_config
from tests.families.seq2seq_made import (
    MARIAN,
    SHORT,
    SOURCES,
    TEXTS,
    ask_pair,
    bart_tensors,
    config_of,
    made_pair,
    pieces,
)
from tests.families.test_refused import each, refused
from tests.web.test_program import printed, unpacked

KINDS = ("bart_scaled", "marian", "t5_gated")


@pytest.fixture(scope="module", params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_pair(request.param, tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def trace(place: Path) -> Trace:
    return ask_pair(place, dtype="float64")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_pair("bart", tmp_path_factory.mktemp("bart"))


def test_every_stage_is_that_of_the_slow_reference(place: Path) -> None:
    # The context is long enough that distances share a bucket of relative positions.
    checks = ask_pair(place, text="It", context="It was" * 3, dtype="float64").checks
    assert checks.max_reference_error is not None
    assert checks.max_reference_error < 1e-12
    assert checks.max_row_sum_error < 1e-12


def test_maps_that_are_made_again_are_the_same_bits(place: Path) -> None:
    whole = ask_pair(place)
    again = answer(replace(whole.plan, large_maps=0))
    assert again.plan.remakes
    for one, other in zip(whole.layers, again.layers, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])
    queries = slice(1, 3)
    for one, other in zip(whole.layers, again.layers, strict=True):
        # Of a product of fewer rows some processors round the last bits in another way.
        rows = other.rows("weights", 1, queries)
        np.testing.assert_allclose(rows, one["weights"][1, :, queries], rtol=0, atol=5e-7)


def test_a_stage_has_the_sizes_of_the_plan(trace: Trace) -> None:
    for layer, stages in enumerate(trace.layers):
        for name, array in stages.items():
            assert array.shape == trace.plan.shape_of(name, layer), (layer, name)
    plan = trace.plan
    first = plan.model.encoder_layers
    n, m = plan.n, plan.m
    assert n != m
    maps = [stages["weights"].shape[2:] for stages in trace.layers]
    assert maps[:first] == [(m, m)] * first
    assert maps[first:] == [(n, n), (n, m)] * ((len(maps) - first) // 2)
    assert plan.numbers >= sum(a.size for stages in trace.layers for a in stages.values())


def test_an_encoder_looks_both_ways_and_never_at_padding(trace: Trace) -> None:
    m = trace.plan.lengths()[1][1]
    weights = trace.layers[0]["weights"][1]
    assert m < trace.plan.m
    assert (weights[:, :m, :m] > 0).all()
    assert not weights[:, :, m:].any()
    own = trace.layers[trace.plan.model.encoder_layers]["weights"]
    assert not np.triu(own, 1).any()


def test_the_program_makes_every_stage(
    trace: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(unpacked(trace, tmp_path))
    found = printed(capsys.readouterr().out)
    context = sum("context" in stages for stages in trace.layers)
    assert (
        len(found) == sum(map(len, map(trace.plan.stages_of, range(len(trace.layers))))) - context
    )
    assert max(found.values()) < 1e-12


def test_every_cell_is_what_its_last_step_says(trace: Trace) -> None:
    for layer, stages in enumerate(trace.layers):
        for name in stages:
            cols = stages[name].shape[-1]
            place = CellPlace(layer, 1, 0, 2, min(3, cols - 1))
            cell = explain(trace, name, place)
            heads = BY_NAME[name].head_axis is not None
            at = (0, place.head, place.row, place.col) if heads else (0, place.row, place.col)
            assert cell.steps[-1].value == pytest.approx(stages[name][at])
            assert "nan" not in cell.steps[-1].expression


def test_what_x_and_the_context_are_made_of_is_explained(trace: Trace) -> None:
    first = trace.plan.model.encoder_layers
    starts = [explain(trace, "x", CellPlace(layer, 0, 0, 1, 1)) for layer in (0, first)]
    assert all("embedding" in cell.formula for cell in starts)
    assert starts[0].value != starts[1].value
    assert (
        explain(trace, "x", CellPlace(1, 0, 0, 1, 1)).formula == "block_output of the layer below"
    )
    cell = explain(trace, "context", CellPlace(first + 1, 0, 0, 1, 1))
    assert "block_output of the encoder" in cell.formula
    assert {(one.stage, one.layer) for one in cell.steps[-1].operands} == {
        ("block_output", first - 1)
    }


def test_decoding_gives_the_rows_of_the_whole(trace: Trace) -> None:
    first = trace.plan.model.encoder_layers
    steps = list(decode(trace, first + 1, 0, step_ends(trace.plan, 0, 2)))
    assert len(steps) == trace.plan.n - 1
    assert max(step.difference for step in steps) < 1e-12
    with pytest.raises(InvalidRequest) as refused:
        check_layer(trace.plan, first - 1)
    assert refused.value.reason == "decode_of_encoder"


def test_a_dropped_head_is_worth_what_the_question_without_it_says(
    trace: Trace, place: Path
) -> None:
    row = trace.plan.n - 1
    worth = ablate_heads(trace, 0, row, 7)
    first = trace.plan.model.encoder_layers
    for layer in (1, first, first + 1):
        without = ask_pair(place, dtype="float64", drop=[[layer, 1]])
        assert worth[layer][1] == pytest.approx(log_probability(without, 0, row, 7), abs=1e-9)


def test_a_text_begins_with_its_first_piece_and_does_not_end(folder: Path) -> None:
    words = ask_pair(folder).plan.words
    assert words.tokens is not None
    assert words.tokens[0][:2] == ["</s>", "<s>"]
    assert words.tokens[0][-1] != "</s>"
    context = ask_pair(folder).plan.context
    assert context is not None
    assert context.tokens is not None
    assert (context.tokens[0][0], context.tokens[0][-1]) == ("<s>", "</s>")
    alone = ask_pair(folder, text="", context=SOURCES[0])
    assert alone.plan.words.tokens == [["</s>"]]


def test_it_goes_on_as_it_says_after_each_step(place: Path) -> None:
    trace = ask_pair(place, text="", context=SOURCES[0])
    check_room(trace.plan, 4)
    ids, logs = continue_text(trace, 4, Sampling())
    names = trace.plan.model.pieces
    assert names is not None
    whole = ask_pair(place, **_asked(continued(trace.plan, ids)))
    first = trace.plan.words.tokens
    assert first is not None
    assert whole.plan.words.tokens == [[*first[0], *(names.names[i] for i in ids)]]
    for row, (piece, log) in enumerate(zip(ids, logs, strict=True)):
        best = likeliest(whole, 0, row, 1)[0]
        assert best.id == piece
        assert best.log_probability == pytest.approx(log, abs=1e-5)
    with pytest.raises(TooManyTokens):
        check_room(trace.plan, 48)


def test_the_first_text_of_a_batch_goes_on_with_its_own_source(place: Path) -> None:
    alone, batch = (
        ask_pair(place, text=TEXTS[1], context=SOURCES[1]),
        ask_pair(place, text=TEXTS[::-1], context=SOURCES[::-1]),
    )
    ids, logs = continue_text(batch, 3, Sampling())
    wanted, expected = continue_text(alone, 3, Sampling())
    assert ids == wanted
    assert logs == pytest.approx(expected, abs=1e-5)
    assert continued(batch.plan, ids) == continued(alone.plan, ids)
    words = batch.plan.context
    assert words is not None
    assert words.tokens is not None
    source = [token for token in words.tokens[0] if token is not None]
    several = ask_pair(place, text=TEXTS[::-1], context=None, context_tokens=[source, source[:2]])
    assert continued(several.plan, ids).context_tokens == source


def _asked(question: object) -> dict[str, object]:
    return {name: getattr(question, name) for name in ("text", "tokens", "context")}


def test_a_source_is_needed_and_gradients_are_refused(folder: Path) -> None:
    with pytest.raises(InvalidRequest) as refused:
        ask_pair(folder, context=None, text="It")
    assert (refused.value.reason, refused.value.at) == ("no_source_text", "context")
    with pytest.raises(EmptyText):
        ask_pair(folder, context="", text="It")
    planned = ask_pair(folder).plan
    with pytest.raises(InvalidRequest) as refused:
        check_objective(planned, RowNorm(kind="row_norm", row=0), Limits())
    assert refused.value.reason == "gradients_of_encoder"


def test_a_reply_says_which_layers_are_the_encoders(folder: Path) -> None:
    model = describe_plan(ask_pair(folder).plan)
    assert model["encoder_layers"] == 3
    assert model["attends_to"] == ["self"] * 3 + ["self", "context"] * 2
    assert "context" in model["context_holds"]
    assert "context" not in model["encoder_holds"]


BART_VALUES: dict[str, list[Any]] = {
    "d_model": [48, 25],
    "encoder_layers": [4, 0, 10**9],
    "decoder_layers": [3],
    "num_hidden_layers": [2],
    "decoder_attention_heads": [2],
    "encoder_attention_heads": [2, 5],
    "decoder_ffn_dim": [41],
    "encoder_ffn_dim": [41],
    "activation_function": ["mish", None],
    "max_position_embeddings": [46],
    "decoder_start_token_id": [300, None, -1],
    "is_encoder_decoder": [False],
    "is_decoder": [True],
    "normalize_before": [True],
    "add_final_layer_norm": [True],
    "normalize_embedding": [False],
    "static_position_embeddings": [True],
    "extra_pos_embeddings": [3],
    "rope_theta": [1e4],
    "tie_word_embeddings": ["yes", False],
}


MARIAN_VALUES: dict[str, list[Any]] = {
    "share_encoder_decoder_embeddings": ["no"],
    "decoder_vocab_size": [299],
    "normalize_embedding": [True],
    "static_position_embeddings": [False],
    "activation_function": ["mish"],
    "vocab_size": [299],
}


T5_VALUES: dict[str, list[Any]] = {
    "d_model": [48],
    "d_kv": [8],
    "d_ff": [41],
    "num_layers": [4, 0],
    "num_decoder_layers": [3],
    "num_heads": [2],
    "relative_attention_num_buckets": [16, 6, 0],
    "relative_attention_max_distance": [4, 2.5],
    "layer_norm_epsilon": [-1.0],
    "feed_forward_proj": ["gated-gelu", "mish", "gated-mish"],
    "dense_act_fn": ["gelu"],
    "is_gated_act": [True],
    "decoder_start_token_id": [300],
    "is_decoder": [True],
    "is_encoder_decoder": [False],
    "scale_decoder_outputs": ["no"],
    "attn_logit_softcapping": [30],
}


VALUES = {"bart": BART_VALUES, "marian": MARIAN_VALUES, "t5": T5_VALUES}


def test_no_key_that_changes_numbers_is_passed_over(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case, keys in VALUES.items():
        folder, config = made_pair(case, tmp_path), config_of(case)
        for key, value in each(keys):
            with subtests.test(f"{case} {key}", value=value):
                refused(with_config(folder, {**config, key: value}))


def test_positions_of_marian_are_read_where_they_are_stored(tmp_path: Path) -> None:
    tensors = bart_tensors(MARIAN)
    folder = checkpoint(tmp_path / "computed", MARIAN, tensors, tokenizer=pieces())
    rows = Checkpoint(folder).weights.position
    assert rows is not None
    other = {f"model.{half}.embed_positions.weight": rows for half in ("encoder", "decoder")}
    stored = checkpoint(tmp_path / "stored", MARIAN, {**tensors, **other}, tokenizer=pieces())
    one, two = (ask_pair(each, **SHORT) for each in (folder, stored))
    np.testing.assert_array_equal(one.layers[-1]["weights"], two.layers[-1]["weights"])
    half = MARIAN["d_model"] // 2
    np.testing.assert_allclose(rows[5, [0, half]], [np.sin(5), np.cos(5)], rtol=1e-6)


def test_halves_of_marian_may_share_no_table(tmp_path: Path) -> None:
    config = {**config_of("marian_untied"), "share_encoder_decoder_embeddings": False}
    tensors = bart_tensors(config)
    del tensors["model.shared.weight"]
    weights = Checkpoint(checkpoint(tmp_path / "own", config, tensors)).weights
    assert weights.source is not None
    named = {"encoder": weights.source.embedding, "decoder": weights.embedding}
    for half, table in named.items():
        np.testing.assert_array_equal(table, tensors[f"model.{half}.embed_tokens.weight"])


def test_parts_of_the_decoders_stream_sum_to_the_logit(tmp_path: Path) -> None:
    trace = ask_pair(made_pair("t5", tmp_path), dtype="float64")
    row = trace.plan.words.lengths[1] - 1
    found, first = contributions(trace, 1, row, 7), trace.plan.model.encoder_layers
    assert found.logit == pytest.approx(float(logits_at(trace, 1, [row])[0, 7]), abs=1e-9)
    assert not np.any(found.heads[:first])
    assert np.all(found.heads[first:])
    assert found.mlps[first::2] == [0] * len(found.mlps[first::2])


def test_the_encoder_of_t5_alone_is_that_of_the_whole(tmp_path: Path) -> None:
    folder = made_pair("t5", tmp_path)
    whole = ask(folder, "the", context="The animal zzz")
    tensors = load_file(folder / "model.safetensors")
    kept = {name: one for name, one in tensors.items() if not name.startswith("decoder.")}
    config = {**config_of("t5"), "architectures": ["T5EncoderModel"], "is_encoder_decoder": False}
    alone = ask(checkpoint(tmp_path / "alone", config, kept, tokenizer=pieces()), "The animal zzz")
    assert alone.plan.model.unembedding is None
    assert whole.plan.context is not None
    assert alone.plan.words.tokens == whole.plan.context.tokens
    for one, other in zip(alone.layers, whole.layers, strict=False):
        for name in ("x", "weights", "block_output"):
            np.testing.assert_array_equal(one[name], other[name])
