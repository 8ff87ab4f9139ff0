from __future__ import annotations

from collections.abc import Iterator

from attnscope.families.model import ModelConfig
from attnscope.tokens.library import PieceWithoutRow
from attnscope.tokens.process import TokenizationFailed
from attnscope.tokens.subword_tokenizer import SubwordTokenizer

PRONOUN = "The animal didn't cross the street because it was too tired."
INDUCTION = "Mr. Lestrange met Solomon Grundy. The next day Mr. Lestrange met Solomon"
PAIR = ("Where does the cat sleep?", "The cat sleeps on the mat.")
MASKED = "The capital of France is {mask}."
CHINESE = "猫坐在垫子上，因为它很累。"
SOURCE = "The red book is on the table."
MASKS = ("[MASK]", "<mask>")
PER_CHARACTER = 1.5  # pieces; if there are more, the text was split into bytes


def first_texts(about: ModelConfig, pieces: SubwordTokenizer) -> dict[str, dict[str, str]]:
    """Texts that fit the model, by kind, simplest first."""
    return {
        kind: fields for kind, fields in _kinds(about, pieces)
        if about.architecture.encoder_layers
        or all(_fits(text, about, pieces) for text in fields.values())
    }  # fmt: skip


def _kinds(about: ModelConfig, pieces: SubwordTokenizer) -> Iterator[tuple[str, dict[str, str]]]:
    if about.architecture.encoder_layers:
        read = next((one for one in (SOURCE, CHINESE) if _fits(one, about, pieces.source)), None)
        if read is not None:
            yield "source", {"context": read, "text": read if _fits(read, about, pieces) else ""}
        return
    yield "pronoun", {"text": PRONOUN}
    if about.predicts == "next":
        yield "induction", {"text": INDUCTION}
    mask = next((mask for mask in MASKS if mask in pieces.ids), None)
    if about.predicts == "masked" and mask is not None:
        yield "masked", {"text": MASKED.format(mask=mask)}
    if about.pairs:
        yield "pair", dict(zip(("text", "pair"), PAIR, strict=True))
    yield "chinese", {"text": CHINESE}


def _fits(text: str, about: ModelConfig, pieces: SubwordTokenizer) -> bool:
    try:
        tokens = pieces.tokenize(text)
    except (PieceWithoutRow, TokenizationFailed):
        return False
    if len(tokens) > min(about.context, PER_CHARACTER * len(text)):
        return False
    return pieces.unknown is None or all(token.id != pieces.unknown for token in tokens)
