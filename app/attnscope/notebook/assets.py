from __future__ import annotations

import hashlib

from attnscope.resources import static_dir

_FOLDER = static_dir() / "notebook"
WIDGET = (_FOLDER / "widget.js").read_text(encoding="utf-8")
FRAME = (_FOLDER / "frame.js").read_text(encoding="utf-8")
VERSION = hashlib.sha256((WIDGET + FRAME).encode()).hexdigest()[:12]
