"""GPT-NeoX has runs of spaces twice, as normal pieces and as added tokens: the same surprises."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from transformers import AutoTokenizer, GPTNeoXConfig, GPTNeoXForCausalLM

from attnscope.analysis.predictions import surprisals
from tests.against_torch.test_odd_texts import saved
from tests.families.asking import ask

TEXTS = ["a  b", "for  i    in  range"]
SIZES = {
    "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "max_position_embeddings": 40,
}  # fmt: skip


def test_surprises_of_texts_with_runs_of_spaces(tmp_path: Path) -> None:
    folder = saved("gpt_neox", tmp_path / "neox")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer.get_vocab()["ĠĠ"] != tokenizer.get_vocab()["  "]
    torch.manual_seed(0)
    model = GPTNeoXForCausalLM(GPTNeoXConfig(vocab_size=len(tokenizer), **SIZES)).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.normal_(std=0.4)  # so that pieces differ in what is said of them
    model.save_pretrained(folder)
    for text in TEXTS:
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        assert tokenizer.get_vocab()["  "] in ids[0]
        with torch.no_grad():
            logs = torch.log_softmax(model(ids).logits[0], dim=-1)
        theirs = [-logs[row, piece].item() for row, piece in enumerate(ids[0, 1:])]
        np.testing.assert_allclose(surprisals(ask(folder, text), 0)[1:], theirs, atol=1e-4)
