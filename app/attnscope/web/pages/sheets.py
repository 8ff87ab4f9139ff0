"""Style sheets in cascade order, named after folders of static/js or pages."""

from __future__ import annotations

EVERY = ("base", "shell")
STAGES = (
    *EVERY,
    "controls",
    "question",
    "question-notice",
    "matrix",
    "stages",
    "stages-arrows",
    "stages-selectors",
    "question-context",
    "question-text",
    "inspector",
    "stages-large",
)
TABS = (
    "shell-tabs",
    "heads",
    "lines",
    "map",
    "gradients",
    "panels",
    "parameters",
    "worth",
    "decode",
    "laboratory",
)
EXPLORE = (
    *STAGES,
    "sentence",
    "sentence-many-heads",
    "share",
    "walkthrough",
    "walkthrough-presentation",
    "picked",
    "predictions",
    "why",
    "editing",
    "change",
    "captures",
    *TABS,
)
SHEETS = {
    "explore": EXPLORE,
    "embed": (*EXPLORE, "embed"),
    "compare": (*STAGES, "compare", "compare-stages", "captures"),
    "chapter": (
        *STAGES,
        *TABS,
        "learn",
        "learn-course",
        "learn-program",
        "learn-lines",
        "learn-exercises",
        "learn-errata",
    ),
    "learn": (*EVERY, "learn", "learn-course"),
    "terms": (*EVERY, "learn", "learn-course"),
    "errata": (*EVERY, "learn", "learn-course", "learn-errata"),
    "worksheet": (*EVERY, "learn", "learn-exercises"),
    "models": (*EVERY, "controls", "panels", "captures", "models"),
    "api": (*EVERY, "api"),
    "sign-in": (*EVERY, "sign-in"),
    "error": EVERY,
    "standalone": (*STAGES, "standalone"),
}
"""By template."""
