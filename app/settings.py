"""The settings, as rows of name, default, help. Read once, in `main`; environment ATTNSCOPE_*."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.functional_validators import BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def _names(value: object) -> object:
    return (
        [part.strip() for part in value.split(",") if part.strip()]
        if isinstance(value, str)
        else value
    )


Names = Annotated[list[str], NoDecode, BeforeValidator(_names)]


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ATTNSCOPE_", extra="ignore")

    data_dir: Path = Field(Path("data"), description="Uploads and questions are kept here.")
    max_tokens: int = Field(4096, description="Tokens in one text.")
    max_characters: int = Field(100_000, description="Characters in one text.")
    max_trace_mb: int = Field(512, description="Numbers of one trace, in memory.")
    max_json_numbers: int = Field(4_000_000, description="Numbers in one JSON reply.")
    max_body_mb: int = Field(16, description="Bytes of one JSON request.")
    max_upload_mb: int = Field(256, description="Bytes of one upload, all files together.")
    cache_mb: int = Field(256, description="Answers kept in memory, a worker.")
    models_mb: int = Field(4096, description="Uploads kept on disk.")
    questions_mb: int = Field(256, description="Questions kept on disk; the oldest go first.")
    model_days: float = Field(30, description="An upload unused for so long is deleted.")
    question_days: float = Field(365, description="A question unused for so long is deleted.")
    slots: int = Field(2, description="Large answers computed at once, a worker.")
    queue: int = Field(16, description="Large answers that may wait for a slot; more get 503.")
    api_keys: Names = Field([], description="Where set, /api/v1 wants one as a bearer token.")
    rate_limit: str = Field(
        "", description="Such as 120/minute, an address and worker; empty: none."
    )
