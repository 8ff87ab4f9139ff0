"""Manifest of an upload. Later releases must be able to read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import PurePath
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field

NAME = "manifest.json"
VERSION = 1
LONGEST = 255  # characters
ENDINGS = {".safetensors", ".npz", ".npy", ".json", ".gguf"}
Kind = Literal["weights", "config", "tokenizer", "arrays", "tokens", "context_tokens"]
FILES: tuple[Kind, ...] = ("weights", "arrays")  # an upload may have several
TOKENS: tuple[Kind, ...] = ("tokens", "context_tokens")


@dataclass(frozen=True)
class ReceivedUpload:
    """`memory`: bytes of the opened model or capture."""

    files: Sequence[tuple[str, bytes]]
    name: str
    num_heads: int | None = None
    mapping: str | None = None
    memory: int = 0
    config: bytes | None = None
    tokenizer: bytes | None = None
    accept: tuple[str, ...] = ()  # keys of config.json to ignore
    is_capture: bool = False
    tokens: str | None = None
    context_tokens: str | None = None

    @property
    def parts(self) -> list[tuple[Kind, str, bytes]]:
        kind: Kind = "arrays" if self.is_capture else "weights"
        parts: list[tuple[Kind, str, bytes]] = [(kind, *file) for file in self.files]
        for one in TOKENS:
            if (text := getattr(self, one)) is not None:
                parts.append((one, f"{one}.json", text.encode()))
        for other, data in (("config", self.config), ("tokenizer", self.tokenizer)):
            if data is not None:
                parts.append((cast(Kind, other), f"{other}.json", data))
        return parts


class Part(BaseModel):
    model_config = ConfigDict(frozen=True)

    field: Kind = "weights"
    name: str
    file: str = Field(pattern=r"^\d{2}(\.[a-z]+)?$")
    bytes: int = Field(ge=0)
    sha256: str


class Manifest(BaseModel):
    """Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True)

    version: int = Field(VERSION, ge=1)
    name: str
    num_heads: int | None
    mapping: str | None
    accept: tuple[str, ...] = ()
    files: tuple[Part, ...] = Field(min_length=1)
    memory: int = Field(ge=0)
    when: datetime
    client: str

    @classmethod
    def of(cls, sent: ReceivedUpload, client: str) -> Manifest:
        parts = tuple(_part(i, *part) for i, part in enumerate(sent.parts))
        return cls(
            name=sent.name,
            num_heads=sent.num_heads,
            mapping=sent.mapping,
            accept=sent.accept,
            files=parts,
            memory=sent.memory,
            when=datetime.now(UTC).replace(microsecond=0),
            client=client,
        )

    @property
    def identity(self) -> bytes:
        """Bytes that determine the name of an upload; client and time do not."""
        files = [[part.field, part.name, part.bytes, part.sha256] for part in self.files]
        accept = [self.accept] if self.accept else []  # omitted if empty, so that older names stay
        return json.dumps([self.name, self.num_heads, self.mapping, files, *accept]).encode()

    @property
    def is_capture(self) -> bool:
        return self.files[0].field == "arrays"

    def to_bytes(self) -> bytes:
        return self.model_dump_json(indent=1).encode() + b"\n"

    def with_files(self, files: Sequence[bytes]) -> ReceivedUpload:
        parts = list(zip(self.files, files, strict=True))
        own = [(part.name, data) for part, data in parts if part.field in FILES]
        other = {part.field: data for part, data in parts if part.field not in FILES}
        tokens, context = (other[one].decode() if one in other else None for one in TOKENS)
        return ReceivedUpload(
            own,
            self.name,
            self.num_heads,
            self.mapping,
            self.memory,
            accept=self.accept,
            config=other.get("config"),
            tokenizer=other.get("tokenizer"),
            is_capture=self.is_capture,
            tokens=tokens,
            context_tokens=context,
        )


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _part(i: int, kind: Kind, name: str, data: bytes) -> Part:
    ending = PurePath(name.replace("\\", "/")).suffix.lower()
    file = f"{i:02}{ending if ending in ENDINGS else ''}"
    return Part(field=kind, name=name[-LONGEST:], file=file, bytes=len(data), sha256=digest(data))
