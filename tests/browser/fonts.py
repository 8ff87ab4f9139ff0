"""Browsers with some of the machine's fonts, by a fontconfig file.

Formulas are drawn with DejaVu Math TeX Gyre on a desktop, STIX beside a word processor, ordinary
faces elsewhere. `make test` unpacks both in `.fonts/`.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".fonts"
DEJAVU, STIX = "fonts-dejavu-extra", "fonts-stix"
MATHS = {DEJAVU: ("DejaVuMathTeXGyre*",), STIX: ("STIX*",)}
# Has mathematical symbols too, and sometimes takes precedence.
RIVAL = "DejaVuSerif*"
CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  {folders}
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <selectfont>{rejected}</selectfont>
  <cachedir>{cache}</cachedir>
</fontconfig>
"""


def sets() -> list[str]:
    """Unpacked packages, and "neither"."""
    return ["neither", *(name for name in MATHS if (FOLDER / name).is_dir())]


def environment(name: str, scratch: Path) -> dict[str, str | float | bool]:
    """Variables for a browser with the set `name`; `scratch`: for its fontconfig file."""
    rejected = [face for other, faces in MATHS.items() if other != name for face in faces]
    if name in MATHS:
        rejected.append(RIVAL)
    file = scratch / f"{name}.conf"
    file.write_text(
        CONFIG.format(
            folders=f"<dir>{FOLDER / name}</dir>" if name in MATHS else "",
            rejected="".join(
                f"<rejectfont><glob>*/{each}</glob></rejectfont>" for each in rejected
            ),
            cache=scratch / "cache",
        )
    )
    return {**os.environ, "FONTCONFIG_FILE": str(file)}
