"""The style sheets of every page, in the order in which they follow each other.

A sheet is called after the folder of static/js whose views it dresses, or after the page it is
for; `base`, `controls` and `panels` are what several of them share, and `print` is for paper.
"""

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
    "compare": (*STAGES, "compare", "compare-stages"),
    "chapter": (*STAGES, *TABS, "learn", "learn-course", "learn-program", "learn-exercises"),
    "learn": (*EVERY, "learn", "learn-course"),
    "worksheet": (*EVERY, "learn", "learn-exercises"),
    "models": (*EVERY, "controls", "panels", "captures", "models"),
    "api": (*EVERY, "api"),
    "sign-in": (*EVERY, "sign-in"),
    "error": EVERY,
    "standalone": (*STAGES, "standalone"),
}
"""By the name of the page's template."""
