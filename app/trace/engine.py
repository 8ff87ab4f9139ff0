"""Questions in, traces out, with memory: what a worker knows, and what all workers share."""

from __future__ import annotations

import hashlib

import orjson

from app.errors import UnknownModel, UnknownTrace
from app.trace.cache import Cache
from app.trace.question import Question
from app.trace.questions import Questions
from app.trace.run import Limits, Plan, Trace, answer, plan
from app.weights.store import Store
from app.weights.upload import Upload, from_bytes


class Engine:
    """A trace is a value named by its question, so any worker can answer for any other."""

    def __init__(
        self, limits: Limits, cache_bytes: int, questions: Questions, models: Store
    ) -> None:
        self.limits = limits
        self.questions = questions
        self.models = models
        self.traces: Cache[Trace] = Cache(cache_bytes, lambda trace: trace.bytes)
        self._uploads: Cache[Upload] = Cache(cache_bytes, lambda upload: upload.bytes)
        self._remembered: Cache[str] = Cache(1 << 20, len)

    def plan(self, question: Question) -> Plan:
        return plan(question, self.limits, self.find_upload)

    def trace(self, planned: Plan) -> Trace:
        """The answer, from memory where it is still there."""
        trace = self.traces.get(planned.id)
        if trace is None:
            trace = answer(planned)
            self.traces.put(planned.id, trace)
        return trace

    def remember(self, planned: Plan) -> None:
        """Keeps the question on disk, so that its link lasts and every worker knows it."""
        if self._remembered.get(planned.id) is None:
            canonical = orjson.dumps(planned.question.plain(), option=orjson.OPT_SORT_KEYS)
            self.questions.put(planned.id, canonical)
            self._remembered.put(planned.id, planned.id)

    def recall(self, trace_id: str) -> Question:
        """The question behind a trace id; raises UnknownTrace."""
        canonical = self.questions.get(trace_id)
        if canonical is None or hashlib.sha256(canonical).hexdigest()[:32] != trace_id:
            raise UnknownTrace("unknown_trace", at="id", id=trace_id[:64])
        return Question.model_validate(orjson.loads(canonical))

    def find_upload(self, model_id: str) -> Upload:
        """An uploaded model; raises UnknownModel."""
        upload = self._uploads.get(model_id)
        data = None if upload else self.models.get(model_id)
        if upload is None and data is not None:
            upload = from_bytes(data)
            self._uploads.put(model_id, upload)
        if upload is None:
            raise UnknownModel("unknown_model", at="model.id", id=model_id[:64])
        return upload

    def forget_upload(self, model_id: str) -> None:
        """Raises UnknownModel where there is none."""
        self._uploads.drop(model_id)
        if not self.models.delete(model_id):
            raise UnknownModel("unknown_model", at="id", id=model_id[:64])
