"""Questions to installed models, compared with PyTorch."""

from __future__ import annotations

SENTENCES = {
    "addition": "47+85=",
    "echo": "Winston Churchill met Harry Truman. Winston Churchill",
    "echo-zh": "明月几时有，把酒问青天。明月",
    "reversal": "a7f3>3f7a",
    "sorting": "38140>01348",
}
