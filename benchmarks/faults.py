"""A server in every trouble that we know, one scene each; fails where it does not come through.

`make bench BENCH=faults ARGS="--only kills locked"`; `--tree` serves another checkout, `--most` MB
of address space, so that a release that takes too much does not take the machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.scenes import connections, disks, kills, requests, texts, uploads
from benchmarks.scenes.outcome import HEAD, Outcome
from benchmarks.served import Served, circumstances

Scene = Callable[[Callable[..., Served], Path], Iterator[Outcome]]
SCENES: dict[str, Scene] = {
    "refused": requests.refused,
    "analyses": requests.analyses,
    "long_question": requests.long_question,
    "tokenizers": texts.tokenizers,
    "long_texts": texts.long_texts,
    "hasty": texts.hasty,
    "many_layers": uploads.many_layers,
    "many_tensors": uploads.many_tensors,
    "four_tokenizers": uploads.four_tokenizers,
    "hanging": connections.hanging,
    "endless": connections.endless,
    "unread": connections.unread,
    "leaving": connections.leaving,
    "stopping": connections.stopping,
    "kills": kills.kills,
    "full": disks.full,
    "read_only": disks.read_only,
    "locked": disks.locked,
    "damaged": disks.damaged,
    "deleted": disks.deleted,
}


def play(name: str, start: Callable[..., Served]) -> list[Outcome]:
    """An interrupted scene has failed."""
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for outcome in SCENES[name](start, Path(folder)):
                print(outcome.sentence(), flush=True)
                outcomes.append(outcome)
        except Exception as error:  # the other scenes go on
            outcomes.append(Outcome(name, faults=[f"{type(error).__name__}: {error}"[:400]]))
            print(outcomes[-1].sentence(), flush=True)
    return outcomes


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--tree", default=".", help="the checkout that is served")
    parser.add_argument("--most", type=int, default=8000, help="MB of address space of a server")
    given = parser.parse_args(arguments)
    start = partial(Served, tree=Path(given.tree).resolve(), address_space=given.most)
    print(f"{circumstances()}\n\n{HEAD}", flush=True)
    outcomes = [outcome for name in given.only for outcome in play(name, start)]
    failed = [outcome.name for outcome in outcomes if outcome.faults]
    print(f"\n{circumstances()}\n{len(outcomes) - len(failed)} of {len(outcomes)} held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
