"""The Explore page as a person uses it, by hooks, roles and names."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Response, expect

from tests.browser.pixels import alike, centres, painted, photograph, stage_cells, table

PATIENCE = 30.0  # seconds, on a busy machine
LONG = 60_000.0  # ms, for slow drawing
ATTENTION = "**/api/v1/attention"
SEEDED = "/?source=seeded"  # "/" alone opens a trained model
STAGES = (
    "x", "q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights",
    "head_outputs", "concat", "output",
)  # fmt: skip
# The box of an element once two frames agree; null if hidden or moving.
AT_REST = """(element) => new Promise((resolve) => {
  const place = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  };
  const before = place();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const now = place();
    const same = Object.keys(now).every((side) => now[side] === before[side]);
    resolve(same && now.width > 0 && now.height > 0 && element.checkVisibility() ? now : null);
  }));
})"""
# All parts that need numbers are there: tools of the change bar, inspector.
WHOLE = "body.embed, body:not(:has(#change > .button:disabled:not(.sign)), :has(#inspector:empty))"
INSPECTOR = re.compile("^(Inspector|检视器)$")
OPTIONS = re.compile("^(Model and options|模型与选项)$")
LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""


def until(page: Page, happens: Callable[[], Any], what: str) -> Any:
    """Poll until `happens` is true."""
    end = time.monotonic() + PATIENCE
    while not (found := happens()):
        assert time.monotonic() < end, f"never: {what}"
        page.wait_for_timeout(30)
    return found


def left(page: Page, read: Callable[[], list[str]]) -> list[str]:
    """Poll until no troubles are left, as pictures follow their window a moment later."""
    end = time.monotonic() + PATIENCE
    while (found := read()) and time.monotonic() < end:
        page.wait_for_timeout(30)
    return found


def box(element: Locator) -> dict[str, float]:
    """x, y, width, height in the window, once visible and at rest."""
    place: dict[str, float] = until(
        element.page, lambda: element.evaluate(AT_REST), f"{element} is seen and rests"
    )
    return place


def fits(page: Page, width: int) -> None:
    """Wait until nothing overflows this width."""
    within = f"document.documentElement.scrollWidth <= {width}"
    until(page, lambda: page.evaluate(within), f"it fits {width} pixels")


def address_has(page: Page, *parts: str) -> None:
    """Wait: the address follows a moment later."""
    for part in parts:
        expect(page).to_have_url(re.compile(re.escape(part)))


def address_lacks(page: Page, *parts: str) -> None:
    """Wait until the address has none of the parts."""
    for part in parts:
        expect(page).not_to_have_url(re.compile(re.escape(part)))


class Watch:
    """Requests and complaints of a page."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self.origin = page, origin
        self.requests: list[Request] = []
        self.complaints: list[str] = []
        self.refusals: list[str] = []
        page.add_init_script(LISTEN)
        page.on("request", lambda request: self.requests.append(request))
        page.on("response", self._on_response)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.refusals.append(f"{response.status} {response.url}")

    def _on_console(self, message: ConsoleMessage) -> None:
        # Refused requests are counted as refusals.
        noted = message.text.startswith("Failed to load resource")
        if message.type in {"error", "warning"} and not noted:
            self.complaints.append(message.text)

    def forget(self) -> None:
        for kept in (self.requests, self.complaints, self.refusals):
            kept.clear()

    def outside(self) -> list[str]:
        """Without data: and blob:."""
        here = urlsplit(self.origin).netloc
        urls = [urlsplit(request.url) for request in self.requests]
        return [u.geturl() for u in urls if u.scheme.startswith("http") and u.netloc != here]

    def troubles(self) -> list[str]:
        violations = self.page.evaluate("window.violations ?? []")
        return [*self.complaints, *self.outside(), *violations]


