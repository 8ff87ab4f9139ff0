"""A fresh headless Chromium for each page, and replies for outside addresses."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1280,900", "--remote-debugging-port=0",
]  # fmt: skip
LIBRARIES = r"^https://cdnjs\.cloudflare\.com/ajax/libs/"
# CDN address → (npm package, file in it).
CDN = [
    (LIBRARIES + r"require\.js/([\d.]+)/require(?:\.min)?\.js", "requirejs", "require.js"),
    (LIBRARIES + r"d3/([\d.]+)/d3\.min\.js", "d3", "dist/d3.min.js"),
    (LIBRARIES + r"jquery/([\d.]+)/jquery\.min\.js", "jquery", "dist/jquery.min.js"),
]
OUTSIDE = re.compile(r"^https?://(?!127\.0\.0\.1)")
START_LIMIT = 60.0


class Failed(Exception):
    """The message says what the page did not do."""


def cdn_answer(url: str, npm: Path) -> tuple[bytes | None, dict[str, Any]]:
    """Replacement of a CDN file or None, and a note."""
    for pattern, package, name in CDN:
        asked = re.match(pattern, url)
        root = npm / "node_modules" / package
        if asked and (root / name).is_file():
            have = json.loads((root / "package.json").read_text())["version"]
            body = (root / name).read_bytes()
            note = {"npm": f"{package}@{have}", "asked": asked.group(1), "bytes": len(body)}
            return body, {"url": url, **note}
    return None, {"url": url, "npm": None}


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills the browser's process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


async def debugging_port(process: subprocess.Popen[bytes], profile: str) -> int:
    """Read from the profile."""
    file, began = Path(profile) / "DevToolsActivePort", time.time()
    while not (file.exists() and file.read_text().count("\n")):
        if process.poll() is not None or time.time() - began > START_LIMIT:
            raise Failed("browser did not start")
        await asyncio.sleep(0.05)
    return int(file.read_text().split()[0])


@asynccontextmanager
async def fresh_browser(playwright: Any, chromium: str, flags: list[str]) -> AsyncIterator[Any]:
    """With an empty, temporary profile."""
    profile = tempfile.mkdtemp(prefix="peer-profile-")
    process = subprocess.Popen(
        [chromium, *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        port = await debugging_port(process, profile)
        yield await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
    finally:
        end(process)
        shutil.rmtree(profile, ignore_errors=True)


class Watch:
    """Waits at most until the page crashes."""

    def __init__(self, browser: Any, page: Any, limit: float) -> None:
        self.limit = limit
        self._gone_error = asyncio.get_running_loop().create_future()
        page.on("crash", self._crashed)
        browser.on("disconnected", self._crashed)

    def _crashed(self, *_: object) -> None:
        if not self._gone_error.done():
            self._gone_error.set_result(None)

    async def within(self, what: str, waited: Awaitable[Any]) -> Any:
        """Raises Failed on crash or timeout."""
        task = asyncio.ensure_future(waited)
        first = asyncio.FIRST_COMPLETED
        done, _ = await asyncio.wait(
            {task, self._gone_error}, timeout=self.limit, return_when=first
        )
        if task in done:
            return task.result()
        task.cancel()
        why = "crash" if self._gone_error.done() else f"timeout {self.limit:g} s"
        raise Failed(f"{why} ({what})")


async def answer_for_outside(page: Any, npm: Path, notes: dict[str, Any]) -> None:
    """Serves libraries from npm; refuses other outside addresses."""

    async def answer(route: Any) -> None:
        body, note = cdn_answer(route.request.url, npm)
        notes["blocked" if body is None else "cdn"].append(note)
        if body is None:
            await route.abort()
        else:
            await route.fulfill(
                body=body,
                content_type="text/javascript; charset=utf-8",
                headers={"Access-Control-Allow-Origin": "*"},
            )

    await page.route(OUTSIDE, answer)
