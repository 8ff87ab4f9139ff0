"""Installed models in numpy and in PyTorch: every stage and the logits."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnscope.analysis.predictions import logits_at
from attnscope.installed.model_registry import shipped
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer
from tests.against_torch.torch_model import TorchModel
from tests.golden.sentences import SENTENCES

MODELS = shipped().models
REVISIONS = [(name, revision) for name in MODELS for revision in MODELS[name].revisions]
BOUNDS = {"float32": 1e-5, "float64": 1e-10}


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize(("name", "revision"), REVISIONS)
def test_every_stage_and_the_logits_are_those_of_torch(
    name: str, revision: str, dtype: str
) -> None:
    """Of numbers above 1 the bound is relative: float32 has seven digits."""
    text = SENTENCES[name]
    model = {"source": "installed", "name": name, "revision": revision}
    question = Question.model_validate({"text": text, "model": model, "dtype": dtype})
    trace = answer(make_plan(question, Limits(), pytest.fail))
    file = MODELS[name].revisions[revision].name
    layers, logits = TorchModel(models_dir() / name, file, getattr(torch, dtype)).stages(text)
    ours = logits_at(trace, 0, slice(None))
    pairs = [(logits.numpy(), ours)]
    for stages, kept in zip(layers, trace.layers, strict=True):
        pairs += [(array.numpy(), kept[stage]) for stage, array in stages.items()]
    for wanted, found in pairs:
        assert (np.isneginf(wanted) == np.isneginf(found)).all()
        finite = np.isfinite(wanted)
        size = max(1.0, float(np.abs(wanted[finite]).max()))
        assert np.abs(wanted[finite] - found[finite]).max() <= BOUNDS[dtype] * size
