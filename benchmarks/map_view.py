"""The map in headless Chromium: frames a second while dragging over loaded tiles, hovers, and a
cold page once the pass is known.

Aims: 50 frames a second, 24 ms, a second. Frames count if the map's canvas was painted; the
clock of hovers is that of benchmarks/peers.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode

from playwright.sync_api import Page, sync_playwright

from tests.chromium import FLAGS, find_chromium
from tests.serving import COMMAND, serving

SIZES = [12, 512, 2048, 4096, 32_768]
MOVES = 20
DRAGS = 4
REACH = 200  # CSS pixels of a drag
SPEED = 150  # pixels a second
STILL = 300  # ms without a frame
PATIENCE = 600_000  # ms: a long text needs a pass over its map
PROBE = (Path(__file__).parent / "peers" / "probe.js").read_text(encoding="utf-8")
PLOT, READOUT = ".map-plot", ".map-box .readout"
SHOWN = (
    f"(()=>{{const e=__peer.$({json.dumps(READOUT)});"
    " return e && !e.hidden && e.textContent!==%s})()"
)
# Frame times, and whether the map was painted in each.
WATCH = """() => {
  window.painted = [];
  let fresh = false;
  const real = CanvasRenderingContext2D.prototype.clip;
  CanvasRenderingContext2D.prototype.clip = function (...args) {
    fresh ||= Boolean(this.canvas.dataset?.map);
    return real.apply(this, args);
  };
  const frame = (time) => {
    painted.push([time, fresh]);
    fresh = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


class Panned(NamedTuple):
    """Frames a second, those of the browser meanwhile, and the 95th percentile in ms."""

    rate: float
    given: float
    slow: float


def address(url: str, n: int, seen: int) -> str:
    """`seen`: cells in sight."""
    query = urlencode(
        {"tab": "map", "num_heads": 1, "d_model": 64, "place": f"{n // 2}.{n // 3}.{seen}"}
    )
    text = " ".join(f"t{index % 1000}" for index in range(n))
    return f"{url}/?source=seeded&{query}#{quote(json.dumps({'text': text}))}"


def shown(page: Page, url: str, n: int, seen: int) -> float:
    """Seconds to the map."""
    page.goto(address(url, n, seen), wait_until="commit")
    page.locator(f"{PLOT} canvas[data-map]").wait_for(timeout=PATIENCE)
    page.locator(".map-box:not(.pending)").wait_for(timeout=PATIENCE)
    return float(page.evaluate("performance.now()")) / 1000


def opened(page: Page, url: str, n: int, seen: int) -> None:
    shown(page, url, n, seen)
    page.locator(PLOT).scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")


def panned(page: Page) -> Panned:
    """Drags once to load tiles, then over them.

    The browser moves the finger once a frame; a mouse moved from here would wait.
    """
    box = page.locator(PLOT).bounding_box()
    assert box is not None
    session = page.context.new_cdp_session(page)
    gaps: list[float] = []
    given: list[float] = []
    for drag in range(DRAGS + 2):
        session.send(
            "Input.synthesizeScrollGesture",
            {
                "x": box["x"] + box["width"] * 0.5,
                "y": box["y"] + box["height"] * 0.5,
                "xDistance": REACH if drag % 2 else -REACH,
                "speed": SPEED,
                "preventFling": True,
                "gestureSourceType": "touch",
            },
        )
        page.locator(".map-box:not(.pending)").wait_for(timeout=PATIENCE)
        if drag == 1:
            page.evaluate(WATCH)
        if drag >= 2:
            frames: list[tuple[float, bool]] = page.evaluate("painted.splice(0)")
            drawn = [time for time, fresh in frames if fresh]
            given += [b - a for a, b in pairwise(time for time, _ in frames)]
            gaps += [b - a for a, b in pairwise(drawn)]
    return Panned(rate(gaps), rate(given), sorted(gaps)[int(0.95 * len(gaps))])


def rate(gaps: list[float]) -> float:
    """Frames a second, without pauses between drags."""
    return 1000 / statistics.mean(gap for gap in gaps if gap < STILL)


def hovers(page: Page, reports: list[dict[str, float]]) -> list[float]:
    """Milliseconds from the pointer event to the frame with the number."""
    box = page.locator(PLOT).bounding_box()
    assert box is not None
    for move in range(MOVES):
        part = move * 0.618 % 1  # far from the one before
        page.evaluate("__peer.rest()")
        before = page.evaluate(f"__peer.$({json.dumps(READOUT)})?.textContent ?? null")
        shown = SHOWN % json.dumps(before)
        page.evaluate(f"() => __peer.arm(['pointermove'], () => {shown}, 'hover')")
        page.mouse.move(
            box["x"] + box["width"] * (0.3 + 0.6 * part),
            box["y"] + box["height"] * (0.3 + 0.6 * part),
        )
        while len(reports) <= move:
            page.wait_for_timeout(5)
    return sorted(report["hitPainted"] - report["t0"] for report in reports)


def main() -> None:
    sizes = [int(each) for each in sys.argv[1:]] or SIZES
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(COMMAND, Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        for n in sizes:
            page = browser.new_page(viewport={"width": 1440, "height": 900}, has_touch=True)
            reports: list[dict[str, float]] = []
            page.expose_function(
                "__peerReport", lambda report, to=reports: to.append(json.loads(report))
            )
            page.add_init_script(PROBE)
            opened(page, url, n, max(2, min(n // 2, 256)))
            frames = panned(page)
            taken = hovers(page, reports)
            page.close()
            cold = browser.new_page(viewport={"width": 1440, "height": 900})
            whole = shown(cold, url, n, n)
            cold.close()
            print(
                f"{n} tokens: {frames.rate:.0f} frames a second of {frames.given:.0f} given, "
                f"95 % within {frames.slow:.0f} ms; "
                f"hover median {statistics.median(taken):.0f} ms, most {taken[-1]:.0f}; "
                f"all of it in {whole:.2f} s"
            )
        browser.close()


if __name__ == "__main__":
    main()
