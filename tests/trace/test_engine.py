"""The engine's memory: traces by name, questions on disk, uploads by id."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from app.errors import StorageFull, UnknownModel, UnknownTrace
from app.main import make_engine
from app.settings import Settings
from app.trace.engine import Engine
from app.trace.question import Question
from app.weights.formats import write_safetensors
from app.weights.upload import accept, to_bytes

CAT = Question(text="The cat sat on the mat")
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut short": lambda data: data[:-1],
    "no header": lambda data: data[:4],
    "zeros": lambda data: bytes(len(data)),
    "another shape": lambda data: data.replace(b"num_heads", b"num_beads"),
    "another number": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


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


@cache
def weights() -> bytes:
    """A small upload, as it is kept."""
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=(4, 4)) for name in ("w_q", "w_k", "w_v")}
    return to_bytes(accept([("w", write_safetensors(tensors, {}, "float32"))]))


def upload(engine: Engine) -> str:
    name = engine.models.name_for(weights())
    engine.models.put(name, weights())
    return name


def age(path: Path, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(path, (then, then))


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


def test_an_altered_question_is_unknown(engine: Engine, tmp_path: Path) -> None:
    planned = engine.plan(CAT)
    engine.remember(planned)
    with closing(sqlite3.connect(tmp_path / "questions.sqlite")) as db, db:
        db.execute("""UPDATE questions SET question = '{"text":"Another sentence"}'""")
    with pytest.raises(UnknownTrace):
        engine.recall(planned.id)
    engine.remember(planned)
    assert engine.recall(planned.id) == CAT


def test_a_trace_in_memory_is_recalled_though_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    engine = make_engine(Settings(data_dir=tmp_path / "file/data"))
    planned = engine.plan(CAT)
    with pytest.raises(StorageFull):
        engine.remember(planned)
    with pytest.raises(StorageFull):
        engine.recall(planned.id)
    engine.trace(planned)
    assert engine.recall(planned.id) == CAT


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


def test_an_upload_that_another_worker_deleted_is_unknown(engines: list[Engine]) -> None:
    name = upload(engines[0])
    assert all(engine.find_upload(name).bytes for engine in engines)
    engines[1].forget_upload(name)
    with pytest.raises(UnknownModel):
        engines[0].find_upload(name)
    assert upload(engines[1]) == name
    assert engines[0].find_upload(name).name == "w"


def test_an_upload_in_memory_stays_young_on_disk_and_expires_with_its_file(
    engine: Engine, tmp_path: Path
) -> None:
    name = upload(engine)
    path = tmp_path / f"models/{name}.safetensors"
    for days in (29, 29):
        engine.find_upload(name)
        age(path, days)
    engine.find_upload(name)
    assert time.time() - path.stat().st_mtime < 60
    age(path, 31)
    with pytest.raises(UnknownModel):
        engine.find_upload(name)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_upload_is_unknown_until_it_is_sent_again(
    engine: Engine, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    name = upload(engine)
    path = tmp_path / f"models/{name}.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UnknownModel) as error:
        engine.find_upload(name)
    assert (error.value.at, error.value.values) == ("model.id", {"id": name})
    assert upload(engine) == name
    assert engine.find_upload(name).name == "w"


@pytest.mark.parametrize("damage", list(DAMAGES)[:-1])
def test_a_file_of_another_version_is_unknown(engine: Engine, damage: str) -> None:
    data = DAMAGES[damage](weights())
    name = engine.models.name_for(data)
    engine.models.put(name, data)
    with pytest.raises(UnknownModel):
        engine.find_upload(name)


@pytest.mark.parametrize("name", ["", "0" * 32, "../questions", "Z" * 200])
def test_a_model_that_is_not_there_is_unknown(engine: Engine, name: str) -> None:
    with pytest.raises(UnknownModel):
        engine.find_upload(name)
    with pytest.raises(UnknownModel):
        engine.forget_upload(name)
