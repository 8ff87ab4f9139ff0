"""Tokenizer files for hypothesis: of every kind that the tokenizers library reads, and with odd
values."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.charsmaps import charsmap
from tests.tokenizer_files import template

Part = dict[str, Any]
LETTERS = "ab ▁Ġé\u0301中\ufdfa\U0001f600-#"
JUNK: list[Any] = [
    None,
    -1,
    0,
    2**32,
    2**64,
    1e308,
    True,
    "",
    "a" * 3000,
    [],
    {},
    [[]],
    {"a": [{}]},
]
BEHAVIOURS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous", "Other"]
REGEXES = [r"\s+", " {2,}", "[0-9]", "", "(a+)+$", "(", "a|"]

booleans, words = st.booleans(), st.text(LETTERS, max_size=8)
counts = st.sampled_from([0, 1, 2, 100, 200, 200, 100, 1000, 10**9])


def kind(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Part]:
    return st.fixed_dictionaries({"type": st.just(name), **fields})


def one_of(names: str) -> st.SearchStrategy[Part]:
    """These types have no fields."""
    return st.sampled_from(names.split()).map(lambda name: {"type": name})


def sequence(parts: st.SearchStrategy[Part], key: str) -> st.SearchStrategy[Part]:
    return kind("Sequence", **{key: st.lists(parts, max_size=4)})


def mostly(good: st.SearchStrategy[Any], other: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """`other` once in twelve times: one odd part of many is enough."""
    return st.integers(0, 11).flatmap(lambda n: other if n == 7 else good)


patterns = mostly(
    st.one_of(
        st.fixed_dictionaries({"String": st.text(LETTERS, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"Regex": st.sampled_from(REGEXES[:3])}),
    ),
    st.fixed_dictionaries({"Regex": st.sampled_from(REGEXES[3:])}),
)
short = mostly(st.text(LETTERS, max_size=1), words)
behaviours = mostly(st.sampled_from(BEHAVIOURS[:-1]), st.just(BEHAVIOURS[-1]))
byte_level = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), booleans)
normalizers = mostly(
    st.one_of(
        one_of("NFC NFD NFKC NFKD Lowercase StripAccents"),
        kind("BertNormalizer", clean_text=booleans, handle_chinese_chars=booleans,
             strip_accents=st.sampled_from([None, True, False]), lowercase=booleans),
        kind("Strip", strip_left=booleans, strip_right=booleans),
        kind("Replace", pattern=patterns, content=short),
        kind("Prepend", prepend=short),
    ),
    st.one_of(
        one_of("Nmt ByteLevel"),
        kind("Precompiled", precompiled_charsmap=st.sampled_from(
            ["", "AAAA", charsmap({"a": "b"}), charsmap({"a": "bb"})]
        )),
    ),
)  # fmt: skip
splits = mostly(
    st.one_of(
        one_of("BertPreTokenizer Whitespace WhitespaceSplit"),
        kind("ByteLevel", **byte_level),
        kind("Metaspace", replacement=mostly(st.just("▁"), words), split=booleans,
             prepend_scheme=st.sampled_from(["always", "never", "first"])),
        kind("Split", pattern=patterns, behavior=behaviours, invert=booleans),
        kind("Punctuation", behavior=behaviours),
        kind("Digits", individual_digits=booleans),
    ),
    st.one_of(
        one_of("UnicodeScripts"),
        kind("CharDelimiterSplit", delimiter=st.sampled_from(["a", " "])),
        kind("FixedLength", length=counts),
    ),
)  # fmt: skip
CLS = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
A, B = ({"Sequence": {"id": name, "type_id": i}} for i, name in enumerate("AB"))
arounds = st.lists(st.just(CLS), max_size=3)
ids = st.integers(0, 5)
templates = mostly(
    st.builds(lambda before, row, after: template([row], [*before, A, *after], [*before, A, B]),
              arounds, ids, arounds),
    st.builds(template, st.lists(ids, max_size=3),
              st.lists(st.sampled_from([A, B, CLS]), max_size=20),
              st.lists(st.sampled_from([A, B, CLS]), max_size=4)),
)  # fmt: skip
marks = st.tuples(words, ids).map(list)
processors = st.one_of(
    kind("ByteLevel", **byte_level), kind("BertProcessing", sep=marks, cls=marks), templates,
    kind("RobertaProcessing", sep=marks, cls=marks, trim_offsets=booleans,
         add_prefix_space=booleans),
)  # fmt: skip
pieces = st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=12, unique=True)
vocabularies = pieces.map(lambda names: {name: i for i, name in enumerate(["[UNK]", *names])})
prefixes = mostly(st.sampled_from([None, "", "##"]), st.just("a" * 20))


@st.composite
def bpe_models(draw: st.DrawFn) -> Part:
    """Merges mostly make known tokens."""
    vocabulary, flags = draw(vocabularies), [draw(booleans) for _ in range(3)]
    letters = {letter: len(vocabulary) + i for i, letter in enumerate(sorted(set(LETTERS)))}
    vocabulary = {**letters, **vocabulary} if draw(booleans) else vocabulary
    merges = [[name[:1], name[1:]] for name in vocabulary
              if len(name) == 2 and set(name) <= vocabulary.keys()]  # fmt: skip
    merges += draw(mostly(st.just([]), st.just([["zz", "y"]])))
    return {
        "type": "BPE", "dropout": draw(mostly(st.none(), st.sampled_from([0, 0.5, 2]))),
        "unk_token": draw(st.sampled_from([None, "[UNK]", "zz"])),
        "continuing_subword_prefix": draw(prefixes), "end_of_word_suffix": draw(prefixes),
        "fuse_unk": flags[0], "byte_fallback": flags[1], "ignore_merges": flags[2],
        "vocab": vocabulary, "merges": merges,
    }  # fmt: skip


scores = st.sampled_from([0.0, -1.0, -1e30, 1e30, 5])
models = st.one_of(
    bpe_models(),
    kind("WordLevel", vocab=vocabularies, unk_token=mostly(st.just("[UNK]"), words)),
    kind("WordPiece", vocab=vocabularies, unk_token=st.just("[UNK]"),
         continuing_subword_prefix=prefixes, max_input_chars_per_word=counts),
    kind("Unigram", unk_id=mostly(st.sampled_from([None, 0]), st.just(99)), byte_fallback=booleans,
         vocab=st.lists(st.tuples(mostly(words, st.text(LETTERS, min_size=60, max_size=70)), scores)
         .map(list), min_size=1, max_size=12)),
)  # fmt: skip
added = st.fixed_dictionaries({
    "id": st.integers(0, 40), "content": words, "single_word": booleans, "lstrip": booleans,
    "rstrip": booleans, "normalized": booleans, "special": booleans,
})  # fmt: skip


def maybe(parts: st.SearchStrategy[Part], key: str) -> st.SearchStrategy[Part | None]:
    return st.one_of(st.none(), parts, sequence(st.one_of(parts, sequence(parts, key)), key))


whole = st.fixed_dictionaries({
    "version": st.just("1.0"), "added_tokens": st.lists(added, max_size=4),
    "truncation": st.sampled_from([None, {"max_length": 2, "strategy": "LongestFirst",
                                          "stride": 9, "direction": "Right"}]),
    "padding": st.none(),
    "normalizer": maybe(normalizers, "normalizers"),
    "pre_tokenizer": maybe(splits, "pretokenizers"),
    "post_processor": maybe(processors, "processors"),
    "decoder": st.one_of(st.none(), one_of("ByteLevel WordPiece Fuse ByteFallback")),
    "model": models,
})  # fmt: skip


@st.composite
def definitions(draw: st.DrawFn) -> bytes:
    """In every fourth, one value is replaced, dropped or repeated."""
    made = json.loads(json.dumps(draw(whole)))  # its parts are shared by all examples
    if draw(st.integers(0, 3)) == 0:
        holder, at = draw(st.sampled_from(_places(made)))
        value = holder[at]
        if isinstance(value, list) and value and draw(booleans):
            holder[at] = value * draw(st.sampled_from([2, 50, 4000]))
        else:
            holder[at] = draw(st.sampled_from(JUNK))
    return json.dumps(made, ensure_ascii=draw(booleans)).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key)."""
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    found = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += _places(value[key])
    return found
