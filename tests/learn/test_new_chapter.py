"""The recipe of docs/house.md for a chapter: two Markdown files, what they compute, and a line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {
    "en": """---
title: Sums
about: Rows that add up.
goals:
- Add a row
- Say what a row is
summary:
- A row is the shares of one query.
- Each row adds up to 1.
- The softmax divides by the sum.
terms:
- row_sum: sum of a row
- softmax
---

{#opening} The first row adds up to
{total}. [[cell:weights,0,0|See it]], then read on: [[chapter:masks]]

[[figure:map]] One map.

$$\\sum_j A_{ij} = 1$$

[[table:sums]]
| row | sum |
| --- | --- |

## adding

What is {a} + {b}?

- hint: Count on from {a}.
- worked: {a} + {b} = {answer}

## reason why

Why do rows add up to 1?

- [ ] By chance.
  > It holds in each row.
- [x] The softmax divides by the sum.
- [ ] By training.
  > It holds before.
- [ ] By the mask.
  > It holds without one.

## own row

Say what a row is.

- model: The shares of one query.
""",
}
TEXTS["zh"] = TEXTS["en"].replace("Sums", "求和").replace("sum of a row", "行和")
COMPUTED = '''"""Sums of rows."""
import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Exercise, Figure
from attnscope.learn.why import true_reason


def totals() -> list[str]:
    return [f"{total:.3f}" for total in stage({"text": "a b"}, "weights")[0].sum(-1)]


def adding(rng: np.random.Generator) -> Exercise:
    a, b = (int(number) for number in rng.integers(1, 9, 2))
    return Exercise("adding", float(a + b), {"a": a, "b": b})


CHAPTER = Chapter(
    "sums",
    needs=("softmax",),
    figures=(Figure("map", {"text": "a b"}, stages=("weights",)),),
    values={"opening": lambda: {"total": totals()[0]}},
    tables={"sums": lambda: [[str(row), total] for row, total in enumerate(totals())]},
    exercises=(adding, true_reason("sums")),
)
'''
SEEN = """
from fastapi.testclient import TestClient
from attnscope.main import create_app

with TestClient(create_app()) as client:
    for language, title in (("en", "Sums"), ("zh", "求和")):
        def page(path):
            return client.get(path, params={"lang": language}).raise_for_status().text
        chapter = page("/learn/sums")
        assert f"<h1>{title}</h1>" in chapter
        assert 'data-cell="weights,0,0">See it</button>' in chapter
        assert 'id="figure-map"' in chapter and "One map." in chapter
        assert '<th scope="row">1</th><td translate="no">1.000</td>' in chapter
        assert "What is " in page("/learn/sums/worksheet")
        assert title in page("/learn") and title in page("/learn/terms")
        assert title in page("/learn?q=sums")
    exercises = client.get("/api/v1/learn/sums/exercises").json()["exercises"]
    assert [each["kind"] for each in exercises] == ["adding", "true_reason"]
"""


def test_a_chapter_is_its_markdown_what_it_computes_and_a_name_in_the_course(
    tmp_path: Path,
) -> None:
    package = tmp_path / "app/attnscope"
    shutil.copytree(ROOT / "app/attnscope", package, ignore=shutil.ignore_patterns("__py*"))
    for folder in ("static", "templates", "models"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    chapters = package / "learn/chapters"
    for language, text in TEXTS.items():
        (chapters / f"sums.{language}.md").write_text(text, encoding="utf-8")
    (chapters / "sums.py").write_text(COMPUTED, encoding="utf-8")
    course = (chapters / "__init__.py").read_text(encoding="utf-8")
    assert course.count('"masks",') == 1
    course = course.replace('"masks",', '"masks", "sums",')
    (chapters / "__init__.py").write_text(course, encoding="utf-8")
    path = str(tmp_path / "app")
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SEEN]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
