"""The budget of an upload, and where a tensor is not finite."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile, NonFinite
from attnscope.weights.formats.limits import MIB, SEARCHED, Budget, Limits, WeightsFile


def test_memory_follows_the_size_of_an_upload_and_has_a_floor() -> None:
    assert Limits(max_bytes=MIB).memory == 1024 * MIB
    assert Limits(max_bytes=1024 * MIB).memory == 4096 * MIB


def test_a_budget_counts_what_is_held_and_the_most_that_was() -> None:
    budget = Budget(Limits(max_bytes=25, least_memory=0))
    budget.make(60)
    with budget.reserve_temporarily(30):
        assert budget.held == 90
    assert (budget.held, budget.most) == (60, 90)
    with pytest.raises(BadWeightsFile) as error:
        budget.make(41)
    assert error.value.reason == "too_much_memory"
    assert error.value.values == {"bytes": 101, "limit": 100}


def test_what_is_unpacked_is_counted_over_all_files() -> None:
    budget = Budget(Limits(max_bytes=25))
    budget.unpack(20)
    with pytest.raises(BadWeightsFile) as error:
        budget.unpack(6)
    assert (error.value.reason, error.value.values["bytes"]) == ("unpacks_too_large", 26)


def test_the_first_number_that_is_not_finite_is_found_wherever_it_stands(
    subtests: pytest.Subtests,
) -> None:
    for at in (0, 1, SEARCHED - 1, SEARCHED, 2 * SEARCHED):
        with subtests.test(at=at):
            array = np.zeros((2, SEARCHED + 1))
            array.flat[at] = np.nan
            array.flat[-1] = np.inf
            with pytest.raises(NonFinite) as error:
                WeightsFile({"w": array}, {"w": "float64"}, {}).check_finite()
            assert error.value.values["index"] == list(np.unravel_index(at, array.shape))
            assert error.value.values["value"] == "nan"
