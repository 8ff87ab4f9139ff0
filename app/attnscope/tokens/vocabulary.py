"""Names and bytes of tokens.

Parts of characters are shown as bytes: é in two tokens is <C3> and <A9>. Byte-level tokenizers
write bytes as GPT-2's 256 characters (Radford et al. 2019); others write <0xC3>, and ▁ for spaces
(Kudo & Richardson 2018).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
SPACE = "▁"


def _signs() -> dict[str, int]:
    """Printable characters stand for their own byte; those of other bytes start at U+0100."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(others)}


SIGNS = _signs()


class TokenTable(NamedTuple):
    """`known`: names by id, None without a token. `owners`: id that the tokenizer finds for a name
    with several ids. `added`: ids whose names are plain text."""

    known: list[str | None]
    owners: Mapping[str, int]
    unknown: int | None = None
    byte_level: bool = False
    spaces: bool = False  # ▁ replaces spaces
    added: Collection[int] = ()


class Vocabulary:
    def __init__(self, described: TokenTable) -> None:
        self.unknown, in_signs = described.unknown, described.byte_level
        added = set(described.added)
        empty = {i for i, name in enumerate(described.known) if name is None}
        texts = [f"<row {i}>" if name is None else name for i, name in enumerate(described.known)]
        self.bytes = [
            b"" if i in empty
            else _bytes_of(name, in_signs=in_signs and i not in added, spaces=described.spaces)
            for i, name in enumerate(texts)
        ]  # fmt: skip
        whole = {_shown(content) for name, content in zip(texts, self.bytes, strict=True)
                 if not BYTE.fullmatch(name)}  # fmt: skip
        shown = [
            name if i in empty
            else _in_bytes(content) if BYTE.fullmatch(name) and _shown(content) in whole
            else _shown(content)
            for i, (name, content) in enumerate(zip(texts, self.bytes, strict=True))
        ]  # fmt: skip
        self.names = tuple(self._apart(shown, described))
        self.unsaid = [i for i, name in enumerate(self.names)  # never predicted
                       if "\0" in name or i == self.unknown or i in empty]  # fmt: skip
        self.ids: dict[str, int] = {}
        for i, name in enumerate(self.names):
            self.ids.setdefault(name, i)

    def _apart(self, names: list[str], described: TokenTable) -> list[str]:
        """Rename all but one of equal names, such as GPT-NeoX's runs of spaces."""
        if len(set(names)) == len(names):
            return names
        found = {name: i for i, name in enumerate(described.known) if name is not None}
        found.update(described.owners)
        owners: dict[str, int] = {}
        for i, name in enumerate(names):
            if owners.setdefault(name, i) != i:
                other = found.get(name, len(names))
                if other < len(names) and names[other] == name:
                    owners[name] = other
        return [name if owners[name] == i else _in_bytes(self.bytes[i])
                for i, name in enumerate(names)]  # fmt: skip


def _bytes_of(name: str, *, in_signs: bool, spaces: bool) -> bytes:
    if in_signs and all(sign in SIGNS for sign in name):
        return bytes(SIGNS[sign] for sign in name)
    byte = BYTE.fullmatch(name)
    if byte:
        return bytes([int(byte[1], 16)])
    return (name.replace(SPACE, " ") if spaces else name).encode()


def _shown(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return _in_bytes(content)


def _in_bytes(content: bytes) -> str:
    return "".join(f"<{byte:02X}>" for byte in content)
