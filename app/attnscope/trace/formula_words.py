from __future__ import annotations

from attnscope.trace.plan import Plan


def formula_words(planned: Plan, layer: int = 0) -> frozenset[str]:
    question, setting = planned.question, planned.setting.at(layer)
    model, given = setting.architecture, planned.given(layer)
    placed = {"sinusoidal": (), "none": ("unplaced",)}.get(model.positions, (model.positions,))
    embedded, whole, encoded = not given, planned.model, model.encoder_layers > 0
    said = {
        "context": planned.attends_to_context(layer),
        "given": given,
        "normed_embedding": embedded and whole.embedding_norm is not None,
        "scaled_embedding": embedded and whole.embedding_scale != 1,
        "typed": embedded and whole.token_type is not None,
        "projected": embedded and whole.projection is not None,
        "context_given": question.context_x is not None and not encoded,
        "encoded": encoded,
        "normed_context": whole.context_norm is not None,
        "drop": bool(question.drop),
        "mlp": model.mlp_width > 0,
        model.activation: model.mlp_width > 0 and model.activation != "gelu_tanh",
        "gated": model.mlp_width > 0 and model.gated,
        "rms": model.norm == "rms",
        "normed_input": model.norms_input,
        "normed_heads": model.normed_heads,
        "capped": model.score_cap is not None,
        "unmasked": setting.options.mask.is_open_everywhere(*planned.sizes(layer), setting.lengths),
        "unprojected": not planned.model.output_projection,
    }
    words = [word for word, it in said.items() if it]
    return frozenset([planned.scaling, model.block, *placed, *words]) | planned.model.biases
