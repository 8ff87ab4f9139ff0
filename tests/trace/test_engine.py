"""The engine's memory: traces by name, questions on disk, uploads by id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.errors import UnknownModel, UnknownTrace
from app.main import make_engine
from app.settings import Settings
from app.trace.engine import Engine
from app.trace.question import Question
from app.weights.formats import write_safetensors
from app.weights.upload import accept, to_bytes

CAT = Question(text="The cat sat on the mat")


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[list[Engine]]:
    """Two workers that share a data directory."""
    both = [make_engine(Settings(data_dir=tmp_path)) for _ in range(2)]
    yield both
    for engine in both:
        engine.questions.close()


@pytest.fixture
def engine(engines: list[Engine]) -> Engine:
    return engines[0]


def upload(engine: Engine) -> str:
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=(4, 4)) for name in ("w_q", "w_k", "w_v")}
    data = to_bytes(accept([("w", write_safetensors(tensors, {}, "float32"))]))
    name = engine.models.name_for(data)
    engine.models.put(name, data)
    return name


def test_the_same_question_is_answered_once(engine: Engine) -> None:
    planned = engine.plan(CAT)
    assert engine.trace(planned) is engine.trace(engine.plan(CAT))
    engine.traces.drop(planned.id)
    again = engine.trace(planned)
    np.testing.assert_array_equal(
        again.layers[0]["output"], engine.trace(planned).layers[0]["output"]
    )


def test_every_worker_knows_a_question_that_one_remembers(engines: list[Engine]) -> None:
    planned = engines[0].plan(CAT)
    engines[0].remember(planned)
    engines[0].remember(planned)
    for engine in engines:
        recalled = engine.recall(planned.id)
        assert recalled.id() == planned.id
        assert engine.plan(recalled).id == planned.id


@pytest.mark.parametrize("trace_id", ["0" * 32, "", "../../etc/passwd", "x" * 1000, "猫", "a\0b"])
def test_a_trace_that_nobody_asked_for_is_unknown(engine: Engine, trace_id: str) -> None:
    with pytest.raises(UnknownTrace) as error:
        engine.recall(trace_id)
    assert (error.value.code, error.value.at) == ("unknown_trace", "id")
    assert len(str(error.value.values["id"])) <= 64


@pytest.mark.parametrize("torn", [b"", b'{"text":"The cat', b'{"text":"Another sentence"}'])
def test_a_torn_question_is_unknown_and_never_another_ones_answer(
    engine: Engine, torn: bytes
) -> None:
    trace_id = CAT.id()
    engine.questions.put(trace_id, torn)
    with pytest.raises(UnknownTrace):
        engine.recall(trace_id)


def test_an_upload_is_found_by_its_id_until_it_is_deleted(engines: list[Engine]) -> None:
    name = upload(engines[0])
    question = Question.model_validate(
        {"tokens": ["a", "b"], "model": {"source": "uploaded", "id": name}}
    )
    planned = engines[1].plan(question)
    assert planned.dtype == "float32"
    assert engines[1].trace(planned).layers[0]["output"].shape == (1, 2, 4)
    assert engines[1].find_upload(name) is engines[1].find_upload(name)
    engines[1].forget_upload(name)
    for engine in engines:
        with pytest.raises(UnknownModel) as error:
            engine.find_upload(name)
        assert error.value.at == "model.id"
    with pytest.raises(UnknownModel):
        engines[0].forget_upload(name)


@pytest.mark.parametrize("name", ["", "0" * 32, "../questions", "Z" * 200])
def test_a_model_that_is_not_there_is_unknown(engine: Engine, name: str) -> None:
    with pytest.raises(UnknownModel):
        engine.find_upload(name)
    with pytest.raises(UnknownModel):
        engine.forget_upload(name)
