"""Hovers over the weights of 12 to 2,048 tokens, all links lit; the aim is 24 ms.

From the pointer event to the frame with the cell's number (of a long text, the picture's), by
the clock of benchmarks/peers.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from tests.chromium import FLAGS, find_chromium
from tests.serving import serving

SIZES = [12, 128, 512, 2048]
MOVES = 20
PROBE = (Path(__file__).parent / "peers" / "probe.js").read_text(encoding="utf-8")
CANVAS = '[data-stage="weights"] canvas[data-layer]'
READOUT = '[data-stage="weights"] .readout'
SHOWN = (
    f"(()=>{{const e=__peer.$({json.dumps(READOUT)});"
    " return e && !e.hidden && e.textContent!==%s})()"
)


def hovers(page: Page, url: str, n: int) -> list[float]:
    """Milliseconds of each move."""
    reports: list[dict[str, float]] = []
    page.expose_function("__peerReport", lambda text: reports.append(json.loads(text)))
    page.add_init_script(PROBE)
    text = " ".join(f"t{index}" for index in range(n))
    page.goto(f"{url}/?{urlencode({'text': text})}", wait_until="commit")
    page.locator(CANVAS).wait_for()
    page.wait_for_load_state("networkidle")
    page.locator(CANVAS).scroll_into_view_if_needed()
    box = page.locator(CANVAS).bounding_box()
    assert box is not None
    for move in range(MOVES):
        part = move * 0.618 % 1  # far from the one before
        page.evaluate("__peer.rest()")
        before = page.evaluate(f"__peer.$({json.dumps(READOUT)})?.textContent ?? null")
        shown = SHOWN % json.dumps(before)
        page.evaluate(f"() => __peer.arm(['pointermove'], () => {shown}, 'hover')")
        page.mouse.move(box["x"] + box["width"] * part / 2, box["y"] + box["height"] * part)
        while len(reports) <= move:
            page.wait_for_timeout(5)
    return [report["hitPainted"] - report["t0"] for report in reports]


def main() -> None:
    command = [str(Path(sys.prefix, "bin", "attnscope"))]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(command, Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        for n in SIZES:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            taken = sorted(hovers(page, url, n))
            middle, high, most = statistics.median(taken), taken[-2], taken[-1]
            print(f"{n} tokens: median {middle:.0f} ms, 95 % within {high:.0f}, most {most:.0f}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