class Explore:
    """Actions and views of the page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.watch = Watch(page, url)
        self.answers: dict[str, dict[str, Any]] = {}
        self.tables: dict[tuple[str, str], np.ndarray] = {}

    def open(self, address: str = SEEDED) -> None:
        """Waits until the page is complete."""
        self.page.goto(f"{self.url}{address}", wait_until="commit")
        self.canvas("weights").wait_for()
        self.complete()

    def settle(self) -> None:
        """Wait for the late scripts: the help is enabled last."""
        expect(self.page.locator("[data-help]")).to_be_enabled()

    def complete(self) -> None:
        """Wait for the parts that late scripts fill from the numbers, too."""
        self.settle()
        self.page.locator(WHOLE).wait_for()

    @property
    def sentence(self) -> Locator:
        return self.page.get_by_role("textbox", name=re.compile("^(Sentence|句子)$"))

    @property
    def inspector(self) -> Locator:
        return self.page.get_by_role("complementary", name=INSPECTOR)

    @property
    def value(self) -> Locator:
        """The number of the pinned cell in the inspector; of Compare, the three of it."""
        return self.inspector.get_by_role("status")

    @property
    def large(self) -> Locator:
        """A stage in a window of its own."""
        return self.page.get_by_role("dialog")

    @property
    def tokens(self) -> Locator:
        """The chips."""
        return self.page.get_by_role("listbox", name="Tokens", exact=True)

    @property
    def options(self) -> Locator:
        return self.page.get_by_role("group", name=OPTIONS)

    @property
    def summary(self) -> Locator:
        """The line that opens the options."""
        return self.options.get_by_role("button").first

    def tab(self, name: str) -> Locator:
        return self.page.get_by_role("tab", name=name, exact=True)

    def panel(self, name: str) -> Locator:
        """What an open tab shows."""
        return self.page.get_by_role("tabpanel", name=name, exact=True)

    def head(self, layer: int, head: int) -> Locator:
        """A head under the sentence, with what it is called."""
        heads = self.page.get_by_role("group", name="Heads and what they are called")
        return heads.get_by_role("button", name=re.compile(rf"^L{layer} H{head}\b"))

    def card(self, stage: str) -> Locator:
        return self.page.locator(f'[data-stage="{stage}"]')

    def canvas(self, stage: str) -> Locator:
        return self.card(stage).locator("canvas[data-layer][data-head]")

    def grid(self, stage: str) -> Locator:
        return self.card(stage).get_by_role("grid")

    def drawer(self) -> None:
        """Open the options, if closed."""
        if self.summary.get_attribute("aria-expanded") == "false":
            self.summary.click()

    def field(self, name: str) -> Locator:
        """An option, by its label."""
        self.drawer()
        return self.options.get_by_label(re.compile(f"^{name}"))

    def more(self) -> None:
        """Open the menu of rare options."""
        self.drawer()
        self.page.get_by_text(re.compile(r"^More( \d+ changed)?$")).click()

    def ask(self, act: Callable[[], Any], url: str = ATTENTION) -> dict[str, Any]:
        """Body of the question that an act sends."""
        with self.page.expect_request(url) as sent:
            act()
        return json.loads(sent.value.post_data or "{}")

    def question(self) -> dict[str, Any]:
        """Body of the last question, unlike requests for thumbnails or matrices, which name one
        stage or none."""
        asked = [r for r in self.watch.requests if r.url.endswith("/api/v1/attention")]
        bodies = (json.loads(request.post_data or "{}") for request in reversed(asked))
        return next(body for body in bodies if len(body.get("stages", STAGES)) > 1)

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """From the API, past the page."""
        asked = json.dumps(body)
        if asked not in self.answers:
            reply = self.page.request.post(f"{self.url}/api/v1/attention", data=body)
            assert reply.ok, reply.text()
            self.answers[asked] = reply.json()
        return self.answers[asked]

    def of_trace(self, part: str, **query: int) -> Any:
        """Part of the question's trace, past the page."""
        trace = self.answer({**self.question(), "stages": None})["trace"]
        reply = self.page.request.get(f"{self.url}/api/v1/traces/{trace}/{part}", params={**query})
        assert reply.ok, reply.text()
        return reply.json()

    def page_data(self) -> dict[str, Any]:
        return json.loads(self.page.locator("#page-data").text_content() or "{}")

    def colours(self, use: str, theme: str = "light") -> np.ndarray:
        """[256, 3]; `use`: sequential or diverging."""
        if (theme, use) not in self.tables:
            self.tables[theme, use] = table(self.page_data()["colors"][theme][use])
        return self.tables[theme, use]

    def seen(self, stage: str, rows: int, cols: int) -> np.ndarray:
        return centres(self.canvas(stage), rows, cols)

    def pixels(self, stage: str) -> str:
        """For comparison with itself."""
        return self.canvas(stage).evaluate("(canvas) => canvas.toDataURL()")

    def photograph(self, element: Locator) -> np.ndarray:
        return photograph(self.page, element)

    def shows(
        self,
        body: dict[str, Any],
        stages: Sequence[str] = ("weights",),
        *,
        place: tuple[int, int, int] = (0, 0, 0),
        theme: str = "light",
    ) -> dict[str, Any]:
        """Wait until every cell has the colour of its number; place: layer, head, batch.

        Returns the reply with the numbers.
        """
        reply = self.answer(body)
        for stage in stages:
            wanted = self.wanted(reply, stage, place, theme)
            rows, cols, _ = wanted.shape
            until(
                self.page,
                lambda: alike(self.seen(stage, rows, cols), wanted),  # noqa: B023
                f"the picture of {stage} follows the numbers",
            )
        return reply

    def wanted(
        self, reply: dict[str, Any], stage: str, place: tuple[int, int, int], theme: str
    ) -> np.ndarray:
        """Weights range from 0 to 1 (of many keys, their root); other stages are centred on
        zero."""
        cells = stage_cells(reply, stage, *place)
        if stage == "weights":
            cells = np.sqrt(cells) if cells.shape[1] > 64 else cells
            return painted(cells, self.colours("sequential", theme), 0, 1)
        spanned = "scaled_scores" if stage == "masked_scores" else stage
        size = float(np.nanmax(np.abs(stage_cells(reply, spanned, *place)))) or 1.0
        return painted(cells, self.colours("diverging", theme), -size, size)

    def point(
        self, stage: str, cell: tuple[int, int], shape: tuple[int, int]
    ) -> tuple[float, float]:
        """Centre of a cell in the window."""
        return middle(self.canvas(stage), cell, shape)

    def hover(self, stage: str, cell: tuple[int, int], shape: tuple[int, int]) -> None:
        self.page.mouse.move(*self.point(stage, cell, shape))

    def click(self, stage: str, cell: tuple[int, int], shape: tuple[int, int]) -> None:
        self.canvas(stage).scroll_into_view_if_needed()
        self.page.mouse.click(*self.point(stage, cell, shape))


def middle(picture: Locator, cell: tuple[int, int], shape: tuple[int, int]) -> tuple[float, float]:
    """Centre of a cell in the window."""
    place = box(picture)
    (row, col), (rows, cols) = cell, shape
    x = place["x"] + place["width"] * (col + 0.5) / cols
    return x, place["y"] + place["height"] * (row + 0.5) / rows


def written(value: float, decimals: int = 3) -> str:
    """With a true minus sign."""
    return f"{value:.{decimals}f}".replace("-", "−")
