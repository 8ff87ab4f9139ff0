"""Paths."""

from __future__ import annotations

V1 = "/api/v1"
ATTENTION, TRACES, MODELS = f"{V1}/attention", f"{V1}/traces", f"{V1}/models"
