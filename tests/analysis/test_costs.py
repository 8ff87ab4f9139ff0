"""The counts beside loops that do what they count, and beside figures worked out by hand."""

from __future__ import annotations

from itertools import product

import pytest

from attnscope.analysis import costs
from attnscope.analysis.costs import Cost, Work, open_cells
from attnscope.attention.architecture import Shape
from attnscope.attention.masks import Mask

STAGES = (*costs.PROJECTIONS, *costs.MAPS, "concat")
SHAPES = [Shape(1, 1, 3, 3, 3), Shape(4, 2, 6, 2, 5), Shape(6, 1, 5, 3, 2)]


class Counted:
    """Operations, counted as loops do them."""

    def __init__(self) -> None:
        self.times = self.plus = self.exp = 0

    def dot(self, terms: int) -> None:
        for term in range(terms):
            self.times += 1
            self.plus += term > 0

    def counts(self) -> tuple[int, int, int]:
        return self.times, self.plus, self.exp


def by_loops(shape: Shape, cells: list[tuple[int, int]], n: int) -> dict[str, tuple[int, int, int]]:
    """Every stage of a layer whose open cells are these, one operation after the other."""
    kv, found = shape.num_kv_heads, {name: Counted() for name in STAGES}
    projected = [("q", shape.num_heads * shape.d_k), ("k", kv * shape.d_k), ("v", kv * shape.d_v)]
    for name, width in projected:
        for _ in product(range(n), range(width)):
            found[name].dot(shape.d_model)
    for _ in range(shape.num_heads):
        for i in range(n):
            row = [cell for cell in cells if cell[0] == i]
            for _ in row:
                found["scores"].dot(shape.d_k)
                found["scaled_scores"].times += 1
            softmax(found["weights"], len(row))
            for _ in range(shape.d_v):
                found["head_outputs"].dot(len(row))
    for _ in product(range(n), range(shape.d_model)):
        found["output"].dot(shape.num_heads * shape.d_v)
    return {name: each.counts() for name, each in found.items()}


def softmax(counted: Counted, keys: int) -> None:
    for key in range(keys):
        counted.plus += 1  # minus the maximum
        counted.exp += 1
        counted.plus += key > 0  # into the sum
        counted.times += 1  # a division


def test_every_stage_computes_what_loops_compute(subtests: pytest.Subtests) -> None:
    for mask, shape in product(
        (Mask(), Mask(causal=True), Mask(window=2), Mask(causal=True, window=3)), SHAPES
    ):
        with subtests.test(mask=mask, shape=shape):
            n = 5
            every = product(range(n), range(n))
            cells = [(i, j) for i, j in every if not mask.closed_by(i, j, (n, n))]
            assert open_cells(mask, n) == len(cells)
            stages = costs.stages(shape, Work.whole(n, len(cells)))
            counted = {
                name: (cost.multiplications, cost.additions, cost.exponentials)
                for name, cost in stages.items()
            }
            assert counted == by_loops(shape, cells, n)


def test_bytes_are_those_of_what_is_read_and_made() -> None:
    stages = costs.stages(Shape(4, 2, 6, 2, 5), Work.whole(3), hidden=7)
    assert (stages["q"].read, stages["q"].written) == (3 * 6 + 6 * 8, 3 * 8)
    assert (stages["k"].read, stages["v"].written) == (3 * 6 + 6 * 4, 3 * 10)
    assert (stages["scores"].read, stages["scores"].written) == (3 * 8 + 3 * 4, 4 * 9)
    assert (stages["head_outputs"].read, stages["head_outputs"].written) == (36 + 3 * 10, 3 * 20)
    assert stages["hidden"].multiplications + stages["mlp_output"].multiplications == 2 * 3 * 6 * 7
    assert stages["concat"] == Cost()


def test_token_by_token_is_the_sum_of_its_passes(subtests: pytest.Subtests) -> None:
    for shape in SHAPES:
        with subtests.test(shape=shape):
            n = 6
            passes = {
                costs.without_cache(n): [Work(t, t * (t + 1) // 2, t) for t in range(1, n + 1)],
                costs.with_cache(n): [Work(1, t, t) for t in range(1, n + 1)],
            }
            for together, each in passes.items():
                apart = [costs.stages(shape, work, hidden=4) for work in each]
                for name, cost in costs.stages(shape, together, hidden=4).items():
                    assert cost == costs.total(one[name] for one in apart)


def test_one_product_computes_what_three_do_and_reads_x_once() -> None:
    shape, work = Shape(4, 2, 6, 2, 5), Work.whole(9)
    stages = costs.stages(shape, work)
    three = costs.total(stages[name] for name in ("q", "k", "v"))
    one = costs.fused(shape, work)
    assert (one.multiplications, one.additions, one.written) == (
        three.multiplications, three.additions, three.written,
    )  # fmt: skip
    assert three.read - one.read == 2 * 9 * 6


def test_maps_take_more_than_projections_from_two_d_model_on() -> None:
    shape = Shape(8, 8, 512, 64, 64)
    assert costs.break_even_length(shape) == 1024
    stages = costs.stages(shape, Work.whole(1024))
    maps = stages["scores"].multiplications + stages["head_outputs"].multiplications
    assert maps == sum(stages[name].multiplications for name in costs.PROJECTIONS)
    assert costs.break_even_length(Shape(8, 1, 512, 64, 64)) == 1024 * (2 + 2 / 8) / 4


def test_fewer_key_value_heads_make_the_cache_smaller_by_their_ratio() -> None:
    caches = [costs.cache_numbers(Shape(8, kv, 512, 64, 64), 1000) for kv in (8, 2, 1)]
    assert caches == [1_024_000, 256_000, 128_000]


def test_linear_attention_computes_what_its_loops_compute() -> None:
    shape, n = Shape(4, 2, 6, 2, 5), 3
    linear = costs.linear(shape, Work.whole(n))
    features, sums, outputs = Counted(), Counted(), Counted()
    for _ in product(range(n), range(shape.num_heads + shape.num_kv_heads), range(shape.d_k)):
        features.exp += 1
        features.plus += 1
    for _ in product(range(n), range(shape.num_kv_heads), range(shape.d_k)):
        sums.times += shape.d_v
        sums.plus += shape.d_v + 1  # into S, and into z
    for _ in product(range(n), range(shape.num_heads)):
        for _ in range(shape.d_v + 1):  # φ(q) S, and φ(q) · z
            outputs.dot(shape.d_k)
        outputs.times += shape.d_v  # divisions
    counted = {"features": features, "sums": sums, "head_outputs": outputs}
    for name, each in counted.items():
        cost = linear[name]
        assert (cost.multiplications, cost.additions, cost.exponentials) == each.counts()


def test_other_layers_are_those_of_the_published_table() -> None:
    attention, recurrent, convolutional, restricted = costs.layer_kinds(100, 512, near=10, kernel=3)
    assert [attention.order, recurrent.order] == [100 * 100 * 512, 100 * 512 * 512]
    assert [convolutional.order, restricted.order] == [3 * recurrent.order, 10 * 100 * 512]
    every = (attention, recurrent, convolutional, restricted)
    assert [each.sequential for each in every] == [1, 100, 1, 1]
    assert [each.path for each in every] == [1, 100, 5, 10]  # 3⁵ = 243 is the first from 100 on
    stages = costs.stages(Shape(8, 8, 512, 64, 64), Work.whole(100))
    products = ("q", "k", "v", "scores", "head_outputs", "output")
    assert attention.multiplications == sum(stages[name].multiplications for name in products)
    assert recurrent.multiplications == 2 * recurrent.order
