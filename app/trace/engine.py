"""Questions in, traces out, with memory: what a worker knows, and what all workers share."""

from __future__ import annotations

import hashlib

import orjson
from safetensors import SafetensorError

from app.errors import UnknownModel, UnknownTrace
from app.trace.cache import Cache
from app.trace.question import Question
from app.trace.questions import Questions
from app.trace.run import Limits, Plan, Trace, answer, plan
from app.weights.store import Store
from app.weights.upload import Upload, from_bytes

UNREADABLE = (SafetensorError, LookupError, TypeError, ValueError)


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
        """Keeps the question on disk, so that its link lasts and every worker knows it.

        Raises StorageFull.
        """
        canonical = orjson.dumps(planned.question.plain(), option=orjson.OPT_SORT_KEYS)
        self.questions.put(planned.id, canonical)

    def recall(self, trace_id: str) -> Question:
        """The question behind a trace id; raises UnknownTrace, or StorageFull where the disk
        cannot be asked and the trace is not in memory."""
        trace = self.traces.get(trace_id)
        if trace is not None:
            return trace.plan.question
        canonical = self.questions.get(trace_id)
        if canonical is None or hashlib.sha256(canonical).hexdigest()[:32] != trace_id:
            raise UnknownTrace("unknown_trace", at="id", id=trace_id[:64])
        return Question.model_validate(orjson.loads(canonical))

    def find_upload(self, model_id: str, at: str = "model.id") -> Upload:
        """An uploaded model, while its file is there and sound; raises UnknownModel."""
        if not self.models.exists(model_id):
            self._uploads.drop(model_id)
            raise _unknown(model_id, at)
        upload = self._uploads.get(model_id)
        if upload is None:
            upload = self._read_upload(model_id)
            self._uploads.put(model_id, upload)
        return upload

    def forget_upload(self, model_id: str) -> None:
        """Raises UnknownModel where there is none."""
        self._uploads.drop(model_id)
        if not self.models.delete(model_id):
            raise _unknown(model_id, "id")

    def _read_upload(self, model_id: str) -> Upload:
        """Raises UnknownModel for a file that is not what was kept under its name."""
        data = self.models.get(model_id)
        if data is None or self.models.name_for(data) != model_id:
            raise _unknown(model_id, "model.id")
        try:
            return from_bytes(data)
        except UNREADABLE as error:  # whole, but written by another version
            raise _unknown(model_id, "model.id") from error


def _unknown(model_id: str, at: str) -> UnknownModel:
    return UnknownModel("unknown_model", at=at, id=model_id[:64])
