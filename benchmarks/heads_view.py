"""The Heads view: time to draw all heads, and of a hover.

The numbers are computed before; the browser is fresh. The clock is that of benchmarks/peers, for
comparison.
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

RUNS = 3
SIZES = [(12, 12, 32), (12, 12, 128), (1, 12, 512)]
PROBE = (Path(__file__).parent / "peers" / "probe.js").read_text(encoding="utf-8")
DRAWN = (
    "(()=>{const all=[...document.querySelectorAll('.tile canvas')];"
    "return all.length===%d && all.every((each)=>each.style.width)"
    " && !!document.querySelector('.together canvas[data-head]')})()"
)
SHOWN = "(()=>{const e=__peer.$('.together .readout'); return !e.hidden && e.textContent!==%s})()"


def address(layers: int, heads: int, n: int) -> str:
    question = {
        "text": " ".join(f"t{index}" for index in range(n)),
        "num_layers": layers,
        "num_heads": heads,
        "d_model": 16 * heads,
        "tab": "heads",
    }
    return f"/?{urlencode(question)}"


def open_once(url: str, tiles: int) -> tuple[float, float, int]:
    """Milliseconds to all drawn, milliseconds of a hover, DOM nodes."""
    reports: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=find_chromium(), args=list(FLAGS), headless=True,
            viewport={"width": 1280, "height": 800},
        )  # fmt: skip
        page: Page = context.pages[0]
        page.expose_function("__peerReport", lambda text: reports.append(json.loads(text)))
        page.add_init_script(f"{PROBE}\n__peer.watchLoad(() => {DRAWN % tiles});")
        page.goto(url, wait_until="commit")
        wait_for(page, reports, 1)
        hovers = [hover(page, reports, part) for part in (0.3, 0.4, 0.5, 0.6, 0.7)]
        nodes = page.evaluate("document.getElementsByTagName('*').length")
        context.close()
    return reports[0]["drawn"], statistics.median(hovers), int(nodes)


def hover(page: Page, reports: list[dict[str, float]], part: float) -> float:
    """From the pointer event to the frame with the number."""
    large = page.locator(".together canvas")
    large.scroll_into_view_if_needed()
    box = large.bounding_box()
    assert box is not None
    page.evaluate("__peer.rest()")
    before = page.evaluate("__peer.$('.together .readout').textContent")
    armed = f"() => __peer.arm(['pointermove'], () => {SHOWN % json.dumps(before)}, 'hover')"
    page.evaluate(armed)
    page.mouse.move(box["x"] + box["width"] * part / 2, box["y"] + box["height"] * part)
    wait_for(page, reports, len(reports) + 1)
    return reports[-1]["hitPainted"] - reports[-1]["t0"]


def wait_for(page: Page, reports: list[dict[str, float]], count: int) -> None:
    while len(reports) < count:
        page.wait_for_timeout(20)


def main() -> None:
    command = [str(Path(sys.prefix, "bin", "attnscope"))]
    with tempfile.TemporaryDirectory() as folder, serving(command, Path(folder)) as url:
        for size in SIZES:
            page, tiles = url + address(*size), size[0] * size[1]
            runs = [open_once(page, tiles) for _ in range(RUNS + 1)][1:]  # the first computes
            drawn, hovered, nodes = (statistics.median(each) for each in zip(*runs, strict=True))
            print(f"{size}: drawn {drawn:.0f} ms, hover {hovered:.0f} ms, {nodes:.0f} elements")


if __name__ == "__main__":
    main()
