"""Types for dataclasses that analyses return: the API sends them, and describes them by these."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, GetPydanticSchema


def doc(text: str) -> Any:
    """Describe a field, for readers of the code and of the OpenAPI document."""
    return Field(description=text)


def as_json(kind: Any) -> GetPydanticSchema:
    """Describe a field by the type of its JSON."""
    return GetPydanticSchema(lambda _, schema_of: schema_of(kind))


# Where numbers may overflow: NaN and ±∞ become null.
Real = Annotated[float, as_json(float | None)]
Reals = Annotated[np.ndarray, as_json(list[float | None])]
RealRows = Annotated[np.ndarray, as_json(list[list[float | None]])]
RealMaps = Annotated[np.ndarray, as_json(list[list[list[float | None]]])]
# Where they are finite.
Vector = Annotated[np.ndarray, as_json(list[float])]
Rows = Annotated[np.ndarray, as_json(list[list[float]])]
