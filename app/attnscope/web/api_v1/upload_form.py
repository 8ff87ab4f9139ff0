from __future__ import annotations

import json
import math
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, NamedTuple

from fastapi import Request
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from attnscope.errors import BadWeightsFile, InvalidRequest, StorageFull
from attnscope.families.keys import MOST_ACCEPTED
from attnscope.storage.disk import FULL, NOT_WRITABLE
from attnscope.web.http.negotiation import MULTIPART
from attnscope.web.http.problems import BodyTooLarge, InvalidJson, UnsupportedMedia
from attnscope.web.http.requests import check_coding
from attnscope.weights.layouts import Heads
from attnscope.weights.layouts.shapes import MAX_HEADS
from attnscope.weights.upload import MOST_FILES

HEADS = re.compile(r"\s*\d{1,3}\s*", re.ASCII)
MOST_FIELDS = 16

FILE = {"type": "string", "format": "binary"}


def form_of(files: str, about: str, **fields: dict[str, Any]) -> dict[str, Any]:
    many = {"type": "array", "items": FILE, "description": about}
    schema = {"type": "object", "required": [files], "properties": {files: many, **fields}}
    return {"requestBody": {"required": True, "content": {MULTIPART: {"schema": schema}}}}


def text_field(about: str) -> dict[str, Any]:
    return {"type": "string", "description": about}


NAME = text_field("What to call it.")
FORM = form_of(
    "weights",
    "One or more .safetensors, .npz or .json files, or one .gguf.",
    config=FILE
    | {
        "description": "config.json of a whole model, as transformers saves it; with `tokenizer`, "
        "and without `mapping`."
    },
    tokenizer=FILE | {"description": "tokenizer.json of a whole model."},
    num_heads={
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": MAX_HEADS},
            {"type": "string", "enum": ["file"]},
        ],
        "description": "Heads side by side in w_q. Left out: what the file says, else 1. `file`: "
        "what the file says, else 422 with the numbers that fit.",
    },
    mapping=text_field('JSON: our name → tensor name, or {"tensor", "transpose", "slice"}.'),
    accept=text_field(
        "JSON: a list of keys of config.json to ignore although they could change numbers; the "
        "refusal names them."
    ),
    name=NAME,
)


class Fields(NamedTuple):
    """Names of a form's fields; the first of `files` may repeat."""

    files: tuple[str, ...]
    texts: tuple[str, ...]


UPLOAD = Fields(("weights", "config", "tokenizer"), ("num_heads", "mapping", "accept", "name"))
CAPTURE = Fields(("arrays", "tokenizer"), ("tokens", "context_tokens", "name"))


class Parser(MultiPartParser):
    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        try:
            super().on_part_data(data, start, end)
        except MultiPartException:  # a field is too long
            raise BodyTooLarge("form") from None

    def on_part_end(self) -> None:
        super().on_part_end()
        files = sum(isinstance(value, UploadFile) for _, value in self.items)
        if files > MOST_FILES or len(self.items) - files > MOST_FIELDS:
            raise BodyTooLarge("form")


class Received(NamedTuple):
    """Unread files; `files` are those of the first field."""

    files: list[UploadFile]
    others: dict[str, UploadFile]
    texts: dict[str, str]

    @property
    def size(self) -> int:
        return sum(file.size or 0 for file in (*self.files, *self.others.values()))


@asynccontextmanager
async def receive_form(request: Request, known: Fields = UPLOAD) -> AsyncIterator[Received]:
    """Only UTF-8 is accepted (RFC 7578, section 5.1): some decoders take quadratic time."""
    header = request.headers.get("content-type", "")
    media = header.split(";")[0].strip().lower()
    if media != MULTIPART:
        raise UnsupportedMedia("not_multipart", given=media or "—")
    check_coding(request)
    _, options = parse_options_header(header)
    charset = options.get(b"charset", b"utf-8").decode("latin-1").lower()
    if charset not in ("utf-8", "utf8"):
        raise UnsupportedMedia("charset", given=charset[:40])
    try:
        async with aclosing(request.stream()) as stream:
            parser = Parser(request.headers, stream, max_files=math.inf, max_fields=math.inf)
            form = await parser.parse()
    except MultiPartException:
        raise InvalidJson("form") from None
    except OSError as error:
        if error.errno not in FULL | NOT_WRITABLE:
            raise
        raise StorageFull("receiving") from error
    try:
        yield _sorted(form, known)
    finally:
        await form.close()


def _sorted(form: FormData, known: Fields) -> Received:
    many, names = known.files[0], (*known.files, *known.texts)
    came = Received([], {}, {})
    for name, value in form.multi_items():
        if name not in names:
            raise InvalidRequest(
                "unknown_form_field", at=name[:40], given=name[:40], fields=", ".join(names)
            )
        if name == many and isinstance(value, UploadFile):
            came.files.append(value)
        elif name in known.files and isinstance(value, UploadFile) and name not in came.others:
            came.others[name] = value
        elif name in known.texts and isinstance(value, str):
            came.texts[name] = value
        else:
            raise InvalidRequest(
                "wrong_form_field", at=name, given=name, files=", ".join(known.files)
            )
    if not came.files:
        raise BadWeightsFile("no_file" if known is UPLOAD else "no_arrays", at=many)
    return came


def accepted_keys(text: str | None) -> tuple[str, ...]:
    try:
        names = json.loads(text or "[]")
        "".join(names).encode()  # refuses lone surrogates
    except (ValueError, TypeError, RecursionError):
        names = None
    if not isinstance(names, list):
        raise InvalidRequest("no_key_names", at="accept")
    if len(names) > MOST_ACCEPTED:
        raise InvalidRequest("too_many_key_names", at="accept", limit=MOST_ACCEPTED)
    return tuple(sorted(set(names)))


def head_count(text: str) -> Heads:
    if text == "file":
        return "file"
    if HEADS.fullmatch(text) is None or not 1 <= int(text) <= MAX_HEADS:
        raise InvalidRequest("not_a_head_count", at="num_heads", given=text[:40], most=MAX_HEADS)
    return int(text)
