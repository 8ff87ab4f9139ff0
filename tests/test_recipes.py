"""The recipes of docs/house.md for a stage and a mask, followed on a copy of the package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attnscope.attention.patterns import PATTERNS
from attnscope.resources import static_dir
from attnscope.trace.cell_reader import CellPlace, Reader
from attnscope.trace.explain import STEPS, explain, step_by_row
from attnscope.trace.question import PATTERN_FIELDS
from attnscope.trace.stages import BY_NAME, STAGES
from attnscope.web.texts import Catalogue
from tests.questions import ask

pytestmark = pytest.mark.slow

APP = Path(__file__).parents[1] / "app"
KEPT = '"head_outputs": head_outputs'
ROW = """    Stage(
        "doubled",
        ("batch", "head", "query", "d_v"),
        "2 × head_outputs",
        "D = 2 H",
        ("head_outputs",),
    ),
"""
# File → what stands there, and what stands there with the stage `doubled` behind head_outputs.
EDITS = {
    "attention/attend.py": [
        ("merge_heads(zero_heads(head_outputs,", "merge_heads(zero_heads(2 * head_outputs,"),
        (KEPT, f'{KEPT}, "doubled": 2 * head_outputs'),
    ],
    "attention/reference.py": [
        ("enumerate(head_outputs.swapaxes(0, 1))", "enumerate(2 * head_outputs.swapaxes(0, 1))"),
        (KEPT, f'{KEPT}, "doubled": 2 * head_outputs'),
    ],
    "attention/backward.py": [
        ('g["head_outputs"] = zero_heads(', 'g["doubled"] = zero_heads('),
        (
            "    g |= attend_heads_back(",
            '    g["head_outputs"] = 2 * g["doubled"]\n    g |= attend_heads_back(',
        ),
    ],
    "trace/stages.py": [
        ('    Stage(\n        "concat",', f'{ROW}    Stage(\n        "concat",'),
        ('        ("head_outputs",),\n        variants', '        ("doubled",),\n        variants'),
    ],
}
# The same for a mask: keys at multiples of a number.
EDITS |= {
    "attention/patterns.py": [
        (
            "class Block(NamedTuple)",
            "def every_nth(rows: Rows, cols: Cols, step: int) -> Open:\n"
            "    return np.broadcast_to(cols % step == 0, (len(rows), len(cols)))\n\n\n"
            "class Block(NamedTuple)",
        ),
        (
            "    block_size: int | None = None\n",
            "    block_size: int | None = None\n    every_nth: int | None = None\n",
        ),
        (
            '    Pattern("block_size",',
            '    Pattern("every_nth", every_nth, lambda *_: (False, True), by_distance=False),\n'
            '    Pattern("block_size",',
        ),
    ],
    "trace/question.py": [
        (
            "    prefix: Place = Field(",
            '    every_nth: Steps | None = Field(None, description="Keys at multiples.")\n'
            "    prefix: Place = Field(",
        ),
    ],
}
SEEN = """
import json
import numpy as np
from attnscope.analysis.gradients import RowNorm, gradients
from attnscope.analysis.gradient_formulas import formulas
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.examples import no_upload
from attnscope.trace.explain import explain
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer
from attnscope.web.pages.data import stage_rows
from attnscope.analysis.probe import probe_question
from attnscope.web.pages.address import QUESTION
from attnscope.web.serializers.program import _asked
from attnscope.web.serializers.selection import Selection

trace = answer(make_plan(Question(text="a b c"), Limits(), no_upload))
question = Question(text="a b c d", every_nth=2, block_size=1)
masked = answer(make_plan(question, Limits(), no_upload))
steps = [explain(trace, name, CellPlace(0, 1, 0, 2, 3)).steps[0] for name in ("doubled", "concat")]
print(json.dumps({
    "error": trace.checks.max_reference_error,
    "sent": [list(stages) for _, stages in Selection().cut(trace)],
    "cells": [[[one.stage, one.row, one.col] for one in step.operands] for step in steps],
    "expression": steps[0].expression,
    "gradients": list(gradients(trace, RowNorm(kind="row_norm", row=1)).trace.layers[0]),
    "formula": formulas(trace)["doubled"],
    "page": [row["name"] for row in stage_rows()],
    "open": np.isfinite(masked.layers[0]["masked_scores"][0, 0]).astype(int).tolist(),
    "closed_by": explain(masked, "weights", CellPlace(0, 0, 0, 3, 1)).closed_by,
    "probe": probe_question(masked.plan, 0, 2, 2).every_nth,
    "program": _asked(masked.plan)["layers"][0]["every_nth"],
    "address": "every_nth" in QUESTION,
}))
"""


def test_a_stage_is_four_files_of_code_and_a_mask_two(tmp_path: Path) -> None:
    shutil.copytree(
        APP / "attnscope", tmp_path / "attnscope", ignore=shutil.ignore_patterns("__py*")
    )
    for file, edits in EDITS.items():
        path = tmp_path / "attnscope" / file
        text = path.read_text(encoding="utf-8")
        for before, after in edits:
            assert text.count(before) == 1, (file, before)
            text = text.replace(before, after)
        path.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", SEEN], env=environment, capture_output=True, text=True, check=True
    )
    seen = json.loads(printed.stdout)
    names = [stage.name for stage in STAGES]
    names.insert(names.index("concat"), "doubled")
    assert seen["error"] < 1e-12
    assert (seen["sent"], seen["page"]) == ([names], names)
    assert seen["cells"] == [[["head_outputs", 2, 3]], [["doubled", 2, 3]]]
    assert seen["expression"].startswith("2 × head_outputs ≈ ")
    assert "doubled" in seen["gradients"]
    assert seen["formula"] == r"\nabla_{D} = \frac{\partial f}{\partial D}"
    assert seen["open"] == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]]
    assert seen["closed_by"] == ["every_nth", "block_size"]
    assert (seen["probe"], seen["program"], seen["address"]) == (None, 2, True)


def test_the_row_of_a_stage_says_which_cells_it_reads(subtests: pytest.Subtests) -> None:
    body = {"text": "a b c", "model": {"source": "seeded", "num_kv_heads": 2, "bias": True}}
    trace = ask(body)
    place = CellPlace(0, 3, 0, 2, 1)
    for name in ("scores", "scaled_scores", "masked_scores", "head_outputs", "output"):
        with subtests.test(name):
            own = STEPS[name](Reader.at(trace, name, place))
            by_row = step_by_row(Reader.at(trace, name, place), BY_NAME[name])
            assert by_row.operands == own.operands
            assert by_row.value == own.value == explain(trace, name, place).value


def test_every_stage_and_pattern_has_its_message() -> None:
    keys = {f"stage.{stage.name}" for stage in STAGES}
    keys |= {f"masked.{pattern.name}" for pattern in PATTERNS}
    keys |= {f"{kind}.{name}" for kind in ("field", "hint") for name in PATTERN_FIELDS}
    for language, messages in Catalogue(static_dir() / "locales").languages.items():
        assert keys <= messages.keys(), language
