"""The page in JupyterLab and in marimo, in a real browser: `make test-notebooks`."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Page, Request

PATIENCE = 120.0  # seconds; both take long to start on a busy machine
SHOW = 'import attnscope\nview = attnscope.show("The cat sat on the mat. The cat", height=640)\n'
TELL = "print('SEEN', view.layer, view.head, view.stage, view.row, view.col)"
expect.set_options(timeout=PATIENCE * 1000)
CHOSEN = "button.thumbnail[data-layer='0'][data-head='3'][aria-pressed=true]"
APP = """import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import attnscope

    view = mo.ui.anywidget(
        attnscope.show("The cat sat on the mat. The cat", height=640)
    )
    view
    return mo, view


@app.cell
def _(mo, view):
    names = ("layer", "head", "stage", "row", "col")
    mo.md("SEEN " + " ".join(str(view.value.get(name)) for name in names))
    return


@app.cell
def _(mo):
    button = mo.ui.button(label="head 3", value=0, on_click=lambda value: value + 1)
    button
    return (button,)


@app.cell
def _(button, view):
    if button.value:
        view.widget.head = 3
    return
"""


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[None]:
    """`python -m WORDS` while it is needed, at home in `folder`."""
    environment = os.environ | {"HOME": str(folder)}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        yield
    finally:
        server.terminate()
        server.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(url: str, folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            log = (folder / "server.log").read_text(encoding="utf-8")
            assert time.monotonic() < end, f"the server did not answer:\n{log}"
            time.sleep(0.2)


def opened(new_page: Callable[..., Page], url: str, path: str) -> tuple[Page, list[str]]:
    """A page at the address, and what it asks of other machines."""
    # What a service worker asks would not be seen here.
    page = new_page(viewport={"width": 1440, "height": 1000}, service_workers="block")
    page.set_default_timeout(PATIENCE * 1000)
    own = (url, url.replace("http", "ws", 1), "data:", "blob:", "about:")
    outside: list[str] = []

    def see(sent: Request) -> None:
        if not sent.url.startswith(own):
            outside.append(sent.url)

    page.on("request", see)
    page.goto(f"{url}/{path}")
    return page, outside


def press_a_cell(page: Page) -> FrameLocator:
    """Presses a cell of the first column, below the first row, in the map of weights; the frame of
    the page."""
    frame = page.frame_locator(".attnscope-view iframe").first
    canvas = frame.locator(".card[data-stage=weights] canvas[data-layer]").first
    canvas.scroll_into_view_if_needed()
    plot = canvas.bounding_box()
    assert plot is not None
    canvas.click(position={"x": plot["width"] * 0.05, "y": plot["height"] * 0.6})
    return frame


def notebook(path: Path, cells: Sequence[str]) -> None:
    parts = [
        {"cell_type": "code", "execution_count": None, "id": f"cell{i}", "metadata": {},
         "outputs": [], "source": source}
        for i, source in enumerate(cells)
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = {"cells": parts, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(whole), encoding="utf-8")


def test_in_jupyterlab_a_cell_is_the_page_and_its_selection_is_python(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    notebook(tmp_path / "run.ipynb", [f"{SHOW}view", TELL, "view.head = 3", TELL])
    url = f"http://127.0.0.1:{(port := free_port())}"
    alone = ("--allow-root", "--IdentityProvider.token=", "--ServerApp.password=")
    with serving(tmp_path, "jupyterlab", "--no-browser", "--ip", "127.0.0.1",
                 "--port", str(port), *alone):  # fmt: skip
        wait_for(f"{url}/api", tmp_path)
        page, outside = opened(new_page, url, "lab/tree/run.ipynb")
        cells = page.locator(".jp-CodeCell")

        def run(cell: int) -> None:
            cells.nth(cell).locator(".cm-content").click()
            page.keyboard.press("Shift+Enter")

        expect(cells).to_have_count(4)
        # Before its kernel is there, a notebook may ignore keys.
        expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_visible()
        run(0)
        frame = press_a_cell(page)
        expect(frame.locator("#inspector output").first).to_be_visible()
        run(1)
        message = cells.nth(1).locator(".jp-OutputArea-output")
        expect(message).to_have_text(re.compile(r"SEEN 0 0 weights [1-9]\d* 0\s*"))
        run(2)
        expect(frame.locator(CHOSEN)).to_be_visible()
        run(3)
        message = cells.nth(3).locator(".jp-OutputArea-output")
        expect(message).to_have_text(re.compile(r"SEEN 0 3 weights [1-9]\d* 0\s*"))
        said = page.locator(".attnscope-view [role=status]")
        expect(said).to_be_empty()
        page.locator("[data-command='notebook:restart-kernel']").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        expect(said).to_have_text("The kernel was restarted, or it ended: run this cell again.")
        expect(frame.locator(CHOSEN)).to_be_visible()
        run(0)
        expect(said).to_be_empty()
        expect(frame.locator(CHOSEN)).to_have_count(0)
        expect(frame.locator("#inspector:not(:empty)")).to_be_visible()
    assert outside == []


def test_in_marimo_cells_run_again_with_the_selection(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    url = f"http://127.0.0.1:{(port := free_port())}"
    with serving(tmp_path, "marimo", "run", "app.py", "--headless", "--no-token",
                 "--host", "127.0.0.1", "-p", str(port)):  # fmt: skip
        wait_for(f"{url}/health", tmp_path)
        page, outside = opened(new_page, url, "")
        frame = press_a_cell(page)
        expect(page.get_by_text("SEEN 0 0 weights")).to_have_text(re.compile(r"weights [1-9]\d* 0"))
        page.get_by_role("button", name="head 3").click()
        expect(frame.locator(CHOSEN)).to_be_visible()
    assert outside == []


def test_an_exported_notebook_shows_the_picture_without_a_network(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    """As docs/python.md says; with the state of the widget, the HTML waits for scripts of a CDN."""
    notebook(tmp_path / "run.ipynb", [f"{SHOW}view", "attnscope.show('')"])
    words = ["nbconvert", "--execute", "--allow-errors", "--to", "html", "run.ipynb"]
    words.append("--ExecutePreprocessor.store_widget_state=False")
    environment = os.environ | {"HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, env=environment, check=True)
    page = new_page()
    page.context.set_offline(True)
    page.goto((tmp_path / "run.html").as_uri())
    picture, error = page.locator(".jp-OutputArea-output").all()
    box = picture.locator("img, svg").first.bounding_box()
    assert box is not None
    assert box["height"] > 200
    line, sentence = error.inner_text().splitlines()
    assert line == "line 1: attnscope.show('')"
    assert sentence.startswith("Problem: There is no token here")
