from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attnscope.client.problem import invalid
from attnscope.notebook.show import shared_client, show

if TYPE_CHECKING:
    from attnscope.notebook.widget import View

Attention = Sequence[Any]
Tokens = Sequence[str]
# mark of a tokenizer → text shown instead
PRETTY = {"Ġ": " ", "▁": " ", "</w>": ""}


def head_view(
    attention: Attention | None = None, tokens: Tokens | None = None,
    sentence_b_start: int | None = None, prettify_tokens: bool = True, layer: int | None = None,
    heads: Sequence[int] | None = None, encoder_attention: Attention | None = None,
    decoder_attention: Attention | None = None, cross_attention: Attention | None = None,
    encoder_tokens: Tokens | None = None, decoder_tokens: Tokens | None = None,
    include_layers: Sequence[int] | None = None, html_action: str = "view",
) -> View:  # fmt: skip
    """Lines between tokens, called as `bertviz.head_view` is.

    Args:
        attention: weights of each layer, [1, h, n, n] (`output_attentions=True`).
        tokens: of the text.
        prettify_tokens: replace Ġ and ▁ by spaces, drop </w>.
        layer, heads: the layer and the first of the heads are selected.
        encoder_attention, decoder_attention, cross_attention: as or instead of `attention`. The
            last view is returned, the others are displayed.
        encoder_tokens, decoder_tokens: their tokens; cross-attention needs both.
        include_layers: if `layer` is None, the first is selected.
        sentence_b_start, html_action: without effect.

    Raises:
        Problem: as `show` does; `invalid_request` without attention or tokens.
    """
    first = include_layers[0] if include_layers else 0
    given = _captures(attention, tokens, encoder_attention, decoder_attention, cross_attention,
                   encoder_tokens, decoder_tokens)  # fmt: skip
    head = heads[0] if heads else 0
    return _show_all(given, prettify_tokens, "lines", first if layer is None else layer, head)


def model_view(
    attention: Attention | None = None, tokens: Tokens | None = None,
    sentence_b_start: int | None = None, prettify_tokens: bool = True,
    display_mode: str = "dark", encoder_attention: Attention | None = None,
    decoder_attention: Attention | None = None, cross_attention: Attention | None = None,
    encoder_tokens: Tokens | None = None, decoder_tokens: Tokens | None = None,
    include_layers: Sequence[int] | None = None, include_heads: Sequence[int] | None = None,
    html_action: str = "view",
) -> View:  # fmt: skip
    """All heads of all layers, called as `bertviz.model_view` is; see `head_view`. `display_mode`
    has no effect."""
    given = _captures(attention, tokens, encoder_attention, decoder_attention, cross_attention,
                   encoder_tokens, decoder_tokens)  # fmt: skip
    layer = include_layers[0] if include_layers else 0
    head = include_heads[0] if include_heads else 0
    return _show_all(given, prettify_tokens, "heads", layer, head)


def _captures(
    attention: Attention | None, tokens: Tokens | None, encoder: Attention | None,
    decoder: Attention | None, cross: Attention | None, encoder_tokens: Tokens | None,
    decoder_tokens: Tokens | None,
) -> list[tuple[Attention, Tokens, Tokens | None]]:  # fmt: skip
    """Weights, tokens of queries, tokens of keys (None if equal)."""
    rows = [
        (attention, tokens, None), (encoder, encoder_tokens, None),
        (decoder, decoder_tokens, None), (cross, decoder_tokens, encoder_tokens),
    ]  # fmt: skip
    given = [row for row in rows if row[0] is not None]
    whole = [(weights, of, keys) for weights, of, keys in given if weights is not None and of]
    if not given or len(whole) < len(given) or (cross is not None and not encoder_tokens):
        detail = "Give attention with tokens, or encoder, decoder or cross attention with theirs."
        raise invalid(detail)
    return whole


def _show_all(
    given: Sequence[tuple[Attention, Tokens, Tokens | None]], pretty: bool, tab: str, layer: int,
    head: int,
) -> View:  # fmt: skip
    client = shared_client()
    views = []
    for weights, tokens, keys in given:
        named = [_named(each, pretty) if each else None for each in (tokens, keys)]
        trace = client.capture(list(weights), tokens=named[0], context_tokens=named[1])
        views.append(show(trace, layer=layer, head=head, tab=tab))
    if len(views) > 1:
        from IPython.display import display  # anywidget requires it

        display(*views[:-1])
    return views[-1]


def _named(tokens: Tokens, pretty: bool) -> list[str]:
    named = list(tokens)
    for mark, plain in PRETTY.items() if pretty else ():
        named = [token.replace(mark, plain) or token for token in named]
    return named
