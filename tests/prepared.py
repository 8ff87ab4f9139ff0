"""Preloaded by `tests.preloaded`: what a server prepares before it forks workers is prepared once
for all servers of tests, which takes a second."""

from __future__ import annotations

import gc

from attnscope.main import prepare

prepare()
gc.collect()
gc.freeze()
