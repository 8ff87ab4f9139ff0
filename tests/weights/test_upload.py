"""Files to an upload, and to the same one again."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from attnscope.attention.architecture import Shape
from attnscope.errors import AttnscopeError, BadWeightsFile, InvalidRequest, UnknownLayout
from attnscope.storage.manifest import ReceivedUpload
from attnscope.weights.formats import Limits
from attnscope.weights.upload import TensorInfo, Upload, read_upload, reopen
from tests.safetensors_files import write_safetensors

GOLDEN = Path(__file__).resolve().parents[1] / "golden/data_0.1.0"
RNG = np.random.default_rng(0)
LAYER = {name: RNG.normal(size=(4, 4)) for name in ("w_q", "w_k", "w_v", "w_o")}


def saved(dtype: str, *names: str, **metadata: str) -> bytes:
    chosen = {name: LAYER[name] for name in names or LAYER}
    return write_safetensors(chosen, metadata, dtype)


def equal(one: Upload, two: Upload) -> bool:
    arrays, others = one.arrays(), two.arrays()
    plain = [
        (u.name, u.layout, u.shape, u.dtype, u.tensors, u.vocab, len(u.layers)) for u in (one, two)
    ]
    return (
        plain[0] == plain[1]
        and arrays.keys() == others.keys()
        and all(
            arrays[name].dtype == others[name].dtype
            and arrays[name].tobytes() == others[name].tobytes()
            and arrays[name].shape == others[name].shape
            for name in arrays
        )
    )


def test_shards_are_one_upload() -> None:
    files = [("a.safetensors", saved("float32", "w_q", "w_k")), ("b.bin", saved("float32", "w_v"))]
    upload = read_upload(files, num_heads=2)
    assert upload.name == "a"
    assert upload.layout == "canonical"
    assert upload.shape == Shape(2, 2, 4, 2, 2)
    assert set(upload.tensors) == {
        TensorInfo(name, (4, 4), "float32") for name in ("w_q", "w_k", "w_v")
    }
    assert upload.bytes == 3 * 16 * 4
    np.testing.assert_array_equal(upload.layers[0].w_v, LAYER["w_v"].astype(np.float32))


def test_the_dtype_is_the_narrowest_that_holds_every_number(subtests: pytest.Subtests) -> None:
    cases = [
        (["float64", "float16"], "float64", np.float64),
        (["float32", "bfloat16"], "float32", np.float32),
        (["float16", "float16"], "float16", np.float32),
        (["bfloat16", "bfloat16"], "bfloat16", np.float32),
        (["float16", "bfloat16"], "float32", np.float32),
    ]
    for dtypes, widest, memory in cases:
        with subtests.test(dtypes=dtypes, widest=widest):
            upload = read_upload(
                [("a", saved(dtypes[0], "w_q", "w_k")), ("b", saved(dtypes[1], "w_v", "w_o"))]
            )
            assert upload.dtype == widest
            assert {array.dtype for array in upload.arrays().values()} == {np.dtype(memory)}


def test_an_upload_is_read_anew_from_what_was_sent() -> None:
    vocab = ["猫", 'a "quote"', "\u0001", "👍🏽"]
    document = {
        "vocab": vocab, "embedding": RNG.normal(size=(4, 4)).tolist(),
        **{f"layers.{i}.{n}": a.tolist() for i in range(2) for n, a in LAYER.items()},
    }  # fmt: skip
    files = [(" two layers .json", json.dumps(document).encode())]
    upload = read_upload(files, num_heads=2)
    again = reopen(ReceivedUpload(files, upload.name, 2), Limits())
    assert equal(again, upload)
    assert again.name == "two layers"
    assert again.vocab == tuple(vocab)
    assert len(again.layers) == 2


def test_an_upload_over_a_limit_that_came_later_is_refused() -> None:
    files = [("w", saved("float32"))]
    with pytest.raises(BadWeightsFile):
        reopen(ReceivedUpload(files, "w"), Limits(max_bytes=10))


def test_the_file_that_0_1_0_made_of_an_upload_is_read() -> None:
    (path,) = (GOLDEN / "models").glob("*.safetensors")
    upload = reopen(path.read_bytes(), Limits())
    assert (upload.name, upload.layout, upload.dtype) == ("of 0.1.0", "canonical", "bfloat16")
    assert upload.shape == Shape(2, 2, 4, 2, 2)
    assert upload.vocab == ("the", "cat", "猫")
    assert len(upload.layers) == 2
    assert TensorInfo("layers.1.w_o", (4, 4), "bfloat16") in upload.tensors
    drawn = np.random.default_rng(0).normal(size=(8, 4, 4))  # as it was made
    np.testing.assert_allclose(upload.layers[1].w_k, drawn[5], rtol=2**-7)


def test_a_mapping_opens_foreign_names() -> None:
    fused = np.concatenate([LAYER["w_q"], LAYER["w_k"], LAYER["w_v"]], axis=1).T
    mapping = {
        name: {"tensor": "qkv", "slice": [[i * 4, i * 4 + 4], None], "transpose": True}
        for i, name in enumerate(("w_q", "w_k", "w_v"))
    }
    data = write_safetensors({"qkv": np.ascontiguousarray(fused)}, {})
    upload = read_upload([("w", data)], mapping=json.dumps(mapping))
    for name in ("w_q", "w_k", "w_v"):
        np.testing.assert_array_equal(upload.layers[0].arrays()[name], LAYER[name])
    assert [info.name for info in upload.tensors] == ["qkv"]


def reason(*files: tuple[str, bytes], limits: Limits | None = None, name: str = "w") -> str:
    with pytest.raises(AttnscopeError) as error:
        read_upload(files, limits=limits, name=name)
    assert isinstance(error.value, BadWeightsFile | InvalidRequest)
    return error.value.reason


def test_an_upload_is_held_with_the_texts_of_its_vocab() -> None:
    arrays = {**LAYER, "embedding": np.zeros((1000, 4))}
    texts = [f"{i:0100}" for i in range(1000)]
    upload = read_upload(
        [("w", write_safetensors(arrays, {"vocab": json.dumps(texts)}, "float32"))]
    )
    assert upload.bytes == 4 * 16 * 4 + 1000 * 4 * 4
    assert upload.bytes + 100_000 < upload.held < upload.bytes + 200_000


def test_shards_that_repeat_a_tensor_are_refused() -> None:
    assert reason(("a", saved("float32")), ("b", saved("float32", "w_o"))) == "name_in_two_files"
    heads = [
        (name, saved("float32", tensor, num_heads=count))
        for name, tensor, count in (("a", "w_q", "2"), ("b", "w_k", "4"))
    ]
    assert reason(*heads) == reason(*reversed(heads)) == "heads_given_twice"


def test_no_file_and_too_many_bytes_together_are_refused() -> None:
    half = saved("float32", "w_q")
    assert reason() == "no_file"
    limits = Limits(max_bytes=len(half) + 10)
    assert reason(("a", half), ("b", saved("float32", "w_k")), limits=limits) == "too_many_bytes"


def test_what_the_files_unpack_to_has_one_limit_for_all() -> None:
    halves = []
    for name in ("w_q", "w_k"):
        file = io.BytesIO()
        np.savez_compressed(file, **{name: np.arange(50_000) % 7 * 0.5})  # type: ignore[arg-type]
        halves.append((name, file.getvalue()))
    limits = Limits(max_bytes=500_000)
    with pytest.raises(UnknownLayout):
        read_upload(halves[:1], limits=limits)
    assert reason(*halves, limits=limits) == "unpacks_too_large"


def test_shards_share_the_limit_of_tensors() -> None:
    shards = [("a", saved("float32", "w_q")), ("b", saved("float32", "w_k"))]
    assert reason(*shards, limits=Limits(max_tensors=1)) == "too_many_tensors"


def test_an_upload_bears_its_given_name_or_its_files(subtests: pytest.Subtests) -> None:
    cases = [
        (None, "C:\\tmp\\tiny.safetensors", "tiny"),
        ("", "../../etc/passwd", "passwd"),
        (" my heads ", "w", "my heads"),
        (None, "", "model"),
        (None, "a\u202eb\0.npz", "ab"),
        (None, " a b .npz", "a b"),
        (None, f"{'a' * 119} b.npz", "a" * 119),
    ]
    for name, filename, title in cases:
        with subtests.test(name=name, filename=filename):
            assert read_upload([(filename, saved("float32"))], name=name).name == title


def test_a_name_that_cannot_be_shown_is_refused() -> None:
    assert reason(("w", saved("float32")), name="a\nb") == "name_unprintable"
    assert reason(("w", saved("float32")), name="a" * 121) == "name_too_long"
