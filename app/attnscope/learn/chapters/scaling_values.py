from __future__ import annotations

from attnscope.learn.exercises import compute_trace

TEXT = "The animal didn't cross the street because it was too tired."
FACTORS = (1, 2, 4)


def norm_rows() -> list[list[str]]:
    x = compute_trace({"text": TEXT}).layers[0]["x"][0]
    table = []
    for factor in FACTORS:
        found = [str(factor)]
        for block in ("attention", "pre_norm"):
            model = {"source": "seeded", "block": block}
            layer = compute_trace(
                {"x": (factor * x).tolist(), "causal": False, "model": model}
            ).layers[0]
            largest = layer["weights"].max(axis=-1)
            found += [f"{layer['scaled_scores'].std():.2f}", f"{largest.mean():.2f}"]
        table.append(found)
    return table
