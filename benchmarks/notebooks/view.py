"""Seconds from running a cell in JupyterLab to the lines of one layer, of weights in memory.

`.venv-notebooks/bin/python -m benchmarks.notebooks.view`; BertViz's head view beside it:
`benchmarks/peers/run.py --peers bertviz_head`, the times to make and to draw.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.chromium import FLAGS, find_chromium
from tests.in_notebooks.test_notebooks import PATIENCE, free_port, notebook, serving, wait_for

RUNS = 5
SIZES = ((12, 12, 128), (1, 12, 512))
# Before its kernel is connected a notebook ignores keys, or asks for a kernel.
CONNECTED = """() => {
  const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === "connected" && kernel.status === "idle";
}"""
QUIET = 3000  # ms, until a page has also loaded what can wait
READY = "import attnscope, numpy\nattnscope.show('The cat sat')"
WEIGHTS = """a = numpy.random.default_rng(0).random(({layers}, {heads}, {n}, {n}), numpy.float32)
a /= a.sum(-1, keepdims=True)"""
SHOW = 'attnscope.show(([f"t{{i}}" for i in range({n})], a + numpy.float32({run}e-6)), tab="lines")'
DRAWN = """() => {
  const canvas = document.querySelector("canvas.all");
  if (!canvas?.width || !canvas.height) return false;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 64);
  return data.some((value) => value > 0);
}"""


@contextmanager
def lab(cells: list[str]) -> Iterator[Page]:
    """A notebook of these cells in JupyterLab, its kernel idle."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, port = Path(name), free_port()
        notebook(folder / "run.ipynb", cells)
        url = f"http://127.0.0.1:{port}"
        with serving(
            folder, "jupyterlab", "--no-browser", "--ip", "127.0.0.1", "--port", str(port),
            "--allow-root", "--IdentityProvider.token=", "--ServerApp.password=",
            "--LabApp.expose_app_in_browser=True",
        ):  # fmt: skip
            wait_for(f"{url}/api", folder)
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=[*FLAGS])
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.set_default_timeout(PATIENCE * 1000)
            page.goto(f"{url}/lab/tree/run.ipynb")
            page.wait_for_function(CONNECTED)
            yield page
            browser.close()


def run_cell(page: Page, at: int) -> float:
    """Runs a cell; the time when that began."""
    page.locator(".jp-CodeCell").nth(at).locator(".cm-content").click()
    began = time.perf_counter()
    page.keyboard.press("Shift+Enter")
    return began


def seconds_to_lines(page: Page, at: int) -> float:
    began = run_cell(page, at)
    frame = page.locator(".jp-CodeCell").nth(at).locator(".attnscope-view iframe")
    handle = frame.element_handle()
    assert handle is not None
    inside = handle.content_frame()
    assert inside is not None
    inside.wait_for_function(DRAWN, polling=20)
    return time.perf_counter() - began


def wait_for_cell(page: Page, at: int) -> None:
    """Cells run in order, each once."""
    prompt = page.locator(".jp-CodeCell").nth(at).locator(".jp-InputPrompt").first
    prompt.filter(has_text=f"[{at + 1}]:").wait_for()


def measure(size: tuple[int, int, int]) -> list[float]:
    names = dict(zip(("layers", "heads", "n"), size, strict=True))
    shows = [SHOW.format(**names, run=run) for run in range(RUNS)]
    taken = []
    with lab([READY, WEIGHTS.format(**names), *shows]) as page:
        for at in (0, 1):
            run_cell(page, at)
            wait_for_cell(page, at)
        page.locator(".jp-CodeCell").nth(0).locator(".attnscope-view iframe").wait_for()
        for run in range(RUNS):
            page.wait_for_timeout(QUIET)
            taken.append(seconds_to_lines(page, 2 + run))
    return taken


def main() -> None:
    if find_chromium() is None:
        sys.exit("no Chromium or Chrome was found: set CHROMIUM to its path")
    for size in SIZES:
        taken = measure(size)
        runs = ", ".join(f"{seconds:.2f}" for seconds in taken)
        print(f"{size}: {statistics.median(taken):.2f} s median of {runs}", flush=True)


if __name__ == "__main__":
    main()
