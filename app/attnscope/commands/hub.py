from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from huggingface_hub import HfApi, errors, hf_hub_download
from huggingface_hub.utils.tqdm import tqdm

from attnscope.commands.options import CommandError
from attnscope.commands.table import size
from attnscope.errors import AttnscopeError
from attnscope.families import family_of
from attnscope.installed.atomic_install import install_folders
from attnscope.installed.folder import CONFIG, LARGEST_CONFIG, LARGEST_TOKENIZER, TOKENIZER
from attnscope.installed.marian_pieces import LARGEST_OPTIONS, OPTIONS, SOURCE, TARGET, VOCABULARY
from attnscope.installed.spm import LARGEST as LARGEST_MODEL
from attnscope.storage.disk import PRIVATE_FILE, sync
from attnscope.weights.formats.mapped import INDEX, LARGEST_INDEX, WHOLE, shards_of

SAFE = ".safetensors"
PICKLED = (".bin", ".pt", ".pth", ".ckpt")
OPUS_MT = (SOURCE, TARGET, VOCABULARY)
LARGEST = {
    CONFIG: LARGEST_CONFIG, TOKENIZER: LARGEST_TOKENIZER, INDEX: LARGEST_INDEX,
    **dict.fromkeys(OPUS_MT, LARGEST_MODEL), OPTIONS: LARGEST_OPTIONS,
}  # fmt: skip
HOW_TO_CONVERT = "save_pretrained(…, safe_serialization=True)"
HOW_TO_ENTER = "set HF_TOKEN to a token of yours, or run hf auth login"


class Fetched(NamedTuple):
    """`licence`: as the model card states."""

    bytes: int
    commit: str
    licence: str


class ByteLimit:
    """Limits received bytes, as the hub may state wrong sizes."""

    def __init__(self, most: int) -> None:
        self.most, self.received = most, 0

    def take(self, count: int) -> None:
        self.received += count
        self.check_room(0)

    def check_room(self, count: int) -> None:
        """Raise CommandError if `count` more bytes exceed the limit."""
        if self.received + count > self.most:
            raise CommandError(
                f"This is more than {size(self.most)}, so nothing was kept: "
                "allow more with --max-gb, or fetch a smaller model."
            )

    def bar(self) -> type[tqdm]:
        limit = self

        class Counting(tqdm):
            def update(self, n: float | None = 1) -> Any:
                limit.take(int(n or 0))
                return super().update(n)

        return Counting


class Source(NamedTuple):
    """A repository at one commit. `files`: name → size in bytes, as the hub states."""

    repository: str
    commit: str
    files: dict[str, int]
    limit: ByteLimit

    def bring(self, names: list[str], scratch: Path, model: Path) -> None:
        """Download into `scratch`, then move to `model`. Raises CommandError, errors of the hub."""
        self.limit.check_room(sum(self.files[name] for name in names))
        for name in names:
            got = hf_hub_download(
                self.repository, name, revision=self.commit, local_dir=scratch,
                tqdm_class=self.limit.bar(),
            )  # fmt: skip
            at = model / name
            Path(got).replace(at)
            at.chmod(PRIVATE_FILE)
            sync(at)


def fetch(repository: str, revision: str, at: Path, most: int) -> Fetched:
    """Raises CommandError, and AttnscopeError (BadWeightsFile, NameTaken, StorageFull, Busy)."""
    with install_folders(at) as (model, scratch), hub_errors(repository, revision):
        info = HfApi().model_info(repository, revision=revision, files_metadata=True)
        files = {one.rfilename: one.size or 0 for one in info.siblings or []}
        weights = weights_among(repository, files)
        source = Source(repository, info.sha or revision, files, ByteLimit(most))
        source.bring([CONFIG], scratch, model)
        _check_family(model / CONFIG)
        source.bring([*tokenizer_among(repository, files), weights], scratch, model)
        if weights == INDEX:
            source.bring(_shards(model / INDEX, source), scratch, model)
        return Fetched(source.limit.received, source.commit, _licence(info))


def weights_among(repository: str, files: Mapping[str, int]) -> str:
    """Name of the weights file, or of the index of shards. Raises CommandError."""
    if CONFIG not in files:
        raise CommandError(
            f"{repository} has no config.json: it is no model as transformers saves it."
        )
    found = next((name for name in (INDEX, WHOLE) if name in files), None)
    if found is None:
        pickled = sorted(name for name in files if name.endswith(PICKLED) and "/" not in name)
        if pickled:
            raise CommandError(
                f"{repository} has only pickled weights ({pickled[0]}), which may run code and are "
                f"not fetched. Convert them where you trust them, with {HOW_TO_CONVERT}, and open "
                "the folder with attnscope serve --model."
            )
        raise CommandError(f"{repository} has no model.safetensors and no index of shards.")
    tokenizer_among(repository, files)
    for name, largest in LARGEST.items():
        if files.get(name, 0) > largest:
            raise CommandError(f"{name} of {repository} is {size(files[name])}: that is no {name}.")
    return found


def tokenizer_among(repository: str, files: Mapping[str, int]) -> list[str]:
    """tokenizer.json, or the tokenizer files of OPUS-MT. Raises CommandError."""
    if TOKENIZER in files:
        return [TOKENIZER]
    if all(name in files for name in OPUS_MT):
        return [*OPUS_MT, *(name for name in [OPTIONS] if name in files)]
    raise CommandError(
        f"{repository} has no tokenizer.json, so no text can be cut into its pieces: save its "
        "fast tokenizer beside the weights, and open the folder with attnscope serve --model."
    )


def _shards(index: Path, source: Source) -> list[str]:
    names = shards_of(index)
    for name in names:
        if name not in source.files or not name.endswith(SAFE):
            raise CommandError(
                f"{source.repository} lacks a shard that its index names: {name[:64]}."
            )
    return names


def _check_family(path: Path) -> None:
    try:
        config = json.loads(path.read_bytes())
        if not isinstance(config, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise CommandError("Its config.json is no JSON object.") from None
    family_of(config)


def _licence(info: Any) -> str:
    card = info.card_data
    licence = None if card is None else card.get("license")
    # A model card may contain anything.
    return str(licence)[:64] if licence else "not named in its model card"


@contextmanager
def hub_errors(repository: str, revision: str) -> Iterator[None]:
    try:
        yield
    except (CommandError, AttnscopeError):
        raise
    except Exception as error:  # the type depends on the HTTP library
        cause = error.__cause__ if isinstance(error, errors.LocalEntryNotFoundError) else None
        reason = cause or error
        if isinstance(reason, OSError) and reason.errno is not None:
            raise  # a disk error
        raise CommandError(_sentence(reason, repository, revision)) from error


def _sentence(error: BaseException, repository: str, revision: str) -> str:
    if isinstance(error, errors.GatedRepoError):
        return f"{repository} is gated: ask for access on its page at the hub, then {HOW_TO_ENTER}."
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"There is no {repository} on the hub; if it is private, {HOW_TO_ENTER}."
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{repository} has no revision {revision}."
    if isinstance(error, errors.OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set, so nothing is fetched: unset it and try again."
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        if status in (401, 403):
            return f"The hub does not let you have {repository} ({status}): {HOW_TO_ENTER}."
        return f"The hub answered {status}: try again later."
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"The hub could not be reached; is there a network? It said: {first}"
