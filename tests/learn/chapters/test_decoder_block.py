"""The decoder block: what its paragraphs say of the printed rows, of k and v, and of the norms."""

from __future__ import annotations

from attnscope.learn.chapters.decoder_block import largest_differences, printed_rows, sizes, sums


def test_the_printed_row_breaks_the_order_of_its_scores_and_the_softmax_keeps_it() -> None:
    rows = [[float(cell.replace("−", "-")) for cell in row[1:]] for row in printed_rows()]
    scores, computed, printed = ([row[at] for row in rows] for at in range(3))
    by_score = sorted(range(6), key=scores.__getitem__)
    assert by_score == sorted(range(6), key=computed.__getitem__)
    assert max(range(6), key=printed.__getitem__) != by_score[-1]
    assert set(sums().values()) == {"1.00"}


def test_k_and_v_differ_unless_one_matrix_makes_both() -> None:
    found = {name: float(value) for name, value in largest_differences().items()}
    assert found["apart"] > 1
    assert found["shared"] == found["lopsided"] == 0


def test_only_the_norm_behind_keeps_the_rows_from_growing() -> None:
    size = {name: float(found) for name, found in sizes().items()}
    assert size["post_norm_first"] == size["post_norm_last"] == 1
    assert size["pre_norm_last"] > 1.5 * size["pre_norm_first"]
