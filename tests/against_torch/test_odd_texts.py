"""Odd texts: the tokenizer of every family, as transformers saves it, gives the same ids here."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import transformers
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import AutoTokenizer

from attnscope.errors import EmptyText
from attnscope.installed.folder import Folder
from attnscope.tokens.splits import LLAMA3
from attnscope.tokens.subword_tokenizer import SubwordTokenizer, read_pieces

LINES = [
    "The animal didn't cross the street because it was too tired.", "中文也行，é ü 😀 ÄÖ",
    "for i in range(10):\n        print(i, 3.14)\n\n", "مرحبا بالعالم שלום ภาษาไทย नमस्ते",
]  # fmt: skip
# Each is odd in a way of its own; <tool>, Street and two spaces are added tokens.
PARTS = [
    "café naïve", "cafe\u0301 nai\u0308ve", "ﬁne ½ Ⅷ ™", "İstanbul ß ẞ ΣΑΣ", "Z\u0351\u036ba",
    "👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "👍🏽❤\ufe0f", "\U0001d573\U0001d58a", "日本語のテキスト",
    "中文，한국어。", "مرحبا بالعالم", "שלום\u200f עולם", "\u202eabc\u202c", "ภาษาไทย", "नमस्ते",
    "1234567.89", "٣٫١٤ 12,345", "https://example.org/a?b=c&d=%20#e", "don't we'll I'VE",
    "``quoted'' \"x\"", "snake_case camelCase", "a" * 130, "…—–!!??", "<b>$x^2$</b>", "▁Ġ##ing Ċ",
    "<0x41><C3>", "\u200bzero\u200dwidth\ufeff", "\x01\x7f\x85control\x1b[0m", "\u0378\ue000\uffff",
    "soft\u00adhyphen", "  ", " " * 24, "a" + " " * 25 + "b", "\t\ttabs\t", "\n\nlines\r\n\n",
    "\u00a0\u3000wide\u2009spaces\u2028", "[MASK] [SEP]", "<s></s><unk>",
    "<|endoftext|><mask><pad>", "a <tool> b<tool>", "Street Streets street",
]  # fmt: skip
TEXTS = list(dict.fromkeys([
    "", " ", *PARTS, *(f" {part}" for part in PARTS), *(f"{part}  " for part in PARTS),
    *(f"{one}{two}" for one, two in zip(PARTS, PARTS[7:], strict=False)),
    *(f"the {two} {one}\nanimal" for one, two in zip(PARTS, PARTS[11:], strict=False)),
    *(f"{two}\t{one}" for one, two in zip(PARTS, PARTS[17:], strict=False)),
]))  # fmt: skip
ADDED = [
    AddedToken("<tool>", lstrip=True, rstrip=True), AddedToken("Street", single_word=True),
    AddedToken("  ", normalized=True),
]  # fmt: skip
TRAINERS: dict[str, Any] = {
    "BPE": trainers.BpeTrainer,
    "Unigram": partial(trainers.UnigramTrainer, unk_token="<unk>"),
    "WordPiece": trainers.WordPieceTrainer,
}
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
BLOOM = " ?[^(\\s|[.,!?…。，、।۔،])]+"
FALCON = [
    pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False),
    pre_tokenizers.Digits(), pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
]  # fmt: skip


def fast(made: Tokenizer, **options: Any) -> Any:
    """A tokenizer that has no class of its own."""
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **options)


def bloom() -> Any:
    made = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(BLOOM), "isolated")
    signs = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, signs])
    return fast(made)


def falcon() -> Any:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(FALCON)
    return fast(made)


def llama3() -> Any:
    made = Tokenizer(models.BPE(ignore_merges=True))
    split = pre_tokenizers.Split(Regex(LLAMA3), "isolated")
    signs = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, signs])
    begin = "<|begin_of_text|>"
    made.add_special_tokens([begin])
    made.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", special_tokens=[(begin, made.token_to_id(begin))]
    )
    return fast(made, bos_token=begin)


def sentence_pieces() -> Any:
    """As the first files of Llama and Mistral: ▁ stands before a text and for each space."""
    made = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    marks = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    made.normalizer = normalizers.Sequence(marks)
    made.add_special_tokens(["<unk>", "<s>", "</s>"])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return fast(made, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


# Type of model → its tokenizer, not trained yet.
BLANK: dict[str, Callable[..., Any]] = {
    "albert": transformers.AlbertTokenizer,
    "bart": transformers.RobertaTokenizer,
    "bert": transformers.BertTokenizer,
    "bloom": bloom,
    "camembert": transformers.CamembertTokenizer,
    "distilbert": partial(transformers.BertTokenizer, do_lower_case=False),
    "electra": transformers.BertTokenizer,
    "falcon": falcon,
    "gemma": partial(transformers.GemmaTokenizer, add_bos_token=True),
    "gemma2": partial(transformers.GemmaTokenizer, add_bos_token=True),
    "gemma3_text": partial(transformers.GemmaTokenizer, add_bos_token=True),
    "gpt2": transformers.GPT2Tokenizer,
    "gpt_neox": transformers.GPTNeoXTokenizer,
    "llama": partial(transformers.LlamaTokenizer, add_bos_token=True),
    "llama 3": llama3,
    "mistral": sentence_pieces,
    "opt": transformers.GPT2Tokenizer,
    "phi": transformers.GPT2Tokenizer,
    "phi3": sentence_pieces,
    "qwen2": transformers.Qwen2Tokenizer,
    "qwen3": transformers.Qwen2Tokenizer,
    "roberta": transformers.RobertaTokenizer,
    "t5": transformers.T5Tokenizer,
    "xlm-roberta": transformers.XLMRobertaTokenizer,
}


def trained(blank: Callable[..., Any]) -> Any:
    """The tokenizer with pieces of a few lines, and its special tokens first."""
    made = blank()
    parts: dict[str, Any] = json.loads(made.backend_tokenizer.to_str())
    kind, bytes_alone = parts["model"]["type"], '"ByteLevel"' in json.dumps(parts)
    ids = made.get_vocab()
    special = [name for name in sorted(ids, key=ids.__getitem__) if name != "▁"]
    more = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet()} if bytes_alone else {}
    if parts["model"].get("byte_fallback"):
        special += BYTES
    trainer = TRAINERS[kind](vocab_size=700, special_tokens=special, show_progress=False, **more)
    bare = Tokenizer.from_str(json.dumps({**parts, "added_tokens": [], "post_processor": None}))
    bare.train_from_iterator(LINES, trainer)
    learned = json.loads(bare.to_str())["model"]
    if type(made) is transformers.PreTrainedTokenizerFast:
        whole = Tokenizer.from_str(json.dumps({**parts, "model": learned}))
        return fast(whole, **made.special_tokens_map)
    vocab = learned["vocab"]
    if kind == "Unigram":
        return blank(vocab=[(name, score) for name, score in vocab])
    if kind == "BPE":
        return blank(vocab=vocab, merges=[(one, two) for one, two in learned["merges"]])
    return blank(vocab=vocab)


def saved(kind: str, folder: Path) -> Path:
    made = trained(BLANK[kind])
    made.add_tokens(ADDED)
    made.save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": kind.split()[0]}))
    return folder


def ids_here(pieces: SubwordTokenizer, text: str) -> list[int | None]:
    """Of a text that is nothing to read, those that are added."""
    try:
        return [token.id for token in read_pieces(text, pieces).tokens]
    except EmptyText:
        return [token.id for token in pieces.tokenize(text) if token.added]


@pytest.mark.parametrize("kind", BLANK)
def test_a_familys_tokenizer_gives_the_same_ids(kind: str, tmp_path: Path) -> None:
    folder = saved(kind, tmp_path)
    theirs, ours = (
        AutoTokenizer.from_pretrained(folder),
        SubwordTokenizer(Folder(folder).tokenizer()),
    )
    offenders = {
        text: (ids, found) for text in TEXTS
        if (ids := theirs(text)["input_ids"]) != (found := ids_here(ours, text))
    }  # fmt: skip
    assert not offenders


@pytest.mark.parametrize("kind", ["gemma", "gpt2", "llama", "qwen2"])
def test_tokenizer_json_says_what_is_added_and_tokenizer_config_does_not(
    kind: str, tmp_path: Path
) -> None:
    text = "the animal"
    for added, options in product([False, True], repeat=2):
        folder = tmp_path / f"{added} {options}"
        adds = {"add_bos_token": added, "add_eos_token": added}
        named = getattr(BLANK[kind], "func", BLANK[kind])
        trained(partial(named, **adds, bos_token="<s>", eos_token="</s>")).save_pretrained(folder)
        (folder / "config.json").write_text(json.dumps({"model_type": kind}))
        config = json.loads((folder / "tokenizer_config.json").read_text())
        config |= {"add_bos_token": options, "add_eos_token": options}
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
        tokens = read_pieces(text, SubwordTokenizer(Folder(folder).tokenizer())).tokens
        theirs = AutoTokenizer.from_pretrained(folder)
        assert [token.id for token in tokens] == theirs(text)["input_ids"]
        assert [token.added for token in (tokens[0], tokens[-1])] == [added, added]
