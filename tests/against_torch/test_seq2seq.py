"""An encoder with a decoder in numpy and in transformers, on padded sources and texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from attnscope.analysis.predictions import logits_at
from attnscope.attention.positions import Relative, buckets
from attnscope.trace.trace import Trace
from tests.against_torch.seq2seq_model import run_pair
from tests.against_torch.test_families import close
from tests.families.seq2seq_made import CASES, ask_pair, made_pair


@pytest.mark.parametrize("case", CASES)
def test_both_halves_compute_what_transformers_computes(case: str, tmp_path: Path) -> None:
    folder = made_pair(case, tmp_path)
    check_pair(folder, ask_pair(folder))


def check_pair(folder: Path, trace: Trace) -> None:
    planned, layers = trace.plan, trace.layers
    assert planned.context is not None
    theirs = run_pair(
        folder, planned.model.pieces.ids, planned.context.tokens, planned.words.tokens
    )
    first = planned.model.encoder_layers
    assert len(theirs.encoder) == first
    assert len(theirs.own) == len(theirs.cross) == (len(layers) - first) // 2
    for b, (n, m) in enumerate(planned.lengths()):
        for one, weights, x in zip(layers, theirs.encoder, theirs.encoder_received, strict=False):
            assert close(one["weights"][b, :, :m, :m], weights[b, :, :m, :m])
            assert close(one["x"][b, :m], x[b, :m])
        for one, weights, x in zip(layers[first::2], theirs.own, theirs.received, strict=True):
            assert close(one["weights"][b, :, :n, :n], weights[b, :, :n, :n])
            assert close(one["x"][b, :n], x[b, :n])
        for one, weights in zip(layers[first + 1 :: 2], theirs.cross, strict=True):
            assert close(one["weights"][b, :, :n, :m], weights[b, :, :n, :m])
            assert close(one["context"][b, :m], theirs.context[b, :m])
        assert close(logits_at(trace, b, slice(n)), theirs.logits[b, :n])


@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize(("count", "furthest"), [(32, 128), (8, 12), (64, 256), (12, 100), (4, 3)])
def test_a_distance_falls_into_the_bucket_of_transformers(
    count: int, furthest: int, both_ways: bool
) -> None:
    ahead = np.arange(-4096, 4097)
    theirs = T5Attention._relative_position_bucket(
        torch.tensor(ahead), both_ways, num_buckets=count, max_distance=furthest
    )
    ours = buckets(np.array([4096]), ahead + 4096, Relative(count, furthest, both_ways))[0]
    np.testing.assert_array_equal(ours, theirs.numpy())
