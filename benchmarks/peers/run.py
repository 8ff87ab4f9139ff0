"""Measures attention viewers in headless Chromium; README.md says how, and what it means."""

from __future__ import annotations

import argparse
import asyncio
import gc
import http.server
import json
import os
import platform
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

from browser import FLAGS
from makers import PEERS, Notes, Peer, Size, versions
from measure import Options, Row, measure
from ours import SERVER
from table import latency, table
from tensors import synthetic

SIZES = "1,12,64;12,12,32;12,12,128;1,12,512"
# Each peer's best way to show all heads.
SEEN = "bertviz_model,circuitsvis_patterns_nowebgl,plotly_grid,matplotlib_png,attnscope"
SHOT_SIZE = (12, 12, 32)


class Pages(http.server.BaseHTTPRequestHandler):
    """Serves the measured page."""

    body = b""

    def do_GET(self) -> None:
        found = self.path.startswith("/page.html")
        body = Pages.body if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """A measurement prints its own line."""


def make_page(peer: Peer, weights: Any, tokens: list[str]) -> tuple[bytes, float, Notes]:
    """The page, seconds, and notes."""
    notes: Notes = {}
    peer.ready(weights.shape[:3])
    gc.collect()
    began = time.perf_counter()
    page = peer.make(weights, tokens, notes)
    return page.encode(), time.perf_counter() - began, notes


async def one_run(
    playwright: Any, options: Options, name: str, case: Any, shot: Path | None
) -> Row:
    size, weights, tokens, url = case
    run: Row = {"peer": name, "size": list(size)}
    try:
        Pages.body, run["make_s"], notes = make_page(PEERS[name], weights, tokens)
        run |= {**notes, "html_bytes": len(Pages.body)}
        url = notes.get("address", url)  # of a peer with its own server
        run |= await measure(playwright, options, PEERS[name], size, url, shot)
    except Exception as error:
        run["fail"] = f"make: {type(error).__name__}: {error}"
    return run


def started(opt: argparse.Namespace) -> Row:
    """New, or the one to add to."""
    if not opt.add:
        settings = {"sizes": opt.sizes, "peers": opt.peers, "repeats": opt.repeats}
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "flags": FLAGS}
        limits = {"timeout_s": opt.timeout, "seed": opt.seed, "versions": versions()}
        return {**settings, **machine, **limits, "runs": []}
    data: Row = json.loads(opt.out.read_text())
    sizes = [list(size) for size in opt.sizes]
    data["peers"] += [peer for peer in opt.peers if peer not in data["peers"]]
    data["sizes"] += [size for size in sizes if size not in data["sizes"]]
    data["runs"] = [
        run for run in data["runs"] if run["peer"] not in opt.peers or run["size"] not in sizes
    ]
    return data


def record(data: Row, run: Row, out: Path) -> None:
    """Saved after each run, since a run may crash."""
    gpu = run.pop("gpu", None)
    data["gpu"] = data.get("gpu") or gpu
    data["browser"] = run.pop("browser", data.get("browser"))
    data["runs"].append(run)
    acts = {
        name: act.get("fail") or f"{latency(act):.0f} ms"
        for name, act in run.get("acts", {}).items()
    }
    figures = f"make {run.get('make_s', -1):.3f} s  {run.get('html_bytes', 0) / 1e6:.2f} MB"
    drawn = f"drawn {run.get('drawn_s', -1):.3f} s"
    when = time.strftime("%H:%M:%S")
    print(when, run["size"], run["peer"], figures, drawn, acts, run.get("fail") or "", flush=True)
    out.write_text(json.dumps(data))


async def measure_size(
    playwright: Any, opt: argparse.Namespace, data: Row, size: Size, url: str
) -> None:
    """Repeats alternate the peers, so that a slow spell affects all."""
    options = Options(opt.chromium, opt.npm, opt.timeout, opt.ink, opt.flags)
    case = (size, *synthetic(*size, seed=opt.seed), url)
    over: set[str] = set()
    for repeat in range(opt.repeats):
        for name in opt.peers:
            if name in over:
                continue
            shown = opt.shots and repeat == 0 and size == SHOT_SIZE
            shot = opt.shots / f"peer-{name}" if shown else None
            run = {"rep": repeat} | await one_run(playwright, options, name, case, shot)
            if run.get("fail"):
                over.add(name)
            record(data, run, opt.out)


async def main(opt: argparse.Namespace) -> None:
    from playwright.async_api import async_playwright

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/page.html"
    data = started(opt)
    opt.out.parent.mkdir(parents=True, exist_ok=True)
    if opt.shots:
        opt.shots.mkdir(parents=True, exist_ok=True)
    for name in opt.peers:  # not timed: imports and first calls
        make_page(PEERS[name], *synthetic(1, 1, 8))
    async with async_playwright() as playwright:
        for size in opt.sizes:
            await measure_size(playwright, opt, data, size, url)
    server.shutdown()
    print("\n" + table(data))


def sizes(text: str) -> list[Size]:
    return [tuple(map(int, size.split(","))) for size in text.split(";")]


def arguments() -> argparse.Namespace:
    chromium = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=Path("peers.json"), help="the JSON of every figure")
    add("--shots", type=Path, help="folder for screenshots")
    add("--npm", type=Path, default=Path("npm"), help="its node_modules stand in for the CDN")
    add("--chromium", default=chromium)
    add("--flags", default=[], type=str.split, help="more flags for Chromium")
    add("--peers", default=SEEN.split(","), type=lambda text: text.split(","))
    add("--url", default=os.environ.get(SERVER), help="address of a running attnscope")
    add("--sizes", default=sizes(SIZES), type=sizes, help="L,H,n;L,H,n;…")
    add("--repeats", type=int, default=3)
    add("--timeout", type=float, default=180, help="seconds for each step")
    add("--seed", type=int, default=0)
    add("--no-ink", dest="ink", action="store_false", help="skip the look for blank pictures")
    add("--add", action="store_true", help="put these runs into the JSON that --out holds")
    add("--table", type=Path, help="only print the table of an earlier run's JSON")
    opt = parser.parse_args()
    if not (opt.chromium or opt.table):
        parser.error("no Chromium found; give --chromium")
    return opt


if __name__ == "__main__":
    opt = arguments()
    if opt.url:
        os.environ[SERVER] = opt.url
    if opt.table:
        sys.exit(print(table(json.loads(opt.table.read_text()))))
    asyncio.run(main(opt))
