"""The browser of tests. `python -m tests.chromium` prints its path, or fails."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

# Headless ones first: they open pages in less time.
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
# Playwright's list, as only the last one counts; and the address bar's pages, which cost more than
# a page.
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
# No outside requests, no first-run page; root in a container has no sandbox. Names that are not
# loopback names, for this machine.
FLAGS = (
    "--host-resolver-rules=MAP *.example 127.0.0.1",
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # A tenth less work where every core is busy.
    "--num-raster-threads=1",
)


def find_chromium() -> str | None:
    """CHROMIUM, else the first on the PATH or in a usual place."""
    given = os.environ.get("CHROMIUM")
    if given:
        return given if Path(given).is_file() else None
    on_path = (shutil.which(name) for name in NAMES)
    in_place = (place for place in PLACES if Path(place).is_file())
    return next((found for found in (*on_path, *in_place) if found), None)


if __name__ == "__main__":
    found = find_chromium()
    sys.exit(print(found) if found else "no Chromium or Chrome was found")
