"""The errata of each document, in order of its sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from attnscope.learn.chapters import spectrum_values as spectra
from attnscope.learn.chapters.both_ways import pizza_rows
from attnscope.learn.chapters.costs_values import fused_counts
from attnscope.learn.chapters.decoder_block import largest_differences
from attnscope.learn.chapters.decoding import rows_of_a_step
from attnscope.learn.chapters.habits_values import levels
from attnscope.learn.chapters.layers import earlier_words, growth
from attnscope.learn.chapters.shapes import BATCH, head_shapes
from attnscope.learn.chapters.three_matrices import three_each
from attnscope.learn.chapters.twenty_lines_values import whole_transpose
from attnscope.learn.chapters.variants import own_row_counts, parameters
from attnscope.learn.echo import CHINESE, ENGLISH, Echo, by_language
from attnscope.learn.errata import projection_values as projections
from attnscope.learn.errata import stage_values as stages
from attnscope.learn.errata.stage_values import EXAMPLES
from attnscope.learn.parts import Body, Values

Verdict = Literal["wrong", "condition", "right"]


@dataclass(frozen=True)
class Erratum:
    """The messages `errata.<name>.printed` and `errata.<name>.right`, with computed values.

    `section`: number in the document. `verdict`: "condition" if the print omits a condition under
    which it is true, "right" if it only looks wrong. `question` opens in Explore.
    """

    name: str
    section: str
    chapter: str
    values: Values = dict
    question: Body | None = field(default=None, hash=False)
    verdict: Verdict = "wrong"
    zh: Values | None = None  # on Chinese pages
    zh_question: Body | None = field(default=None, hash=False)

    def values_in(self, language: str) -> Mapping[str, str]:
        return (self.zh if self.zh and language == "zh" else self.values)()

    def question_in(self, language: str) -> Body | None:
        return self.zh_question if self.zh_question and language == "zh" else self.question


def _of_echo(
    name: str, section: str, chapter: str, make: Callable[[Echo], Mapping[str, str]],
    verdict: Verdict = "condition",
) -> Erratum:  # fmt: skip
    english, chinese = by_language(make)
    return Erratum(name, section, chapter, english, ENGLISH.asked(), verdict, chinese,
                   CHINESE.asked())  # fmt: skip


ROLES = (
    Erratum("sixteen", "10.2.2", "shapes", stages.lengths, BATCH, "condition"),
    Erratum("same_shape", "10.3.2, 10.12.1", "variants", stages.narrower, None, "condition"),
    Erratum("key_column", "10.4.3, 10.12.3", "scores", stages.row_sizes, EXAMPLES["cat-fish"]),
    Erratum("head_shapes", "10.4.2, 10.9.1, 10.10.1", "shapes", head_shapes),
    Erratum("smooth", "10.5.2", "scaling", stages.smooth, EXAMPLES["smooth"]),
    Erratum("tamed", "10.5.2", "scaling", stages.tamed, None, "condition"),
    Erratum("variance", "10.5.2", "scaling", stages.product_variance, None, "condition"),
    Erratum("second_softmax", "10.6.2", "masks", stages.second_softmax, EXAMPLES["causal-four"],
            "condition"),
    Erratum("masked_row", "10.7.1", "masks", stages.masked_row, EXAMPLES["masked-row"]),
    Erratum("amplifies", "10.7.2", "softmax", stages.differences),
    _of_echo("later_rows", "10.7.3", "habits", stages.later_rows),
    Erratum("replaced", "10.9.2, 10.9.3", "layers", stages.added, stages.RESIDUAL),
    Erratum("decoder_only", "10.10.1", "masks", stages.padded, stages.SONGS),
    Erratum("mask_axes", "10.10.2", "masks", stages.mask_without_heads, BATCH, "condition"),
    Erratum("full_row", "10.10.2", "masks", stages.full_row, None, "condition"),
)  # fmt: skip
DERIVATION = (
    Erratum("current_token", "Query", "layers", earlier_words,
            {"text": stages.WORDS, "model": stages.TWO_LAYERS}, "condition"),
    Erratum("q_times_q", "4", "scores", stages.true_scores, EXAMPLES["three-tensor"]),
    Erratum("divided", "4", "scaling", stages.divided, EXAMPLES["three-tensor"]),
    Erratum("stacked", "6", "weighted_sum", stages.stacked, EXAMPLES["three-tensor"]),
    Erratum("recurrent", "关键点 3", "costs", stages.recurrent, None, "condition"),
)  # fmt: skip
INTUITION = (
    Erratum("three_each", "五, 1", "three_matrices", three_each, EXAMPLES["pizza"]),
    Erratum("pizza", "五, 3", "softmax", stages.pizza, EXAMPLES["eating-pizza"]),
    Erratum(
        "later_word",
        "五, 3",
        "both_ways",
        pizza_rows,
        {**EXAMPLES["eating-pizza"], "causal": True},
        "condition",
    ),
    Erratum("whole_transpose", "七", "twenty_lines", whole_transpose),
)
HEADS = (
    Erratum("target_words", "DeepSeek, 1", "decoder_block", dict),
    Erratum("translation", "DeepSeek, 2 (3)", "decoder_block", stages.translation,
            EXAMPLES["translation-row"]),
    Erratum("k_equals_v", "DeepSeek, 3", "decoder_block", largest_differences),
    Erratum("not_copied", "DeepSeek, 3", "cross", stages.one_value, stages.TRANSLATED, "condition"),
    Erratum("other_row", "DeepSeek, 4", "decoder_block", stages.other_row, None, "condition"),
    Erratum("all_equal", "DeepSeek, 5", "decoder_block", largest_differences),
    Erratum("one_book", "GPT, 一", "library", stages.nothing_left_out,
            {"text": stages.WORDS, "causal": False}, "condition"),
    Erratum("whose_question", "豆包, 一", "weighted_sum", dict, EXAMPLES["family-outing"],
            "condition"),
    Erratum("family", "豆包, 二, 3", "weighted_sum", stages.family, EXAMPLES["family-outing"]),
    Erratum("family_output", "豆包, 二, 4", "weighted_sum", stages.family_output,
            EXAMPLES["family-outing"]),
    Erratum("two_heads", "豆包, 三", "heads", stages.two_heads,
            EXAMPLES["family-outing-two-heads"]),
    Erratum("own_columns", "豆包, 三", "heads", stages.last_column, None, "condition"),
)  # fmt: skip
PROJECTIONS = (
    Erratum("row_column", "5.2.1, 5.2.2", "three_matrices", projections.own_direction),
    Erratum(
        "projection", "5.2.2, 5.2.6", "singular_values", spectra.applied_twice, None, "condition"
    ),
    Erratum("parameters", "5.2.2, 5.2.3", "variants", parameters),
    _of_echo("usual_width", "5.2.3", "heads", projections.usual_width, verdict="wrong"),
    Erratum("conditions", "5.2.4", "initialisation", projections.conditions, None, "condition"),
    Erratum("noise", "5.2.4", "singular_values", spectra.lost_share, None, "condition"),
    Erratum("first_turn", "5.2.5", "singular_values", projections.first_turn),
    Erratum("important", "5.2.5", "only_m", spectra.rescaled),
    Erratum("fan", "5.2.6", "initialisation", spectra.fan, None, "condition"),
    Erratum("no_relu", "5.2.6", "initialisation", spectra.relu),
    Erratum("one_query", "5.2.7", "cross", stages.question_rows, EXAMPLES["panda"]),
    Erratum("nonlinear", "5.2.7, 5.2.18", "scores", projections.additive),
    Erratum("v_keeps_more", "5.2.7", "singular_values", spectra.null_spaces),
    Erratum("one_column", "5.2.8", "only_m", spectra.rotated),
    Erratum("covariance", "5.2.9", "only_m", spectra.not_a_covariance),
    Erratum("gradient", "5.2.10 (5.2.7, 5.2.8)", "gradients", projections.gradient_shapes),
    Erratum("reference", "5.2.10, 5.2.11", "gradients"),
    Erratum("slopes", "5.2.11 (5.2.9)", "gradients", projections.slopes, None, "right"),
    Erratum("any_length", "5.2.11", "scaling", stages.length_of_rows),
    Erratum("norm", "5.2.11", "scaling", projections.not_a_norm),
    Erratum("sublayer", "5.2.12 (5.2.11)", "layers", growth, None, "condition"),
    _of_echo("phrases", "5.2.12", "habits", levels),
    Erratum("fused", "5.2.13", "costs", fused_counts),
    Erratum("biases", "5.2.14", "variants", projections.key_bias),
    Erratum("one_row", "5.2.15", "decoding", rows_of_a_step),
    Erratum("cache_size", "5.2.15", "decoding", stages.cache_size, None, "condition"),
    Erratum("shared_name", "5.2.16", "variants", own_row_counts),
)
DOCUMENTS: Mapping[str, tuple[Erratum, ...]] = {
    "roles": ROLES, "derivation": DERIVATION, "intuition": INTUITION, "heads": HEADS,
    "projections": PROJECTIONS,
}  # fmt: skip


def of_chapter(name: str) -> tuple[Erratum, ...]:
    return tuple(each for found in DOCUMENTS.values() for each in found if each.chapter == name)
