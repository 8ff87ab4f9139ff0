"""The default question in process, from JSON to JSON."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import orjson
from threadpoolctl import threadpool_limits

from attnscope.main import make_engine
from attnscope.settings import Settings
from attnscope.trace.trace import answer
from attnscope.web.serializers.request import DEFAULT_TEXT, AttentionRequest
from attnscope.web.serializers.selection import Selection
from attnscope.web.serializers.traces import attention_json
from benchmarks.timing import in_turn

SIXTEEN = "The quick brown fox jumps over the lazy dog while nobody else is looking now ."


def main() -> None:
    threadpool_limits(1, "blas")
    engine = make_engine(Settings(data_dir=Path(tempfile.mkdtemp())))
    seeds = itertools.count()

    def fresh(text: str, seed: int) -> bytes:
        """New seeds draw their embeddings too."""
        body = orjson.dumps({"text": text, "model": {"source": "seeded", "seed": seed}})
        request = AttentionRequest.model_validate(orjson.loads(body))
        return attention_json(answer(engine.plan(request)), Selection())

    same, sixteen, new = in_turn(
        200,
        lambda: fresh(DEFAULT_TEXT, 0),
        lambda: fresh(SIXTEEN, 0),
        lambda: fresh(DEFAULT_TEXT, next(seeds)),
    )
    print(f"default question (12 tokens): {same * 1e3:.2f} ms median (budget 1.2)")
    print(f"16 tokens, d_model 64, 4 heads: {sixteen * 1e3:.2f} ms median")
    print(f"default question, another seed each time: {new * 1e3:.2f} ms median")


if __name__ == "__main__":
    main()
