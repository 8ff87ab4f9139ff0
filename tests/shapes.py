"""Checks annotated shapes in every call of the engine.

jaxtyping's import hook checks each call twice, which took longer than the engine. Nested
functions are not checked.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ParamSpec, TypeVar
from zlib import crc32

import pytest
from beartype import beartype
from jaxtyping import config, jaxtyped

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

PACKAGE = "attnscope.attention"
TAG = f".shapes-{crc32(Path(__file__).read_bytes()):08x}.pyc"
AXES = jaxtyped("context")  # within it an axis has one size


def checked(function: Callable[P, R]) -> Callable[P, R]:
    held: Callable[P, R] | None = None  # made by the first call

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal held
        if config.jaxtyping_disable:
            return function(*args, **kwargs)
        held = held or beartype(function)
        with AXES:
            return held(*args, **kwargs)

    return call


def checked_class(made: C) -> C:
    """Checks the fields of dataclasses."""
    if is_dataclass(made):
        made.__init__ = checked(made.__init__)  # type: ignore[method-assign]
    return made


class Decorator(ast.NodeTransformer):
    """Decorates functions, classes and methods."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list.append(_name("checked"))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.decorator_list.insert(0, _name("checked_class"))
        self.generic_visit(node)
        return node


def _name(name: str) -> ast.expr:
    return ast.parse(f"__import__('sys').modules[{__name__!r}].{name}", mode="eval").body


class Loader(SourceFileLoader):
    """Decorates functions; caches their bytecode beside that of the functions themselves."""

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, *, _optimize: int = -1
    ) -> CodeType:
        tree = Decorator().visit(ast.parse(data, path))
        return compile(
            ast.fix_missing_locations(tree), path, "exec", dont_inherit=True, optimize=_optimize
        )

    def get_data(self, path: str) -> bytes:
        return super().get_data(_own(path))

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        super().set_data(_own(path), data, _mode=_mode)  # type: ignore[call-arg]


def _own(path: str) -> str:
    """Another file for bytecode, and for each state of this script."""
    return path.removesuffix(".pyc") + TAG if path.endswith(".pyc") else path


class Finder(MetaPathFinder):
    """For modules of the engine."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not f"{fullname}.".startswith(f"{PACKAGE}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(fullname, spec.origin)
        return spec


if not any(isinstance(each, Finder) for each in sys.meta_path):
    sys.meta_path.insert(0, Finder())


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """For modules that call the engine thousands of times; other tests check its shapes."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
