from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath

from attnscope.attention.architecture import Parameters
from attnscope.errors import BadWeightsFile
from attnscope.families import identify_checkpoint, marian
from attnscope.families.keys import MOST_SHOWN
from attnscope.families.layers import KEPT
from attnscope.families.model import ModelConfig, Weights
from attnscope.installed.checkpoint_tokenizer import open_tokenizer
from attnscope.installed.folder import LARGEST_TOKENIZER, TOKENIZER, folder_content, read_config
from attnscope.installed.gguf.file import SUFFIX, gguf_content
from attnscope.installed.gguf.tokenizer import MODEL, definition_of
from attnscope.installed.source import CheckpointContent
from attnscope.storage.manifest import ReceivedUpload
from attnscope.tokens.processes import UNIGRAM, opening_bytes
from attnscope.tokens.subword_tokenizer import ROW_BYTES, SubwordTokenizer
from attnscope.weights.formats import Limits
from attnscope.weights.formats.gguf_file import read_header
from attnscope.weights.formats.gguf_tensors import gguf_in
from attnscope.weights.formats.mapped import map_views
from attnscope.weights.upload import TensorInfo, Upload, common_dtype, title_of

TEXT_COST = 2  # a tokenizer is held here and in its process
LIKELY_ROWS = 1 << 17  # vocabulary size if the config states none
WIDENED = 4  # upper bound of growth to float32
FLOAT32 = 4  # bytes


@dataclass(frozen=True, kw_only=True)
class UploadedCheckpoint(Upload):
    layers: Sequence[Parameters]
    about: ModelConfig
    weights: Weights
    pieces: SubwordTokenizer
    size: int  # bytes of its files

    @property
    def caveats(self) -> tuple[str, ...]:
        return self.about.notes

    @property
    def accepted(self) -> tuple[str, ...]:
        return self.about.accepted

    @property
    def bytes(self) -> int:
        return self.size

    @property
    def held(self) -> int:
        return self.size + self.pieces.held_bytes


def is_checkpoint(sent: ReceivedUpload) -> bool:
    return sent.mapping is None and (sent.config is not None or _is_gguf(sent))


def whole_cost(sent: ReceivedUpload, opened: UploadedCheckpoint | None = None) -> int:
    """Upper bound of the bytes in memory, without the files."""
    weights = sum(len(data) for _, data in sent.files)
    texts, widened = len(sent.tokenizer or b""), WIDENED * weights
    unigram = UNIGRAM in (sent.tokenizer or b"")
    if _is_gguf(sent):
        texts, widened, unigram = _gguf_sizes(sent)
    rows = min(_rows(sent), weights)
    opening = opening_bytes(texts, unigram=unigram)
    if opened is not None:
        opening = opened.pieces.opening_bytes
    return opening + TEXT_COST * texts + ROW_BYTES * rows + min(widened, KEPT + widened // 4)


def _rows(sent: ReceivedUpload) -> int:
    with suppress(BadWeightsFile):
        vocab_size = read_config(sent.config or b"{}").get("vocab_size", LIKELY_ROWS)
        return vocab_size if isinstance(vocab_size, int) and vocab_size > 0 else 0
    return 0


def _gguf_sizes(sent: ReceivedUpload) -> tuple[int, int, bool]:
    """Header bytes, float32 bytes, whether the tokenizer is Unigram."""
    name, data = sent.files[0]
    with suppress(BadWeightsFile):
        header = read_header(memoryview(data), name)
        tensors = header.tensors.values()
        first = min((one.begin for one in tensors), default=len(data))
        numbers = FLOAT32 * sum(math.prod(one.shape) for one in tensors)
        return first, numbers, header.metadata.text(MODEL, "") == "t5"
    return 0, 0, False


def open_uploaded_checkpoint(sent: ReceivedUpload, limits: Limits) -> UploadedCheckpoint:
    size = sum(len(data) for _, data in sent.files)
    if size > limits.max_bytes:
        at = "weights"
        raise BadWeightsFile("too_many_bytes", at=at, bytes=size, limit=limits.max_bytes)
    found, definition, at = _gguf(sent) if _is_gguf(sent) else _folder(sent, limits)
    family, about = identify_checkpoint(found.config, found.sizes, sent.accept)
    weights = family.convert(about, found.tensors)
    weights.layers[0]  # raises for unsupported dtypes
    return UploadedCheckpoint(
        name=title_of(sent.name, sent.files[0][0]), layout=about.family,
        shape=about.architecture.shape, dtype=common_dtype(set(found.dtypes.values())),
        tensors=tuple(TensorInfo(name, shape, found.dtypes[name])
                      for name, shape in sorted(found.sizes.items())),
        layers=weights.layers, embedding=weights.embedding, about=about, weights=weights,
        pieces=open_tokenizer(definition, about, at, strange=True), size=size,
    )  # fmt: skip


def check_accepted(sent: ReceivedUpload, model: Upload) -> None:
    if needless := sorted(set(sent.accept) - set(model.accepted)):
        raise BadWeightsFile("no_such_key", at="accept", keys=", ".join(needless)[:MOST_SHOWN])


def _is_gguf(sent: ReceivedUpload) -> bool:
    return len(sent.files) == 1 and PurePath(sent.files[0][0]).suffix == SUFFIX


def _gguf(sent: ReceivedUpload) -> tuple[CheckpointContent, bytes, str]:
    name, data = sent.files[0]
    file = gguf_in(memoryview(data), PurePath(name).name)
    return gguf_content(file, len(data)), definition_of(file.header.metadata).encode(), name


def _folder(sent: ReceivedUpload, limits: Limits) -> tuple[CheckpointContent, bytes, str]:
    assert sent.config is not None
    config = read_config(sent.config)
    if sent.tokenizer is None:
        marian_alone = config.get("model_type") == marian.MODEL_TYPE
        raise BadWeightsFile("spm_upload" if marian_alone else "no_tokenizer", at=TOKENIZER)
    if len(sent.tokenizer) > LARGEST_TOKENIZER:
        raise BadWeightsFile("tokenizer_broken", at=TOKENIZER)
    tensors = map_views([memoryview(data) for _, data in sent.files], limits)
    size = sum(len(data) for _, data in sent.files)
    return folder_content(config, tensors, size), sent.tokenizer, TOKENIZER
