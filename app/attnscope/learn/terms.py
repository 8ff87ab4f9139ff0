from __future__ import annotations

from collections.abc import Mapping, Sequence

from attnscope.learn.chapters import CHAPTERS


def _explained() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for chapter in CHAPTERS:
        for term in chapter.text.terms:
            found.setdefault(term, []).append(chapter.name)
            if f"term.{term}" in chapter.text.messages:
                found[term].sort(key=chapter.name.__ne__)
    return found


# Term → chapters; the first has its definition, the message `term.<name>`.
TERMS: Mapping[str, Sequence[str]] = _explained()

# The chapter of each stage, for links from Explore.
OF_STAGE: Mapping[str, str] = {
    "x": "words_and_back", "q": "three_matrices", "k": "three_matrices", "v": "three_matrices",
    "scores": "scores", "scaled_scores": "scaling", "masked_scores": "masks",
    "weights": "softmax", "head_outputs": "weighted_sum", "concat": "heads", "output": "heads",
    "block_output": "layers",
}  # fmt: skip
