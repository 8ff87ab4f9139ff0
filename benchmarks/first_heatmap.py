"""From opening the page to its first drawn heatmap, in a browser that was never started before."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.chromium import FLAGS, find_chromium
from tests.serving import serving

RUNS = 5
# The first picture put onto a canvas of a stage, and the start of the frame after it.
PROBE = """
window.drawn = new Promise((done) => {
  const real = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...args) {
    real.apply(this, args);
    if (this.canvas.closest("[data-stage]")) requestAnimationFrame(() => done(performance.now()));
  };
});
"""


def open_once(url: str) -> tuple[float, int]:
    """Milliseconds from the start of the navigation, and bytes of script."""
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=find_chromium(), args=list(FLAGS), headless=True
        )
        page: Page = context.pages[0]
        page.add_init_script(PROBE)
        page.goto(url, wait_until="commit")
        drawn = float(page.evaluate("window.drawn"))
        script = page.evaluate(
            "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('.js'))"
            ".reduce((sum, e) => sum + e.decodedBodySize, 0)"
        )
        context.close()
    return drawn, int(script)


def main() -> None:
    command = [str(Path(sys.prefix, "bin", "attnscope"))]
    with tempfile.TemporaryDirectory() as folder, serving(command, Path(folder)) as url:
        results = [open_once(url) for _ in range(RUNS)]
    times = sorted(time for time, _ in results)
    print(
        f"first heatmap: {statistics.median(times):.0f} ms median, "
        f"{times[0]:.0f} to {times[-1]:.0f} (budget 1000)"
    )
    print(f"script: {results[0][1] / 1000:.0f} KB before compression (budget 200)")


if __name__ == "__main__":
    main()
