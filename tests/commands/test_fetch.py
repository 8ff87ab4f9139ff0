"""attnscope fetch: from a stand-in of the hub, the files that are read and no others."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants
from huggingface_hub.utils import close_session  # type: ignore[attr-defined]
from typer.testing import Result

from attnscope import cli
from attnscope.commands import fetch
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import installed_dir, installed_in, models_dir
from tests.commands.hub_server import COMMIT, Hub, hub
from tests.commands.runner import Runner
from tests.families.made import gpt2
from tests.spm_files import marian

RUN = Runner()
ROOT = Path(__file__).resolve().parents[2]
OTHERS = {"README.md": b"# tiny", "pytorch_model.bin": b"pickled", "vocab.txt": b"a",
          "onnx/model.safetensors": b"", "consolidated.safetensors": b"twice"}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Hub]:
    with hub() as served:
        yield served
    close_session()


@pytest.fixture
def there(server: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """The hub with one model, org/tiny, among files that are not read."""
    made = gpt2(tmp_path / "made")
    files = {path.name: path.read_bytes() for path in made.iterdir()}
    server.repositories = {"org/tiny": {**files, **OTHERS}}
    server.refused, server.said, server.asked = {}, {}, []
    lead_to(server.url, monkeypatch)
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    return server


def lead_to(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As HF_ENDPOINT does, which the library reads when it is imported."""
    template = f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def fetched(data: Path, repository: str = "org/tiny", *options: str) -> Result:
    return RUN.invoke(cli.main, ["fetch", repository, "--data-dir", str(data), *options])


def left(data: Path) -> list[str]:
    folder = installed_dir(data)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def refused(data: Path, repository: str = "org/tiny", *options: str) -> str:
    """The sentence with which the command ends, which leaves nothing behind."""
    result = fetched(data, repository, *options)
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    assert left(data) in ([], [".lock"])
    return result.output


def test_a_model_of_opus_mt_comes_with_its_two_tokenizers(there: Hub, tmp_path: Path) -> None:
    made = marian(tmp_path / "pair")
    files = {path.name: path.read_bytes() for path in made.iterdir()}
    there.repositories["org/pair"] = {**files, **OTHERS}
    assert fetched(tmp_path, "org/pair").exit_code == 0
    folder = installed_dir(tmp_path) / "org--pair"
    assert {path.name for path in folder.iterdir()} >= set(files)
    opened = ModelRegistry(models_dir(), [folder]).models[folder.name]
    assert opened.pieces.tokenize("die")[0].text == " die"
    del there.repositories["org/pair"]["target.spm"]
    assert "no tokenizer.json" in refused(tmp_path / "other", "org/pair")


def test_a_model_is_fetched_without_the_files_that_are_not_read(there: Hub, tmp_path: Path) -> None:
    result = fetched(tmp_path)
    assert result.exit_code == 0, result.output
    folder = installed_dir(tmp_path) / "org--tiny"
    assert left(tmp_path) == [".lock", "org--tiny"]
    names = {"config.json", "tokenizer.json", "model.safetensors"}
    assert {path.name for path in folder.iterdir()} == names
    assert set(there.asked) == names
    for path in folder.iterdir():
        assert path.read_bytes() == there.repositories["org/tiny"][path.name]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "org--tiny" in ModelRegistry(models_dir(), found=installed_in(tmp_path)).models
    for word in (COMMIT, "Licence: apache-2.0", f"--data-dir {tmp_path}"):
        assert word in result.output


def test_shards_are_those_that_the_index_names(there: Hub, tmp_path: Path) -> None:
    files = there.repositories["org/tiny"]
    files["model-1-of-1.safetensors"] = files.pop("model.safetensors")
    index = {"weight_map": {"transformer.wte.weight": "model-1-of-1.safetensors"}}
    files["model.safetensors.index.json"] = json.dumps(index).encode()
    result = fetched(tmp_path)
    assert result.exit_code == 0, result.output
    assert "model-1-of-1.safetensors" in there.asked
    assert "consolidated.safetensors" not in there.asked
    assert "org--tiny" in ModelRegistry(models_dir(), found=installed_in(tmp_path)).models


@pytest.mark.parametrize("name", ["absent.safetensors", "pytorch_model.bin"])
def test_an_index_that_names_what_is_not_there_or_not_safe_is_refused(
    there: Hub, tmp_path: Path, name: str
) -> None:
    index = json.dumps({"weight_map": {"transformer.wte.weight": name}})
    there.repositories["org/tiny"]["model.safetensors.index.json"] = index.encode()
    assert f"lacks a shard that its index names: {name}" in refused(tmp_path)
    assert name not in there.asked


def test_an_index_that_leads_elsewhere_is_refused(there: Hub, tmp_path: Path) -> None:
    index = json.dumps({"weight_map": {"a": "../../../outside.safetensors"}})
    there.repositories["org/tiny"]["model.safetensors.index.json"] = index.encode()
    assert "weight_map" in refused(tmp_path)


def test_a_revision_is_asked_for_and_an_unknown_one_is_refused(there: Hub, tmp_path: Path) -> None:
    assert "has no revision v9" in refused(tmp_path, "org/tiny", "--revision", "v9")
    assert fetched(tmp_path, "org/tiny", "--revision", "v1").exit_code == 0


