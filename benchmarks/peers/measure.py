"""One fresh browser, one page: time to drawn, memory, acts."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from browser import Failed, Watch, answer_for_outside, fresh_browser
from makers import Act, Peer, Size

PROBE = (Path(__file__).parent / "probe.js").read_text()
VIEWPORT = {"width": 1280, "height": 800}
# WebGL renderers of DOM and offscreen canvases, which can differ.
WEBGL = """() => [document.createElement("canvas"), new OffscreenCanvas(9, 9)].map((c) => {
  const g = c.getContext("webgl2") || c.getContext("webgl");
  const info = g && (g.getExtension("WEBGL_debug_renderer_info") || {});
  return g && g.getParameter(info.UNMASKED_RENDERER_WEBGL || g.RENDERER);
})"""
FETCHED = """() => ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
  .filter((entry) => entry.name.startsWith(location.origin))
  .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""
Row = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """Shared by all measurements."""

    chromium: str
    npm: Path
    timeout: float
    ink: bool
    flags: list[str]


@dataclass(frozen=True)
class Session:
    page: Any
    root: Any  # CDP session of the browser
    reports: asyncio.Queue[Row]
    watch: Watch
    out: Row


async def measure(
    playwright: Any, options: Options, peer: Peer, size: Size, url: str, shot: Path | None
) -> Row:
    """`fail` names what went wrong."""
    flags = [*peer.flags, *options.flags]
    out: Row = {"fail": None, "cdn": [], "blocked": [], "page_errors": [], "acts": {},
                "load1": os.getloadavg()[0], "extra_flags": flags, "webgl": None}  # fmt: skip
    try:
        async with fresh_browser(playwright, options.chromium, flags) as browser:
            session = await prepared(browser, options, peer.drawn(size), out)
            await load(session, url)
            out.update(await session.watch.within("memory", memory(session)))
            out["fetched_bytes"] = await fetched(session)
            await picture(session, options.ink, shot)
            await play(session, peer.acts(size), shot)
    except Failed as error:
        out["fail"] = str(error)
    except Exception as error:  # target crashed, navigation timed out
        out["fail"] = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
    return out


async def prepared(browser: Any, options: Options, drawn: str, out: Row) -> Session:
    """With the probe installed."""
    out["browser"] = browser.version
    page = browser.contexts[0].pages[0]
    await page.set_viewport_size(VIEWPORT)
    reports: asyncio.Queue[Row] = asyncio.Queue()
    watch = Watch(browser, page, options.timeout)
    page.on("pageerror", lambda error: out["page_errors"].append(str(error)[:300]))
    await answer_for_outside(page, options.npm, out)
    await page.expose_function("__peerReport", lambda text: reports.put_nowait(json.loads(text)))
    await page.add_init_script(f"{PROBE}\n__peer.watchLoad(() => ({drawn}));")
    root = await browser.new_browser_cdp_session()
    gpu = (await root.send("SystemInfo.getInfo"))["gpu"]
    out["gpu"] = {"devices": gpu["devices"], "features": gpu.get("featureStatus")}
    return Session(page, root, reports, watch, out)


async def load(session: Session, url: str) -> None:
    """From navigation to the presented elements."""

    async def loaded() -> Row:
        await session.page.goto(url, wait_until="commit", timeout=session.watch.limit * 1000)
        return await session.reports.get()

    report = await session.watch.within("load", loaded())
    session.out["drawn_s"] = max([report["drawn"], *presented(report)]) / 1e3
    session.out["load"] = report


def presented(report: Row) -> list[float]:
    """The browser's presentation times of the slow frame with the response."""
    return [
        frame["presented"]
        for frame in report["loaf"]
        if frame["presented"] and frame["start"] <= report["hit"] <= frame["end"] + 1
    ]


async def memory(session: Session) -> Row:
    """Heap before and after a forced collection, DOM nodes, renderer memory."""
    cdp = await session.page.context.new_cdp_session(session.page)

    async def metrics() -> Row:
        listed = (await cdp.send("Performance.getMetrics"))["metrics"]
        return {each["name"]: each["value"] for each in listed}

    await cdp.send("Performance.enable")
    before = await metrics()
    await cdp.send("HeapProfiler.collectGarbage")
    after = await metrics()
    processes = (await session.root.send("SystemInfo.getProcessInfo"))["processInfo"]
    renderers = [
        rss for each in processes if each["type"] == "renderer" if (rss := rss_of(each["id"]))
    ]
    return {
        "heap_mb": before["JSHeapUsedSize"] / 2**20,
        "heap_after_gc_mb": after["JSHeapUsedSize"] / 2**20,
        "nodes": after["Nodes"],
        "elements": await session.page.evaluate("document.getElementsByTagName('*').length"),
        "metrics": before,
        "renderer_rss_mb": max((each["VmRSS"] for each in renderers), default=None),
        "renderer_peak_mb": max((each["VmHWM"] for each in renderers), default=None),
    }


