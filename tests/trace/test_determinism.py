"""The same question gives the same bytes: twice, in fresh processes, and years from now."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from attnscope.web.serializers.selection import Selection
from attnscope.web.serializers.traces import attention_json
from tests.questions import ask, random_question

ROOT = Path(__file__).resolve().parent.parent.parent
ELAPSED = re.compile(rb'"elapsed_ms":[\d.e-]+')
QUESTIONS: list[dict[str, Any]] = [
    {"text": "The animal didn't cross the street because it was too tired."},
    {"text": ["小沈阳江西演唱会邀请了，", "🐟"], "blocked": [[1, 0], [0, 1]], "window": 3,
     "model": {"source": "seeded", "num_layers": 2, "block": "residual", "bias": True}},
    {"text": "the cat saw the cat", "model": {"source": "crafted", "name": "all"}},
    {"tokens": ["a"] * 200, "dtype": "float32"},
]  # fmt: skip
FRESH = """
import sys
import orjson
from tests.trace.test_determinism import reply
for body in orjson.loads(sys.stdin.buffer.read()):
    sys.stdout.buffer.write(reply(body) + b"\\n")
"""


def reply(body: dict[str, Any]) -> bytes:
    """The JSON reply with all parameters, elapsed_ms apart."""
    content = attention_json(ask(body), Selection(parameters=True))
    assert len(ELAPSED.findall(content)) == 1
    return ELAPSED.sub(b"", content)


def in_a_fresh_process(hash_seed: str) -> list[bytes]:
    result = subprocess.run(
        [sys.executable, "-c", FRESH], input=orjson.dumps(QUESTIONS), capture_output=True,
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": hash_seed}, check=True,
    )  # fmt: skip
    return result.stdout.splitlines()


def test_a_fresh_process_and_this_one_give_the_same_bytes() -> None:
    """Their hash seeds differ, unless the one of this process happens to be 1."""
    assert in_a_fresh_process("1") == [reply(body) for body in QUESTIONS]


@pytest.mark.full
def test_another_hash_seed_gives_the_same_bytes() -> None:
    assert in_a_fresh_process("2") == [reply(body) for body in QUESTIONS]


def test_asking_twice_gives_the_same_bytes(subtests: pytest.Subtests) -> None:
    for seed in range(700, 712):
        with subtests.test(seed=seed):
            body = random_question(seed, longest=12)
            assert reply(body) == reply(body)


def test_a_bias_more_changes_no_matrix() -> None:
    plain = ask({"text": "a b", "model": {"source": "seeded", "num_layers": 2}})
    biased = ask({"text": "a b", "model": {"source": "seeded", "num_layers": 2, "bias": True}})
    for one, two in zip(plain.parameters, biased.parameters, strict=True):
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, two.arrays()[name])


def test_a_layer_more_changes_none_below_it() -> None:
    one = ask({"text": "a b", "model": {"source": "seeded"}}).layers[0]
    two = ask({"text": "a b", "model": {"source": "seeded", "num_layers": 2}}).layers[0]
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name])


def test_the_same_word_is_the_same_vector_in_every_sentence() -> None:
    one, two = ask({"text": "the cat sat"}), ask({"text": ["a cat", "cat cat cat"]})
    for b, i in [(0, 1), (1, 0), (1, 2)]:
        np.testing.assert_array_equal(two.start.embedding[b, i], one.start.embedding[0, 1])


def test_the_default_questions_first_numbers_never_change() -> None:
    layer = ask(QUESTIONS[0]).layers[0]
    for name, first in FIRSTS.items():
        np.testing.assert_allclose(layer[name].flat[:3], first, rtol=0, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(layer["weights"][0, 0, -1, :3], LAST_ROW, rtol=0, atol=1e-12)


FIRSTS = {
    "x": [0.375943752414668, 0.5364772261663879, 0.4266021839125964],
    "q": [-0.0858347173263171, -0.1555456703121207, 1.7087493937369111],
    "output": [1.5535353708241149, -0.9333718318305972, -0.6261192476594616],
}
LAST_ROW = [0.0310523206193056, 0.4679189086524329, 0.020145963010406793]
