"""Where the browser of the tests is. `python -m tests.chromium` prints its path, or fails."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

# First those without a window of their own: they open a page in less processor time.
NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/opt/google/chrome/chrome",
)
# What Playwright turns off of itself, for the last list of a command line is the one that counts;
# and the address bar's own pages, which cost a new window more than the page that it shows.
FEATURES_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
)
# No call to outside, no first-run page; as root in a container there is no sandbox to be had.
FLAGS = (
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


def find_chromium() -> str | None:
    """The path in CHROMIUM, else the first browser on the PATH or in a usual place, else None."""
    given = os.environ.get("CHROMIUM")
    if given:
        return given if Path(given).is_file() else None
    on_path = (shutil.which(name) for name in NAMES)
    in_place = (place for place in PLACES if Path(place).is_file())
    return next((found for found in (*on_path, *in_place) if found), None)


if __name__ == "__main__":
    found = find_chromium()
    sys.exit(print(found) if found else "no Chromium or Chrome was found")
