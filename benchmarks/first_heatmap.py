"""From opening the page to its first picture, in a fresh browser.

The default page, the seeded question in the address, and 2,048 tokens; on this machine, and over
a slow line.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.chromium import FLAGS, find_chromium
from tests.serving import serving

RUNS = 5
LONG = "%20".join(f"t{index}" for index in range(2048))
ADDRESSES = {
    "first screen": "",
    "seeded": "?source=seeded",
    "2,048 tokens": f"?source=seeded&num_heads=1&text={LONG}",
}
LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 200_000,
}
# The first arc between tokens or picture on a canvas, and the start of the next frame.
PROBE = """
window.drawn = new Promise((done) => {
  const drawn = () => requestAnimationFrame(() => done(performance.now()));
  for (const name of ["drawImage", "putImageData"]) {
    const real = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...args) {
      real.apply(this, args);
      if (this.canvas.closest("[data-stage]")) drawn();
    };
  }
  const look = () => (document.querySelector(".arcs path") ? drawn() : requestAnimationFrame(look));
  look();
});
"""


class Opened(NamedTuple):
    """Milliseconds since navigation; bytes and requests until then."""

    drawn: float
    received: int
    requests: int


@contextmanager
def fresh_page() -> Iterator[tuple[Page, CDPSession]]:
    """With an empty profile."""
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=find_chromium(), args=list(FLAGS), headless=True
        )
        page = context.pages[0]
        yield page, context.new_cdp_session(page)
        context.close()


def open_once(url: str, *, slow: bool) -> Opened:
    """Counts bytes on the wire: compressed, with headers."""
    received: list[int] = []
    asked: list[str] = []
    with fresh_page() as (page, session):
        session.send("Network.enable")
        session.on("Network.dataReceived", lambda one: received.append(one["encodedDataLength"]))
        session.on("Network.responseReceived", lambda one: asked.append(one["requestId"]))
        if slow:
            session.send("Network.emulateNetworkConditions", LINE)
        page.add_init_script(PROBE)
        page.goto(url, wait_until="commit")
        drawn = float(page.evaluate("window.drawn"))
        return Opened(drawn, sum(received), len(asked))


def main() -> None:
    command = [str(Path(sys.prefix, "bin", "attnscope"))]
    with tempfile.TemporaryDirectory() as folder, serving(command, Path(folder)) as url:
        for slow in (False, True):
            print("over 1.6 Mbit/s and 150 ms" if slow else "as fast as this machine is")
            # In turn, so that a busy moment affects both.
            runs = [
                {name: open_once(f"{url}/{query}", slow=slow) for name, query in ADDRESSES.items()}
                for _ in range(RUNS)
            ]
            for name in ADDRESSES:
                times = sorted(run[name].drawn for run in runs)
                last = runs[-1][name]
                print(
                    f"  {name}: {statistics.median(times):.0f} ms median, {times[0]:.0f} to "
                    f"{times[-1]:.0f}; {last.received / 1000:.0f} KB in {last.requests} requests"
                )


if __name__ == "__main__":
    main()
