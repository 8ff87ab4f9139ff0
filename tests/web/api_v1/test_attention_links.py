"""The links of answers: the question is kept beside them, and no disk hinders the numbers."""

from __future__ import annotations

from pathlib import Path

from tests.web.client import TRACES, ask, posted, refused, serving_app

TEXT = "The cat sat on the mat"


def test_a_disk_that_keeps_nothing_hinders_links_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with serving_app(tmp_path / "file/data") as client:
        trace = ask(client, text=TEXT)["trace"]
        refused(client, posted({"text": TEXT}, TRACES), 507, "storage_full")
        refused(client, {"method": "GET", "url": f"{TRACES}/{'0' * 32}"}, 507, "storage_full")
        assert client.get(f"{TRACES}/{trace}/cells/weights?row=0&col=0").status_code == 200


def test_another_worker_knows_the_link_of_an_answer(tmp_path: Path) -> None:
    with serving_app(tmp_path) as one, serving_app(tmp_path) as two:
        for seed in range(4):
            trace = ask(one, text=TEXT, model={"source": "seeded", "seed": seed})["trace"]
            assert two.get(f"{TRACES}/{trace}").json()["trace"] == trace


def test_the_link_of_an_answer_outlives_its_server(tmp_path: Path) -> None:
    with serving_app(tmp_path) as client:
        trace = ask(client, text=TEXT)["trace"]
    with serving_app(tmp_path) as client:
        assert client.get(f"{TRACES}/{trace}").status_code == 200


def test_a_broken_file_of_questions_hinders_nobody(tmp_path: Path) -> None:
    (tmp_path / "questions.sqlite").write_bytes(b"no database " * 1000)
    with serving_app(tmp_path) as client:
        trace = ask(client, text=TEXT)["trace"]
        assert client.post(TRACES, json={"text": TEXT}).status_code == 201
    with serving_app(tmp_path) as client:
        assert client.get(f"{TRACES}/{trace}").status_code == 200
