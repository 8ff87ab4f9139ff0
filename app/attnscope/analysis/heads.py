"""Metrics of a head: means over its queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnscope.trace.weight_rows import NONE, DenseRows, WeightRows


class HeadMetrics(dict[str, float | None]):
    """Metrics of one head by name; NaN on overflow."""


@dataclass(frozen=True)
class Metric:
    """`of_rows`: a number for each query, or NONE if the query does not count. `about`: description
    in the API. `same_text`: the metric compares positions, so it is None in cross-attention.
    `unmeasured`: value if no query counts. `names_heads`: heads where the metric stands out from
    `rivals` (None: all others) are named after it."""

    name: str
    of_rows: Callable[[WeightRows], Float[np.ndarray, "*head query"]]
    about: str
    same_text: bool = True
    unmeasured: float | None = 0.0
    names_heads: bool = True
    rivals: tuple[str, ...] | None = None


METRICS: tuple[Metric, ...] = (
    Metric(
        "entropy",
        lambda rows: rows.entropy,
        "Of a row of weights, in nats: 0 to ln m.",
        same_text=False,
        names_heads=False,
    ),
    Metric(
        "distance",
        lambda rows: rows.distance,
        "Σ weight × |query − key|, in tokens.",
        names_heads=False,
    ),
    Metric(
        "first",
        lambda rows: rows.on_key(0),
        "Weight on the first token, which `added` of the trace marks if the tokenizer added it.",
        same_text=False,
    ),
    Metric(
        "previous", lambda rows: rows.back(1), "Weight on the previous token, for queries from 1."
    ),
    Metric("own", lambda rows: rows.back(0), "Weight on the query's own token."),
    # Olsson et al. 2022. Few queries have copies, so these metrics have fewer rivals.
    Metric(
        "duplicate_token",
        lambda rows: rows.after_copies(0),
        "Weight on earlier copies of the query's token, over queries that have one; null where no "
        "token repeats, and in a long text where too many do.",
        unmeasured=None,
        rivals=("previous", "first", "induction"),
    ),
    Metric(
        "induction",
        lambda rows: rows.after_copies(1),
        "Weight on the tokens right after earlier copies of the query's token, except on the query "
        "itself, over queries that have a copy; null where none has, and in a long text where too "
        "many repeat.",
        unmeasured=None,
        rivals=("previous", "duplicate_token"),
    ),
)


def naming() -> list[Metric]:
    return [metric for metric in METRICS if metric.names_heads]


def rivals_of(metric: Metric) -> tuple[str, ...]:
    others = tuple(one.name for one in naming() if one is not metric)
    return others if metric.rivals is None else metric.rivals


def head_metrics(
    weights: Float[np.ndarray, "head query key"],
    tokens: Sequence[object] | None = None,
    *,
    same_text: bool = True,
) -> list[HeadMetrics]:
    """`tokens`: by key, None for padding."""
    return measure_rows(DenseRows(weights, tokens), same_text=same_text)


def measure_rows(rows: WeightRows, *, same_text: bool = True) -> list[HeadMetrics]:
    means = {
        metric.name: _means(metric, rows) if same_text or not metric.same_text else None
        for metric in METRICS
    }
    return [
        HeadMetrics({name: None if each is None else each[head] for name, each in means.items()})
        for head in range(np.atleast_2d(rows.attending).shape[0])
    ]


def _means(metric: Metric, rows: WeightRows) -> list[float | None]:
    values = metric.of_rows(rows)
    counted = rows.attending & (values != NONE)
    total = np.where(counted, values, 0).sum(axis=-1, dtype=np.float64)
    number = counted.sum(axis=-1)
    means, counts = (np.atleast_1d(a).tolist() for a in (total / np.maximum(number, 1), number))
    return [mean if n else metric.unmeasured for mean, n in zip(means, counts, strict=True)]
