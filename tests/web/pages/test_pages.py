"""The pages: in two languages, with no inline code, and every file they name is there to stay."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from attnscope.trace.question import Question
from attnscope.trace.stages import NAMES, PARAMETERS
from attnscope.web.serializers.selection import JSON_BYTES
from tests.web.client import CHINESE, problem_of

PAGES = ["/", "/compare", "/models", "/models/echo", "/api"]
IMMUTABLE = "public, max-age=31536000, immutable"
ROOT = Path(__file__).resolve().parents[3]


class Page(HTMLParser):
    """Every tag with its attributes, and the text of every script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.scripts[-1] += data

    @property
    def addresses(self) -> list[str]:
        found = [given.get(name) for _, given in self.tags for name in ("src", "href", "action")]
        return [address for address in found if address]


def test_a_page_speaks_the_readers_language(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = [
        ("", "", "en"),
        ("", "zh-CN,zh;q=0.9", "zh"),
        ("?lang=zh", "en", "zh"),
        ("?lang=en", "zh", "en"),
    ]
    for (query, accept, language), path in product(cases, PAGES):
        with subtests.test(query, accept=accept, path=path):
            response = client.get(f"{path}{query}", headers={"Accept-Language": accept})
            assert response.status_code == 200
            assert response.headers["content-type"] == "text/html; charset=utf-8"
            assert response.headers["content-language"] == language
            assert "Accept-Language" in response.headers["vary"]
            (html,) = [given for tag, given in Page(response.text).tags if tag == "html"]
            assert html["lang"] == {"en": "en", "zh": "zh-CN"}[language]
            title = re.search(r"<title>(.+?)</title>", response.text)
            assert title is not None
            assert bool(CHINESE.search(title[1])) == (language == "zh")


def test_a_page_has_no_inline_code(client: TestClient, subtests: pytest.Subtests) -> None:
    for language, path in product(("en", "zh"), PAGES):
        with subtests.test(language, path=path):
            page = Page(client.get(path, params={"lang": language}).text)
            scripts = [given for tag, given in page.tags if tag == "script"]
            assert scripts
            for given, text in zip(scripts, page.scripts, strict=True):
                assert given.get("src") or given["type"] == "application/json"
                assert bool(text.strip()) == (given.get("type") == "application/json")
            for tag, given in page.tags:
                assert tag != "style"
                assert not [name for name in given if name == "style" or name.startswith("on")]
            assert not [
                one for one in page.addresses if one.startswith(("http", "//", "javascript:"))
            ]


def test_every_file_a_page_names_is_there_for_ever(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path in PAGES:
        with subtests.test(path):
            version = client.app.state.site.static.version  # type: ignore[attr-defined]
            files = [
                one for one in Page(client.get(path).text).addresses if one.startswith("/static/")
            ]
            assert files
            for address in files:
                assert address.startswith(f"/static/{version}/")
                response = client.get(address)
                assert response.status_code == 200, address
                assert response.headers["cache-control"] == IMMUTABLE
                assert response.headers["x-content-type-options"] == "nosniff"


def test_the_page_knows_the_stages_the_colours_and_the_default_question(
    client: TestClient,
) -> None:
    page = Page(client.get("/").text)
    data = json.loads(next(text for text in page.scripts if text.strip()))
    assert [stage["name"] for stage in data["stages"]] == list(NAMES)
    assert [row["name"] for row in data["parameters"]] == [one.name for one in PARAMETERS]
    assert all(stage["mathml"].startswith("<math") for stage in data["stages"])
    for theme in data["colors"].values():
        for table in theme.values():
            assert re.fullmatch(r"[0-9a-f]{1536}", table)
    assert data["limits"]["max_tokens"] == client.app.state.settings.max_tokens  # type: ignore[attr-defined]
    assert set(data["choices"]["positions"]) == {"none", "sinusoidal", "learned", "rotary", "alibi"}
    question = data["defaults"]
    assert set(question) == set(Question.model_fields)
    assert client.post("/api/v1/attention", json=question).status_code == 200


def test_the_page_knows_the_fields_of_every_model_and_of_a_request(client: TestClient) -> None:
    page = Page(client.get("/").text)
    data = json.loads(next(text for text in page.scripts if text.strip()))
    assert data["models"]["seeded"] | {"source": "seeded"} == data["defaults"]["model"]
    assert data["models"]["explicit"]["w_o"] is None
    assert data["models"]["crafted"] == {"name": None}
    assert data["models"]["uploaded"] == {"id": None}
    assert data["parts"] == ["stages", "layers", "heads", "parameters"]


def test_explore_is_sent_no_sentence_of_other_pages(client: TestClient) -> None:
    data = json.loads(next(text for text in Page(client.get("/").text).scripts if text.strip()))
    others = ("models.", "practice.", "worksheet.")
    assert data["messages"]
    assert [key for key in data["messages"] if key.startswith(others)] == []


def test_the_limits_of_the_page_are_those_of_the_server(client: TestClient) -> None:
    page = Page(client.get("/").text)
    limits = json.loads(next(text for text in page.scripts if text.strip()))["limits"]
    seeded = {"num_heads": "heads", "d_model": "d_model", "num_layers": "layers", "seed": "seed"}
    for field, limit in seeded.items():
        for value in (limits[f"max_{limit}"], limits[f"max_{limit}"] + 1):
            model = {"source": "seeded", field: value}
            assert (value > limits[f"max_{limit}"]) == is_refused({"text": "a", "model": model})
    for count in (limits["max_blocked"], limits["max_blocked"] + 1):
        blocked = [[0, 0]] * count
        assert (count > limits["max_blocked"]) == is_refused({"text": "a", "blocked": blocked})
    for over, status in ((0, 200), (1, 413)):
        keys = limits["max_laboratory_keys"] + over
        assert client.get(f"/api/v1/laboratory/scaling?n={keys}").status_code == status
        body = {"tokens": ["a"] * (limits["max_jacobian_keys"] + over)}
        trace = client.post("/api/v1/traces", json=body).json()["trace"]
        assert client.get(f"/api/v1/traces/{trace}/jacobian?row=0").status_code == status
    body_bytes = client.app.state.settings.max_body_mb << 20  # type: ignore[attr-defined]
    assert limits["max_body_numbers"] == body_bytes // JSON_BYTES


def is_refused(body: dict[str, object]) -> bool:
    try:
        Question.model_validate(body)
    except ValidationError:
        return True
    return False


def test_a_diverging_colour_map_has_its_quietest_colour_in_the_middle(client: TestClient) -> None:
    page = Page(client.get("/").text)
    colors = json.loads(next(text for text in page.scripts if text.strip()))["colors"]
    for theme, towards in (("light", max), ("dark", min)):
        rgb = np.frombuffer(bytes.fromhex(colors[theme]["diverging"]), np.uint8).reshape(256, 3)
        brightness = rgb.astype(float).sum(axis=1).tolist()
        assert abs(brightness.index(towards(brightness)) - 127.5) < 24


def luminance(rgb: str) -> float:
    """Relative luminance as WCAG defines it, of RRGGBB."""
    parts = np.array(list(bytes.fromhex(rgb))) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_what_is_nearly_nothing_is_no_hole_in_the_dark(client: TestClient) -> None:
    page = Page(client.get("/").text)
    tables = json.loads(next(text for text in page.scripts if text.strip()))["colors"]["dark"]
    sheet = (ROOT / "static/css/base.css").read_text(encoding="utf-8")
    dark = sheet.partition('[data-theme="dark"] {')[2]
    for use, table in tables.items():
        least = min(luminance(table[at : at + 6]) for at in range(0, len(table), 6))
        for name in ("paper", "surface", "sunken"):  # the page, a card, a masked cell
            found = re.search(rf"--{name}: #(\w+);", dark)
            assert found
            assert (least + 0.05) / (luminance(found[1]) + 0.05) >= 1.4, (use, name)


def test_the_arrows_between_the_cards_are_seen_in_both_themes() -> None:
    sheets = ROOT / "static/css"
    arrows = (sheets / "stages-arrows.css").read_text(encoding="utf-8")
    assert re.findall(r"background: var\(--(\w+)\)", arrows) == ["muted"]
    themes = (sheets / "base.css").read_text(encoding="utf-8").partition('[data-theme="dark"] {')
    for theme in (themes[0], themes[2]):
        found = [re.search(rf"--{name}: #(\w+);", theme) for name in ("paper", "muted")]
        low, high = sorted(luminance(each[1]) for each in found if each)
        assert (high + 0.05) / (low + 0.05) >= 3


def test_no_sentence_of_a_page_is_missing() -> None:
    keys = {
        key
        for path in (ROOT / "templates").glob("*.html")
        for key in re.findall(r"\bt\('([\w.]+)'[,)]", path.read_text(encoding="utf-8"))
    }
    assert keys
    for language in ("en", "zh"):
        known: set[str] = set()
        for path in (ROOT / "static/locales" / language).glob("*.json"):
            known |= json.loads(path.read_text(encoding="utf-8")).keys()
        assert keys <= known


def test_a_person_who_is_lost_gets_a_page_and_a_program_a_problem(client: TestClient) -> None:
    path = "/<img src=x onerror=alert(1)>"
    for language, home in (("en", "en"), ("zh", "zh-CN")):
        headers = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": language}
        response = client.get(path, headers=headers)
        assert response.status_code == 404
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert f'lang="{home}"' in response.text
        assert "<img" not in response.text
        problem_of(client.get(f"/api/v1{path}", headers=headers), 404, "not_found", language)
    problem_of(client.get(path), 404, "not_found")


@pytest.mark.parametrize("path", ["/?lang=%22%3E%3Cscript%3Ex", "/?text=%3C/script%3E%3Cscript%3E"])
def test_nothing_of_the_address_becomes_code(client: TestClient, path: str) -> None:
    page = Page(client.get(path).text)
    assert len(page.scripts) == len(Page(client.get("/").text).scripts)


def test_a_page_that_a_browser_has_is_not_sent_again(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path in [*PAGES, "/learn", "/learn/scores", "/embed"]:
        with subtests.test(path):
            page = client.get(path)
            assert re.fullmatch(r'W/"[0-9a-f]{32}"', page.headers["etag"])
            assert page.headers["cache-control"] == "no-cache"
            assert page.headers["vary"] == "Accept-Language, Accept-Encoding"
            held = {"If-None-Match": page.headers["etag"]}
            unchanged = client.get(path, headers=held)
            assert (unchanged.status_code, unchanged.content) == (304, b"")
            for name in (
                "etag",
                "vary",
                "cache-control",
                "content-language",
                "content-security-policy",
            ):
                assert unchanged.headers[name] == page.headers[name], name
            for other in ({"Accept-Language": "zh"}, {"If-None-Match": 'W/"other"'}):
                assert client.get(path, headers=held | other).status_code == 200


def test_a_page_that_is_not_there_has_no_tag(client: TestClient) -> None:
    missing = client.get("/learn/nothing", headers={"If-None-Match": "*", "Accept": "text/html"})
    assert missing.status_code == 404
    assert "etag" not in missing.headers
