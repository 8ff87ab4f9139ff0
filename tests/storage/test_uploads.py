"""Uploads by name on disk: whole or not at all, bounded, forgotten in time, shared."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from attnscope.errors import Busy, StorageFull
from attnscope.storage.disk import NEW, TEMPORARY, locked
from attnscope.storage.expiry_clock import DAY
from attnscope.storage.manifest import ReceivedUpload
from attnscope.storage.uploads import ENTRY_BYTES, UploadStore

ROOT = Path(__file__).resolve().parents[2]


def store(
    folder: Path, room: int = 1000, expiry: float = 30 * DAY, share: float = 1.0, entries: int = 9
) -> UploadStore:
    """A store with room for so many bytes in so many entries."""
    return UploadStore(folder / "kept", room + entries * ENTRY_BYTES, expiry, share)


def sent(*files: bytes, name: str = "heads") -> ReceivedUpload:
    return ReceivedUpload([(f"{i}.npz", data) for i, data in enumerate(files)], name)


def data_of(kept: UploadStore, name: str) -> list[bytes] | None:
    found = kept.get(name)
    return [data for _, data in found.files] if isinstance(found, ReceivedUpload) else None


def stamp(folder: Path, name: str) -> Path:
    return folder / f"kept/{name}/manifest.json"


def visible(folder: Path) -> set[str]:
    return {path.name for path in (folder / "kept").iterdir() if not path.name.startswith(".")}


def leftovers(folder: Path) -> list[Path]:
    return [path for start in (NEW, TEMPORARY) for path in (folder / "kept").glob(f"{start}*")]


def test_what_is_put_is_got_as_it_was_sent_and_deleted(tmp_path: Path) -> None:
    kept = store(tmp_path)
    upload = ReceivedUpload([("a.npz", b"numbers"), ("b.json", b"more")], "heads", 2, "{}", 40)
    name = kept.put(upload, "somebody")
    again = store(tmp_path).get(name)
    assert again == upload
    assert visible(tmp_path) == {name}
    files = sorted((tmp_path / "kept" / name).iterdir())
    assert [path.name for path in files] == ["00.npz", "01.json", "manifest.json"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "kept" / name).stat().st_mode) == 0o700
    assert store(tmp_path).exists(name)
    assert kept.delete(name)
    assert kept.get(name) is None
    assert not kept.exists(name)
    assert not kept.delete(name)
    assert not visible(tmp_path)
    assert not leftovers(tmp_path)


def test_a_name_that_is_no_hex_is_not_found(tmp_path: Path, subtests: pytest.Subtests) -> None:
    kept = store(tmp_path)
    kept.name_for(b"")
    (tmp_path / "secret.safetensors").write_bytes(b"outside")
    for name in ("", "AB", "../secret", "a/b", "a\n", "a.safetensors", "..", ".secret", "é",
                 "a" * 65, "a\0"):  # fmt: skip
        with subtests.test(name):
            assert kept.get(name) is None
            assert kept.size(name) == 0
            assert not kept.exists(name)
            assert not kept.delete(name)


def test_a_name_is_of_the_content_and_of_the_folder(tmp_path: Path) -> None:
    kept, elsewhere = store(tmp_path), store(tmp_path / "other")
    names = [kept.put(sent(b"a")), kept.put(sent(b"a")), kept.put(sent(b"b"))]
    assert names[0] == names[1] != names[2]
    assert names[0] != elsewhere.put(sent(b"a"))
    assert len(names[0]) == 32
    secret = tmp_path / "kept/.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(secret.read_bytes()) == 32


def test_processes_that_start_together_agree_on_the_secret(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from attnscope.storage.uploads import UploadStore;"
        "print(UploadStore(Path(sys.argv[1]), 1, 1).name_for(b'same'))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "kept")]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) for _ in range(3)
    ]
    names = {process.communicate()[0].strip() for process in started}
    assert names == {store(tmp_path).name_for(b"same")}


def test_the_size_of_an_upload_is_that_of_its_files_and_its_arrays(tmp_path: Path) -> None:
    kept = store(tmp_path)
    name = kept.put(ReceivedUpload([("a", bytes(70))], "w", memory=500))
    assert kept.size(name) == 570 + ENTRY_BYTES
    assert kept.size("0" * 32) == 0


def test_a_full_store_refuses_and_keeps_what_it_has(tmp_path: Path) -> None:
    kept = store(tmp_path, 100, entries=2)
    first = kept.put(sent(bytes(60)))
    with pytest.raises(StorageFull) as full:
        kept.put(sent(bytes(50)))
    assert full.value.reason == "quota"
    assert full.value.values == {
        "needed": 50 + ENTRY_BYTES, "taken": 60 + ENTRY_BYTES, "limit": 100 + 2 * ENTRY_BYTES,
    }  # fmt: skip
    assert visible(tmp_path) == {first}
    assert not leftovers(tmp_path)
    second = kept.put(sent(bytes(40)))
    assert visible(tmp_path) == {first, second}


def test_a_client_with_its_share_is_refused_and_others_go_on(tmp_path: Path) -> None:
    kept = store(tmp_path, share=0.25, entries=8)
    names = [kept.put(sent(bytes([i])), "greedy") for i in range(2)]
    with pytest.raises(StorageFull) as full:
        kept.put(sent(b"one more"), "greedy")
    assert full.value.reason == "share"
    assert full.value.values["taken"] == 2 * ENTRY_BYTES + 2
    assert kept.put(sent(bytes([0])), "greedy") == names[0], "it has that one already"
    kept.put(sent(b"of another"), "quiet")
    kept.put(sent(b"of nobody"))
    kept.delete(names[0])
    kept.put(sent(b"one more"), "greedy")


def test_a_client_may_keep_one_upload_however_small_its_share(tmp_path: Path) -> None:
    kept = store(tmp_path, share=0.01)
    kept.put(sent(bytes(500)), "somebody")
    with pytest.raises(StorageFull):
        kept.put(sent(b""), "somebody")


def test_what_a_crash_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    kept = store(tmp_path, 100, entries=2)
    kept.put(sent(bytes(10)))
    (tmp_path / f"kept/{NEW}dead").write_bytes(bytes(95))
    (tmp_path / f"kept/{TEMPORARY}dead").mkdir()
    (tmp_path / f"kept/{TEMPORARY}dead/00.npz").write_bytes(bytes(95))
    kept.put(sent(bytes(60)))
    assert not leftovers(tmp_path)
    assert len(visible(tmp_path)) == 2


def test_what_another_is_writing_is_no_leftover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, go_on = threading.Event(), threading.Event()
    sync = os.fsync

    def slow(descriptor: int) -> None:
        if threading.current_thread() is slow_one:
            writing.set()
            go_on.wait(30)
        sync(descriptor)

    kept = store(tmp_path)
    kept.put(sent(b"first"))
    monkeypatch.setattr(os, "fsync", slow)
    slow_one = threading.Thread(target=kept.put, args=(sent(b"slow"),))
    slow_one.start()
    writing.wait(30)
    store(tmp_path).put(sent(b"quick"))
    assert len(leftovers(tmp_path)) == 1, "a large upload holds up nobody and loses nothing"
    go_on.set()
    slow_one.join()
    assert len(visible(tmp_path)) == 3
    assert not leftovers(tmp_path)


def test_a_store_that_somebody_holds_is_busy(tmp_path: Path) -> None:
    kept = UploadStore(tmp_path / "kept", 1 << 20, DAY, patience=0.05)
    name = kept.put(sent(b"x"))
    with locked(tmp_path / "kept"):
        with pytest.raises(Busy) as busy:
            kept.put(sent(b"y"))
        assert data_of(kept, name) == [b"x"], "reading needs no lock"
    assert busy.value.reason == "storage_busy"
    assert visible(tmp_path) == {name}


def test_the_same_upload_takes_its_room_once(tmp_path: Path) -> None:
    kept = store(tmp_path, 100, entries=1)
    assert kept.put(sent(bytes(60))) == kept.put(sent(bytes(60)))


@pytest.mark.parametrize("file", ["00.npz", "manifest.json"])
@pytest.mark.parametrize("damaged", [b"wrong" * 12, b"short", b"", None])
def test_a_damaged_entry_is_not_found_and_written_again_in_its_own_room(
    tmp_path: Path, damaged: bytes | None, file: str
) -> None:
    kept = store(tmp_path, 100, entries=1)
    name = kept.put(sent(bytes(60)))
    path = tmp_path / "kept" / name / file
    path.unlink() if damaged is None else path.write_bytes(damaged)
    assert store(tmp_path).get(name) is None
    assert kept.get(name) is None
    assert kept.put(sent(bytes(60))) == name
    assert data_of(kept, name) == [bytes(60)]
    assert not leftovers(tmp_path)


def test_a_manifest_that_says_something_else_is_not_found(tmp_path: Path) -> None:
    kept = store(tmp_path)
    name = kept.put(sent(b"x"))
    stamped = json.loads(stamp(tmp_path, name).read_bytes())
    stamp(tmp_path, name).write_text(json.dumps({**stamped, "name": "tails"}))
    assert kept.get(name) is None


def test_a_stray_file_in_the_folder_hinders_nobody(tmp_path: Path) -> None:
    kept = store(tmp_path, entries=1)
    kept.name_for(b"")
    (tmp_path / "kept/abc").write_bytes(bytes(10**6))
    (tmp_path / "kept/notes.txt").write_bytes(bytes(10**6))
    kept.put(sent(b"x"))


def test_entries_that_cannot_be_read_hinder_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, others = tmp_path / "kept", ("a" * 32, "b" * 32)
    for name in others:
        (kept / name).mkdir(parents=True)
        (kept / name / "manifest.json").write_text("{}", encoding="utf-8")
    (kept / ("c" * 32)).symlink_to("c" * 32)
    read_bytes, utime = Path.read_bytes, os.utime

    def read(path: Path) -> bytes:
        if path.parent.name in others:
            raise PermissionError(errno.EACCES, "Permission denied")
        return read_bytes(path)

    def touch(path: Path, times: tuple[float, float]) -> None:
        if path.parent.name in others:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        utime(path, times)

    monkeypatch.setattr(Path, "read_bytes", read)
    monkeypatch.setattr(os, "utime", touch)
    name = store(tmp_path).put(sent(b"numbers"))
    assert data_of(store(tmp_path), name) == [b"numbers"]


def test_keeping_takes_no_second_copy_in_memory(tmp_path: Path) -> None:
    kept, size = store(tmp_path, 10**9), 8 * 2**20
    upload = sent(bytes(size), b"1" * size)
    for _ in range(2):  # the second time it is there already, and looked through
        tracemalloc.start()
        kept.put(upload)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < size / 4


def test_threads_together_stay_within_the_quota(tmp_path: Path) -> None:
    refused: list[int] = []

    def put(i: int) -> None:
        try:
            store(tmp_path, 100, entries=3).put(sent(bytes([i] * 30)))
        except StorageFull:
            refused.append(i)
        except Busy:  # on a slow disk
            put(i)

    threads = [threading.Thread(target=put, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(visible(tmp_path)) == 3
    assert len(refused) == 9
    assert not leftovers(tmp_path)


def test_a_disk_that_refuses_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no room")

    kept = store(tmp_path)
    kept.put(sent(b"x"))
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageFull) as full:
        kept.put(sent(b"y"))
    assert full.value.reason == "disk_full"
    assert len(visible(tmp_path)) == 1
    assert not leftovers(tmp_path)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("in the way")
    kept = store(tmp_path)
    assert not kept.writable()
    for use in (
        lambda: kept.put(sent(b"x")), lambda: kept.get("a"), lambda: kept.name_for(b"x"),
    ):  # fmt: skip
        with pytest.raises(StorageFull) as full:
            use()
        assert full.value.reason == "not_writable"


def test_a_store_says_whether_it_can_be_written(tmp_path: Path) -> None:
    assert store(tmp_path).writable()
    assert not visible(tmp_path)
