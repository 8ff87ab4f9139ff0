"""The numbers of a head are the same whether its map is in memory or never was."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from attnscope import cancellation
from attnscope.analysis.heads import HeadMetrics, head_metrics, measure_rows
from attnscope.attention.overview import overview
from attnscope.trace.weight_rows import (
    AT_ONCE,
    NONE,
    PAIRS,
    STRIP,
    DenseRows,
    FactoredRows,
    WeightRows,
)
from tests.attention.factored import KINDS, MASKS, Kind
from tests.matrices import some_and_all


def both(
    kind: Kind, mask: str, tokens: list[str | None] | None, same_text: bool = True,
    most_pairs: int = PAIRS,
) -> list:  # fmt: skip
    fmap, maps = kind.layer(MASKS[mask])
    progress = []
    for b in range(fmap.shape[0]):
        dense = head_metrics(maps["weights"][b], tokens, same_text=same_text)
        for h, expected in enumerate(dense):
            rows = overview(fmap, "weights", b, h, 16).rows
            assert rows is not None
            one = fmap.of_head(b, h)
            factored = FactoredRows(one, rows, tokens, most_pairs=most_pairs)
            (ours,) = measure_rows(factored, same_text=same_text)
            progress.append((ours, expected))
    return progress


def same(ours: HeadMetrics, dense: HeadMetrics) -> None:
    for name, expected in dense.items():
        number = ours[name]
        assert (number is None) == (expected is None), name
        if expected is not None:
            assert number == pytest.approx(expected, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize(
    "rows",
    some_and_all(
        ("none", "causal", "window", "a blocked row", "given"),
        ("usual", "alibi", "capped", "one token"),
    ),
)
def test_a_head_has_the_metrics_of_its_dense_map(
    rows: list[tuple[str, str]], subtests: pytest.Subtests
) -> None:
    for mask, kind in rows:
        n = KINDS[kind].n
        rng = np.random.default_rng(0)
        words: list[str | None] = [f"word {i}" for i in rng.integers(0, 40, n)]
        with subtests.test(f"{kind} {mask}"):
            for tokens in (words, [*words[: n // 2], *[None] * (n - n // 2)], None):
                for ours, dense in both(KINDS[kind], mask, tokens):
                    same(ours, dense)


def test_weights_on_keys_that_no_pass_sums_are_those_of_the_dense_map() -> None:
    ways: dict[str, Callable[[WeightRows], np.ndarray]] = {
        "two_back": lambda rows: rows.back(2),
        "next": lambda rows: rows.back(-1),
        "third": lambda rows: rows.on_key(2),
        "two_after_copies": lambda rows: rows.after_copies(2),
    }
    kind, tokens = Kind(n=STRIP + 40, heads=(1, 1)), ["a", "b", "c"] * 184
    for mask in ("causal", "none", "a blocked row"):
        fmap, maps = kind.layer(MASKS[mask])
        dense = DenseRows(maps["weights"][0], tokens)
        rows = overview(fmap, "weights", 0, 0, 16).rows
        assert rows is not None
        ours = FactoredRows(fmap.of_head(0, 0), rows, tokens)
        for name, way in ways.items():
            (expected,) = way(dense)
            assert (expected != NONE).any()
            np.testing.assert_allclose(way(ours), expected, 1e-9, 1e-12, err_msg=name)


def test_of_another_text_no_places_are_compared() -> None:
    for ours, dense in both(KINDS["context"], "none", None, same_text=False):
        same(ours, dense)
        assert ours["previous"] is None


def test_words_that_never_repeat_say_nothing_of_copies() -> None:
    for ours, dense in both(KINDS["usual"], "causal", [f"{i}" for i in range(300)]):
        same(ours, dense)
        assert ours["induction"] is None


def test_copies_without_number_are_left_out() -> None:
    for ours, dense in both(KINDS["usual"], "causal", ["a"] * 300, most_pairs=300**2 - 1):
        assert dense["duplicate_token"] is not None
        assert (ours["duplicate_token"], ours["induction"]) == (None, None)
        assert ours["entropy"] == pytest.approx(dense["entropy"])


def test_copies_are_looked_at_a_few_at_a_time() -> None:
    assert AT_ONCE < 1100**2
    for ours, dense in both(Kind(n=1100, heads=(1, 1)), "causal", ["a"] * 1100):
        same(ours, dense)


@pytest.mark.parametrize(("dtype", "scale"), [("float32", 1e8), ("float64", -1e300)])
def test_no_weight_on_copies_is_more_than_1_however_large_scores_are(
    dtype: str, scale: float
) -> None:
    kind = Kind(heads=(1, 1), n=600, dtype=dtype, scale=scale)
    words: list[str | None] = [f"word {i}" for i in np.random.default_rng(0).integers(0, 40, 600)]
    for ours, dense in both(kind, "causal", words):
        assert ours["previous"] == pytest.approx(dense["previous"], abs=0.01)
        assert ours["own"] == pytest.approx(dense["own"], abs=0.01)
        for number in (ours["duplicate_token"], ours["induction"]):
            assert number is not None
            assert 0 <= number <= 1


def test_it_stops_among_copies_when_nobody_waits() -> None:
    fmap, _ = KINDS["usual"].layer(MASKS["causal"])
    rows = overview(fmap, "weights", 0, 0, 16).rows
    assert rows is not None
    with cancellation.cancel_when(lambda: True), pytest.raises(cancellation.ClientDisconnected):
        measure_rows(FactoredRows(fmap.of_head(0, 0), rows, ["a", "b"] * 150))
