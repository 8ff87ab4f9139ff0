"""What lies beside the files of an upload."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

from attnscope.storage.manifest import Manifest, ReceivedUpload

SENT = ReceivedUpload(
    (("a.npz", b"first"), ("../b.JSON", b"second")), "heads", 2, '{"w_q": "q"}', 400
)


def test_a_manifest_says_what_came_and_from_whom() -> None:
    manifest = json.loads(Manifest.of(SENT, "somebody").to_bytes())
    assert manifest.pop("when").endswith("Z")
    assert manifest == {
        "version": 1, "name": "heads", "num_heads": 2, "mapping": '{"w_q": "q"}', "memory": 400,
        "accept": [], "client": "somebody",
        "files": [
            {"field": "weights", "name": name, "file": file, "bytes": len(data),
             "sha256": hashlib.sha256(data).hexdigest()}
            for name, file, data in (
                ("a.npz", "00.npz", b"first"), ("../b.JSON", "01.json", b"second"),
            )
        ],
    }  # fmt: skip


def test_an_upload_comes_back_as_it_was_sent() -> None:
    read = Manifest.model_validate_json(Manifest.of(SENT, "somebody").to_bytes())
    again = read.with_files([b"first", b"second"])
    assert (tuple(again.files), again.name, again.num_heads, again.mapping, again.memory) == (
        SENT.files, SENT.name, SENT.num_heads, SENT.mapping, SENT.memory,
    )  # fmt: skip


def test_the_same_files_with_the_same_words_are_one_upload_whoever_sends_them() -> None:
    def identity(*files: tuple[str, bytes], name: str = "heads", client: str = "") -> bytes:
        return Manifest.of(ReceivedUpload(files, name), client).identity

    one = identity(("a", b"1"), ("b", b"2"))
    assert one == identity(("a", b"1"), ("b", b"2"), client="another")
    others = [
        identity(("a", b"1")),
        identity(("a", b"1"), ("b", b"3")),
        identity(("a", b"1"), ("c", b"2")),
        identity(("a", b"1"), ("b", b"2"), name="tails"),
    ]
    assert len({one, *others}) == 5


def test_keys_that_are_accepted_make_another_upload_and_come_back() -> None:
    sent = replace(SENT, accept=("attn_temperature",))
    read = Manifest.model_validate_json(Manifest.of(sent, "").to_bytes())
    assert read.identity != Manifest.of(SENT, "").identity
    assert read.with_files([b"first", b"second"]).accept == sent.accept


def test_a_manifest_of_an_earlier_release_accepts_no_key() -> None:
    manifest = json.loads(Manifest.of(SENT, "").to_bytes())
    del manifest["accept"]
    assert Manifest.model_validate(manifest).with_files([b"", b""]).accept == ()


def test_a_manifest_of_a_later_release_is_read_for_what_we_know_of_it() -> None:
    manifest = json.loads(Manifest.of(SENT, "").to_bytes())
    later = {**manifest, "version": 2, "tokenizer": "words"}
    read = Manifest.model_validate_json(json.dumps(later))
    assert (read.version, read.identity) == (2, Manifest.of(SENT, "").identity)


def test_a_manifest_cannot_lead_out_of_its_folder(subtests: pytest.Subtests) -> None:
    for file in ("../00.npz", "/etc/passwd", "00", "00.npz\n", "manifest.json"):
        with subtests.test(file):
            manifest = json.loads(Manifest.of(SENT, "").to_bytes())
            manifest["files"][0]["file"] = file
            if file == "00":
                Manifest.model_validate_json(json.dumps(manifest))
            else:
                with pytest.raises(ValidationError):
                    Manifest.model_validate_json(json.dumps(manifest))


def test_a_very_long_name_of_a_file_keeps_its_end() -> None:
    (part,) = Manifest.of(ReceivedUpload(((f"{'a' * 999}.npz", b""),), "w"), "").files
    assert (len(part.name), part.name[-5:], part.file) == (255, "a.npz", "00.npz")
