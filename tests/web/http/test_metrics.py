"""Gauges: read when somebody looks, with labels, and never a reason to fail."""

from __future__ import annotations

import pytest

from attnscope.errors import Busy
from attnscope.web.http.metrics import Metrics
from tests.web.client import ATTENTION, MODELS, matrices, upload
from tests.web.conftest import MakeClient


def values_of(text: str) -> dict[str, float]:
    """Each number of a reply of /metrics, by its name and labels."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_a_gauge_is_read_when_somebody_looks() -> None:
    metrics, numbers = Metrics(), iter([1, 2, 3])
    metrics.gauge("one", "One", lambda: next(numbers))
    assert [values_of(metrics.text().decode())["one"] for _ in range(3)] == [1, 2, 3]


def test_a_gauge_may_have_labels() -> None:
    metrics = Metrics()
    for queue, size in {"a": 1, "b": 2}.items():
        metrics.gauge("queue", "Waiting", lambda size=size: size, queue=queue)  # type: ignore[misc]
    numbers = values_of(metrics.text().decode())
    assert (numbers['queue{queue="a"}'], numbers['queue{queue="b"}']) == (1, 2)


@pytest.mark.parametrize("error", [OSError("disk"), Busy("storage_busy")])
def test_a_gauge_that_cannot_be_read_keeps_its_last_number(error: Exception) -> None:
    metrics, fails = Metrics(), False

    def read() -> float:
        if fails:
            raise error
        return 7

    metrics.gauge("one", "One", read)
    metrics.look()
    fails = True
    assert values_of(metrics.text().decode())["one"] == 7


def test_memory_queues_and_stores_are_there(make_client: MakeClient) -> None:
    client = make_client(memory_mb=100)
    before = values_of(client.get("/metrics").text)
    assert before['attnscope_store_entries{of="questions"}'] == 0
    assert before['attnscope_store_bytes{of="uploads"}'] == 0
    assert before["attnscope_memory_limit_bytes"] == 100 << 20
    assert before["attnscope_resident_bytes"] > 10 << 20
    for queue in ("large", "small", "uploads"):
        assert before[f"attnscope_{queue}_waiting"] == before[f"attnscope_{queue}_running"] == 0
    assert client.post(ATTENTION, json={"text": "a"}).status_code == 200
    model = upload(client, matrices())["id"]
    after = values_of(client.get("/metrics").text)
    for store in ("questions", "uploads"):
        assert after[f'attnscope_store_entries{{of="{store}"}}'] == 1
        assert after[f'attnscope_store_bytes{{of="{store}"}}'] > 100
    assert after["attnscope_memory_bytes"] == 0
    assert client.delete(f"{MODELS}/{model}").status_code == 204
    assert values_of(client.get("/metrics").text)['attnscope_store_entries{of="uploads"}'] == 0


def test_what_goes_to_make_room_is_counted(make_client: MakeClient) -> None:
    client = make_client(cache_mb=1, questions_mb=1)
    for n in range(12):
        text = f"{n} " + "a" * 90_000
        assert client.post(ATTENTION, json={"tokens": [text]}).status_code == 200
        question = {"text": f"{n} " + "a " * 50, "model": {"source": "seeded", "d_model": 64}}
        assert client.post(ATTENTION, json=question).status_code == 200
    numbers = values_of(client.get("/metrics").text)
    assert numbers["attnscope_question_evictions"] > 0
    assert numbers["attnscope_trace_evictions"] > 0
