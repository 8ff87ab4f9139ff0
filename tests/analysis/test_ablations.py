"""Heads dropped in turn, in groups: the numbers of runs one at a time, their order, their cost."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnscope import cancellation
from attnscope.analysis.ablations import (
    AT_ONCE,
    MOST_BYTES,
    MOST_STEPS,
    Head,
    ablate_heads,
    ablate_in_groups,
    bytes_of,
    check_cost,
    group_size,
    heads_of,
    run_bytes,
    steps_of,
    strongest_first,
)
from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import unembedding_of
from attnscope.attention import thread_pool
from attnscope.attention.transformer import encode, forward, layers_between
from attnscope.attention.unembed import log_softmax
from attnscope.errors import TooLarge
from attnscope.trace.plan import Limits, Plan, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace
from tests.families.asking import ask
from tests.families.cases import made
from tests.families.seq2seq_made import ask_pair, made_pair
from tests.installed.asking import TEXT, echo, no_upload

pytestmark = pytest.mark.slow


def alone(trace: Trace, batch: int, row: int, piece: int, head: Head) -> float:
    """One head dropped, by a run of its own from its layer to the end."""
    planned, layer = trace.plan, head.layer
    context = trace.layers[-1].get("context")
    setting = planned.setting.of_text(batch, None if context is None else context[batch])
    setting = replace(setting, maps=(), drop=setting.drop | {head})
    x = trace.layers[layer]["x"][batch : batch + 1]

    def ignore(layer: int, name: str, array: np.ndarray) -> None: ...

    if planned.model.is_encoder_layer(layer):
        norm = planned.model.context_norm
        context = encode(x, trace.parameters, setting, ignore, norm, layer)
        setting, layer = replace(setting, context=context), planned.model.encoder_layers
        x = trace.layers[layer]["x"][batch : batch + 1]
    y = forward(x, layers_between(trace.parameters, layer), setting, ignore, first=layer)
    logits = unembedding_of(planned).logits(y[0, [row]], planned.options.grid)
    return float(log_softmax(logits)[0, piece])


def traces(folder: Path) -> dict[str, Trace]:
    return {
        "a batch with padding and a dropped head": echo(["Emma", TEXT], drop=[[0, 1]]),
        "half precision": echo(dtype="float16"),
        "maps that are not kept": ask(made("llama", folder), "a cat sat on a mat", dtype="float64"),
        "an encoder of masked pieces": ask(made("bert_masked", folder), "The [MASK] ."),
        "an encoder with a decoder": ask_pair(made_pair("bart_scaled", folder)),
    }


def test_a_group_gives_the_bits_of_runs_one_at_a_time(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, trace in traces(tmp_path).items():
        with subtests.test(name):
            batch = trace.plan.batch - 1
            row = trace.plan.words.lengths[batch] - 1
            found = ablate_heads(trace, batch, row, 7)
            for head in heads_of(trace.plan):
                assert found[head.layer][head.head] == alone(trace, batch, row, 7, head), head


def test_heads_go_in_groups_the_strongest_first() -> None:
    trace = echo()
    row = trace.plan.n - 1
    order = strongest_first(trace, 0, row, 7)
    assert sorted(order) == heads_of(trace.plan)
    parts = contributions(trace, 0, row, 7).heads
    sizes = [abs(parts[layer][head]) for layer, head in order]
    assert sizes == sorted(sizes, reverse=True)
    groups = list(ablate_in_groups(trace, 0, row, 7, order, first=3, most=4))
    assert [one.head for group in groups for one in group] == order
    assert [len(group) for group in groups[:-1]] == [3, *[4] * (len(groups) - 2)]
    whole = ablate_heads(trace, 0, row, 7)
    assert all(one.log_probability == whole[one.head.layer][one.head.head]
               for group in groups for one in group)  # fmt: skip


def test_heads_keep_their_order_where_the_logit_is_no_sum(tmp_path: Path) -> None:
    trace = ask(made("bert_masked", tmp_path), "The [MASK] .")
    assert strongest_first(trace, 0, 1, 7) == heads_of(trace.plan)


def test_runs_end_when_nobody_waits() -> None:
    trace, asked = echo(), itertools.count(1)

    def left() -> bool:
        return next(asked) > 3  # asked before each layer of each run

    with cancellation.cancel_when(left), pytest.raises(cancellation.ClientDisconnected):
        ablate_heads(trace, 0, 2, 7)
    assert next(asked) - 1 <= 4 + thread_pool._pool()[1]


def long_plan() -> Plan:
    """Of a text whose heads are too many to drop all."""
    model = {"source": "seeded", "d_model": 512, "num_heads": 8, "num_layers": 4}
    question = Question.model_validate({"text": "a " * 4000, "model": model})
    return make_plan(question, Limits(), no_upload)


def test_what_takes_long_is_refused_and_fewer_heads_are_not() -> None:
    planned = echo().plan
    steps = steps_of(planned)
    heads = planned.model.shape.num_heads
    assert len(steps) == len(heads_of(planned))
    assert len(set(steps[:heads])) == 1
    assert steps[0] > steps[-1]  # a head of a higher layer runs through fewer
    check_cost(planned)
    long = long_plan()
    most = sum(total <= MOST_STEPS for total in itertools.accumulate(steps_of(long)))
    assert 2 < most < len(heads_of(long))
    check_cost(long, most)
    for count, refused_heads in ((most + 1, most + 1), (None, len(heads_of(long)))):
        with pytest.raises(TooLarge) as refused:
            check_cost(long, count)
        assert refused.value.values["heads"] == refused_heads
        assert refused.value.at == "strongest"


def test_the_runs_of_a_group_hold_bounded_bytes() -> None:
    assert group_size(echo().plan) == AT_ONCE
    long = long_plan()
    assert group_size(long) == MOST_BYTES // run_bytes(long) == 4
    assert bytes_of(long) == 4 * run_bytes(long)
