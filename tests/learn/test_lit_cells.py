"""Words of the text that light a cell: there is such a cell in a figure of the chapter."""

from __future__ import annotations

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.chapter import Chapter
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Prose
from attnscope.web.pages.learn import describe_part
from attnscope.web.pages.passages import CELL, passages, typeset_with_cells
from attnscope.web.serializers.request import DEFAULT_TEXT
from tests.test_repo import messages


def cells_of(chapter: Chapter, language: str) -> list[tuple[str, int, int]]:
    keys = [part.key for part in chapter.parts if isinstance(part, Prose)]
    texts = "".join(messages(language)[f"learn.{chapter.name}.{key}"] for key in keys)
    return [(name, int(row), int(col)) for name, row, col, _ in CELL.findall(texts)]


def test_text_lights_cells_where_maps_are_introduced() -> None:
    for name in ("scores", "masks", "softmax", "weighted_sum"):
        assert len(cells_of(BY_NAME[name], "en")) >= 4


def test_every_lit_cell_is_in_a_figure_in_both_languages(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            english, chinese = (cells_of(chapter, language) for language in ("en", "zh"))
            # The nouns of the two languages' sentences stand in other columns.
            places = 2 if chapter.name == "training_step" else 3
            assert sorted(cell[:places] for cell in english) == sorted(
                cell[:places] for cell in chinese
            )
            for name, row, col in {*english, *chinese}:
                figures = [figure for figure in chapter.figures if name in figure.stages]
                texts = [{"text": DEFAULT_TEXT} if figure.own else {} for figure in figures]
                bodies = [
                    {**text, **figure.question} for text, figure in zip(texts, figures, strict=True)
                ]
                shapes = [stage(body, name).shape for body in bodies]
                assert any(row < shape[-2] and col < shape[-1] for shape in shapes), name


def test_words_become_a_button_and_all_else_is_text() -> None:
    words = '<button type="button" class="speaks" data-cell="scores,3,1">a &amp; b</button>'
    assert (
        typeset_with_cells("c < d [[cell:scores,3,1|a & b]] [[cell:x]]")
        == f"c &lt; d {words} [[cell:x]]"
    )


def test_a_passage_is_a_figure_of_cards_and_the_text_after_it() -> None:
    cards, tab = ({"kind": "figure", "cards": cards} for cards in (True, False))
    prose, table = {"kind": "prose"}, {"kind": "table"}
    apart = {"kind": "prose", "apart": True}
    assert passages([prose, cards, prose, table, prose, tab, prose]) == [
        {"figure": None, "parts": [prose]},
        {"figure": cards, "parts": [prose]},
        {"figure": None, "parts": [table, prose, tab, prose]},
    ]
    assert passages([cards, prose, apart, prose, table]) == [
        {"figure": cards, "parts": [prose]},
        {"figure": None, "parts": [apart, prose, table]},
    ]


def test_what_costs_beside_a_figure_is_about_it() -> None:
    found = passages(describe_part(part, "en") for part in BY_NAME["costs"].parts)
    beside = [(each["figure"]["name"], [part.get("key") for part in each["parts"]])
              for each in found if each["figure"] and each["parts"]]  # fmt: skip
    assert beside == [("maps", ["opening"])]
