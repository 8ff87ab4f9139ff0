from __future__ import annotations

import hashlib
from concurrent.futures import Executor
from typing import cast

import orjson
from safetensors import SafetensorError

from attnscope.captures.capture import Capture, read_and_open
from attnscope.errors import AttnscopeError, UnknownModel, UnknownTrace
from attnscope.installed.model_registry import ModelRegistry, shipped
from attnscope.installed.uploaded_model import is_checkpoint, open_uploaded_checkpoint
from attnscope.storage.cache import Cache, MapStore
from attnscope.storage.manifest import ReceivedUpload
from attnscope.storage.questions import QuestionStore
from attnscope.storage.uploads import UploadStore
from attnscope.trace.capture_plan import plan_capture, words_of
from attnscope.trace.open_model import resolve
from attnscope.trace.passes import Passes
from attnscope.trace.plan import Limits, Plan, make_plan
from attnscope.trace.question import Captured, Installed, Question, Trained, Uploaded
from attnscope.trace.trace import Trace, answer
from attnscope.weights.formats import Limits as UploadLimits
from attnscope.weights.upload import Upload, reopen

OF_A_LAYER = 4096  # bytes of a layer's Python objects
UNREADABLE = (AttnscopeError, SafetensorError, LookupError, TypeError, ValueError)


