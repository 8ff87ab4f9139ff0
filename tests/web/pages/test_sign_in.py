"""With keys set, a person gives one once and uses the pages; nobody else does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.addresses import client_of
from attnscope.web.http.authentication import COOKIE
from attnscope.web.pages.sign_in import local
from tests.web.client import ATTENTION, CHINESE, problem_of
from tests.web.conftest import MakeClient
from tests.web.http.asking import asked

KEY = "swordfish-and-möre"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PAGES = ["/", "/compare", "/learn", "/learn/scores", "/learn/scores/worksheet", "/embed", "/api"]
PAGES += ["/models", "/models/echo"]
OPEN = ["/healthz", "/readyz", "/api/openapi.json", "/sign-in"]


@pytest.fixture
def locked(make_client: MakeClient) -> TestClient:
    client = make_client(api_keys=["another", KEY])
    client.follow_redirects = False
    return client


def enter(client: TestClient, key: str = KEY, to: str = "/", **headers: str) -> Any:
    return client.post(
        "/sign-in", params={"next": to}, data={"key": key}, headers=BROWSER | headers
    )


def test_a_page_leads_to_the_form_and_back(locked: TestClient, subtests: pytest.Subtests) -> None:
    for path in PAGES:
        with subtests.test(path):
            locked.cookies.clear()
            address = f"{path}?lang=zh"
            asked_for = locked.get(address, headers=BROWSER)
            assert asked_for.status_code == 303
            assert asked_for.headers["cache-control"] == "no-store"
            form = asked_for.headers["location"]
            assert urlsplit(form).path == "/sign-in"
            assert parse_qs(urlsplit(form).query) == {"next": [address], "lang": ["zh"]}
            shown = locked.get(form, headers=BROWSER)
            assert shown.status_code == 200
            assert 'lang="zh-CN"' in shown.text
            entered = locked.post(form, data={"key": KEY}, headers=BROWSER)
            assert (entered.status_code, entered.headers["location"]) == (303, address)
            assert locked.get(address, headers=BROWSER).status_code == 200
            assert locked.head(address, headers=BROWSER).status_code == 200


def test_what_is_no_page_wants_the_key_from_everybody(locked: TestClient) -> None:
    for path in ("/api/v1/examples", f"{ATTENTION}", "/api/v1/laboratory/scaling", "/api/v1"):
        problem_of(locked.get(path, headers=BROWSER), 401, "missing_key")
    for path in (*PAGES, "/metrics", "/nothing"):
        problem_of(locked.get(path), 401, "missing_key")
    assert locked.get("/metrics", headers={"X-API-Key": "another"}).status_code == 200
    refused = locked.post("/nothing", headers=BROWSER)
    assert refused.status_code == 401


def test_no_secret_stands_in_a_reply_that_is_compressed(
    locked: TestClient, subtests: pytest.Subtests
) -> None:
    """Beside a text that somebody sends, the length of a compressed reply would tell it."""
    enter(locked)
    session = locked.cookies[COOKIE]
    for path in [*PAGES, "/sign-in", "/metrics", "/api/v1/examples"]:
        with subtests.test(path):
            reply = locked.get(
                f"{path}?text={session[:9]}", headers=BROWSER | {"Accept-Encoding": "gzip"}
            )
            assert session[:12] not in reply.text
            assert KEY[:9] not in reply.text


def test_what_reveals_nothing_is_open(locked: TestClient, subtests: pytest.Subtests) -> None:
    for path in OPEN:
        with subtests.test(path):
            assert locked.get(path).status_code == 200
            assert locked.get(path, headers={"X-API-Key": "wrong"}).status_code == 200


def test_styles_scripts_and_problems_are_open(locked: TestClient) -> None:
    page = locked.get("/sign-in").text
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(files) >= 4
    assert {locked.get(path).status_code for path in files} == {200}
    assert locked.get("/problems/missing_key").status_code == 307
    assert locked.get("/favicon.ico").status_code == 404


def test_a_session_is_as_good_as_a_key(locked: TestClient) -> None:
    enter(locked)
    assert locked.post(ATTENTION, json={"text": "a"}).status_code == 200
    assert locked.get("/api/v1/examples").status_code == 200
    assert locked.get("/metrics").status_code == 200
    problem_of(locked.get("/api/v1/examples", headers={"X-API-Key": "wrong"}), 401, "wrong_key")


def test_a_session_is_a_client_of_its_own(locked: TestClient) -> None:
    named = []
    for _ in range(2):
        locked.cookies.clear()
        enter(locked)
        headers = [("Host", "localhost"), ("Cookie", f"{COOKIE}={locked.cookies[COOKIE]}")]
        named.append(client_of(asked(locked.app, "/api/v1/examples", headers).scope))
    headers = [("Host", "localhost"), ("X-API-Key", KEY.encode().decode("latin-1"))]
    named.append(client_of(asked(locked.app, "/api/v1/examples", headers).scope))
    assert len(set(named)) == 3


def test_the_cookie_is_for_this_server_and_no_script(locked: TestClient) -> None:
    given = enter(locked).headers["set-cookie"]
    name, _, rest = given.partition("=")
    token, *told_of_it = [part.strip() for part in rest.split(";")]
    assert name == COOKIE
    assert re.fullmatch(r"[\w.-]+", token)
    assert {part.lower() for part in told_of_it} == {
        "httponly", "samesite=lax", "path=/", "max-age=43200"
    }  # fmt: skip
    assert "fish" not in given


def test_over_https_the_cookie_is_secure(make_client: MakeClient) -> None:
    client = make_client(api_keys=[KEY], session_hours=1, trusted_proxies=["10.0.0.1"])
    headers = [("Host", "localhost"), ("X-Forwarded-Proto", "https"),
               ("Content-Type", "application/x-www-form-urlencoded")]  # fmt: skip
    body = b"key=swordfish-and-m%C3%B6re"
    for peer, secure in (("10.0.0.1", True), ("10.0.0.2", False)):
        scope = {"method": "POST", "client": (peer, 1)}
        reply = asked(client.app, "/sign-in", headers, body, **scope)
        assert reply.status == 303
        assert ("Secure" in reply.headers["set-cookie"]) == secure
        assert "Max-Age=3600" in reply.headers["set-cookie"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_wrong_key_is_refused_on_the_form(locked: TestClient, language: str) -> None:
    for key in ("wrong", "", "  ", "\x00", "猫", "k" * 10_000):
        response = enter(locked, key, "/compare", **{"Accept-Language": language})
        assert response.status_code == 401
        assert "set-cookie" not in response.headers
        assert response.headers["cache-control"] == "no-store"
        (sentence,) = re.findall(r'<p id="wrong"[^>]*role="alert">([^<]+)</p>', response.text)
        assert bool(CHINESE.search(sentence)) == (language == "zh")
        assert 'aria-describedby="wrong"' in response.text
    problem_of(locked.post("/sign-in", data={"key": "wrong"}), 401, "wrong_key")
    problem_of(locked.post("/sign-in", data={}), 401, "missing_key")


def test_wrong_keys_on_the_form_count_like_any(locked: TestClient) -> None:
    for guess in range(20):
        if guess % 2:
            assert enter(locked, "wrong").status_code == 401
        else:
            headers = {"X-API-Key": "wrong"}
            assert locked.get("/api/v1/examples", headers=headers).status_code == 401
    response = enter(locked)
    assert response.status_code == 429
    assert int(response.headers["retry-after"]) >= 1
    assert 'role="alert"' in response.text
    problem_of(
        locked.get("/api/v1/examples", headers={"X-API-Key": "another"}), 429, "rate_limited"
    )


def test_who_has_signed_in_goes_on_while_others_guess(locked: TestClient) -> None:
    enter(locked)
    for _ in range(21):
        locked.get("/api/v1/examples", headers={"X-API-Key": "wrong"})
    assert locked.get("/api/v1/examples").status_code == 200


def test_signing_out_ends_it(locked: TestClient) -> None:
    enter(locked)
    page = locked.get("/", headers=BROWSER)
    assert 'action="/sign-out"' in page.text
    assert page.headers["referrer-policy"] == "same-origin"
    left = locked.post("/sign-out", headers=BROWSER)
    assert (left.status_code, left.headers["location"]) == (303, "/sign-in")
    assert "Max-Age=0" in left.headers["set-cookie"]
    assert COOKIE not in locked.cookies
    assert locked.get("/", headers=BROWSER).status_code == 303
    problem_of(locked.get("/sign-out"), 405, "method_not_allowed")


def test_nobody_is_signed_in_or_out_from_elsewhere(locked: TestClient) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert enter(locked, **headers).status_code == 403
        assert locked.post("/sign-out", headers=headers).status_code == 403


def test_the_form_stands_in_no_frame_and_says_where_it_comes_from(locked: TestClient) -> None:
    for response in (locked.get("/sign-in"), enter(locked, "wrong")):
        policy = response.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "form-action 'self'" in policy
        assert response.headers["referrer-policy"] == "same-origin"


def test_only_a_path_of_ours_is_gone_on_to(locked: TestClient, subtests: pytest.Subtests) -> None:
    cases = [
        "//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "evil", "",
        "javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "/\r\nSet-Cookie: a=b",
        " /a", "/a\x00", "/a b", "///evil.example", "/a\\b", "\x0b/a", "http:/a", "?a", "#a",
    ]  # fmt: skip
    for address in cases:
        with subtests.test(address):
            assert local(address) == "/"
            assert enter(locked, to=address).headers["location"] == "/"
            assert locked.get("/sign-in", params={"next": address}).headers["location"] == "/"


def test_a_path_of_ours_is_gone_on_to(locked: TestClient, subtests: pytest.Subtests) -> None:
    cases = ["/", "/compare?text=a%20b&x=//y#z", "/learn/scores", "/a:b@c"]
    for address in cases:
        with subtests.test(address):
            assert enter(locked, to=address).headers["location"] == address


def test_an_address_too_long_to_keep_is_kept_in_part(locked: TestClient) -> None:
    led = locked.get("/compare?text=" + "a" * 9_000, headers=BROWSER).headers["location"]
    assert led == "/sign-in?next=%2Fcompare"
    led = locked.get("/" + "a" * 9_000, headers=BROWSER).headers["location"]
    assert len(led) < 8_100
    led = locked.get("//evil.example/", headers=BROWSER).headers["location"]
    assert locked.post(led, data={"key": KEY}).headers["location"] == "/"


def test_without_keys_nothing_is_asked(make_client: MakeClient, data: Path) -> None:
    client = make_client()
    client.follow_redirects = False
    for response in (client.get("/sign-in?next=/compare"), enter(client, to="/compare")):
        assert (response.status_code, response.headers["location"]) == (303, "/compare")
        assert "set-cookie" not in response.headers
    page = client.get("/", headers={"Cookie": f"{COOKIE}=a.b.c.d"})
    assert page.status_code == 200
    assert "/sign-out" not in page.text
    assert client.get("/metrics").status_code == 200
    assert not (data / ".sessions").exists()


def test_a_form_that_is_none_or_too_large_is_refused(locked: TestClient) -> None:
    form, json = "application/x-www-form-urlencoded", "application/json"
    bodies = [(b"\xff\xfe=%ff&&&;=", form), (b"&" * 16_000, form), (b'{"key": "x"}', json),
              (b"--b\r\n\r\n", "multipart/form-data")]  # fmt: skip
    for content, media in bodies:
        headers = {"Content-Type": media}
        assert locked.post("/sign-in", content=content, headers=headers).status_code == 401
    response = locked.post("/sign-in", content=b"key=" + b"a" * 17_000)
    problem_of(response, 413, "body_too_large")


def test_a_secret_that_cannot_be_kept_is_reported(make_client: MakeClient, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    client = make_client(blocked, api_keys=[KEY])
    problem_of(client.post("/sign-in", data={"key": KEY}), 507, "storage_full")


def test_the_document_says_how_to_come_in(locked: TestClient, client: TestClient) -> None:
    document = locked.get("/api/openapi.json").json()
    ways = document["components"]["securitySchemes"]
    assert {next(iter(way)) for way in document["security"]} == ways.keys()
    assert ways["session"]["name"] == COOKIE
    assert document["paths"]["/healthz"]["get"]["security"] == []
    assert "security" not in document["paths"]["/metrics"]["get"]
    assert "security" not in client.get("/api/openapi.json").json()
