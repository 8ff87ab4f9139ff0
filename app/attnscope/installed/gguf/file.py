from __future__ import annotations

from pathlib import Path

from attnscope.errors import BadWeightsFile
from attnscope.families.model import ModelConfig
from attnscope.installed.checkpoint_tokenizer import open_tokenizer
from attnscope.installed.gguf import bert, gpt2
from attnscope.installed.gguf.gemma import GEMMA, GEMMA2, GEMMA3
from attnscope.installed.gguf.layer_norm_kinds import BLOOM, FALCON, GPT_NEOX, PHI2
from attnscope.installed.gguf.llama import LLAMA, QWEN2, QWEN3
from attnscope.installed.gguf.phi3 import PHI3
from attnscope.installed.gguf.t5 import T5, T5_ENCODER
from attnscope.installed.gguf.tokenizer import definition_of
from attnscope.installed.gguf.translation import Architecture, Translated, Translation
from attnscope.installed.source import CheckpointContent, Stamp, readable, stamp_of
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.weights.formats.gguf_tensors import GgufTensors, map_gguf

SUFFIX = ".gguf"
ARCHITECTURES: tuple[Architecture, ...] = (
    bert, gpt2, LLAMA, QWEN2, QWEN3, GEMMA, GEMMA2, GEMMA3, PHI2, PHI3, GPT_NEOX, BLOOM, FALCON,
    T5, T5_ENCODER,
)  # fmt: skip


class GgufFile:
    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.name = readable(self.path.stem)

    def stamp(self) -> Stamp:
        return stamp_of([self.path])

    def read(self) -> CheckpointContent:
        return gguf_content(map_gguf(self.path), self.path.stat().st_size)

    def pieces(self, about: ModelConfig) -> SubwordTokenizer:
        return open_tokenizer(self.tokenizer(), about, readable(self.path.name))

    def tokenizer(self) -> str:
        return definition_of(map_gguf(self.path).header.metadata)


def gguf_content(file: GgufTensors, size: int) -> CheckpointContent:
    translation = _translated(file)
    sources, entries = translation.tensors, file.header.tensors
    sizes, dtypes = {}, {}
    for name, one in sources.items():
        entry = entries[one.name]
        sizes[name] = one.shape(entry.shape)
        dtypes[name] = entry.kind.dtype_name
    return CheckpointContent(translation.config, Translated(file, sources), sizes, dtypes, size)


def is_gguf(path: Path) -> bool:
    return path.suffix == SUFFIX and path.is_file()


def _translated(file: GgufTensors) -> Translation:
    metadata = file.header.metadata
    if metadata.whole("split.count", 1) > 1:
        raise BadWeightsFile("gguf_split", at=metadata.file)
    kind = metadata.text("general.architecture")
    for architecture in ARCHITECTURES:
        if kind == architecture.ARCHITECTURE:
            return architecture.translate(file)
    known = ", ".join(one.ARCHITECTURE for one in ARCHITECTURES)
    raise BadWeightsFile("gguf_architecture", at=metadata.file, kind=kind[:64], known=known)
