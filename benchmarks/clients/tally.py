"""Times and refusals by kind of request, and broken promises."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

MOST_TOLD = 12


@dataclass
class Kind:
    """Seconds of answers and refusals."""

    answered: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    asked: int = 0
    given_up: int = 0
    size: int = 0

    def within(self, share: float) -> float:
        """Quantile of the seconds."""
        times = sorted(self.answered)
        return times[min(len(times) - 1, int(share * len(times)))] if times else 0.0


class Tally:
    def __init__(self) -> None:
        self.kinds: dict[str, Kind] = defaultdict(Kind)
        self.statuses: Counter[str] = Counter()
        self.broken: list[str] = []
        self.left = 0

    def breaks(self, what: str) -> None:
        self.broken.append(what)

    @property
    def total(self) -> int:
        return sum(len(kind.answered) for kind in self.kinds.values())

    def table(self) -> str:
        columns = f"{'':26}{'asked':>7}{'answered':>10}{'503':>6}{'gave up':>9}"
        rows = [f"{columns}{'p50':>9}{'p95':>9}{'p99':>9}{'MB':>9}"]
        for name, kind in sorted(self.kinds.items()):
            times = "".join(f"{_shown(kind.within(share)):>9}" for share in (0.5, 0.95, 0.99))
            counts = f"{kind.asked:7}{len(kind.answered):10}{len(kind.refused):6}{kind.given_up:9}"
            rows.append(f"{name:26}{counts}{times}{kind.size / 1e6:9.1f}")
        return "\n".join(rows)

    def complaints(self) -> str:
        lines = [f"BROKEN {each}" for each in self.broken[:MOST_TOLD]]
        more = len(self.broken) - MOST_TOLD
        return "\n".join([*lines, *([f"BROKEN … and {more} more"] if more > 0 else [])])


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"
