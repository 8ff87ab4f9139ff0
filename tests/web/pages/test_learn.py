"""The course's pages: contents, chapters, worksheets; in both languages."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.parts import Measured, Prose
from attnscope.web.http.admission import Queue
from attnscope.web.pages.learn import cached
from tests.shapes import unchecked as unchecked
from tests.web.client import CHINESE, serving_app

NAMES = [chapter.name for chapter in CHAPTERS]


def test_the_contents_lead_to_every_chapter(client: TestClient) -> None:
    page = client.get("/learn").text
    assert all(f'href="/learn/{name}"' in page for name in NAMES)


def test_a_chapter_is_in_the_readers_language(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for name, language in product(NAMES, ("en", "zh")):
        with subtests.test(name, language=language):
            response = client.get(f"/learn/{name}", params={"lang": language})
            assert response.status_code == 200
            article = response.text.split("<article", 1)[1]
            assert bool(CHINESE.search(article)) == (language == "zh")
            assert "learn." not in article
            assert "examples." not in article


def test_a_chapter_begins_with_its_goals_and_ends_in_short(client: TestClient) -> None:
    page = client.get("/learn/scaling").text
    goals, rest = page.split('class="goals"')[1].split("</section>", 1)
    assert goals.count("<li>") == 2
    assert "about 25 minutes" in goals
    assert 'href="/learn/scores"' in goals
    assert rest.split('class="short"')[1].split("</section>")[0].count("<li>") == 3
    assert "9. Why divide by" in page


def test_errata_are_reached_from_the_contents_and_from_chapters(client: TestClient) -> None:
    assert 'href="/learn/errata"' in client.get("/learn").text
    said = {
        "en": ("is about 0.4, 0.3, 0.3", "0.54, 0.22, 0.24"),
        "zh": ("约为 0.4、0.3、0.3", "0.54、0.22、0.24"),
    }
    for language, (printed, computed) in said.items():
        page = client.get(f"/learn/errata?lang={language}").text
        assert printed in page
        assert computed in page
        assert f'href="/learn/scaling?lang={language}"' in page
    chapter = client.get("/learn/scaling").text
    assert 'href="/learn/errata#smooth"' in chapter
    assert "<summary>softmax(1.0, 0.1, 0.2) is about 0.4, 0.3, 0.3.</summary>" in chapter
    assert 'id="smooth"' in page


def test_numbers_of_a_chinese_sentence_are_listed_by_chinese_commas(client: TestClient) -> None:
    decoder = client.get("/learn/both_ways?lang=zh").text
    assert "0.15、0.29、0.24、0.32" in decoder
    assert "(2, 0)" in client.get("/learn/two_products?lang=zh").text


def test_the_course_is_searched_and_its_terms_are_listed(client: TestClient) -> None:
    found = client.get("/learn?q=kv+cache").text.split('class="found"')[1].split("</section>")[0]
    assert found.index("/learn/decoding") < found.index("/learn/both_ways")
    assert "No chapter has all of these words" in client.get("/learn?q=zzzz").text
    assert "&lt;script&gt;" in client.get("/learn?q=<script>").text
    long = client.get(f"/learn?q={'x' * 10_000}")
    assert long.status_code == 422
    assert "at most 100 characters" in long.json()["detail"]
    for language, term, other in (("en", "softmax", "查询，Q"), ("zh", "查询，Q", "query, Q")):
        page = client.get(f"/learn/terms?lang={language}").text
        assert term in page
        assert other in page
        assert f'href="/learn/softmax?lang={language}"' in page


def test_what_a_chapter_measures_is_measured_once() -> None:
    for part in BY_NAME["scores"].parts:
        if isinstance(part, Measured):
            assert cached(part.rows) is cached(part.rows)
            assert cached(part.rows) == part.rows()
        if isinstance(part, Prose):
            assert cached(part.values) == part.values()


def test_chapters_follow_each_other(client: TestClient) -> None:
    for before, after in pairwise(NAMES):
        assert f'rel="next" href="/learn/{after}"' in client.get(f"/learn/{before}").text
        assert f'rel="prev" href="/learn/{before}"' in client.get(f"/learn/{after}").text


def test_a_worksheet_is_printed_on_upright_numbered_pages(client: TestClient) -> None:
    page = client.get("/learn/scores/worksheet").text
    assert 'class="name-line"' in page
    (sheet,) = re.findall(r'href="(\S+/print\.css)"', page)
    every, named = re.split(r"@page sheet", client.get(sheet).text)
    assert "landscape" in every  # before it: Chromium takes the later rule
    assert "portrait" in named
    assert "counter(page)" in named


def test_a_worksheet_has_tasks_and_a_key_of_its_seed(client: TestClient) -> None:
    sheets = [client.get(f"/learn/scores/worksheet?seed={seed}").text for seed in (1, 1, 2)]
    assert sheets[0] == sheets[1] != sheets[2]
    tasks, key = sheets[0].split('class="key"')
    assert tasks.count("<li>") == key.count("<li>") > 1


def test_many_sheets_and_lines_of_a_program_wait_for_a_slot(tmp_path: Path) -> None:
    line = {"stage": "scores", "line": "0"}
    with serving_app(tmp_path / "data") as one:
        queues = one.app.state.admission.queues  # type: ignore[attr-defined]
        queues["large"] = Queue(0, 0)
        assert one.get("/learn/scores/worksheet?sheets=2").status_code == 503
        assert one.get("/learn/scores/worksheet").status_code == 200
        queues["small"] = Queue(0, 0)
        assert one.post("/api/v1/learn/lines", json=line).status_code == 503


def test_forty_sheets_come_at_once_with_their_answers_last(client: TestClient) -> None:
    page = client.get("/learn/scores/worksheet?seed=3&sheets=40").text
    papers, key = page.split('class="key"')
    assert papers.count('class="paper"') == 40
    assert papers.count("<li>") == key.count("<li>")
    assert "sheet 42" in key
    assert 'class="worksheet"' in page
    without = client.get("/learn/scores/worksheet?key=false").text
    assert 'class="key"' not in without
    assert 'class="worksheet projected"' in without
    assert 'class="squares"' in page
    last = client.get("/learn/scores/worksheet?seed=999999999&sheets=2").text
    assert [int(seed) for seed in re.findall(r"sheet (\d+)", last)] == [999999999, 0] * 2


def test_what_is_not_there_is_said(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = {"/learn/nothing": 404, "/learn/nothing/worksheet": 404,
             "/learn/scores/worksheet?seed=-1": 422,
             "/learn/scores/worksheet?seed=x": 422,
             "/learn/scores/worksheet?seed=1000000000": 422,
             "/learn/scores/worksheet?sheets=41": 422}  # fmt: skip
    for path, status in cases.items():
        with subtests.test(path):
            assert client.get(path).status_code == status


def test_stages_are_named_in_the_readers_language(client: TestClient) -> None:
    for language, captions in (("en", "weights · v"), ("zh", "权重 · v")):
        assert (
            f'<th scope="row">{captions}</th>' in client.get(f"/learn/costs?lang={language}").text
        )


def test_no_space_follows_a_chinese_full_stop(client: TestClient) -> None:
    assert "<b>Your sentence.</b> " in client.get("/learn/costs?lang=en").text
    page = client.get("/learn/costs?lang=zh").text
    assert "<b>您的句子。</b>" in page
    assert "<b>您的句子。</b> " not in page
