"""The engine's memory: traces by name, questions on disk, uploads by id."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import orjson
import pytest

from attnscope.errors import InvalidRequest, StorageFull, UnknownModel, UnknownTrace
from attnscope.main import make_engine
from attnscope.settings import Settings
from attnscope.storage.expiry_clock import DAY
from attnscope.storage.manifest import ReceivedUpload
from attnscope.trace.engine import Engine
from attnscope.trace.plan import Plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace
from attnscope.weights.upload import reopen
from tests.clock import Clock
from tests.safetensors_files import write_safetensors

CAT = Question(text="The cat sat on the mat")
GOLDEN = Path(__file__).resolve().parents[1] / "golden/data_0.1.0"
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut short": lambda data: data[:-1],
    "no header": lambda data: data[:4],
    "zeros": lambda data: bytes(len(data)),
    "another name": lambda data: data.replace(b"num_heads", b"num_beads").replace(b"w_v", b"x_v"),
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
    """A small file of weights."""
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=(4, 4)) for name in ("w_q", "w_k", "w_v")}
    return write_safetensors(tensors, {}, "float32")


def upload(engine: Engine) -> str:
    return engine.models.put(ReceivedUpload([("w.safetensors", weights())], "w"))


def recall(engine: Engine, trace_id: str) -> Plan:
    """What the web does: from memory, else from the disk."""
    planned = engine.known(trace_id)
    return planned or engine.plan(
        Question.model_validate(orjson.loads(engine.stored_question(trace_id)))
    )


def test_the_same_question_is_answered_once(engine: Engine) -> None:
    planned = engine.plan(CAT)
    assert engine.trace(planned) is engine.trace(engine.plan(CAT))
    engine.cache.drop(Trace, planned.id)
    again = engine.trace(planned)
    np.testing.assert_array_equal(
        again.layers[0]["output"], engine.trace(planned).layers[0]["output"]
    )


def test_a_question_that_is_known_is_not_understood_again(engine: Engine) -> None:
    planned = engine.recall_plan(CAT)
    assert engine.recall_plan(Question(text=CAT.text)) is planned
    assert engine.recall_plan(Question(text="The cat sat")) is not planned


def test_half_a_character_is_refused_where_a_plan_is_looked_for(engine: Engine) -> None:
    with pytest.raises(InvalidRequest) as error:
        engine.recall_plan(Question(text="half a \ud800"))
    assert error.value.reason == "lone_surrogate"


def test_a_worker_knows_what_it_remembered_a_moment_ago_and_for_whom(engines: list[Engine]) -> None:
    planned = engines[0].plan(CAT)
    assert not engines[0].remembered_recently(planned, "somebody")
    engines[0].remember(planned, "somebody")
    assert engines[0].remembered_recently(planned, "somebody")
    assert not engines[0].remembered_recently(planned, "somebody else")
    assert not engines[1].remembered_recently(planned, "somebody")


def test_every_worker_knows_a_question_that_one_remembers(engines: list[Engine]) -> None:
    planned = engines[0].plan(CAT)
    engines[0].remember(planned)
    engines[0].remember(planned)
    for engine in engines:
        recalled = recall(engine, planned.id)
        assert recalled.id == recalled.question.id() == planned.id
        assert recall(engine, planned.id) is recalled


def test_a_trace_that_nobody_asked_for_is_unknown(
    engine: Engine, subtests: pytest.Subtests
) -> None:
    for trace_id in ("0" * 32, "", "../../etc/passwd", "x" * 1000, "猫", "a\0b"):
        with subtests.test(trace_id):
            with pytest.raises(UnknownTrace) as error:
                recall(engine, trace_id)
            assert (error.value.code, error.value.at) == ("unknown_trace", "id")
            assert len(str(error.value.values["id"])) <= 64


def test_a_torn_question_is_unknown_and_never_another_ones_answer(
    engine: Engine, subtests: pytest.Subtests
) -> None:
    for torn in (b"", b'{"text":"The cat', b'{"text":"Another sentence"}'):
        with subtests.test(torn=torn):
            trace_id = CAT.id()
            engine.questions.put(trace_id, torn)
            with pytest.raises(UnknownTrace):
                recall(engine, trace_id)


def test_an_altered_question_is_unknown(engine: Engine, tmp_path: Path) -> None:
    planned = engine.plan(CAT)
    engine.remember(planned)
    with closing(sqlite3.connect(tmp_path / "questions.sqlite")) as db, db:
        db.execute("""UPDATE links SET question = '{"text":"Another sentence"}'""")
    engine.cache.drop(Plan, planned.id)
    with pytest.raises(UnknownTrace):
        recall(engine, planned.id)
    engine.remember(planned)
    assert recall(engine, planned.id).question == CAT


def test_a_trace_in_memory_is_recalled_though_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    engine = make_engine(Settings(data_dir=tmp_path / "file/data"))
    with pytest.raises(StorageFull):
        recall(engine, CAT.id())
    planned = engine.plan(CAT)
    with pytest.raises(StorageFull):
        engine.remember(planned)
    assert recall(engine, planned.id) is planned


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


def test_the_first_question_finds_an_upload_in_memory_and_reads_no_file(engine: Engine) -> None:
    sent = ReceivedUpload([("w.safetensors", weights())], "name")
    model_id = engine.keep_upload(sent, reopen(sent, engine.upload_limits))
    assert engine.has_upload(model_id)
    assert engine.find_upload(model_id).name == "name"
    engine.forget_upload(model_id)
    assert not engine.has_upload(model_id)
    with pytest.raises(UnknownModel):
        engine.find_upload(model_id)


def test_an_upload_that_another_worker_deleted_is_unknown(engines: list[Engine]) -> None:
    name = upload(engines[0])
    assert all(engine.find_upload(name).bytes for engine in engines)
    engines[1].forget_upload(name)
    with pytest.raises(UnknownModel):
        engines[0].find_upload(name)
    assert upload(engines[1]) == name
    assert engines[0].find_upload(name).name == "w"


def test_an_upload_in_memory_stays_young_on_disk_and_expires_with_its_files(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    name = upload(engine)
    for _ in range(2):
        clock.tick(29 * DAY)
        engine.find_upload(name)
    clock.tick(31 * DAY)
    with pytest.raises(UnknownModel):
        engine.find_upload(name)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_upload_is_unknown_until_it_is_sent_again(
    engine: Engine, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    name = upload(engine)
    path = tmp_path / f"models/{name}/00.safetensors"
    assert damage(weights()) != weights()
    path.write_bytes(damage(weights()))
    with pytest.raises(UnknownModel) as error:
        engine.find_upload(name)
    assert (error.value.at, error.value.values) == ("model.id", {"id": name})
    assert upload(engine) == name
    assert engine.find_upload(name).name == "w"


def test_an_upload_that_this_release_cannot_read_is_unknown(
    engine: Engine, subtests: pytest.Subtests
) -> None:
    for damage in list(DAMAGES)[:-1]:
        with subtests.test(damage):
            name = engine.models.put(
                ReceivedUpload([("w.safetensors", DAMAGES[damage](weights()))], "w")
            )
            with pytest.raises(UnknownModel):
                engine.find_upload(name)


@pytest.mark.parametrize("damage", ["none", *DAMAGES])
def test_an_upload_of_0_1_0_is_found_while_its_file_is_sound(tmp_path: Path, damage: str) -> None:
    shutil.copytree(GOLDEN, tmp_path / "old")
    engine = make_engine(Settings(data_dir=tmp_path / "old"))
    (path,) = (tmp_path / "old/models").glob("*.safetensors")
    if damage == "none":
        assert engine.find_upload(path.stem).name == "of 0.1.0"
        return
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(UnknownModel):
        engine.find_upload(path.stem)


@pytest.mark.parametrize("damage", list(DAMAGES)[:-1])
def test_a_file_of_0_1_0_that_this_release_cannot_read_is_unknown(
    engine: Engine, tmp_path: Path, damage: str
) -> None:
    (path,) = (GOLDEN / "models").glob("*.safetensors")
    data = DAMAGES[damage](path.read_bytes())
    name = engine.models.name_for(data)
    (tmp_path / f"models/{name}.safetensors").write_bytes(data)
    with pytest.raises(UnknownModel):
        engine.find_upload(name)


def test_a_model_that_is_not_there_is_unknown(engine: Engine, subtests: pytest.Subtests) -> None:
    for name in ("", "0" * 32, "../questions", "Z" * 200):
        with subtests.test(name):
            with pytest.raises(UnknownModel):
                engine.find_upload(name)
            with pytest.raises(UnknownModel):
                engine.forget_upload(name)
