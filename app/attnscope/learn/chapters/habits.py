"""Heads with known behaviour: previous token, induction, sinks, and when they emerge in
training."""

from __future__ import annotations

import numpy as np

from attnscope.analysis.weight_rows import earlier_copies
from attnscope.learn.arithmetic import total
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.habits_values import grown, habits_of, leap, size, strongest
from attnscope.learn.echo import ECHO, FIRST, INDUCTION, PREVIOUS, TEXT, asked, look
from attnscope.learn.exercises import stage, traced
from attnscope.learn.parts import Body, Chapter, Course, Exercise, Figure, Formula, Measured, Prose
from attnscope.learn.why import true_reason

# Each is one token of echo's vocabulary, with the space before it.
FIRST_NAMES = ("Anne", "David", "Emma", "Harriet", "Jacob", "Mary", "Moses", "Thomas")
LAST_NAMES = ("Bennet", "Crawford", "Darcy", "Elton", "Knightley", "Solomon", "Weston")
AGAIN = "The blue seven river glass, blue seven river glass"
SURE = 0.5  # weight above which a head's target is unambiguous
TRIES = 50


def pieces(body: Body) -> list[str]:
    """The tokens of a question's only text, leading spaces shown as ␣."""
    tokens = traced(body).plan.words.tokens
    assert tokens is not None
    return [(token or "").replace(" ", "␣") for token in tokens[0]]


def people(rng: np.random.Generator) -> str:
    """Four names, the first of which is repeated."""
    a, c = (FIRST_NAMES[i] for i in rng.permutation(len(FIRST_NAMES))[:2])
    b, d = (LAST_NAMES[i] for i in rng.permutation(len(LAST_NAMES))[:2])
    return f"My friend {a} {b} met {c} {d}. My friend {a}"


def looked_at(rng: np.random.Generator, kind: str, head: tuple[int, int]) -> Exercise:
    """The token with a head's largest weight, in an unambiguous row."""
    for _ in range(TRIES):
        text = people(rng)
        tokens, weights = pieces(asked(text)), stage(asked(text), "weights", head[0])[head[1]]
        unique = [row for row in range(2, len(tokens)) if weights[row].max() > SURE
                  and is_word_once(tokens, int(weights[row].argmax()))]  # fmt: skip
        row = len(tokens) - 1 if kind == "followed" else int(rng.choice(unique or [0]))
        if row in unique:
            break
    answer = tokens[int(weights[row].argmax())]
    values = {"sentence": text, "word": tokens[row], "layer": head[0], "head": head[1]}
    choices = tuple(sorted({token for token in tokens if token.strip("␣").isalpha()}))
    worked = {"weight": f"{weights[row].max():.2f}"}
    return Exercise(kind, answer, values, choices=choices, question=asked(text), worked=worked)


def is_word_once(tokens: list[str], at: int) -> bool:
    """Whether a token consists of letters and occurs once."""
    return tokens.count(tokens[at]) == 1 and tokens[at].strip("␣").isalpha()


def followed(rng: np.random.Generator) -> Exercise:
    """Where the induction head attends from the last token."""
    return looked_at(rng, "followed", INDUCTION)


def before(rng: np.random.Generator) -> Exercise:
    """Where the previous-token head attends."""
    return looked_at(rng, "before", PREVIOUS)


def induction_of_row(rng: np.random.Generator) -> Exercise:
    """The induction score of a row: its weight on keys right after earlier copies."""
    words = sentence(rng, 3, 3)
    tokens = [words[0], words[1], words[0], words[2], words[0]]
    model = {"source": "seeded", "seed": int(rng.integers(99)), "num_heads": 1, "d_model": 8}
    body = {"tokens": tokens, "model": model}
    row = stage(body, "weights")[0, 4].round(2)
    after = np.roll(earlier_copies(tokens)[4], 1)
    cells = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(tokens, row, strict=True))
    values = {"row": cells, "word": words[0]}
    answer = float(row[after].sum())
    worked = {"line": total(row[after])}
    return Exercise("induction_of_row", answer, values, 2, question=body, worked=worked, share=True)


CHAPTER = Chapter(
    "habits",
    (
        Prose("opening", size),
        Figure("induction", asked(TEXT), stages=("weights",), look=look(INDUCTION),
               knobs=("layer", "head")),
        Prose("induction"),
        Figure("previous", asked(TEXT), stages=("weights",), look=look(PREVIOUS),
               knobs=("layer", "head")),
        Prose("together"),
        Formula(r"\ldots\; A \; B \; \ldots \; A \;\longrightarrow\; B"),
        Figure("again", asked(AGAIN), stages=("weights",), look=look(INDUCTION),
               knobs=("layer", "head")),
        Prose("measured"),
        Prose("all_of_them", strongest),
        Measured("heads", ("head", "random", "without"), habits_of),
        Prose("which", strongest, leads_to="worth"),
        Figure("all", {"model": ECHO}, view="heads"),
        Prose("sinks"),
        Figure("grows", {"text": TEXT, "model": FIRST}, stages=("weights",), look=look(INDUCTION),
               knobs=("model.revision", "layer", "head")),
        Prose("grows", grown),
        Course("echo", ("step", "loss", "copied", "previous", "induction"), every=2),
        Prose("turn", leap),
    ),
    (followed, before, induction_of_row, true_reason("habits")),
)  # fmt: skip
