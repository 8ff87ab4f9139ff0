"""Head outputs of long texts are those of dense maps, though no row of weights is in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attnscope.attention.attend import MAPS, WHOLE_ROWS, attend_heads
from attnscope.attention.flash_output import flash_heads
from attnscope.attention.map import FactoredMap
from attnscope.attention.masks import Mask
from tests.attention.factored import KINDS, Kind, tolerance
from tests.attention.test_map import LAYERS, Layers


@pytest.mark.parametrize("layers", LAYERS)
def test_head_outputs_are_those_of_the_dense_maps(
    layers: Layers, subtests: pytest.Subtests
) -> None:
    for name, (kind, mask) in layers.items():
        with subtests.test(name):
            q, k, setting, table = kind.parts(mask)
            v = np.random.default_rng(5).normal(size=(*k.shape[:3], 5)).astype(q.dtype)
            maps, expected = attend_heads(q, k, v, setting, table=table)
            stages, head_outputs = flash_heads(q, k, v, setting, table=table)
            assert head_outputs.dtype == expected.dtype
            within = tolerance(kind) * max(10.0, float(np.abs(maps["scaled_scores"]).max()))
            np.testing.assert_allclose(head_outputs, expected, within, within)
            sums = maps["weights"].sum(axis=-1)
            np.testing.assert_allclose(stages["row_sums"], sums, within, within)
            np.testing.assert_array_equal(stages["row_totals"] == 0, sums == 0)


def test_they_are_asked_for_where_rows_are_long_and_maps_not_wanted() -> None:
    kind = Kind(n=30, m=WHOLE_ROWS, heads=(2, 1), dtype="float32")
    for keys, names in (
        (WHOLE_ROWS, ["row_sums"]),
        (WHOLE_ROWS + 1, ["row_sums", "row_peaks", "row_totals"]),
    ):
        q, k, setting, _ = replace(kind, m=keys).parts(Mask())
        v = np.ones((*k.shape[:3], 3), np.float32)
        stages, _ = attend_heads(q, k, v, setting, wanted=())
        assert list(stages) == names
    assert list(attend_heads(q, k, v, setting)[0]) == list(MAPS)
    sums = FactoredMap(q, k, setting).row_sums(0, 1, slice(0, 30))
    assert stages["row_peaks"][0, 1].tobytes() == sums.peak.tobytes()
    assert stages["row_totals"][0, 1].tobytes() == sums.total.tobytes()


def test_rows_behind_those_that_are_known_see_what_stands_before_them() -> None:
    q, k, setting, _ = KINDS["alibi"].parts(Mask(causal=True, window=200))
    v = np.random.default_rng(6).normal(size=(*k.shape[:3], 5))
    _, whole = flash_heads(q, k, v, setting)
    _, rest = flash_heads(q[:, :, 400:], k, v, setting, first=400)
    np.testing.assert_allclose(rest, whole[:, :, 400:], 1e-12, 1e-12)


def test_somebody_may_look_in_between_and_end_it() -> None:
    q, k, setting, _ = Kind(n=1300).parts(Mask())
    looked: list[int] = []

    def look() -> None:
        looked.append(len(looked))
        if len(looked) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        flash_heads(q, k, k, replace(setting, between=look))
    assert looked == [0, 1]
