"""Pages of each peer from one tensor [layers, heads, n, n]."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from ours import PLOT, TILES, attnscope, compute
from ours import drawn as attnscope_drawn

PACKAGES = ("bertviz", "circuitsvis", "plotly", "matplotlib", "torch", "numpy", "playwright")
Notes = dict[str, Any]
Size = tuple[int, int, int]


@dataclass(frozen=True)
class Act:
    """`point`, `changed`, `before` and `canvas` are JS expressions."""

    name: str  # hover or switch
    what: str
    starts: list[str]  # event types that start the clock
    point: str  # [x, y] in the viewport; may scroll first
    changed: str  # true once the page has responded
    before: str = ""  # stores the old state
    input: str = "move"  # move, click or key:<Key>
    canvas: str = ""  # its pixels must differ when the clock has stopped


@dataclass(frozen=True)
class Peer:
    """`make` uses the peer's public API; `drawn` is true once the expected elements exist."""

    make: Callable[[np.ndarray, list[str], Notes], str]
    drawn: Callable[[Size], str]
    acts: Callable[[Size], list[Act]]
    flags: tuple[str, ...] = ()
    ready: Callable[[Size], None] = lambda size: None  # before any clock starts


# Turns WebGL off for offscreen canvases too, unlike --disable-3d-apis; without a GPU tfjs's other
# backend is faster by far.
NO_WEBGL = ("--disable-gpu", "--disable-software-rasterizer")
CENTRE = "e.scrollIntoView({block:'center'});"
ZOOM = "[...document.querySelectorAll('canvas')].pop()"
MAIN = "__peer.$('canvas')"
IMAGE = "__peer.$('.heatmaplayer image')"


def at(element: str, fx: float = 0.5, fy: float = 0.5, first: str = "") -> str:
    """JS for a point in the element; `first` may scroll."""
    box = f"const r=e.getBoundingClientRect(); return [r.left+r.width*{fx}, r.top+r.height*{fy}];"
    return f"(()=>{{const e={element};{first}{box}}})()"


def all_of(selector: str, index: int) -> str:
    return f"document.querySelectorAll('{selector}')[{index}]"


def head_names(weights: np.ndarray) -> list[str]:
    layers, heads = weights.shape[:2]
    return [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]


def numbered(tokens: list[str]) -> list[str]:
    return [f"{index} {token}" for index, token in enumerate(tokens)]


# BertViz


def torch_layers(weights: np.ndarray) -> list[Any]:
    import torch

    return [torch.from_numpy(layer[None]) for layer in weights]


