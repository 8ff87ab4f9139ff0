from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from attnscope import cancellation
from attnscope.analysis.schema import Real, described, doc
from attnscope.errors import Busy, StorageFull
from attnscope.toy_training.tasks import Task, checked_length
from attnscope.toy_training.training import (
    BATCH_SIZE,
    USUAL_RATE,
    USUAL_STEPS,
    Recipe,
    Step,
    Training,
    check_steps,
    train,
    uniform_loss,
)
from attnscope.trace.plan import Plan
from attnscope.trace.question import (
    LENGTH,
    MAX_PLACE,
    RATE,
    TASK,
    Question,
    Rate,
    Seed,
    Trained,
    Value,
)
from attnscope.trace.trained import example_of
from attnscope.web.http.addresses import client_of
from attnscope.web.http.events import EVENTS, Report, with_progress
from attnscope.web.http.requests import JsonRoute, admission_of, engine_of
from attnscope.web.serializers.selection import to_json

router = APIRouter(tags=["training"], route_class=JsonRoute)

Done = tuple[Training, list[Plan]]
SNAPSHOT_BYTES = 100_000
WORKING_BYTES = 4 << 20  # stages and derivatives


class TrainingRequest(Value):
    """Task and training parameters."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"task": "reverse", "steps": 60, "rate": 0.3, "seed": 0}]}
    )

    task: Task = Field(description=TASK)
    steps: Annotated[int, Field(ge=1, le=MAX_PLACE)] = Field(
        USUAL_STEPS, description="1,000 at most."
    )
    rate: Rate = Field(USUAL_RATE, description=RATE)
    seed: Seed = Field(
        0, description="Determines the first weights and the problems of every step."
    )
    length: Annotated[int, Field(ge=1, le=MAX_PLACE)] | None = Field(None, description=LENGTH)
    snapshots: int = Field(
        20,
        ge=1,
        le=100,
        description="How many to keep after the first, evenly spread up to the last.",
    )

    def recipe(self) -> Recipe:
        check_steps(self.steps, "steps")
        return Recipe(self.task, checked_length(self.task, self.length), self.seed, self.rate)


@described
class GradientNorms:
    """Euclidean norms of ∂loss/∂w in the following step; null if they overflow."""

    w_q: float | None = doc("Of w_q.")
    w_k: float | None = doc("Of w_k.")
    w_v: float | None = doc("Of w_v.")
    w_o: float | None = doc("Of w_o.")


@described
class SnapshotReply:
    """The weights after some steps."""

    step: int = doc("Steps made.")
    trace: str = doc("The trace of this model on `text`.")
    model: dict[str, Any] = doc("The model, for any question.")
    loss: float | None = doc("On the problems of the step that follows.")
    solved: float = doc("Share of the targets that the model finds likeliest.")
    gradients: GradientNorms = doc("Sizes of the gradients of the step that follows.")


@described
class TrainingReply:
    """Losses and snapshots."""

    task: str = doc("As asked.")
    length: int = doc("Symbols, or nouns of a sentence.")
    seed: int = doc("As asked.")
    rate: float = doc("As asked.")
    text: str = doc("The problem in the snapshots' traces.")
    batch: int = doc("Problems per step, new in every step.")
    guessing: float = doc("The loss if every word is equally likely.")
    losses: list[Real] = doc(
        "Before each step, on its problems, which are new; null where it overflows. Ends at "
        "`diverged_at`."
    )
    diverged_at: int | None = doc(
        "The step at which the loss exceeds 1,000 or numbers overflow, the last one listed; null "
        "if there is none."
    )
    snapshots: list[SnapshotReply] = doc("The first, the last and some between.")


@router.post(
    "/training",
    summary="Train a small model, step by step",
    responses={200: {"model": TrainingReply, "content": {EVENTS: {}}}},
)
async def training(request: Request, body: TrainingRequest) -> Response:
    """Train on copying, reversing or pronoun resolution: losses, and snapshots usable as models.

    With `Accept: text/event-stream`, events `progress` (`step`, `steps`, `loss`) precede `reply`;
    closing the connection cancels. Diverged training sets `diverged_at`.
    """
    recipe, engine, client = body.recipe(), engine_of(request), client_of(request)

    def work(report: Report) -> Done:
        def between(step: Step) -> None:
            cancellation.check()
            report({"step": step.step, "steps": body.steps, "loss": step.loss})

        found = train(recipe, body.steps, body.snapshots, between)
        return found, [engine.plan(question_of(body, step.step)) for step in found.snapshots]

    async def written(done: Done) -> bytes:
        found, plans = done

        def remember() -> None:
            for planned in plans:
                engine.remember(planned, client)

        with suppress(Busy, StorageFull):  # only POST /traces guarantees a link
            await admission_of(request).run_on_disk_thread(remember)
        return to_json(training_reply(recipe, found, plans))

    size = WORKING_BYTES + body.snapshots * SNAPSHOT_BYTES
    return await with_progress(request, work, written, size=size)


def question_of(body: TrainingRequest, step: int) -> Question:
    named = {name: getattr(body, name) for name in ("task", "seed", "rate", "length")}
    model = Trained(source="trained", step=step, **named)
    return Question(text=example_of(model), model=model)


def training_reply(recipe: Recipe, found: Training, plans: list[Plan]) -> TrainingReply:
    snapshots = []
    for step, planned in zip(found.snapshots, plans, strict=True):
        model = planned.question.model.model_dump(exclude_none=True)
        norms = GradientNorms(**step.gradients)
        snapshots.append(SnapshotReply(step.step, planned.id, model, step.loss, step.solved, norms))
    return TrainingReply(
        **vars(recipe),
        text=str(plans[0].question.text),
        batch=BATCH_SIZE,
        guessing=uniform_loss(recipe),
        losses=found.losses,
        diverged_at=found.diverged_at,
        snapshots=snapshots,
    )
