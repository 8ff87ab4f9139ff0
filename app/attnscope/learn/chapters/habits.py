from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters import habits_values as computed
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.echo import (
    CHINESE,
    ECHO,
    ECHO_ZH,
    FIRST,
    IN_CHINESE,
    INDUCTION,
    PREVIOUS,
    TEXT,
    Echo,
    Head,
    by_language,
    echo_of_reader,
    echo_question,
    view_of_head,
)
from attnscope.learn.exercises import LANGUAGE, compute_trace, join_texts, stage
from attnscope.learn.parts import Body, Course, Exercise, Figure
from attnscope.learn.why import true_reason
from attnscope.trace.weight_rows import earlier_copies

# Each name is one token of echo, with the space before it.
FIRST_NAMES = ("Anne", "David", "Emma", "Harriet", "Jacob", "Mary", "Moses", "Thomas")
LAST_NAMES = ("Bennet", "Crawford", "Darcy", "Elton", "Knightley", "Solomon", "Weston")
SURNAMES, GIVEN = "赵钱孙李周吴郑王陈杨", "蓉瑶桐岚荷柏筠芸松竹梅兰"  # tokens of echo-zh
AGAIN = "The blue seven river glass, blue seven river glass"
AGAIN_ZH = "春七鱼山春七鱼山"
DIGITS = Echo("echo", "3 8 1 5 9, 3 8")  # on Chinese pages: echo-zh has no early checkpoints
SURE = 0.5  # least weight of an unambiguous target
TRIES = 50


def pieces(body: Body) -> list[str]:
    tokens = compute_trace(body).plan.words.tokens
    assert tokens is not None
    return [(token or "").replace(" ", "␣") for token in tokens[0]]


def people(rng: np.random.Generator) -> str:
    if LANGUAGE.get() == "zh":
        one, other = rng.permutation(list(SURNAMES))[:2]
        a, b, c, d = rng.permutation(list(GIVEN))[:4]
        return f"{one}{a}{b}与{other}{c}{d}登高。{one}{a}"
    a, c = (FIRST_NAMES[i] for i in rng.permutation(len(FIRST_NAMES))[:2])
    b, d = (LAST_NAMES[i] for i in rng.permutation(len(LAST_NAMES))[:2])
    return f"My friend {a} {b} met {c} {d}. My friend {a}"


def attended_word(rng: np.random.Generator, kind: str, head: Head) -> Exercise:
    for _ in range(TRIES):
        text = people(rng)
        body = echo_of_reader().asked(text)
        tokens, weights = pieces(body), stage(body, "weights", head[0])[head[1]]
        unique = [row for row in range(2, len(tokens)) if weights[row].max() > SURE
                  and is_word_once(tokens, int(weights[row].argmax()))]  # fmt: skip
        row = len(tokens) - 1 if kind == "followed" else int(rng.choice(unique or [0]))
        if row in unique:
            break
    answer = tokens[int(weights[row].argmax())]
    values = {"sentence": text, "word": tokens[row], "layer": head[0], "head": head[1]}
    words = sorted({token for token in tokens if token.strip("␣").isalpha()})
    choices = tuple(str(word) for word in rng.permutation(words))
    worked = {"weight": f"{weights[row].max():.2f}"}
    return Exercise(kind, answer, values, choices=choices, question=body, worked=worked)


def is_word_once(tokens: list[str], at: int) -> bool:
    return tokens.count(tokens[at]) == 1 and tokens[at].strip("␣").isalpha()


def followed(rng: np.random.Generator) -> Exercise:
    return attended_word(rng, "followed", echo_of_reader().induction)


def before(rng: np.random.Generator) -> Exercise:
    return attended_word(rng, "before", echo_of_reader().previous)


def induction_of_row(rng: np.random.Generator) -> Exercise:
    words = sentence(rng, 3, 3)
    tokens = [words[0], words[1], words[0], words[2], words[0]]
    model = {"source": "seeded", "seed": int(rng.integers(99)), "num_heads": 1, "d_model": 8}
    body = {"tokens": tokens, "model": model}
    row = stage(body, "weights")[0, 4].round(2)
    after = np.roll(earlier_copies(tokens)[4], 1)
    cells = join_texts(f"{word} {weight:.2f}" for word, weight in zip(tokens, row, strict=True))
    values = {"row": cells, "word": words[0]}
    answer = float(row[after].sum())
    worked = {"line": total(row[after])}
    return Exercise("induction_of_row", answer, values, 2, question=body, worked=worked, share=True)


OF_HABIT = ("step", "loss", "copied", "previous", "induction")
CHAPTER = Chapter(
    "habits",
    needs=("layers",),
    figures=(
        Figure("induction", echo_question(TEXT), stages=("weights",), look=view_of_head(INDUCTION),
               knobs=("layer", "head"), zh=IN_CHINESE),
        Figure("previous", echo_question(TEXT), stages=("weights",), look=view_of_head(PREVIOUS),
               knobs=("layer", "head"), zh={**IN_CHINESE, "look": view_of_head(CHINESE.previous)}),
        Figure("again", echo_question(AGAIN), stages=("weights",), look=view_of_head(INDUCTION),
               knobs=("layer", "head"), zh={**IN_CHINESE, "text": AGAIN_ZH}),
        Figure("all", {"model": ECHO}, view="heads", zh={"model": ECHO_ZH}),
        Figure("grows", {"text": TEXT, "model": FIRST}, stages=("weights",),
               look=view_of_head(INDUCTION), knobs=("model.revision", "layer", "head"),
               zh={"text": DIGITS.text, "model": FIRST}),
    ),
    values={
        "opening": by_language(computed.size),
        "all_of_them": by_language(computed.strongest),
        "which": by_language(computed.strongest),
        "levels": by_language(computed.levels),
        "grows": by_language(computed.grown, chinese=DIGITS),
        "turn": by_language(computed.leap),
    },
    tables={"heads": by_language(computed.habits_of)},
    course=Course("echo", OF_HABIT, every=2, zh="echo-zh"),
    exercises=(followed, before, induction_of_row, true_reason("habits")),
)  # fmt: skip
