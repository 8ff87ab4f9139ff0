"""Table of medians."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]
HEAD = [
    "size (L,H,n)", "peer", "make s", "drawn s", "to picture s", "× attnscope", "fetched MB",
    "JS heap MB", "renderer RSS MB", "DOM nodes", "hover ms", "switch ms", "fails",
]  # fmt: skip


def latency(act: Row) -> float:
    """From the event to the next painted frame, by the browser if known."""
    return max(time for time in (act["main_ms"], act["presented_ms"]) if time is not None)


def median(values: Iterable[float | None], form: str, unit: float = 1) -> str:
    known = [value / unit for value in values if value is not None]
    return form.format(statistics.median(known)) if known else "–"


def act_of(runs: list[Row], name: str) -> str:
    acts = [run["acts"][name] for run in runs if name in run.get("acts", {})]
    if not acts:
        return "–" if all(run.get("fail") for run in runs) else "n/a"
    failed = [act["fail"].split(" (")[0] for act in acts if act.get("fail")]
    return failed[0] if failed else median(map(latency, acts), "{:.0f}")


def fails_of(runs: list[Row]) -> str:
    fails = sorted({run["fail"] for run in runs if run.get("fail")})
    good = sum(not run.get("fail") for run in runs)
    if not fails:
        return f"no ({good} runs)"
    return "; ".join(fails + ([f"{good} of {len(runs)} ok"] if good else []))


def to_picture(runs: Iterable[Row]) -> float | None:
    """Median seconds from numbers to all drawn."""
    times = [run["make_s"] + run["drawn_s"] for run in runs if run.get("drawn_s") is not None]
    return statistics.median(times) if times else None


def line(size: list[int], name: str, runs: list[Row], ours: float | None) -> str:
    def of(key: str, form: str, unit: float = 1) -> str:
        return median((run.get(key) for run in runs), form, unit)

    seconds = to_picture(runs)
    ratio = f"{seconds / ours:.3g}" if seconds and ours else "–"
    cells = [
        ",".join(map(str, size)), name, of("make_s", "{:.3f}"), of("drawn_s", "{:.2f}"),
        median([seconds], "{:.2f}"), ratio, of("fetched_bytes", "{:.2f}", 1e6),
        of("heap_after_gc_mb", "{:.1f}"), of("renderer_rss_mb", "{:.0f}"), of("nodes", "{:,.0f}"),
        act_of(runs, "hover"), act_of(runs, "switch"), fails_of(runs),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def table(data: Row) -> str:
    """Markdown."""
    rows = [f"| {' | '.join(HEAD)} |", "|---|---|" + "--:|" * 10 + "---|"]
    for size in data["sizes"]:
        here = [run for run in data["runs"] if run["size"] == list(size)]
        ours = to_picture(run for run in here if run["peer"] == "attnscope")
        for name in data["peers"]:
            runs = [run for run in here if run["peer"] == name]
            if runs:
                rows.append(line(size, name, runs, ours))
    load = [run["load1"] for run in data["runs"] if "load1" in run]
    rows.append(f"\nload of the machine while it ran: {median(load, '{:.1f}')} (median)")
    return "\n".join(rows)
