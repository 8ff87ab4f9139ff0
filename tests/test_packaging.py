"""A wheel built from the repository serves its pages from an environment with nothing else."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import venv
import zipfile
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.serving import serving

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent


def locked() -> list[str]:
    """The names of requirements/runtime.txt that this machine needs."""
    lines = (ROOT / "requirements/runtime.txt").read_text().splitlines()
    wanted = [Requirement(line.removesuffix("\\")) for line in lines if re.match(r"\w", line)]
    return [each.name for each in wanted if each.marker is None or each.marker.evaluate()]


def lay_in(site: Path, name: str) -> None:
    """Links the files of an installed distribution into another site-packages, without network;
    with their bytecode, which takes seconds to make."""
    for file in importlib.metadata.files(name) or []:
        source = Path(str(file.locate()))
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        link(source, site / file)
        bytecode = Path(cache_from_source(str(source)))
        if source.suffix == ".py" and bytecode.exists():
            link(bytecode, (site / file).parent / "__pycache__" / bytecode.name)


def link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def run(*command: str | Path, cwd: Path) -> str:
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=own)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def empty_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The python of an environment that holds what the lock names, the wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin/python"
    site = Path(
        run(python, "-c", "import sysconfig as s; print(s.get_path('purelib'))", cwd=folder).strip()
    )
    for name in locked():
        lay_in(site, name)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel), cwd=folder)
    run(*pip, "check", cwd=folder)
    return python


def test_the_wheel_holds_every_page_style_script_and_text(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("models", "static", "templates"):
        for path in (ROOT / folder).rglob("*.*"):
            assert f"attnscope/{path.relative_to(ROOT).as_posix()}" in packed
    for path in (ROOT / "app/attnscope/learn/chapters").glob("*.md"):
        assert path.relative_to(ROOT / "app").as_posix() in packed


def test_the_wheel_holds_nothing_but_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.startswith("attnscope-")} == {"attnscope"}


def test_an_installed_wheel_serves_its_pages_beside_packages_of_others_that_are_named_app(
    empty_python: Path, tmp_path: Path
) -> None:
    own = tmp_path / "app"
    own.mkdir()
    (own / "__init__.py").write_text("")
    (own / "main.py").write_text("raise RuntimeError('not to be imported')")
    site = run(empty_python, "-c", "import attnscope as a; print(a.__file__)", cwd=tmp_path)
    shutil.copytree(own, Path(site.strip()).parents[1] / "app")
    assert "echo" in run(empty_python.parent / "attnscope", "models", cwd=tmp_path)
    style = (ROOT / "static/css/base.css").read_bytes()
    bare = re.sub(rb"/\*.*?\*/\s*|^\s+", b"", style, flags=re.DOTALL | re.MULTILINE)
    command = [str(empty_python), "-m", "attnscope"]  # the folder comes first among the paths
    with serving(command, tmp_path, "--workers", "2") as url:
        with urllib.request.urlopen(f"{url}/", timeout=30) as reply:
            page = reply.read().decode()
        address = re.search(r'"(/static/[^"]*/base[^"]*\.css)"', page)
        assert address, "the page links its style"
        with urllib.request.urlopen(url + address[1], timeout=30) as reply:
            assert reply.read().startswith(bare)
        for path in ("/healthz", "/api/v1/models"):
            with urllib.request.urlopen(url + path, timeout=30) as reply:
                assert reply.status == 200


def test_the_installed_package_is_the_one_of_the_wheel(empty_python: Path, tmp_path: Path) -> None:
    code = "import attnscope.resources as r; print(r.static_dir(), r.templates_dir())"
    places = run(empty_python, "-c", code, cwd=tmp_path).split()
    assert [Path(place).name for place in places] == ["static", "templates"]
    assert all(str(ROOT) not in place for place in places)
