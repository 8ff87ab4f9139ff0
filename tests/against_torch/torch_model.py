"""An installed model in PyTorch, from its files alone: no code of app computes its numbers."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn.functional import gelu, layer_norm, relu

ACTIVATIONS = {"gelu": gelu, "gelu_tanh": lambda x: gelu(x, approximate="tanh"), "relu": relu}
Tensors = dict[str, torch.Tensor]


class TorchModel:
    """`folder`: models/<name>."""

    def __init__(self, folder: Path, weights: str, dtype: torch.dtype) -> None:
        self.config = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tensors = {name: t.to(dtype) for name, t in load_file(folder / weights).items()}
        self.dtype = dtype

    def ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def stages(self, text: str) -> tuple[list[Tensors], torch.Tensor]:
        """Stages of each layer [1, …], and logits [n, vocabulary]."""
        x = self.tensors["embedding"][self.ids(text)][None]
        layers = []
        for i in range(self.config["num_layers"]):
            p = {
                name.removeprefix(f"layers.{i}."): tensor
                for name, tensor in self.tensors.items()
                if name.startswith(f"layers.{i}.")
            }
            layers.append(self._layer(x, p))
            x = layers[-1]["block_output"]
        normed = _norm(x, self.tensors, "final_norm")
        if "w_u" in self.tensors:
            normed, unembedding = normed @ self.tensors["w_u"], self.tensors["embedding"].T
        else:
            unembedding = self.tensors["unembedding"]
        return layers, (normed @ unembedding)[0]

    def _layer(self, x: torch.Tensor, p: Tensors) -> Tensors:
        h, d_k = self.config["num_heads"], self.config["d_k"]
        z = _norm(x, p, "norm")
        q, k, v = ((z @ p[f"w_{n}"]).unflatten(-1, (h, -1)).transpose(1, 2) for n in "qkv")
        q, k = _turned(q), _turned(k)
        scores = q @ k.transpose(-1, -2)
        scaled = scores * d_k**-0.5
        later = torch.triu(torch.ones_like(scaled, dtype=torch.bool), 1)
        masked = scaled.masked_fill(later, -torch.inf)
        weights = masked.softmax(-1)
        head_outputs = weights @ v
        concat = head_outputs.transpose(1, 2).flatten(2)
        output = concat @ p["w_o"]
        y = x + output
        if "w_in" in p:
            hidden = _norm(y, p, "mlp_norm") @ p["w_in"] + p["b_in"]
            active = ACTIVATIONS[self.config.get("activation", "gelu_tanh")](hidden)
            y = y + active @ p["w_out"] + p["b_out"]
        return {
            "x": x, "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled,
            "masked_scores": masked, "weights": weights, "head_outputs": head_outputs,
            "concat": concat, "output": output, "block_output": y,
        }  # fmt: skip


def _norm(x: torch.Tensor, p: Tensors, name: str) -> torch.Tensor:
    return layer_norm(x, x.shape[-1:], p[f"{name}_gain"], p[f"{name}_bias"])


def _turned(a: torch.Tensor) -> torch.Tensor:
    n, d_k = a.shape[-2:]
    pairs = torch.arange(0, d_k, 2, dtype=torch.float64)
    angle = torch.outer(torch.arange(n, dtype=torch.float64), 10000.0 ** (-pairs / d_k))
    numbers = torch.view_as_complex(a.double().unflatten(-1, (-1, 2)).contiguous())
    turned = numbers * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).flatten(-2).to(a.dtype)
