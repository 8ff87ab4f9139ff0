"""Counts the faults that a suite finds: `python -m tests.mutants`, or `make mutants`.

Draws mutations of the product with a fixed seed, applies each alone to a clone of HEAD, and runs
the suite there until a test fails. `--tests REVISION` runs the tests of another commit over the
same mutations, so that two suites can be compared.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GROUPS = (
    ("app/attnscope/attention", "app/attnscope/analysis"),
    ("app/attnscope/web", "app/attnscope/families", "app/attnscope/weights"),
    ("static/js",),
)
SLOW = ("tests/browser", "tests/server", "tests/hostile", "tests/benchmarks")
PYTEST = (
    sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
    "-n", "2", "--dist", "worksteal", "-m", "not full",
)  # fmt: skip
IN_NODE = (sys.executable, "-m", "tests.js")
IN_PYTHON = (*PYTEST, *(f"--ignore={folder}" for folder in SLOW))
IN_BROWSER = (*PYTEST, *SLOW)
PYTHON_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
SCRIPT_OPERATORS = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " === ": " !== ", " !== ": " === ",
    " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " && ": " || ", " || ": " && ",
}  # fmt: skip
CALL = re.compile(r"^\s+[\w.]+\([^{}`]*\);$")


@dataclass(frozen=True)
class Mutation:
    """`start` counts characters."""

    path: str
    start: int
    old: str
    new: str

    def apply(self, text: str) -> str:
        end = self.start + len(self.old)
        assert text[self.start : end] == self.old
        return text[: self.start] + self.new + text[end:]

    def describe(self, text: str) -> str:
        line = text.count("\n", 0, self.start) + 1
        return f"{self.path}:{line}: {self.old.strip()!r} → {self.new.strip()!r}"


def python_mutations(path: str, text: str) -> Iterator[Mutation]:
    """Changes operators or signs, or drops statements."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()

    def at(line: int, column: int) -> int:
        # ast counts bytes of UTF-8.
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def between(
        left: ast.expr, right: ast.expr, operator: ast.cmpop | ast.operator | ast.boolop
    ) -> Iterator[Mutation]:
        old, new = PYTHON_OPERATORS.get(type(operator), ("", ""))
        start = at(left.end_lineno or 0, left.end_col_offset or 0)
        found = re.search(re.escape(old), text[start : at(right.lineno, right.col_offset)])
        if old and found:
            yield Mutation(path, start + found.start(), old, new)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield Mutation(path, at(node.lineno, node.col_offset), "-", "+")
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        ):
            start = at(node.lineno, node.col_offset)
            end = at(node.end_lineno or 0, node.end_col_offset or 0)
            yield Mutation(path, start, text[start:end], "pass")


def script_mutations(path: str, text: str) -> Iterator[Mutation]:
    """Changes operators, or drops calls on their own line; ignores comments."""
    start = 0
    for line in text.splitlines(keepends=True):
        code = line.partition("//")[0]
        if not line.lstrip().startswith(("*", "/*", "import", "export {")):
            if CALL.match(line.rstrip("\n")):
                yield Mutation(path, start, line.strip("\n"), "")
            for old, new in SCRIPT_OPERATORS.items():
                if old not in code:
                    continue
                for found in re.finditer(re.escape(old), code):
                    yield Mutation(path, start + found.start(), old, new)
        start += len(line)


@cache
def mutations_of(path: str, text: str) -> tuple[Mutation, ...]:
    make = python_mutations if path.endswith(".py") else script_mutations
    return tuple(make(path, text))


def drawn(root: Path, seed: int, each: int) -> list[Mutation]:
    """`each` of every group; equal for a seed."""
    chosen: list[Mutation] = []
    for folders in GROUPS:
        found: list[Mutation] = []
        for folder in folders:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in (".py", ".js"):
                    name = path.relative_to(root).as_posix()
                    found += mutations_of(name, path.read_text(encoding="utf-8"))
        chosen += random.Random(seed).sample(found, each)
    return chosen


def steps(root: Path, path: str) -> dict[str, tuple[str, ...]]:
    """Commands by name; those that find most faults of a file are first."""
    if path.endswith(".js"):
        mirrored = f"tests/js/{Path(path).relative_to('static/js').parts[0]}"
        files = sorted(str(each.relative_to(root)) for each in (root / mirrored).rglob("*.test.js"))
        first = {mirrored: (*IN_NODE, *files)} if files else {}
        return {**first, "node": IN_NODE, "python": IN_PYTHON, "browser": IN_BROWSER}
    mirrored = f"tests/{Path(path).relative_to('app/attnscope').parts[0]}"
    first = {mirrored: (*PYTEST, mirrored)} if (root / mirrored).is_dir() else {}
    return {**first, "python": IN_PYTHON, "node": IN_NODE, "browser": IN_BROWSER}


def killed_by(root: Path, path: str, seconds: float) -> str | None:
    """The step that fails or takes too long, for a mutation of a file."""
    environment = {**os.environ, "PYTHONPATH": str(root / "app")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for name, step in steps(root, path).items():
        try:
            done = subprocess.run(
                step, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds,
                check=False, env=environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"{name}, out of time"
        if done.returncode:
            return name
    return None


def clone(scratch: str, tests: str | None) -> Path:
    """HEAD, with the tests of another commit if named."""
    root = Path(scratch) / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, root], check=True)
    if tests is not None:
        shutil.rmtree(root / "tests")
        subprocess.run(["git", "checkout", "-q", tests, "--", "tests"], cwd=root, check=True)
    for name in ("node_modules", ".fonts"):
        if (ROOT / name).exists():
            (root / name).symlink_to(ROOT / name)
    return root


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--each", type=int, default=20, help="mutations of each group")
    options.add_argument("--tests", help="a commit whose tests are run")
    options.add_argument("--list", action="store_true", help="print the mutations and stop")
    options.add_argument("--seconds", type=float, default=3600, help="limit of each step")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = clone(scratch, given.tests)
        killed = 0
        mutations = drawn(root, given.seed, given.each)
        for mutation in mutations:
            path = root / mutation.path
            text = path.read_text(encoding="utf-8")
            print(mutation.describe(text), end="", flush=True)
            if not given.list:
                path.write_text(mutation.apply(text), encoding="utf-8")
                by = killed_by(root, mutation.path, given.seconds)
                path.write_text(text, encoding="utf-8")
                killed += by is not None
                print(f": {by or 'survived'}", end="", flush=True)
            print()
        if not given.list:
            print(f"{killed} of {len(mutations)} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
