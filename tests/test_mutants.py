"""The mutations that `make mutants` draws: each is one valid change, the same for a seed."""

from __future__ import annotations

import ast

import pytest

from tests.mutants import (
    GROUPS,
    ROOT,
    drawn,
    python_mutations,
    script_mutations,
    steps,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("y = a < b", ["y = a <= b"]),
        ("y = é - (b)", ["y = é + (b)"]),
        ("y = a is b", ["y = a is not b"]),
        ("y = -a", ["y = +a"]),
        ("y = a and b", ["y = a or b"]),
        ("a += 1", ["pass"]),
        ("f(a)", ["pass"]),
        ("y = f(a)", []),
    ],
)
def test_a_line_of_python_is_changed(line: str, mutants: list[str]) -> None:
    assert [each.apply(line) for each in python_mutations("a.py", line)] == mutants


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("const y = a < b;\n", ["const y = a <= b;\n"]),
        ("const y = a; // a + b\n", []),
        (" * a + b\n", []),
        ("  draw(a);\n", ["\n"]),
    ],
)
def test_a_line_of_a_script_is_changed(line: str, mutants: list[str]) -> None:
    assert [each.apply(line) for each in script_mutations("a.js", line)] == mutants


def test_a_seed_draws_the_same_valid_mutations_of_every_group() -> None:
    mutations = drawn(ROOT, seed=0, each=20)
    assert mutations == drawn(ROOT, seed=0, each=20)
    assert mutations != drawn(ROOT, seed=1, each=20)
    for group, folders in enumerate(GROUPS):
        for each in mutations[20 * group : 20 * (group + 1)]:
            assert each.path.startswith(folders)
            text = (ROOT / each.path).read_text(encoding="utf-8")
            assert each.apply(text) != text
            if each.path.endswith(".py"):
                ast.parse(each.apply(text))


def test_the_tests_of_a_folder_are_the_first_to_find_its_faults() -> None:
    assert list(steps(ROOT, "app/attnscope/families/t5.py")) == [
        "tests/families",
        "python",
        "node",
        "browser",
    ]
    assert list(steps(ROOT, "static/js/lib/dom.js")) == [
        "tests/js/lib",
        "node",
        "python",
        "browser",
    ]
    assert list(steps(ROOT, "static/js/theme.js")) == ["node", "python", "browser"]
