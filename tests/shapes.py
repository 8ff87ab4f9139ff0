"""The shapes of arrays, checked as annotated, in every call of a function of the engine.

jaxtyping's own import hook binds and checks the arguments of each call twice, for better messages:
with it these checks took more time than the engine. A function within a function is not checked:
what it receives and returns passes through its outer function's anyway.
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
AXES = jaxtyped("context")  # in it an axis of a name has one size


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its annotations held."""
    held = beartype(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if config.jaxtyping_disable:
            return function(*args, **kwargs)
        with AXES:
            return held(*args, **kwargs)

    return call


def checked_class(made: C) -> C:
    """The class, whose fields are held where it is a dataclass."""
    if is_dataclass(made):
        made.__init__ = checked(made.__init__)  # type: ignore[method-assign]
    return made


class Decorator(ast.NodeTransformer):
    """Decorates the functions and classes of a module, and the methods of the classes."""

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
    """Loads a module with its functions decorated; past the cache of those that are not."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = Decorator().visit(ast.parse(self.get_data(path), path))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds the modules of the engine."""

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
    """No checks while a test runs: for modules, and the conftest of folders, that import it. They
    ask the engine thousands of times, which tests of its own have held to its shapes."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
