from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from fastapi import Request

from attnscope.analysis.merged_words import Groups, groups_of
from attnscope.families.keys import MOST_SHOWN
from attnscope.trace.formula_words import formula_words
from attnscope.trace.inputs import Words
from attnscope.trace.plan import DENSE_TOKENS, Plan
from attnscope.trace.question import Captured, Installed
from attnscope.trace.trace import Trace
from attnscope.web.http.accept_headers import sayer
from attnscope.web.http.replies import Stream
from attnscope.web.serializers.selection import Selection, safetensors, to_json


def notes_of(request: Request, planned: Plan) -> list[dict[str, str]]:
    codes = planned.model.notes
    if planned.question.x is not None:
        codes = tuple(code for code in codes if code != "random_words")
    return messages_of(request, codes, planned.model.accepted)


def messages_of(
    request: Request, codes: Iterable[str], accepted: Iterable[str] = ()
) -> list[dict[str, str]]:
    """`accepted`: config keys that the note names."""
    say, values = sayer(request), {"keys": ", ".join(accepted)[:MOST_SHOWN]}
    return [{"code": code, "message": say(f"note.{code}", values)} for code in codes]


Notes = Sequence[Mapping[str, str]]
WHOLE_WORDS = ("words", "whitespace")


def describe_plan(planned: Plan, notes: Notes = ()) -> dict[str, Any]:
    shape, words, context = planned.model.shape, planned.words, planned.context
    sizes = {"batch": planned.batch, "num_layers": planned.model.num_layers}
    heads = {"num_heads": shape.num_heads, "num_kv_heads": shape.num_kv_heads}
    widths = {name: getattr(shape, name) or None for name in ("d_model", "d_k", "d_v")}
    apart = max(planned.n, planned.m) > DENSE_TOKENS  # too many to list
    fields: dict[str, Any] = {
        "trace": planned.id,
        "tokens": None if apart else words.tokens,
        "context_tokens": None if apart else context and context.tokens,
        "offsets": None if apart else words.offsets,
        "added": None if apart or words.tokens is None else added_in(words),
        "lengths": words.lengths,
        "context_lengths": context and context.lengths,
        "shape": {**sizes, **heads, "n": planned.n, "m": planned.m, **widths},
        "scale": planned.options.scale,
        "temperature": planned.options.temperature,
        "dtype": planned.dtype,
        "holds": sorted(formula_words(planned, planned.model.encoder_layers)),
        "notes": list(notes),
    }
    if planned.long:
        fields["whole_tokens"] = planned.whole_tokens
    if planned.gradient_tokens:
        fields["gradient_tokens"] = planned.gradient_tokens
    if words.unknown is not None and not apart:
        fields["unknown"] = words.unknown
    if words.sentences is not None and not apart:
        fields["sentences"] = words.sentences
    if not apart:
        fields |= continuing(planned)
    if isinstance(planned.question.model, Installed | Captured):
        layers = range(planned.model.num_layers)
        fields["scales"] = [planned.setting.at(i).options.scale for i in layers]
    if isinstance(planned.question.model, Captured):
        fields["stages"] = planned.stages
    if planned.model.mlp_width:
        fields["mlp_width"] = planned.model.mlp_width
    if planned.model.decoder:
        fields["attends_to"] = [attends_to(planned, i) for i in range(planned.model.num_layers)]
        fields["context_holds"] = sorted(formula_words(planned, planned.model.kinds[-1][0]))
    if planned.model.encoder_layers:
        fields["encoder_layers"] = planned.model.encoder_layers
        fields["encoder_holds"] = sorted(formula_words(planned))
    return fields


def added_in(words: Words) -> list[list[bool | None]]:
    names = words.tokens or []
    return words.added or [[None if one is None else False for one in row] for row in names]


def continuing(planned: Plan) -> dict[str, list[list[bool | None]]]:
    """Whether tokens continue a word; None in padding."""
    question = planned.question
    sides = {"continues": planned.words, "context_continues": planned.context}
    found = {}
    for name, words in sides.items():
        whole = words is None or (words.ids is None and question.splitting in WHOLE_WORDS)
        if words is None or (whole and not isinstance(question.model, Captured)):
            continue
        rows = [_continuing(groups_of(question, words, batch), words.n)
                for batch in range(len(words.lengths))]  # fmt: skip
        if any(True in row for row in rows):
            found[name] = rows
    return found


def _continuing(groups: Groups, n: int) -> list[bool | None]:
    flags: list[bool | None] = [at > 0 for group in groups for at in range(len(group))]
    return flags + [None] * (n - len(flags))


def attends_to(planned: Plan, layer: int) -> str:
    return "context" if planned.attends_to_context(layer) else "self"


def describe_checks(trace: Trace) -> dict[str, Any]:
    return {"checks": vars(trace.checks), "elapsed_ms": trace.elapsed_ms}


def attention_json(trace: Trace, selection: Selection, notes: Notes = ()) -> bytes:
    """Callers check the size."""
    layers = numbers_of_layers(trace, selection)
    if trace.plan.model.decoder:
        for index, layer in layers.items():
            layer["attends_to"] = attends_to(trace.plan, index)
    fields = {**describe_plan(trace.plan, notes), **_shown(trace.plan, selection)}
    return to_json({**fields, "layers": [*layers.values()], **describe_checks(trace)})


def numbers_of_layers(trace: Trace, selection: Selection) -> dict[int, dict[str, Any]]:
    layers: dict[int, dict[str, Any]] = {}
    for index, stages in selection.cut(trace):
        layers[index] = {name: np.ascontiguousarray(array) for name, array in stages.items()}
        if selection.parameters:
            tensors = trace.parameters[index].arrays()
            layers[index]["parameters"] = {n: np.ascontiguousarray(a) for n, a in tensors.items()}
    return layers


def attention_safetensors(trace: Trace, selection: Selection, notes: Notes = ()) -> Stream:
    head = {
        **describe_plan(trace.plan, notes),
        **_shown(trace.plan, selection),
        **describe_checks(trace),
    }
    return safetensors(named_arrays(trace, selection), head)


def _shown(planned: Plan, selection: Selection) -> dict[str, Any]:
    if selection.merging is None:
        return {"skip": selection.skip} if selection.skip else {}
    texts = range(planned.batch)
    return {
        name: [groups_of(planned.question, words, batch) for batch in texts]
        for name, words in (("words", planned.words), ("context_words", planned.context))
        if words is not None
    }


def named_arrays(trace: Trace, selection: Selection) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for index, stages in selection.cut(trace):
        if selection.parameters:
            stages = {**stages, **trace.parameters[index].arrays()}
        for name, array in stages.items():
            arrays[f"layers.{index}.{name}"] = array
    return arrays
