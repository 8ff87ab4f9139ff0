from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from attnscope.attention.architecture import Architecture
from attnscope.attention.masks import KnockedOutCells
from attnscope.attention.patterns import PATTERNS
from attnscope.attention.scaling import slopes_of
from attnscope.errors import InvalidRequest, TooLarge
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.http.replies import Stream
from attnscope.web.serializers.files import zip_of
from attnscope.web.serializers.traces import Notes, attends_to

PROGRAM = Path(__file__).with_name("numpy_program.py")
MOST_NUMBERS = 1 << 25  # 268 MB in float64


def check_program(planned: Plan) -> None:
    """Refuse half precision (the program cannot round to it) and large traces."""
    if planned.options.grid is not None:
        raise InvalidRequest("program_of_half", at="format", dtype=planned.dtype)
    if planned.numbers > MOST_NUMBERS:
        estimate, limit = f"{planned.numbers:,}", f"{MOST_NUMBERS:,}"
        raise TooLarge("program", at="format", estimate=estimate, limit=limit)


def program_of(trace: Trace, notes: Notes = ()) -> Stream:
    stages = {
        f"layers.{i}.{name}": layer[name]
        for i, layer in enumerate(trace.layers)
        for name in trace.plan.stages_of(i)
        if name != "context"  # the program reads or computes the context
    }
    asked = {"notes": [note["message"] for note in notes], **_asked(trace.plan)}
    members: dict[str, bytes | Mapping[str, np.ndarray]] = {
        "attention.py": PROGRAM.read_bytes(),
        "question.json": orjson.dumps(asked, option=orjson.OPT_INDENT_2),
        "numbers.npz": _numbers(trace),
        "stages.npz": stages,
    }
    return zip_of(members)


def _asked(planned: Plan) -> dict[str, Any]:
    model, options = planned.model, planned.options
    return {
        "num_heads": model.shape.num_heads,
        "num_kv_heads": model.shape.num_kv_heads,
        "block": model.block,
        "activation": model.activation,
        "norm": model.norm,
        "epsilon": model.epsilon,
        "score_cap": model.score_cap,
        "temperature": options.temperature,
        "padding": options.mask.pads,
        "encoder_layers": model.encoder_layers,
        "layers": [_layer(planned, i) for i in range(model.num_layers)],
    }


def _layer(planned: Plan, layer: int) -> dict[str, Any]:
    setting, asks = planned.setting.at(layer), planned.attends_to_context(layer)
    mask, made = setting.options.mask, setting.architecture
    given = "context_mask" if asks and planned.model.decoder else "mask"
    return {
        "attends_to": attends_to(planned, layer),
        "scale": setting.options.scale,
        "rotary": _turned(made, planned) if made.positions == "rotary" else None,
        "slopes": slopes_of(setting),
        "relative": asdict(made.relative) if made.positions == "relative" else None,
        "causal": mask.causal,
        "within": mask.within,
        **{pattern.name: None for pattern in PATTERNS},
        **{pattern.name: value for pattern, value in mask.asked},
        "prefix": mask.prefix,
        "blocked": sorted(mask.blocked),
        "knockouts": sorted(_by_head(mask.knocked, made.shape.num_heads)),
        "mask": None if mask.given is None else given,
        "lengths": setting.lengths,
        "dropped": setting.dropped,
    }


def _by_head(knocked: KnockedOutCells, heads: int) -> Iterator[tuple[int, int, int]]:
    """Knockouts (head, query, key)."""
    for head, row, col in knocked:
        yield from ((one, row, col) for one in (range(heads) if head is None else (head,)))


def _turned(made: Architecture, planned: Plan) -> dict[str, Any]:
    rotary = made.rotary
    speeds = rotary.speeds(made.shape.d_k, planned.reach).tolist()
    return {"pairs": rotary.pairs, "speeds": speeds, "magnitude": rotary.magnitude}


def _numbers(trace: Trace) -> dict[str, np.ndarray]:
    planned, layers = trace.plan, trace.layers
    encoder, norm = planned.model.encoder_layers, planned.model.context_norm
    inputs = {
        "x": layers[encoder]["x"],
        "source": layers[0]["x"] if encoder else None,
        "context_norm_gain": None if norm is None else norm.gain,
        "context": None if encoder else layers[-1].get("context"),
        "mask": planned.options.mask.given,
        "context_mask": planned.context_mask.given,
        "position_ids": planned.positions,
    }
    numbers = {name: array for name, array in inputs.items() if array is not None}
    for i, parameters in enumerate(trace.parameters):
        numbers |= {f"layers.{i}.{name}": a for name, a in parameters.arrays().items()}
    return numbers
