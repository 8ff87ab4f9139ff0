"""Pictures of the pages, to look at and for the README.

`python -m tests.browser.screenshots --url http://127.0.0.1:8000 --out docs/pictures`
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, expect, sync_playwright

from tests.chromium import FLAGS, find_chromium

DRAWN = "canvas[data-layer]:visible, #panel-worth .in-turn button:visible"
# Late scripts, parts of an earlier answer, numbers of a pinned cell, predictions, small pictures.
AWAITED = (
    "[data-help]:disabled, [data-pending], [data-other], body:not(.embed) #inspector:empty,"
    " #inspector.pinned:not(:has(output)), #predictions:not([hidden]) .likely:empty,"
    " #heads:not([hidden]) canvas:not([width])"
)
PATIENCE = 20_000  # ms
CHINESE = "猫爱吃鱼，因为鱼很鲜。"
LAPTOP, TABLET, PHONE = (1440, 900), (1024, 768), (390, 844)
IT_TO_ANIMAL = (("head", "2"), ("cell", "weights.7.1"))
JACOB = "My friend Jacob Darcy met Thomas Bennet. My friend Jacob"
ECHO = (("source", "installed"), ("name", "echo"), ("text", JACOB), ("layer", "1"), ("head", "0"))


@dataclass(frozen=True)
class Picture:
    """`part`: a selector, else the window."""

    name: str
    size: tuple[int, int] = LAPTOP
    theme: str = "light"
    path: str = "/"
    state: tuple[tuple[str, str], ...] = ()
    whole: bool = False
    part: str | None = None

    def address(self) -> str:
        return f"{self.path}?{urlencode(self.state)}"


PICTURES = (
    Picture("explore-light"),
    Picture("explore-dark", theme="dark", state=(*ECHO, ("drop", "1.0"))),
    Picture("explore-zh", state=(("lang", "zh"),)),
    Picture("explore-phone", PHONE),
    Picture("inspector", (1440, 1600), state=IT_TO_ANIMAL, part="#inspector"),
    Picture("worth", state=(*ECHO, ("tab", "worth"))),
    Picture("step-by-step", state=(*IT_TO_ANIMAL, ("step", "scores.55"))),
    Picture("presentation", state=(("head", "2"), ("stage", "weights"), ("present", "1"))),
    Picture(
        "compare",
        path="/compare",
        state=(("b.causal", "false"), ("b.temperature", "2"), ("cell", "weights.7.1")),
    ),
)
# To look at before a release: --states.
STATES = (
    Picture("explore-idle", state=(("source", "seeded"),)),
    Picture("explore-cell", state=IT_TO_ANIMAL),
    Picture("explore-zh-cell", state=(("lang", "zh"), ("text", CHINESE), ("cell", "weights.7.3"))),
    Picture("explore-batch", state=(("text", f"The cat sat on the mat\n{CHINESE}"),)),
    Picture("explore-layers", state=(("num_layers", "4"), ("num_heads", "8"), ("layer", "2"))),
    Picture("explore-large", state=(("stage", "scores"),)),
    Picture("explore-empty", state=(("text", ""),)),
    Picture("explore-refused", state=(("d_model", "50"),)),
    Picture("explore-tablet", TABLET, whole=True),
    Picture("explore-phone-whole", PHONE, whole=True),
    Picture("explore-phone-small", (320, 640), whole=True),
    Picture("explore-phone-aside", (740, 360), state=(*IT_TO_ANIMAL, ("stage", "weights"))),
    Picture("step-by-step-dark", theme="dark", state=(("lang", "zh"), ("step", "softmax.40"))),
    Picture("presentation-phone", PHONE, state=(("stage", "scores"), ("present", "1"))),
    Picture("embed", (800, 600), path="/embed", state=(("stage", "weights"),)),
    Picture("explore-phone-dark", PHONE, "dark", state=(("lang", "zh"),)),
    Picture("compare-whole", path="/compare", state=(("b.seed", "1"),), whole=True),
    Picture(
        "compare-large",
        path="/compare",
        state=(("b.seed", "1"), ("cell", "weights.4.1"), ("stage", "weights"), ("of", "a")),
    ),
    Picture("compare-phone-dark", PHONE, "dark", path="/compare", state=(("b.seed", "1"),)),
    Picture("api", path="/api"),
    Picture("api-phone-dark", PHONE, "dark", path="/api", state=(("lang", "zh"),)),
)
UNANSWERED = ("explore-empty", "explore-refused")


def take(browser: Browser, url: str, picture: Picture, folder: Path) -> Path:
    """A PNG named after it."""
    width, height = picture.size
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if picture.theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page.goto(url + picture.address())
    if picture.name in UNANSWERED:
        page.locator("#notice strong").wait_for(timeout=PATIENCE)
    elif picture.path != "/api":
        page.locator(DRAWN).first.wait_for(timeout=PATIENCE)
        expect(page.locator(AWAITED)).to_have_count(0, timeout=PATIENCE)
    target = folder / f"{picture.name}.png"
    if picture.part:
        page.locator(picture.part).screenshot(path=target)
    else:
        page.screenshot(path=target, full_page=picture.whole)
    page.close()
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="a running attnscope")
    parser.add_argument("--out", type=Path, default=Path("build/screenshots"), help="a folder")
    parser.add_argument("--only", help="pictures whose name holds this")
    parser.add_argument("--states", action="store_true", help="further states instead")
    options = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        sys.exit("no Chromium or Chrome was found: install one, or set CHROMIUM to its path")
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for picture in STATES if options.states else PICTURES:
            if not options.only or options.only in picture.name:
                print(take(browser, options.url.rstrip("/"), picture, options.out))
        browser.close()


if __name__ == "__main__":
    main()
