"""Browsers that see a part of the machine's fonts, by a fontconfig file of their own.

What draws a formula is the machine's business: DejaVu Math TeX Gyre on a desktop, STIX where a word
processor is, an ordinary face elsewhere. `make test` unpacks Debian's packages of the first two in
`.fonts/`; where they are not, the fonts of the machine have to do.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".fonts"
DEJAVU, STIX = "fonts-dejavu-extra", "fonts-stix"
MATHS = {DEJAVU: ("DejaVuMathTeXGyre*",), STIX: ("STIX*",)}
# Has the signs of mathematics as well, and on some machines is taken before the others.
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
    """The font sets that this machine can show: "neither", and each package that is unpacked."""
    return ["neither", *(name for name in MATHS if (FOLDER / name).is_dir())]


def environment(name: str, scratch: Path) -> dict[str, str | float | bool]:
    """The variables for a browser that sees the set `name`; its fontconfig file is in `scratch`."""
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
