"""adapter_config.json of PEFT."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import regex
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from attnscope.errors import BadWeightsFile
from attnscope.installed.folder import ADAPTER, config_at
from attnscope.weights.formats.limits import printable_name

KIND = "LORA"
NEUTRAL: tuple[Any, ...] = (None, False, "", "none", [], {})
SAYS_NOTHING = """
    auto_mapping corda_config ensure_weight_tying eva_config exclude_modules fan_in_fan_out
    inference_mode layers_pattern layers_to_transform lora_dropout lora_ga_config megatron_core
    modules_to_save peft_version qalora_group_size revision runtime_config target_modules task_type
"""
SILENT = frozenset(SAYS_NOTHING.split())
# Other methods, such as PiSSA, change the base's weights.
INITIALISATIONS: tuple[Any, ...] = (True, False, None, "gaussian", "eva", "orthogonal")
LONGEST_PATTERN = 1000  # characters
PATTERN_SECONDS = 5.0  # for all matches, as a pattern may backtrack
COUNT = re.compile(r"[{,]\s*(\d+)")  # repeats; nested ones multiply: (x{100}){100}

Rank = Annotated[int, Field(ge=1, le=1 << 16)]
LARGEST_ALPHA = 1e30  # larger values may overflow float32
Alpha = Annotated[float, Field(ge=-LARGEST_ALPHA, le=LARGEST_ALPHA, allow_inf_nan=False)]


class AdapterKeys(BaseModel):
    model_config = ConfigDict(strict=True)

    peft_type: str | None = None
    base_model_name_or_path: str | None = None
    r: Rank = 8
    lora_alpha: Alpha = 8
    use_rslora: bool = False
    rank_pattern: dict[str, Rank] | None = None
    alpha_pattern: dict[str, Alpha] | None = None
    init_lora_weights: Any = True
    _seconds: float = PrivateAttr(PATTERN_SECONDS)  # left for matches

    @property
    def base(self) -> str:
        name = (self.base_model_name_or_path or "")[:200]
        return name if name.isprintable() else ""

    def rank(self, module: str) -> int:
        return int(self._of_module(self.rank_pattern or {}, module, self.r))

    def scale(self, module: str) -> float:
        """alpha / r; with rsLoRA (Kalajdzievski 2023) alpha / √r."""
        alpha: float = self._of_module(self.alpha_pattern or {}, module, self.lora_alpha)
        rank = self.rank(module)
        return alpha / (math.sqrt(rank) if self.use_rslora else rank)

    def _of_module(self, patterns: Mapping[str, Any], module: str, usual: Any) -> Any:
        """Value of the first pattern that matches the end of the name, as in PEFT; else `usual`."""
        for pattern, value in patterns.items():
            began = monotonic()
            try:
                if _expanded_length(pattern) > LONGEST_PATTERN or self._seconds <= 0:
                    raise ValueError
                found = regex.fullmatch(rf"(.*\.)?({pattern})", module, timeout=self._seconds)
            except (regex.error, ValueError, TimeoutError, RecursionError):
                raise BadWeightsFile(
                    "adapter_value", at="pattern", value=printable_name(pattern)
                ) from None
            self._seconds -= monotonic() - began
            if found:
                return value
        return usual


def read_adapter(folder: Path, *, pattern_seconds: float = PATTERN_SECONDS) -> AdapterKeys:
    try:
        config = config_at(folder / ADAPTER)
    except BadWeightsFile:
        raise BadWeightsFile("adapter_broken", at=ADAPTER) from None
    _check_kind(config)
    try:
        keys = AdapterKeys.model_validate(config)
    except ValidationError as error:
        first = error.errors()[0]
        name, value = (
            printable_name(".".join(map(str, first["loc"]))),
            printable_name(str(first["input"])),
        )
        raise BadWeightsFile("adapter_value", at=name, value=value) from None
    keys._seconds = pattern_seconds
    return keys


def _check_kind(config: Mapping[str, Any]) -> None:
    if config.get("peft_type") != KIND:
        kind = printable_name(str(config.get("peft_type")))
        raise BadWeightsFile("adapter_kind", at="peft_type", kind=kind)
    for name in sorted(set(config) - SILENT - set(AdapterKeys.model_fields)):
        if config[name] not in NEUTRAL:
            raise BadWeightsFile(
                "adapter_key", at=printable_name(name), value=printable_name(str(config[name]))
            )
    if (start := config.get("init_lora_weights")) not in INITIALISATIONS:
        raise BadWeightsFile(
            "adapter_key", at="init_lora_weights", value=printable_name(str(start))
        )


def _expanded_length(pattern: str) -> int:
    """Upper bound of the length with repeats expanded."""
    return len(pattern) * math.prod(max(1, int(count)) for count in COUNT.findall(pattern))
