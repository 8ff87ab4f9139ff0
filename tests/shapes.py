"""Checks annotated shapes in every call of the engine.

jaxtyping's import hook checks each call twice, which took longer than the engine. Nested
functions are not checked.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints
from zlib import crc32

import numpy as np
import pytest
from beartype import beartype
from jaxtyping import AbstractArray, config, jaxtyped

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

PACKAGE = "attnscope.attention"
TAG = f".shapes-{crc32(Path(__file__).read_bytes()):08x}.pyc"
AXES = jaxtyped("context")  # within it an axis has one size


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A call that is like one before, in all that annotations speak of, is not checked again."""
    held: Callable[P, R] | None = None  # made by the first call
    shaped = True
    known: dict[Hashable, set[Hashable]] = {}  # arguments: results

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        nonlocal held, shaped
        if config.jaxtyping_disable:
            return function(*args, **kwargs)
        if held is None:
            held, shaped = beartype(function), has_shapes(function)
        if not shaped:  # quick as it is
            return held(*args, **kwargs)
        given = tuple(map(kind, args))
        if kwargs:
            given += kind(kwargs)
        results = known.get(given)
        if results is None:
            with AXES:
                result = held(*args, **kwargs)
            known.setdefault(given, set()).add(kind(result))
            return result
        result = function(*args, **kwargs)
        found = kind(result)
        if found not in results:
            with AXES:
                beartype(_giving(function, result))(*args, **kwargs)
            results.add(found)
        return result

    return call


def has_shapes(function: Callable[..., Any]) -> bool:
    def within(hint: Any) -> bool:
        arrays = isinstance(hint, type) and issubclass(hint, AbstractArray)
        return arrays or any(map(within, get_args(hint)))

    return any(map(within, get_type_hints(function).values()))


def _giving(function: Callable[P, R], result: R) -> Callable[P, R]:
    """Has the annotations of a function."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return result

    return call


def kind(value: Any) -> Any:
    """Shape and dtype of arrays, in containers too; what a Literal may be; else the type."""
    return KINDS[type(value)](value)


class Kinds(dict[type, Callable[[Any], Any]]):
    """By type."""

    def __missing__(self, of: type) -> Callable[[Any], Any]:
        self[of] = made = _kinds_of(of)
        return made


KINDS = Kinds()


def _kinds_of(of: type) -> Callable[[Any], Any]:
    if issubclass(of, np.ndarray):
        return lambda array: (of, array.dtype.char, array.shape)
    if issubclass(of, tuple | list):
        return lambda values: (of, *map(kind, values))
    if issubclass(of, dict):
        return lambda values: (of, *map(kind, values), *map(kind, values.values()))
    if issubclass(of, set | frozenset):
        return lambda values: (of, frozenset(map(kind, values)))
    if issubclass(of, str | bool):
        return lambda value: (of, value)
    if of is int:
        return lambda value: value if value in (0, 1) else of
    return lambda value: of


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