async def fetched(session: Session) -> int:
    """Bytes on the wire."""
    own = await session.page.evaluate(FETCHED)
    return int(own) + sum(note["bytes"] for note in session.out["cdn"])


def rss_of(process: int) -> dict[str, float] | None:
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = {key: re.search(rf"{key}:\s+(\d+)", text) for key in ("VmRSS", "VmHWM")}
    return {key: int(each.group(1)) / 1024 for key, each in found.items() if each} or None


async def picture(session: Session, ink: bool, shot: Path | None) -> None:
    """Whether the page is blank; saves pictures if asked."""
    if not (ink or shot):
        return
    limit = session.watch.limit * 1000
    png = await session.watch.within("screenshot", session.page.screenshot(timeout=limit))
    session.out["viewport"] = ink_of(png)
    if shot:
        shot.with_suffix(".png").write_bytes(png)
        whole = await session.page.screenshot(full_page=True)
        shot.with_name(f"{shot.name}-full.png").write_bytes(whole)


def ink_of(png: bytes) -> dict[str, float]:
    """Share of pixels unlike the commonest colour, and number of colours."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).reshape(-1, 3)
    packed = pixels.astype(np.int64) @ [1 << 16, 1 << 8, 1]
    counts = np.unique(packed, return_counts=True)[1]
    return {"ink": round(float(1 - counts.max() / len(packed)), 4), "colours": len(counts)}


async def play(session: Session, acts: list[Act], shot: Path | None) -> None:
    """A failed act does not end the others, unless the page hangs."""
    done = session.out["acts"]
    for act in acts:
        try:
            report = await session.watch.within(act.name, perform(session, act))
        except Failed as error:
            done[act.name] = {"what": act.what, "fail": str(error)}
            if "crash" in str(error):
                raise
            if "timeout" in str(error):
                return  # the main thread may be busy
            continue
        done[act.name] = timed(act, report)
        if shot:
            png = await session.page.screenshot()
            shot.with_name(f"{shot.name}-{act.name}.png").write_bytes(png)
    session.out["webgl"] = await session.watch.within("webgl", session.page.evaluate(WEBGL))


async def perform(session: Session, act: Act) -> Row:
    """Arms the clock, sends the input, waits for the response."""
    page = session.page
    await page.mouse.move(1, 1)
    point = await page.evaluate(act.point)
    await page.evaluate("__peer.rest()")
    if point and not (0 <= point[0] <= VIEWPORT["width"] and 0 <= point[1] <= VIEWPORT["height"]):
        raise Failed(f"off screen ({act.name}: target at {point[0]:.0f},{point[1]:.0f})")
    if act.canvas:
        await page.evaluate(f"() => {{ __peer.pixels = __peer.fp({act.canvas}) }}")
    if act.before:
        await page.evaluate(f"() => {{ {act.before} }}")
    await page.evaluate(f"() => __peer.arm({json.dumps(act.starts)}, () => ({act.changed}), 'x')")
    if act.input.startswith("key:"):
        await page.keyboard.press(act.input.removeprefix("key:"))
    elif act.input == "click":
        await page.mouse.click(*point)
    else:
        await page.mouse.move(*point)
    report = await session.reports.get()
    if act.canvas:
        changed = f"__peer.fp({act.canvas}) !== __peer.pixels"
        report["pixels_changed"] = await page.evaluate(changed)
    return report


def timed(act: Act, report: Row) -> Row:
    """Milliseconds from the input event's timestamp."""
    began = report["t0"]
    seen = presented(report) + [
        event["presented"]
        for event in report["events"]
        if event["presented"] >= report["hit"] and event["start"] >= began - 1
    ]
    return {
        "what": act.what,
        "pixels_changed": report.get("pixels_changed"),
        "main_ms": report["hitPainted"] - began,
        "input_delay_ms": report["handled"] - began,
        "presented_ms": max(seen) - began if seen else None,
        "settled_ms": report["drawn"] - began,
        "raw": report,
    }
