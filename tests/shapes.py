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
from types import CodeType, ModuleType
from typing import ParamSpec, TypeVar

import pytest
from beartype import beartype
from jaxtyping import config, jaxtyped

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

PACKAGE = "attnscope.attention"
AXES = jaxtyped("context")  # within it an axis has one size


def checked(function: Callable[P, R]) -> Callable[P, R]:
    held = beartype(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if config.jaxtyping_disable:
            return function(*args, **kwargs)
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
    """Decorates functions; bypasses the bytecode cache."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = Decorator().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


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
