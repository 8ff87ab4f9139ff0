"""Attention of another program: sent as arrays, looked at as a trace."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import attnscope
from tests.hostile.sockets import connect, reply

TOKENS = ["The", "cat", "sat", "on", "mats"]
WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(5), (2, 3, 5)).astype(np.float32)


class Tensor:
    """What torch's tensors have that is used here."""

    def __init__(self, array: np.ndarray, dtype: str = "torch.float32") -> None:
        self.array, self.dtype, self.ndim = array, dtype, array.ndim

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def float(self) -> Tensor:
        return Tensor(self.array)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        assert self.dtype == "torch.float32"
        return self.array


def test_weights_come_back_as_they_were(here: attnscope.Client) -> None:
    trace = here.capture(WEIGHTS, tokens=TOKENS, name="mine")
    assert trace.tokens == [TOKENS]
    assert (trace.shape["num_layers"], trace.shape["num_heads"]) == (2, 3)
    for i in (0, 1):
        np.testing.assert_array_equal(trace.layers[i].weights[0], WEIGHTS[i], strict=True)
    np.testing.assert_array_equal(trace.block("weights", 1, 2, -1), WEIGHTS[1, 2, -1])
    assert len(trace.heads()) == 6
    assert here.open(trace.id).question == trace.question
    for look in (lambda: trace.layers[0].scores, trace.predictions, lambda: trace.layers[0].w_q):
        with pytest.raises(attnscope.Problem) as problem:
            look()
        assert problem.value.code == "not_captured"
    here.delete_capture(trace)
    assert trace.layers[0].weights.shape == (1, 3, 5, 5)  # it was fetched before
    with pytest.raises(attnscope.Problem, match="Send its arrays again"):
        trace.heads()


@pytest.mark.parametrize(
    "given",
    [
        [layer[None] for layer in WEIGHTS],
        tuple(Tensor(layer[None]) for layer in WEIGHTS),
        Tensor(WEIGHTS, "torch.bfloat16"),
        Tensor(WEIGHTS, "torch.float8_e4m3fn"),
        np.asfortranarray(WEIGHTS),
        WEIGHTS.astype(">f4"),
        WEIGHTS.tolist(),
    ],
)
def test_the_forms_that_other_programs_have(given: object, here: attnscope.Client) -> None:
    trace = here.capture(attentions=given, tokens=[TOKENS])
    np.testing.assert_array_equal(trace.layers[1].weights[0], WEIGHTS[1])


def test_sparse_tensors_are_refused(here: attnscope.Client) -> None:
    class Sparse(Tensor):
        @property
        def nbytes(self) -> int:
            raise RuntimeError("nbytes is not defined for sparse tensors.")

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            raise TypeError("can't convert Sparse layout tensor to numpy.")

    with pytest.raises(attnscope.Problem, match="weights is no array: can't convert Sparse"):
        here.capture(Sparse(WEIGHTS))


def test_ids_are_named_by_a_tokenizer(here: attnscope.Client, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"model": {"vocab": {token: i for i, token in enumerate(TOKENS)}}}))
    trace = here.capture(WEIGHTS, tokens=[np.arange(5)], tokenizer=file)
    assert trace.tokens == [TOKENS]
    with pytest.raises(attnscope.Problem, match="no such token"):
        here.capture(WEIGHTS, tokens=[0, 1, 2, 3, 7], tokenizer=file)


def test_steps_of_a_generation_are_one_map(here: attnscope.Client) -> None:
    steps = [tuple(np.ones((1, 2, rows, keys)) / keys for _ in range(3))
             for rows, keys in ((4, 4), (1, 5))]  # fmt: skip
    trace = here.capture(attentions=steps, tokens=TOKENS)
    assert trace.layers[2].weights.shape == (1, 2, 5, 5)
    assert trace.layers[0].weights[0, 0, 3].tolist() == [0.25] * 4 + [0]


@pytest.mark.parametrize("given", [None, (None, None), (WEIGHTS[:1], None), ((None,), (None,))])
def test_a_kernel_that_keeps_no_weights_is_named(given: object, here: attnscope.Client) -> None:
    with pytest.raises(attnscope.Problem, match=r"attn_implementation=.eager.*attnscope\.capture"):
        here.capture(attentions=given, tokens=TOKENS)


def test_a_file_of_10_gb_is_refused_before_it_is_read(
    here: attnscope.Client, tmp_path: Path
) -> None:
    shape = (1, 1, 51_200, 51_200)
    sparse = np.lib.format.open_memmap(tmp_path / "run.npy", "w+", np.float32, shape)
    for given in (sparse, [sparse[0]]):
        with pytest.raises(attnscope.Problem, match="10,000 MB, and 256 MB can be sent"):
            here.capture(given)


@pytest.mark.parametrize("framing", [b"Content-Length: 10485760128", b"Transfer-Encoding: chunked"])
def test_a_server_refuses_10_gb_before_they_are_sent(live_server: str, framing: bytes) -> None:
    """By its length, or in chunks at its limit."""
    head = (b"POST /api/v1/captures HTTP/1.1\r\nHost: 127.0.0.1\r\n" + framing
            + b"\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n")  # fmt: skip
    part = b'--b\r\nContent-Disposition: form-data; name="arrays"; filename="a.npy"\r\n\r\n'
    chunk = b"100000\r\n%b\r\n" % bytes(1 << 20)
    port = int(live_server.rpartition(":")[2])
    with connect(port) as opened:
        opened.sendall(head)
        if b"chunked" in framing:
            opened.sendall(b"%x\r\n%b\r\n" % (len(part), part))
            for _ in range(257):
                opened.sendall(chunk)
        refused = reply(opened)
    assert (refused.status, refused.code) == (413, "body_too_large")
    assert b"larger than 256 MB" in refused.body


def test_scores_follow_from_q_and_k_and_are_compared(here: attnscope.Client) -> None:
    q, k = np.random.default_rng(1).normal(size=(2, 2, 3, 5, 4))
    trace = here.capture(q=q, k=k, weights=WEIGHTS.astype(float), tokens=TOKENS)
    np.testing.assert_allclose(trace.layers[1].scores[0], q[1] @ k[1].swapaxes(1, 2))
    assert trace.checks["max_capture_error"] > 0.01


def test_a_value_of_capture_goes_as_it_is_with_its_tokens(here: attnscope.Client) -> None:
    layers = [{"weights": one[None], "scale": np.array(0.5, np.float32)} for one in WEIGHTS]
    captured = attnscope.Captured(layers, ["a"] * len(layers), tokens=[TOKENS])
    shape = [len(layers), 1, *WEIGHTS.shape[1:]]
    assert repr(captured).endswith(f": weights {shape}, scale>")
    trace = here.capture(captured)
    np.testing.assert_array_equal(trace.layers[1].weights[0], WEIGHTS[1])
    assert trace.tokens == [TOKENS]
