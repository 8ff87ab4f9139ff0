"""Opens the states of the pages in Firefox: `make test-firefox`. FIREFOX may name its path."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.browser.checks import COME, CUT, DESK
from tests.browser.states import GROUPS
from tests.browser.test_states import PHONE
from tests.serving import COMMAND, serving

SCRIPT = Path(__file__).with_name("open-states.js")
NAMES = ("firefox", "firefox-esr")


def main() -> int:
    browser = os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        print("no Firefox was found: install it, or set FIREFOX to its path", file=sys.stderr)
        return 1
    # Replies cannot be held here.
    states = {
        f"{group}: {name}": asdict(state)
        for group, each in GROUPS.items()
        for name, state in each.items()
        if not state.held
    }
    with tempfile.TemporaryDirectory() as scratch, serving(COMMAND, Path(scratch)) as url:
        given = {"browser": browser, "url": url, "states": states, "come": COME, "cut": CUT,
                 "desk": DESK, "phone": PHONE}  # fmt: skip
        command = ("node", SCRIPT)
        return subprocess.run(command, input=json.dumps(given), text=True, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
