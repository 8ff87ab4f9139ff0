from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import signed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters import words_and_back_values as computed
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import first_row, given_qk, given_scores, rows
from attnscope.learn.echo import ECHO_ZH, TEXT, TEXT_ZH, by_language, echo_question
from attnscope.learn.exercises import join_texts, stage
from attnscope.learn.parts import Exercise, Figure, Given
from attnscope.learn.why import true_reason


def likeliest_word(rng: np.random.Generator) -> Exercise:
    words = sentence(rng, 4, 4)
    while True:  # until the maximum is unique
        output, table = rows(rng, 1, 2), rows(rng, 4, 2)
        body = given_qk(np.repeat(output, 4, axis=0), table)
        logits = stage(body, "scores")[0, 0]
        if (logits == logits.max()).sum() == 1:
            break
    given = (Given("output", output.tolist()), Given("unembedding", table.tolist()))
    values = dict(zip("abcd", words, strict=True))
    answer = words[int(logits.argmax())]
    worked = {"line": join_texts(map(signed, logits))}
    return Exercise("likeliest_word", answer, values, 0, tuple(words), given, body, worked)


def odds(rng: np.random.Generator) -> Exercise:
    words = sentence(rng, 2, 2)
    low = int(rng.integers(-3, 4))
    lead = int(rng.integers(1, 9)) / 4
    body = given_scores(first_row([low + lead, low]))
    weights = stage(body, "weights")[0, 0]
    answer = float(weights[0] / weights[1])
    values = {**dict(zip("ab", words, strict=True)), "high": signed(low + lead), "low": signed(low)}
    return Exercise("odds", answer, values, 2, question=body, worked={"lead": f"{lead:g}"})


CHAPTER = Chapter(
    "next_word",
    needs=("words_and_back",),
    figures=(
        Figure("out", echo_question(TEXT), stages=("block_output",),
               look={"layer": 1, "cell": ("block_output", computed.PREDICTED_ROW, 0)},
               zh={"text": TEXT_ZH, "model": ECHO_ZH}),
    ),
    values={
        **dict.fromkeys(("back", "said"), by_language(computed.place_of_echo)),
        **dict.fromkeys(("untrained", "repeats"), by_language(computed.untrained)),
    },
    tables={"likeliest": by_language(computed.likeliest_rows),
            "untrained": by_language(computed.untrained_rows)},
    exercises=(likeliest_word, odds, true_reason("next_word")),
)  # fmt: skip
