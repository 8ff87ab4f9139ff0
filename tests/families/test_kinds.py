"""What is said of a checkpoint is what it computes: the slow reference, the derivatives, the cells,
the parts of scores and logits, and the program, in every kind of model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.continuation import Sampling, continue_text, continued
from attnscope.analysis.contributions import contributions
from attnscope.analysis.decode import decode, step_ends
from attnscope.analysis.gradients import RowNorm, gradients
from attnscope.analysis.predictions import logs_at, unembedding_of
from attnscope.analysis.score_parts import score_parts
from attnscope.attention.architecture import Parameters
from attnscope.attention.transformer import forward
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from attnscope.trace.stages import BY_NAME
from attnscope.trace.trace import Trace
from attnscope.web.serializers.numpy_program import main
from tests.families.asking import answered, ask
from tests.families.cases import made
from tests.web.test_program import printed, unpacked

KINDS = ("gpt2_by_layer", "llama_bias", "llama_yarn_told", "qwen2_window", "qwen3", "gemma2",
         "gemma3_nested", "phi_normed", "phi3_long", "gpt_neox", "opt", "bloom",
         "falcon_new")  # fmt: skip
TEXT = "The animal zzz"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each kind."""
    home = tmp_path_factory.mktemp("kinds")
    for kind in KINDS:
        made(kind, home)
    return home


@pytest.fixture(scope="module")
def traces(home: Path) -> dict[str, Trace]:
    return {kind: ask(home / kind, TEXT, dtype="float64") for kind in KINDS}


def test_every_stage_is_that_of_the_slow_reference(
    traces: dict[str, Trace], subtests: pytest.Subtests
) -> None:
    for kind, trace in traces.items():
        with subtests.test(kind):
            assert trace.checks.max_reference_error is not None
            assert trace.checks.max_reference_error < 1e-12


def test_the_program_makes_every_stage(
    traces: dict[str, Trace],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    for kind, trace in traces.items():
        with subtests.test(kind):
            main(unpacked(trace, tmp_path / kind))
            found = printed(capsys.readouterr().out)
            assert len(found) == sum(len(trace.plan.stages_of(i)) for i in range(len(trace.layers)))
            assert max(found.values()) < 1e-12


def is_what_its_last_step_says(trace: Trace, name: str, place: CellPlace) -> None:
    cell = explain(trace, name, place)
    head = {"head": place.head, "kv_head": place.head}.get(BY_NAME[name].head_axis or "")
    at = (0, place.row, place.col) if head is None else (0, head, place.row, place.col)
    assert cell.steps[-1].value == pytest.approx(trace.layers[place.layer][name][at])
    assert "nan" not in cell.steps[-1].expression


def test_every_cell_is_what_its_last_step_says(
    traces: dict[str, Trace], subtests: pytest.Subtests
) -> None:
    for kind, trace in traces.items():
        for layer, stages in enumerate(trace.layers):
            with subtests.test(kind, layer=layer):
                for name, array in stages.items():
                    heads, cols = array.shape[1], array.shape[-1]
                    for place in (CellPlace(layer, min(1, heads - 1), 0, 2, 0),
                                  CellPlace(layer, 0, 0, 1, min(5, cols - 1))):  # fmt: skip
                        is_what_its_last_step_says(trace, name, place)


def test_parts_sum_to_the_score_and_to_the_logit(
    traces: dict[str, Trace], subtests: pytest.Subtests
) -> None:
    for kind, trace in traces.items():
        with subtests.test(kind):
            for layer in range(len(trace.layers)):
                parts = score_parts(trace, layer, 1, 0, 3, 2)
                assert parts.score == pytest.approx(
                    trace.layers[layer]["scores"][0, 1, 3, 2], abs=1e-9
                )
            head = unembedding_of(trace.plan)
            y = trace.layers[-1]["block_output"][0, -1:]
            logit = float((head.normed(y) @ head.matrix)[0, 7])
            logit += 0 if head.bias is None else float(head.bias[7])
            assert contributions(trace, 0, trace.plan.n - 1, 7).logit == pytest.approx(
                logit, abs=1e-9
            )


def test_decoding_gives_the_rows_of_the_whole(
    traces: dict[str, Trace], subtests: pytest.Subtests
) -> None:
    for kind, trace in traces.items():
        with subtests.test(kind):
            steps = list(decode(trace, 0, 0, step_ends(trace.plan, 0, 2)))
            assert len(steps) == trace.plan.n - 1
            assert max(step.difference for step in steps) < 1e-12


def test_a_text_goes_on_as_the_whole_text_says(
    home: Path, traces: dict[str, Trace], subtests: pytest.Subtests
) -> None:
    for kind, trace in traces.items():
        with subtests.test(kind):
            goes_on_as_the_whole_says(home / kind, trace, 2)


def test_it_does_where_its_length_turns_positions_otherwise(tmp_path: Path) -> None:
    folder = made("phi3_long", tmp_path)  # beyond four tokens
    trace = ask(folder, "The z", dtype="float64")
    assert trace.plan.n == 3
    goes_on_as_the_whole_says(folder, trace, 4)


def goes_on_as_the_whole_says(folder: Path, trace: Trace, tokens: int) -> None:
    ids, logs = continue_text(trace, tokens, Sampling())
    for step in range(tokens):
        whole = answered(folder, continued(trace.plan, ids[:step]))
        said = logs_at(whole, 0, [whole.plan.n - 1])[0]
        assert said[ids[step]] == pytest.approx(logs[step], abs=1e-9)
        pieces = trace.plan.model.pieces
        assert pieces is not None
        said[pieces.unsaid] = -np.inf
        assert said.argmax() == ids[step]


def has_the_derivatives_that_are_measured(trace: Trace) -> None:
    row, step = trace.plan.n - 1, 1e-6
    found = gradients(trace, RowNorm(kind="row_norm", row=row, at="block_output"))

    def value(x: np.ndarray, first: Parameters = trace.parameters[0]) -> float:
        layers = [first, *trace.parameters[1:]]
        last = forward(x, layers, trace.plan.setting, lambda *_: None)
        return 0.5 * float(np.square(last[0, row]).sum())

    x, inputs = trace.layers[0]["x"], found.trace.layers[0]["x"]
    for at in ((0, 0, 3), (0, 1, 0), (0, row, 5)):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        assert inputs[at] == pytest.approx(
            (value(up) - value(down)) / (2 * step), rel=1e-5, abs=1e-6
        )
    given, derivatives = (one.parameters[0].arrays() for one in (trace, found.trace))
    assert set(derivatives) == set(given)
    for name, array in given.items():
        way = np.random.default_rng(0).normal(size=array.shape)
        above, below = (replace(trace.parameters[0], **{name: array + by * way})
                        for by in (step, -step))  # fmt: skip
        slope = (value(x, above) - value(x, below)) / (2 * step)
        assert (derivatives[name] * way).sum() == pytest.approx(slope, rel=1e-5, abs=1e-6), name


def test_derivatives_are_those_that_are_measured(
    traces: dict[str, Trace], subtests: pytest.Subtests
) -> None:
    for kind, trace in traces.items():
        with subtests.test(kind):
            has_the_derivatives_that_are_measured(trace)
