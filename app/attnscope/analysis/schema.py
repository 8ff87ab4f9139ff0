"""Dataclasses of analyses, sent by the API and described in the OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, dataclass_transform

import numpy as np
from pydantic import GetPydanticSchema

T = TypeVar("T")


def doc(text: str) -> Any:
    return field(metadata={"description": text})


def optional_field(text: str) -> Any:
    """Describe a field that replies may leave out."""
    return field(metadata={"description": text}, default=None, kw_only=True)


@dataclass_transform(frozen_default=True, field_specifiers=(doc, optional_field))
def described(cls: type[T]) -> type[T]:
    """Make a frozen dataclass."""
    return dataclass(frozen=True)(cls)


def as_json(kind: Any) -> GetPydanticSchema:
    """Describe a type in the schema as the type of its JSON."""
    return GetPydanticSchema(lambda _, schema_of: schema_of(kind))


# Numbers that may overflow: NaN and ±∞ become null.
Real = Annotated[float, as_json(float | None)]
Reals = Annotated[np.ndarray, as_json(list[float | None])]
RealRows = Annotated[np.ndarray, as_json(list[list[float | None]])]
RealMaps = Annotated[np.ndarray, as_json(list[list[list[float | None]]])]
# Arrays of finite numbers.
Vector = Annotated[np.ndarray, as_json(list[float])]
Rows = Annotated[np.ndarray, as_json(list[list[float]])]
