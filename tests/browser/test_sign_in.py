"""The doors as a browser meets them, under a name on plain http: there it leaves Sec-Fetch-Site
out, so Origin alone says who asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Frame, expect

from tests.browser.checks import StatePage
from tests.browser.conftest import DESK
from tests.browser.hands import PATIENCE, Explore, box, fits
from tests.serving import PRELOADED, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KEY = "swordfish"
FOREIGN_PAGE = """<!doctype html><title>evil</title>
<iframe src="{lab}/sign-in"></iframe>
<img src="{lab}/api/v1/laboratory/scaling">
<form method="post" enctype="multipart/form-data" action="{lab}/api/v1/models">
<input name="num_heads" value="1"><button>Win a prize</button></form>"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a key and a name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNSCOPE_API_KEYS", KEY)
        patch.setenv("ATTNSCOPE_ALLOWED_HOSTS", "lab.example")
        with serving(PRELOADED, tmp_path_factory.mktemp("lab")) as url:
            yield f"http://lab.example:{url.rpartition(':')[2]}"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-US", viewport=DESK)
    context.set_default_timeout(PATIENCE * 1000)
    yield context.new_page()
    context.close()


@pytest.fixture
def evil(lab: str) -> Iterator[str]:
    """The address of a page of another site, on the same machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FOREIGN_PAGE.format(lab=lab).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://evil.example:{server.server_port}/"
        server.shutdown()


def sign_in(page: Page, key: str = KEY) -> None:
    """By the keyboard alone: the field has the focus."""
    expect(page.get_by_label(re.compile("^(Key|密钥)$"))).to_be_focused()
    page.keyboard.type(key)
    page.keyboard.press("Enter")


def scalings(page: Page, lab: str) -> list[str]:
    """The lines of /metrics about the laboratory."""
    page_text = page.evaluate("async (url) => (await fetch(url)).text()", f"{lab}/metrics")
    assert 'route="/sign-in"' in page_text
    return [line for line in page_text.splitlines() if "/laboratory/scaling" in line]


def opens_every_tab(page: Page) -> None:
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(9)
    for tab in tabs.all():
        tab.click()
        name = tab.get_attribute("aria-controls")
        expect(page.locator(f"#{name} :is(canvas, svg, table):visible").first).to_be_visible()


def signs_in_again_where_the_session_ended(page: Page) -> None:
    page.context.clear_cookies()
    page.get_by_role("textbox", name="Sentence").fill("three four")
    notice = page.get_by_role("alert").filter(has_text="no longer signed in")
    expect(notice).to_be_visible()
    page.wait_for_url(re.compile("three"))
    address = page.url
    notice.get_by_role("link", name="Sign in").click()
    sign_in(page)
    page.wait_for_url(address)
    expect(page.locator("body")).to_have_attribute("data-status", "ready")
    expect(notice).to_have_count(0)


def test_a_person_signs_in_goes_on_and_signs_out(page: Page, lab: str) -> None:
    explore = Explore(page, lab)
    page.goto(f"{lab}/?text=The%20cat&source=installed&name=echo")
    expect(page).to_have_title("Sign in · attnscope")
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).to_contain_text("not known")
    expect(page.get_by_label("Key")).to_have_attribute("aria-invalid", "true")
    explore.watch.forget()  # the form was refused
    sign_in(page)
    expect(explore.sentence).to_have_value("The cat")
    explore.canvas("weights").wait_for()
    cookies = page.context.cookies()
    assert [(one["httpOnly"], one["sameSite"]) for one in cookies] == [(True, "Lax")]
    assert KEY not in str(cookies)
    opens_every_tab(page)
    assert explore.watch.refusals == []
    # Of plain http to a name the browser says that this header is for secure origins.
    warnings = [one for one in explore.watch.troubles() if "Cross-Origin-Opener-Policy" not in one]
    assert warnings == []
    signs_in_again_where_the_session_ended(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_title("Sign in · attnscope")
    assert page.context.cookies() == []


def test_the_form_fits_a_phone_follows_the_language_and_leads_on(page: Page, lab: str) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(f"{lab}/learn/scores")
    fits(page, 360)
    assert box(page.get_by_role("button", name="Sign in"))["height"] >= 24
    page.get_by_role("link", name="中文").click()
    expect(page.get_by_role("heading", name="登录")).to_be_visible()
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).to_contain_text("密钥")
    page.get_by_label("密钥").fill(KEY)
    page.get_by_role("button", name="登录").click()
    page.wait_for_url(f"{lab}/learn/scores")


def test_a_page_of_another_site_gets_nothing_done(page: Page, lab: str, evil: str) -> None:
    """Even where a person is signed in: no frame shows the form, no image computes, no form
    uploads."""
    page.goto(f"{lab}/learn")
    sign_in(page)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    computed = scalings(page, lab)
    with page.expect_request("**/laboratory/scaling"):
        page.goto(evil)
    frame: Frame = page.frames[1]
    expect(frame.locator("form")).to_have_count(0)
    with page.expect_response("**/api/v1/models") as upload:
        page.get_by_role("button").click()
    assert upload.value.status == 403
    assert "cookie" not in upload.value.request.all_headers()
    page.goto(f"{lab}/learn")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert scalings(page, lab) == computed  # no route was reached


def test_the_form_has_no_fault(browser: Browser, lab: str) -> None:
    reader = StatePage(browser, lab, "en", "light")
    reader.page.goto(f"{lab}/sign-in?lang=en")
    faults = reader.faults()
    reader.turn("dark")
    reader.page.goto(f"{lab}/sign-in?lang=zh")
    faults += reader.faults()
    reader.page.close()
    assert faults == []