class Engine:
    """A trace id is the hash of a stored question: any worker can answer for it."""

    def __init__(
        self,
        limits: Limits,
        cache_bytes: int,
        questions: QuestionStore,
        models: UploadStore,
        upload_limits: UploadLimits,
        registry: ModelRegistry | None = None,
        maps: MapStore | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.limits = limits
        self.upload_limits = upload_limits
        self.questions = questions
        self.models = models
        self.registry = registry or shipped()
        self.cache = Cache(cache_bytes)
        self.passes = Passes(self.cache, maps, executor)

    def plan(
        self, question: Question, name: str | None = None, upload: Upload | Capture | None = None
    ) -> Plan:
        if isinstance(question.model, Captured):
            capture = upload or self.find_capture(question.model.id)
            return plan_capture(question, cast(Capture, capture), self.limits)

        def find(model_id: str) -> Upload:
            return self.find_upload(model_id) if upload is None else cast(Upload, upload)

        planned = make_plan(question, self.limits, find, self.registry, name)
        # Plans of uploads and trained models hold weights, which have their own caches.
        if not isinstance(question.model, Uploaded | Trained):
            self.cache.put(planned.id, planned, planned.held_bytes)
        return planned

    def recall_plan(self, question: Question, upload: Upload | Capture | None = None) -> Plan:
        """Like `plan`, but cached. `plan` refuses questions that JSON cannot encode."""
        try:
            question = resolve(question, self.registry)
            name = question.id()
        except orjson.JSONEncodeError:
            return self.plan(question)
        return self.cache.get(Plan, name) or self.plan(question, name, upload)

    def trace(self, planned: Plan) -> Trace:
        """Raises ModelChanged if the model's files changed since the plan."""
        trace = self.cache.get(Trace, planned.id)
        if trace is None:
            trace = answer(planned, self.passes)
            resolve(planned.question, self.registry)
            objects = OF_A_LAYER * planned.model.num_layers
            self.cache.put(planned.id, trace, trace.bytes + objects, Trace)
        return trace

    def kept_bytes(self, planned: Plan) -> int:
        trace = self.cache.get(Trace, planned.id)
        return 0 if trace is None else trace.bytes

    def remember(self, planned: Plan, client: str = "") -> None:
        self.questions.put(planned.id, _canonical(planned), client)

    def queue_question(self, planned: Plan, client: str = "") -> bool:
        return self.questions.put_soon(planned.id, _canonical(planned), client)

    def remembered_recently(self, planned: Plan, client: str = "") -> bool:
        return self.questions.stored_recently(planned.id, client)

    def known(self, trace_id: str) -> Plan | None:
        trace = self.cache.get(Trace, trace_id)
        planned = self.cache.get(Plan, trace_id) if trace is None else trace.plan
        gone = planned is not None and not self._has_model(planned.question)
        return None if gone else planned

    def stored_question(self, trace_id: str) -> bytes:
        """The question as JSON. Raises UnknownTrace, StorageFull, Busy."""
        canonical = self.questions.get(trace_id)
        if canonical is None or hashlib.sha256(canonical).hexdigest()[:32] != trace_id:
            raise UnknownTrace("unknown_trace", at="id", id=trace_id[:64])
        return canonical

    def cost_of_upload(self, model_id: str) -> int:
        return self.models.size(model_id)

    def has_upload(self, model_id: str) -> bool:
        return any(self.cache.get(kind, model_id) is not None for kind in (Upload, Capture))

    def find_model(self, model: Uploaded | Captured) -> Upload | Capture:
        if isinstance(model, Captured):
            return self.find_capture(model.id)
        return self.find_upload(model.id)

    def find_upload(self, model_id: str, at: str = "model.id") -> Upload:
        if not self.models.exists(model_id):
            self.cache.drop(Upload, model_id)
            raise _unknown(model_id, at)
        upload = self.cache.get(Upload, model_id)
        if upload is None:
            upload = self._read_upload(model_id)
            self.cache.put(model_id, upload, upload.held, Upload)
        return upload

    def keep_upload(self, sent: ReceivedUpload, upload: Upload, client: str = "") -> str:
        model_id = self.models.put(sent, client)
        self.cache.put(model_id, upload, upload.held, Upload)
        return model_id

    def forget_upload(self, model_id: str, *, capture: bool = False) -> None:
        if self.models.is_capture(model_id) != capture:
            raise _unknown(model_id, "id", capture=capture)
        self.cache.drop(Capture if capture else Upload, model_id)
        if not self.models.delete(model_id):
            raise _unknown(model_id, "id", capture=capture)

    def find_capture(self, capture_id: str) -> Capture:
        if not self.models.exists(capture_id):
            self.cache.drop(Capture, capture_id)
            raise _unknown(capture_id, capture=True)
        capture = self.cache.get(Capture, capture_id)
        if capture is None:
            kept = self.models.get(capture_id)
            if not (isinstance(kept, ReceivedUpload) and kept.is_capture):
                raise _unknown(capture_id, capture=True)
            try:
                capture = read_and_open(kept, self.upload_limits, self.limits.max_trace_bytes)
            except AttnscopeError as error:
                raise _unknown(capture_id, capture=True) from error
            self.cache.put(capture_id, capture, capture.bytes)
        return capture

    def keep_capture(self, sent: ReceivedUpload, capture: Capture, client: str = "") -> Plan:
        """Raises TooManyTokens, TooLarge, StorageFull, Busy; then nothing is stored."""
        words_of(capture, self.limits)
        capture_id = self.models.put(sent, client)
        question = Question(model=Captured(source="captured", id=capture_id))
        planned = plan_capture(question, capture, self.limits)
        try:
            self.remember(planned, client)
        except AttnscopeError:
            self.models.delete(capture_id)
            raise
        self.cache.put(capture_id, capture, capture.bytes)
        return planned

    def _has_model(self, question: Question) -> bool:
        model = question.model
        if isinstance(model, Installed):
            try:
                resolve(question, self.registry)
            except AttnscopeError:
                return False
        return not isinstance(model, Uploaded | Captured) or self.models.exists(model.id)

    def _read_upload(self, model_id: str) -> Upload:
        kept = self.models.get(model_id)
        if kept is None or (isinstance(kept, ReceivedUpload) and kept.is_capture):
            raise _unknown(model_id)
        try:
            if isinstance(kept, ReceivedUpload) and is_checkpoint(kept):
                return open_uploaded_checkpoint(kept, self.upload_limits)
            return reopen(kept, self.upload_limits)
        except UNREADABLE as error:  # stored by another version, or above a limit
            raise _unknown(model_id) from error


def _canonical(planned: Plan) -> bytes:
    return orjson.dumps(planned.question.plain(), option=orjson.OPT_SORT_KEYS)


def _unknown(model_id: str, at: str = "model.id", *, capture: bool = False) -> UnknownModel:
    return UnknownModel("unknown_capture" if capture else "unknown_model", at=at, id=model_id[:64])
