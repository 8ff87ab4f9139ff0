"""The default question through `attnscope.Client()`, beside the engine alone: elapsed time, and
processor time, which busy cores do not change."""

from __future__ import annotations

import itertools
import tempfile
import time
from pathlib import Path

import orjson
from threadpoolctl import threadpool_limits

import attnscope
from attnscope.main import make_engine
from attnscope.settings import Settings
from attnscope.trace.trace import answer
from attnscope.web.serializers.request import DEFAULT_TEXT, AttentionRequest
from attnscope.web.serializers.selection import Selection
from attnscope.web.serializers.traces import attention_json
from benchmarks.timing import in_turn


def main() -> None:
    threadpool_limits(1, "blas")
    engine = make_engine(Settings(data_dir=Path(tempfile.mkdtemp())))
    client = attnscope.Client()
    seeds = itertools.count()

    def model() -> dict[str, object]:
        """New seeds are not cached."""
        return {"source": "seeded", "seed": next(seeds)}

    def alone() -> bytes:
        """From JSON to JSON."""
        body = orjson.dumps({"text": DEFAULT_TEXT, "model": model()})
        request = AttentionRequest.model_validate(orjson.loads(body))
        return attention_json(answer(engine.plan(request)), Selection())

    def asked() -> attnscope.Trace:
        return client.trace(DEFAULT_TEXT, model())

    def looked() -> object:
        return asked().layers[0].weights

    for kind, clock in (("elapsed", time.perf_counter), ("processor", time.process_time)):
        bare, traced, seen = in_turn(300, alone, asked, looked, clock=clock)
        print(f"{kind}: engine alone, every stage as JSON: {bare * 1e3:.2f} ms median")
        print(f"{kind}: client.trace: {traced * 1e3:.2f} ms, {traced / bare:.2f} × (budget 1.5)")
        print(f"{kind}: client.trace and its weights: {seen * 1e3:.2f} ms, {seen / bare:.2f} ×")
    client.close()


if __name__ == "__main__":
    main()