def bertviz_head(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    from bertviz import head_view

    return head_view(torch_layers(weights), tokens, html_action="return").data


def bertviz_model(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    from bertviz import model_view

    return model_view(torch_layers(weights), tokens, html_action="return").data


def bertviz_head_acts(size: Size) -> list[Act]:
    layers, heads, n = size
    hidden = "__peer.$('#attention')?.getAttribute('visibility')==='hidden'"
    acts = [
        Act("hover", "mouse onto left token 4", ["mouseover"], at(all_of("#left text", 4)), hidden)
    ]
    if layers > 1:
        acts.append(
            Act(
                "switch",
                "layer list, arrow key down",
                ["keydown"],
                "(()=>{__peer.$('#layer').focus(); return null})()",
                f"__peer.$('#vis svg')!==__peer.old && __peer.count('line')>={heads * n * n}",
                before="__peer.old=__peer.$('#vis svg')",
                input="key:ArrowDown",
            )
        )
    return acts


def bertviz_model_acts(size: Size) -> list[Act]:
    opened = f"document.querySelectorAll('.attn-line-group').length==={size[2]}"
    upper = (
        "(()=>{const r=__peer.$('.attn_background').getBoundingClientRect();"
        "return [r.left+r.width/2, r.top+Math.min(r.height/2, 60)]})()"
    )
    token = at(all_of(".detail .token", 4), first=CENTRE)
    return [
        Act("switch", "click on a thumbnail opens it", ["click"], upper, opened, input="click"),
        Act("hover", "mouse onto left token 4 of the open detail", ["mouseover"], token,
            "__peer.$('.attn-line-group').style.opacity==='0'"),
    ]  # fmt: skip


# CircuitsVis


def offline_page(rendered: Any, notes: Notes) -> str:
    """With the script inlined instead of from a CDN."""
    notes["cdn_page_bytes"] = len(str(rendered))
    return rendered.local_src


def circuitsvis_patterns(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    from circuitsvis.attention import attention_patterns

    flat = weights.reshape(-1, *weights.shape[2:])
    return offline_page(attention_patterns(tokens=tokens, attention=flat), notes)


def circuitsvis_heads(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    from circuitsvis.attention import attention_heads

    rendered = attention_heads(
        attention=weights.reshape(-1, *weights.shape[2:]),
        tokens=tokens,
        attention_head_names=head_names(weights),
        mask_upper_tri=False,
    )
    return offline_page(rendered, notes)


def redrawn(canvas: str) -> dict[str, str]:
    draws = f"__peer.draws({canvas})"
    return {"changed": f"{draws}>__peer.old", "before": f"__peer.old={draws}", "canvas": canvas}


def circuitsvis_heads_acts(size: Size) -> list[Act]:
    thumbnail = at(all_of("canvas", 1), first="scrollTo(0,0);")
    cell = at(ZOOM, 0.55, 0.5, first=CENTRE)
    switch = Act("switch", "mouse onto thumbnail 1 zooms it", ["mouseover"], thumbnail,
                 **redrawn(ZOOM))  # fmt: skip
    hover = Act("hover", "mouse onto a zoomed cell shows its tooltip", ["mousemove"], cell,
                **redrawn(ZOOM))  # fmt: skip
    return [switch, hover] if size[0] * size[1] > 1 else [hover]


def circuitsvis_patterns_acts(size: Size) -> list[Act]:
    alone = size[0] * size[1] == 1
    head = at(f"{all_of('figure', 0 if alone else 1)}.querySelector('canvas')")
    # The only head looks the same before and after.
    kept = redrawn(MAIN) | ({"canvas": ""} if alone else {})
    token = all_of(".tokens button", 4)
    return [
        Act("switch", "mouse onto a head shows it large", ["mouseover"], head, **kept),
        Act("hover", "mouse onto token 4 recolours the tokens", ["mouseover"],
            at(token, first=CENTRE), f"{token}.style.boxShadow!==''"),
    ]  # fmt: skip


def canvases_drawn(size: Size) -> str:
    count = size[0] * size[1] + 1
    every = "[...document.querySelectorAll('canvas')].every(c=>__peer.draws(c)>0)"
    return f"__peer.count('canvas')==={count} && {every}"


# Plotly


def plotly_slider(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    """A slider switches heads."""
    import plotly.graph_objects as go

    names, labels = head_names(weights), numbered(tokens)
    flat = weights.reshape(-1, *weights.shape[2:])
    figure = go.Figure(
        [
            go.Heatmap(z=flat[index], x=labels, y=labels, visible=index == 0, name=name)
            for index, name in enumerate(names)
        ]
    )
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(width=800, height=760)
    if len(names) > 1:
        steps = [
            {"method": "update", "label": name, "args": [{"visible": [o == name for o in names]}]}
            for name in names
        ]
        slider = {
            "active": 0,
            "steps": steps,
            "pad": {"t": 70},
            "currentvalue": {"prefix": "Head "},
        }
        figure.update_layout(sliders=[slider])
    return figure.to_html(full_html=True, include_plotlyjs=True)


def plotly_grid(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    """All heads, with one colour axis."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    layers, heads = weights.shape[:2]
    labels, names = numbered(tokens), head_names(weights)
    shared = {"shared_xaxes": True, "shared_yaxes": True}
    figure = make_subplots(
        layers, heads, horizontal_spacing=0.004, vertical_spacing=0.004, **shared
    )
    for index, name in enumerate(names):
        layer, head = divmod(index, heads)
        heatmap = go.Heatmap(z=weights[layer, head], x=labels, y=labels, coloraxis="coloraxis",
                             name=name)  # fmt: skip
        figure.add_trace(heatmap, row=layer + 1, col=head + 1)
    figure.update_yaxes(autorange="reversed", showticklabels=False)
    figure.update_xaxes(showticklabels=False)
    figure.update_layout(width=1240, height=max(300, 100 * layers + 60))
    return figure.to_html(full_html=True, include_plotlyjs=True)


def plotly_hover(size: Size) -> list[Act]:
    cell = at("__peer.$('.nsewdrag')", 0.52, 0.47)
    label = "!!__peer.$('.hoverlayer .hovertext')"
    return [Act("hover", "mouse onto a cell shows its label", ["mousemove"], cell, label)]


def plotly_slider_acts(size: Size) -> list[Act]:
    if size[0] * size[1] == 1:
        return plotly_hover(size)
    rail = at("__peer.$('.slider-rail-touch-rect')")
    source = f"{IMAGE}.href.baseVal"
    switch = Act("switch", "click in the middle of the head slider", ["mousedown"], rail,
                 f"{IMAGE} && {source}!==__peer.old", before=f"__peer.old={source}",
                 input="click")  # fmt: skip
    return [switch, *plotly_hover(size)]


def images_filled() -> str:
    images = "[...document.querySelectorAll('.heatmaplayer image')]"
    return f"{images}.filter(e=>e.href.baseVal.length>100).length"


# matplotlib


def matplotlib_png(weights: np.ndarray, tokens: list[str], notes: Notes) -> str:
    """Shown by an <img> (data URI)."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    layers, heads, n = weights.shape[:3]
    alone = layers * heads == 1
    figsize = (8, 8) if alone else (1.2 * heads, 1.2 * layers)
    figure, axes = plt.subplots(layers, heads, squeeze=False, figsize=figsize)
    for axis, picture in zip(axes.flat, weights.reshape(-1, n, n), strict=True):
        axis.imshow(picture)
        if alone and n <= 64:
            axis.set_xticks(range(n), tokens, rotation=90)
            axis.set_yticks(range(n), tokens)
        else:
            axis.set_axis_off()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    plt.close(figure)
    notes["png_bytes"] = buffer.getbuffer().nbytes
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<!doctype html><meta charset=utf-8><img src="data:image/png;base64,{data}">'


# attnscope


def attnscope_acts(size: Size) -> list[Act]:
    cell = at(PLOT, 0.3, 0.6, CENTRE)
    shown = "!!__peer.$('.together .readout') && !__peer.$('.together .readout').hidden"
    hover = Act("hover", "mouse onto a cell of the large picture shows its number",
                ["pointermove"], cell, shown)  # fmt: skip
    if size[0] * size[1] == 1:
        return [hover]
    switch = Act("switch", "click on a tile shows it large", ["click"], at(f"{TILES}[1]"),
                 f"{PLOT}.dataset.head==='1'", input="click", canvas=PLOT)  # fmt: skip
    return [switch, hover]


def lines_drawn(count: int) -> str:
    return f"__peer.count('line')==={count}"


PEERS = {
    "bertviz_head": Peer(
        bertviz_head,
        lambda s: (
            f"{lines_drawn(s[1] * s[2] ** 2)} && !!__peer.$('#vis svg > g:last-child > rect')"
        ),
        bertviz_head_acts,
    ),
    "bertviz_model": Peer(
        bertviz_model,
        lambda s: (
            f"{lines_drawn(s[0] * s[1] * s[2] ** 2)} && "
            f"document.querySelectorAll('.attn_background').length==={s[0] * s[1]}"
        ),
        bertviz_model_acts,
    ),
    "circuitsvis_heads": Peer(circuitsvis_heads, canvases_drawn, circuitsvis_heads_acts),
    "circuitsvis_patterns": Peer(circuitsvis_patterns, canvases_drawn, circuitsvis_patterns_acts),
    "circuitsvis_patterns_nowebgl": Peer(
        circuitsvis_patterns, canvases_drawn, circuitsvis_patterns_acts, NO_WEBGL
    ),
    "plotly_slider": Peer(plotly_slider, lambda s: f"{images_filled()}>=1", plotly_slider_acts),
    "plotly_grid": Peer(plotly_grid, lambda s: f"{images_filled()}==={s[0] * s[1]}", plotly_hover),
    "matplotlib_png": Peer(
        matplotlib_png,
        lambda s: "!!(__peer.$('img')?.complete && __peer.$('img').naturalWidth>0)",
        lambda s: [],
    ),
    "attnscope": Peer(attnscope, attnscope_drawn, attnscope_acts, ready=compute),
}


def versions() -> dict[str, str]:
    """Of installed packages."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
