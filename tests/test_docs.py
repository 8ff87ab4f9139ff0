"""The documents tell what there is: every setting, endpoint, error code and stage."""

from __future__ import annotations

import re
from pathlib import Path

from attnscope import errors
from attnscope.learn import BY_NAME
from attnscope.settings import Settings
from attnscope.web.http import problems
from tests.web.client import openapi_document

ROOT = Path(__file__).resolve().parent.parent
TOP = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")]
DOCUMENTS = [*TOP, *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(?:#[^)]*)?\)")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def endpoints() -> list[str]:
    return [
        f"{method.upper()} {path}"
        for path, methods in openapi_document()["paths"].items()
        for method in methods
    ]


def statuses() -> list[tuple[str, int]]:
    """Each code with each of its statuses, over the whole tree of errors."""
    kinds: list[type[errors.AttnscopeError]] = [errors.AttnscopeError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    sent = [kind for kind in kinds if problems.STATUS.keys() & set(kind.__mro__)]
    return sorted({(kind.code, problems.status_of(kind("reason"))) for kind in sent})


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = [line for line in text("docs/operations.md").splitlines() if line.startswith("| `ATT")]
    cells = [[cell.strip().strip("`") for cell in row.split("|")] for row in rows]
    shown = [(setting, default.replace(",", "")) for _, setting, default, *_ in cells]
    fields = Settings.model_fields.items()
    wanted = [(f"ATTNSCOPE_{n.upper()}", str(field.get_default() or "none")) for n, field in fields]
    assert sorted(shown) == sorted(wanted)


def test_no_setting_is_named_that_is_not_there() -> None:
    known = {f"ATTNSCOPE_{name.upper()}" for name in Settings.model_fields}
    for path in DOCUMENTS:
        assert set(re.findall(r"ATTNSCOPE_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))) <= known


def test_every_endpoint_is_in_the_table() -> None:
    table = text("docs/api.md")
    assert [each for each in endpoints() if f"`{each}`" not in table] == []


def test_no_endpoint_is_named_that_is_not_there() -> None:
    routes = re.findall(r"`((?:GET|POST|DELETE|PUT|PATCH) /[^`\s]*)`", text("docs/api.md"))
    assert set(routes) <= set(endpoints())


def test_every_error_code_is_in_the_table_with_its_status() -> None:
    rows = [line.split("|") for line in text("docs/api.md").splitlines() if line.startswith("|")]
    missing = [
        (code, status)
        for code, status in statuses()
        if not any(f"`{code}`" in row[2] and str(status) in row[1] for row in rows)
    ]
    assert missing == []


def test_every_link_between_documents_leads_somewhere() -> None:
    links = [(path, link) for path in DOCUMENTS for link in LINK.findall(path.read_text("utf-8"))]
    assert [(path.name, link) for path, link in links if not (path.parent / link).exists()] == []


def test_every_test_that_a_document_names_is_there() -> None:
    named = [
        (path.name, name)
        for path in DOCUMENTS
        for name in re.findall(r"\btests/[\w/.*-]*\w", path.read_text("utf-8"))
    ]
    assert len(named) > 60
    missing = [f"{document} names {name}" for document, name in named if not any(ROOT.glob(name))]
    assert not missing


def test_every_topic_has_a_chapter_and_an_endpoint_that_are_there() -> None:
    topics = text("docs/mathematics.md").partition("## Topics")[2]
    rows = [row.split("|")[1:4] for row in topics.splitlines()[8:] if "**" not in row]
    assert len(rows) > 25
    paths = {endpoint.partition(" ")[2] for endpoint in endpoints()}
    for topic, page, endpoint in rows:
        named = re.findall(r"`(?:GET|POST) ([^`]+)`", endpoint)
        assert named, topic
        assert set(named) <= paths, topic
        assert set(re.findall(r"/learn/(\w+)", page)) <= BY_NAME.keys(), topic
    assert set(re.findall(r"`/learn/(\w+)", topics)) == BY_NAME.keys()


def test_every_promise_of_safety_names_a_test_that_is_there() -> None:
    rows = [line.split("|")[1:3] for line in text("SECURITY.md").splitlines() if line[:2] == "| "]
    promises = [(promise, held) for promise, held in rows if "---" not in promise][1:]
    assert len(promises) > 10
    for promise, held in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)`", held)
        assert named or held.strip() == "held by", promise
        assert all((ROOT / name).is_file() for name in named), promise
