"""Two exercises a chapter ask why, and none is guessed in more than 30 % of cases."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from attnscope.learn import CHAPTERS
from attnscope.learn.exercises import format_answer
from attnscope.learn.parts import Exercise
from attnscope.learn.why import CHOICES, own_words
from tests.learn.posed import posed
from tests.test_repo import messages

ASK_WHY = {"true_reason", "false_statement", "order_of_stages", "wrong_row", "wrong_cell"}
MOST = 0.3
SEEDS = [range(3), pytest.param(range(100), marks=pytest.mark.full)]


def guess_rate(same: list[Exercise]) -> float:
    """How often one exercise is solved unread, under several seeds: by any choice, always by the
    choice at one place, or always by the same answer."""
    rates = [0.0]
    places = Counter(each.choices.index(str(each.answer)) for each in same if each.choices)
    answers = Counter(map(format_answer, same))
    if places:
        rates += [1 / min(len(each.choices) for each in same)]
        rates += [max(places.values()) / len(same)]
    if len({frozenset(each.choices) for each in same}) == 1:  # the same choices each time, or none
        rates += [max(answers.values()) / len(same)]
    return max(rates)


def rates(seeds: range) -> dict[str, float]:
    """The guess rate of each exercise."""
    found = {}
    for chapter in CHAPTERS:
        drawn = zip(*(posed(chapter.name, seed) for seed in seeds), strict=True)
        for make, each in zip(chapter.exercises, drawn, strict=True):
            found[f"{chapter.name}: {make.__name__}"] = guess_rate(list(each))
    return found


def test_every_chapter_asks_why_at_least_twice() -> None:
    for chapter in CHAPTERS:
        assert len(chapter.text.reasons) >= 3, f"ask three `reason`s in {chapter.name}.en.md"
        assert len(chapter.text.own_words) >= 2, f"ask two `own` questions in {chapter.name}.en.md"
        marked = [make for make in chapter.exercises if make.__name__ in ASK_WHY]
        message = f'add true_reason("{chapter.name}") to the exercises of {chapter.name}'
        assert "true_reason" in {make.__name__ for make in marked}, message
        assert len(marked) + own_words(chapter.name, 0).open >= 2


@pytest.mark.parametrize("seeds", SEEDS)
def test_no_exercise_is_guessed_in_more_than_30_percent_of_cases(seeds: range) -> None:
    drawn = [exercise for chapter in CHAPTERS for seed in seeds
             for exercise in posed(chapter.name, seed)]  # fmt: skip
    assert [each.kind for each in drawn if each.choices and 1 / len(each.choices) > MOST] == []
    if len(seeds) < 100:
        return
    found = rates(seeds)
    for name, rate in found.items():
        print(f"{rate:.2f} {name}")
    deviation = 3 * (MOST * (1 - MOST) / len(seeds)) ** 0.5  # of a drawn share
    assert {name: rate for name, rate in found.items() if rate > MOST + deviation} == {}


def test_the_true_reason_is_not_known_by_its_length() -> None:
    for language in ("en", "zh"):
        said = messages(language)
        longest, shortest = [], []
        count = 0
        for chapter in CHAPTERS:
            for name, true in chapter.text.reasons.items():
                task = f"exercise.reason.{chapter.name}.{name}"
                lengths = [len(said[f"{task}.{at}"]) for at in range(CHOICES)]
                right, others = lengths.pop(true), lengths
                longest += [f"{chapter.name} {name}"] * (right > max(others))
                shortest += [f"{chapter.name} {name}"] * (right < min(others))
                count += 1
        for found, fault in ((longest, "longest"), (shortest, "shortest")):
            assert len(found) / count <= MOST, (
                f"{language}: the true choice is the {fault} in {len(found)} of {count} reasons,"
                f" at most {int(MOST * count)}: change the length of a choice in {found}"
            )


def test_a_false_reason_has_a_reply_and_the_true_one_has_none() -> None:
    for language, chapter in product(("en", "zh"), CHAPTERS):
        said = messages(language)
        for name, true in chapter.text.reasons.items():
            task = f"exercise.reason.{chapter.name}.{name}"
            replied = [at for at in range(CHOICES) if f"{task}.reply.{at}" in said]
            assert replied == [at for at in range(CHOICES) if at != true], task


def test_a_model_answer_is_a_sentence_in_both_languages() -> None:
    for language, chapter in product(("en", "zh"), CHAPTERS):
        for seed in range(len(chapter.text.own_words)):
            exercise = own_words(chapter.name, seed)
            assert messages(language)[exercise.prompt]
            model = messages(language)[str(exercise.answer)]
            assert model.endswith("." if language == "en" else "。")
