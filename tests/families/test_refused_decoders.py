"""Phi, GPT-NeoX, OPT, BLOOM and Falcon: what is not computed is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from attnscope.installed.checkpoint import Checkpoint
from tests.families.decoders_made import LINEAR, LONG, config_of, decoder_tensors
from tests.families.made import checkpoint, with_config
from tests.families.test_refused import each, refused

# Keys of every family here: sizes and kinds that the tensors do not have, and words not known.
EVERY: dict[str, list[Any]] = {
    "vocab_size": [299, "300"], "hidden_size": [25, 48], "tie_word_embeddings": ["no"],
    "quantization_config": [{"bits": 4}], "attn_logit_softcapping": [50.0],
}  # fmt: skip
ROPE: dict[str, list[Any]] = {
    "rope_scaling": [
        {"type": "axial"}, {"type": "linear"}, {**LINEAR, "mscale": 2}, {"factor": 2.0},
        {"type": "linear", "factor": -1},
    ],
    "rope_parameters": [{"rope_type": "axial", "rope_theta": 1e4}, {"rope_theta": "x"}],
}  # fmt: skip
OWN: dict[str, dict[str, list[Any]]] = {
    "phi": {
        **ROPE, "num_key_value_heads": [2, 1], "partial_rotary_factor": [0.1, 1.5, None],
        "qk_layernorm": [True, "yes"], "hidden_act": ["mish"], "layer_norm_eps": [-1.0],
        "head_dim": [8], "sliding_window": [4], "num_hidden_layers": [3, 10**9],
        "intermediate_size": [41], "rope_theta": [-1.0], "max_position_embeddings": [0],
    },
    "phi_normed": {"qk_layernorm": [False]},
    "phi_parts": {"rope_parameters": [{"rope_type": "proportional"}, {"type": "proportional"}]},
    "phi3": {
        "rope_scaling": [
            LINEAR, {"type": "dynamic", "factor": 2.0}, {"type": "llama3"}, {"type": "longrope"},
            {**LONG, "long_factor": [1.0]}, {**LONG, "short_mscale": 1.1},
            {**LONG, "short_factor": [0, 1, 1]},
        ],
        "attention_bias": [True], "mlp_bias": [True], "lm_head_bias": [True],
        "full_attn_mod": [2], "interpolate_factor": [2], "num_key_value_heads": [3, 4],
        "head_dim": [8], "sliding_window": [0], "original_max_position_embeddings": ["4k"],
        "partial_rotary_factor": [0.2], "intermediate_size": [20],
    },
    "gpt_neox": {
        **ROPE, "rotary_pct": [0.1, 2.0], "rotary_emb_base": [0], "num_attention_heads": [5],
        # transformers reads neither of these two where GPT-NeoX has words of its own.
        "partial_rotary_factor": [0.5], "rope_theta": [50.0],
        "use_parallel_residual": ["no"], "attention_bias": [False], "hidden_act": ["quick_gelu"],
        "layer_norm_eps": [2.0], "intermediate_size": [96],
    },
    "opt": {
        "ffn_dim": [41], "max_position_embeddings": [63, 66], "num_attention_heads": [5],
        "do_layer_norm_before": ["no", False], "_remove_final_layer_norm": [True, 1],
        "word_embed_proj_dim": [12], "activation_function": ["mish"], "enable_bias": [False],
        "layer_norm_elementwise_affine": [False], "num_hidden_layers": [3],
        "layer_norm_eps": [1e-3], "remove_final_layer_norm": [True],
    },
    "bloom": {
        "n_embed": [48], "n_layer": [3], "n_head": [5], "num_attention_heads": [7],
        "num_hidden_layers": [0, 3], "layer_norm_epsilon": [-1.0],
        "apply_residual_connection_post_layernorm": [True], "seq_length": [0],
        "alibi": [True],
    },
    "falcon": {
        **ROPE, "alibi": [True], "multi_query": [False, 1], "parallel_attn": [False],
        "new_decoder_architecture": [True], "num_ln_in_parallel_attn": [2, 3], "bias": [True],
        "ffn_hidden_size": [95], "activation": ["mish"], "n_embed": [48],
        "partial_rotary_factor": [0.5], "apply_residual_connection_post_layernorm": [True],
    },
    "falcon_new": {
        "num_ln_in_parallel_attn": [1], "parallel_attn": [False], "num_kv_heads": [3, 4],
        "new_decoder_architecture": [False],
    },
    "falcon_old": {"num_kv_heads": [1], "multi_query": [True], "bias": [False]},
}  # fmt: skip
FAMILIES = ("phi", "phi3", "gpt_neox", "opt", "bloom", "falcon")


def test_no_key_that_changes_numbers_is_passed_over(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case, keys in OWN.items():
        config = config_of(case)
        folder = checkpoint(tmp_path / case, config, decoder_tensors(config))
        for key, value in each(keys) + (each(EVERY) if case in FAMILIES else []):
            with subtests.test(f"{case} {key}", value=value):
                refused(with_config(folder, {**config, key: value}))


NAMED = [
    ("falcon", "alibi", True, "alibi"),
    ("falcon", "num_ln_in_parallel_attn", 2, "num_ln_in_parallel_attn"),
    ("falcon_new", "parallel_attn", False, "parallel_attn"),
    ("falcon_new", "num_kv_heads", 3, "num_kv_heads"),
    ("falcon", "partial_rotary_factor", 0.5, "partial_rotary_factor"),
    ("opt", "word_embed_proj_dim", 12, "word_embed_proj_dim"),
    ("opt", "_remove_final_layer_norm", True, "model.decoder.final_layer_norm.weight"),
    ("opt", "enable_bias", False, "model.decoder.layers.0.self_attn.q_proj.bias"),
    ("phi_normed", "qk_layernorm", False, "model.layers.0.self_attn.q_layernorm.weight"),
    ("gpt_neox", "attention_bias", False, "gpt_neox.layers.0.attention.query_key_value.bias"),
    ("phi3_long", "original_max_position_embeddings", 1, "original_max_position_embeddings"),
    ("phi3", "num_key_value_heads", 4, "model.layers.0.self_attn.qkv_proj.weight"),
]  # fmt: skip


def test_it_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case, key, value, at in NAMED:
        with subtests.test(f"{case} {key}"):
            config = config_of(case)
            folder = checkpoint(tmp_path / at, {**config, key: value}, decoder_tensors(config))
            assert refused(folder).at == at


def test_a_bias_of_the_logits_that_no_config_speaks_of_is_refused(tmp_path: Path) -> None:
    config = config_of("falcon_new_one")
    tensors = decoder_tensors(config)
    tensors["lm_head.bias"] = tensors["lm_head.weight"][:, 0].copy()
    error = refused(checkpoint(tmp_path / "tiny", config, tensors))
    assert (error.reason, error.at) == ("extra_tensors", "lm_head.bias")


def test_a_model_that_was_saved_without_its_head_opens(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """Where the head is the embedding it is still there."""
    starts = {"phi_tied": "model.", "gpt_neox_tied": "gpt_neox.", "opt": "model.",
              "bloom": "transformer.", "falcon": "transformer."}  # fmt: skip
    for case, start in starts.items():
        with subtests.test(case):
            config = config_of(case)
            tensors = {name.removeprefix(start): a for name, a in decoder_tensors(config).items()}
            folder = checkpoint(tmp_path / case, config, tensors)
            assert Checkpoint(folder).weights.unembedding is not None


def test_gpt_neox_may_call_its_head_as_others_do(tmp_path: Path) -> None:
    config = config_of("gpt_neox")
    tensors = decoder_tensors(config)
    head = tensors.pop("embed_out.weight")
    assert Checkpoint(checkpoint(tmp_path / "base", config, tensors)).config.predicts is None
    opened = Checkpoint(checkpoint(tmp_path / "tiny", config, {**tensors, "lm_head.weight": head}))
    assert opened.weights.unembedding is not None
    assert (opened.weights.unembedding.matrix == head.T).all()


def test_what_configs_of_these_models_say_beside_numbers_opens(tmp_path: Path) -> None:
    """Keys of files that people have."""
    said: dict[str, dict[str, Any]] = {
        "phi": {"attention_dropout": 0.0, "embd_pdrop": 0.0, "rope_scaling": None},
        "phi3": {
            "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"}, "attention_bias": False,
            "resid_pdrop": 0.0, "lm_head_bias": False, "full_attn_mod": 1,
        },
        "gpt_neox": {"classifier_dropout": 0.1, "is_decoder": True, "hidden_dropout": 0.0},
        "opt": {"_remove_final_layer_norm": False, "layerdrop": 0.0, "prefix": "</s>"},
        "bloom": {
            "attention_softmax_in_fp32": True, "masked_softmax_fusion": True, "offset_alibi": 100,
            "n_inner": None, "skip_bias_add_qkv": False, "slow_but_exact": False, "unk_token_id": 0,
        },
        "falcon": {
            "alibi": False, "apply_residual_connection_post_layernorm": False, "num_kv_heads": 71,
        },
    }  # fmt: skip
    for case, keys in said.items():
        config = config_of(case)
        folder = checkpoint(tmp_path / case, {**config, **keys}, decoder_tensors(config))
        assert Checkpoint(folder).config.family == case
