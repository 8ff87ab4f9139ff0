"""The settings, as rows of name, default, help. Read once, in `main`; environment ATTNSCOPE_*."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from limits import parse
from pydantic import Field
from pydantic.functional_validators import AfterValidator, BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

SOURCE = re.compile(
    r"'none'|'self'|\*|[a-z][a-z0-9+.-]*:|(https?://)?(\*\.)?[\w.-]+(:(\d+|\*))?", re.A
)


def _names(value: object) -> object:
    return (
        [part.strip() for part in value.split(",") if part.strip()]
        if isinstance(value, str)
        else value
    )


def _rate(value: str) -> str:
    """The value, where `limits` can read it; raises ValueError at the start, not at a request."""
    if value:
        parse(value)
    return value


def _ancestors(value: str) -> str:
    """The value, where each word is a source that a Content-Security-Policy knows."""
    if not value.split() or not all(SOURCE.fullmatch(word) for word in value.split()):
        raise ValueError("'none', 'self', or addresses such as https://school.example")
    return " ".join(value.split())


Names = Annotated[list[str], NoDecode, BeforeValidator(_names)]
Rate = Annotated[str, AfterValidator(_rate)]
Ancestors = Annotated[str, AfterValidator(_ancestors)]
Count = Annotated[int, Field(ge=1)]
Room = Annotated[int, Field(ge=0)]
Days = Annotated[float, Field(gt=0)]


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ATTNSCOPE_", extra="ignore")

    data_dir: Path = Field(Path("data"), description="Uploads and questions are kept here.")
    max_tokens: Count = Field(4096, description="Tokens in one text.")
    max_characters: Count = Field(100_000, description="Characters in one text.")
    max_trace_mb: Count = Field(512, description="Numbers of one trace, in memory.")
    max_json_numbers: Count = Field(4_000_000, description="Numbers in one JSON reply.")
    max_body_mb: Count = Field(16, description="Bytes of one JSON request.")
    max_upload_mb: Count = Field(256, description="Bytes of one upload, all files together.")
    cache_mb: Room = Field(256, description="Answers kept in memory, a worker.")
    models_mb: Room = Field(4096, description="Uploads kept on disk.")
    questions_mb: Room = Field(256, description="Questions kept on disk; the oldest go first.")
    model_days: Days = Field(30, description="An upload unused for so long is deleted.")
    question_days: Days = Field(365, description="A question unused for so long is deleted.")
    slots: Count = Field(2, description="Large answers computed at once, a worker.")
    queue: Room = Field(16, description="Large answers that may wait for a slot; more get 503.")
    api_keys: Names = Field([], description="Where set, /api/v1 wants one as a bearer token.")
    rate_limit: Rate = Field(
        "", description="Such as 120/minute, an address and worker; empty: none."
    )
    frame_ancestors: Ancestors = Field(
        "'self'", description="Pages that may show /embed in a frame, as in the CSP."
    )