def test_what_is_there_is_not_fetched_again(there: Hub, tmp_path: Path) -> None:
    assert fetched(tmp_path).exit_code == 0
    there.asked.clear()
    again = fetched(tmp_path)
    assert again.exit_code == 0
    assert "is there already" in again.output
    assert there.asked == []


def test_only_pickled_weights_are_refused_with_how_to_convert(there: Hub, tmp_path: Path) -> None:
    del there.repositories["org/tiny"]["model.safetensors"]
    result = refused(tmp_path)
    assert "only pickled weights (pytorch_model.bin)" in result
    assert "safe_serialization=True" in result
    assert there.asked == []


@pytest.mark.parametrize(("missing", "word"), [
    (["config.json"], "has no config.json"),
    (["tokenizer.json"], "has no tokenizer.json"),
    (["model.safetensors", "pytorch_model.bin"], "has no model.safetensors and no index"),
])  # fmt: skip
def test_what_is_no_model_is_refused_before_anything_is_fetched(
    there: Hub, tmp_path: Path, missing: list[str], word: str
) -> None:
    for name in missing:
        del there.repositories["org/tiny"][name]
    assert word in refused(tmp_path)
    assert there.asked == []


@pytest.mark.parametrize(("config", "word"), [
    (b'{"model_type": "mpt"}', "“mpt” are not computed here"),
    (b"[]", "config.json is no JSON object"),
    (b"[" * 100_000, "config.json is no JSON object"),
])  # fmt: skip
def test_a_family_that_is_not_computed_is_refused_before_its_weights(
    there: Hub, tmp_path: Path, config: bytes, word: str
) -> None:
    there.repositories["org/tiny"]["config.json"] = config
    assert word in refused(tmp_path)
    assert there.asked == ["config.json"]


def test_a_config_that_is_no_config_is_not_fetched(there: Hub, tmp_path: Path) -> None:
    there.said["config.json"] = 10**9
    assert "config.json of org/tiny is 1,000.0 MB" in refused(tmp_path)
    assert there.asked == []


def test_a_model_beyond_the_size_that_was_allowed_is_not_fetched(
    there: Hub, tmp_path: Path
) -> None:
    there.said["model.safetensors"] = 10**11
    result = refused(tmp_path)
    assert "more than 10,000.0 MB" in result
    assert "--max-gb" in result
    assert "model.safetensors" not in there.asked


def test_the_size_is_counted_whatever_the_hub_said_of_it(there: Hub, tmp_path: Path) -> None:
    there.said["model.safetensors"] = 0
    content = there.repositories["org/tiny"]
    allowed = (len(content["config.json"]) + len(content["tokenizer.json"]) + 100) / 1e9
    assert "--max-gb" in refused(tmp_path, "org/tiny", "--max-gb", f"{allowed:.9f}")


def test_what_the_hub_refuses_is_said_in_a_sentence(
    there: Hub, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases = [
        (404, "RepoNotFound", "There is no org/tiny on the hub"),
        (401, "RepoNotFound", "There is no org/tiny on the hub"),
        (401, "GatedRepo", "is gated"),
        (403, "GatedRepo", "HF_TOKEN"),
        (403, "", "does not let you have org/tiny (403)"),
        (500, "", "The hub answered 500"),
    ]
    for status, code, word in cases:
        with subtests.test(code, status=status):
            there.refused["org/tiny"] = status, code
            assert word in refused(tmp_path)


def test_a_file_that_vanishes_on_the_way_leaves_nothing(there: Hub, tmp_path: Path) -> None:
    there.refused["org/tiny/tokenizer.json"] = 403, ""
    assert "does not let you have org/tiny (403)" in refused(tmp_path)
    assert there.asked == ["config.json"]


def test_without_a_network_it_says_so(
    there: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    lead_to(nobody, monkeypatch)
    assert "is there a network?" in refused(tmp_path)


def test_a_config_with_keys_that_are_not_known_is_kept_and_reported(
    there: Hub, tmp_path: Path
) -> None:
    config = json.loads(there.repositories["org/tiny"]["config.json"])
    odd = json.dumps({**config, "rope_scaling": 2}).encode()
    there.repositories["org/tiny"]["config.json"] = odd
    result = fetched(tmp_path)
    assert result.exit_code == 0
    assert "cannot be opened yet" in result.output
    assert "rope_scaling" in result.output


def test_without_the_library_it_says_how_to_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "find_spec", lambda _: None)
    assert "pip install 'attnscope[hub]'" in refused(tmp_path)


def test_a_name_that_is_none_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in ("../tiny", "a/b/c", "", "org/", "/tiny", ".hidden", "org/a b"):
        with subtests.test(name):
            assert fetched(tmp_path, name).exit_code == 2
            assert left(tmp_path) == []


def test_the_environment_says_where_the_hub_is(there: Hub, tmp_path: Path) -> None:
    program = "from attnscope.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "fetch", "org/tiny", "--data-dir", str(tmp_path)],
        cwd=ROOT, env={**os.environ, "HF_ENDPOINT": there.url}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert left(tmp_path) == [".lock", "org--tiny"]
