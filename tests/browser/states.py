"""States of pages, checked for accessibility and overflow."""

from __future__ import annotations

from dataclasses import dataclass, replace

WEIGHTS = '[data-stage="weights"] canvas[data-layer]'
DIFFERENCE = '[data-stage="weights"] [data-of="difference"] canvas[data-layer]'


@dataclass(frozen=True)
class State:
    """Address, pressed elements, and elements that show it has come."""

    address: str  # empty: continues from the state before
    signs: tuple[str, ...]
    presses: tuple[str, ...] = ()
    held: str | None = None  # requests without reply
    narrow: bool = False  # seen in small windows too
    whole: bool = False  # seen in every theme and language
    alike: str | None = None  # similar elements, of which a few suffice
    full: bool = False  # only in `make test-full`: other states have its parts

    @property
    def path(self) -> str:
        return self.address.partition("?")[0]


def state(address: str, *signs: str, press: str = "", held: str | None = None) -> State:
    """In a desktop window; `press`: selectors with " then " between."""
    return State(address, signs, tuple(filter(None, press.split(" then "))), held)


def narrow(address: str, *signs: str, press: str = "") -> State:
    """In small windows too."""
    return replace(state(address, *signs, press=press), narrow=True)


def more(state: State) -> State:
    """Only in `make test-full`."""
    return replace(state, full=True)


def page(address: str, *signs: str, alike: str | None = None) -> State:
    """In small windows too."""
    return State(address, signs, narrow=True, whole=True, alike=alike)


DRAWER = "#options > .summary-line"
LONG_WORD = "Donaudampfschiff" * 5
LONG_TEXT = "cat%20" * 500
ECHO = "/?text=Tom%20met%20Ann.%20Tom&source=installed&name=echo"
STAGES = {
    "explore": page("/", WEIGHTS),
    "stage large": narrow(
        "/?stage=weights&cell=weights.9.2", "#large[open] canvas[data-layer]", "#inspector output"
    ),
    "table of a stage": more(
        narrow("/?stage=weights&table=true&cell=weights.9.2", "#large[open] table")
    ),
    "presentation": narrow(
        "/?stage=scores&present=1&cell=weights.9.2", "body[data-present] #large[open]"
    ),
    "step by step": narrow("/?step=scores.40&cell=weights.9.2", "#stepper .chip"),
    "context": narrow(
        "/?text=Die%20Katze&context=The%20cat&cell=k.1.2",
        '[data-stage="context"] canvas',
        "#inspector output",
    ),
    "matrices of one's own": narrow(
        "/?source=explicit",
        ".matrices[open] textarea",
        press=f"{DRAWER} then .field:has(.matrices) button",
    ),
    "edited matrix": narrow("/?change=w_o&cell=weights.9.2", "#editor canvas"),
    "edited numbers": more(narrow("/?change=x&text=a%20b&d_model=4&num_heads=1", "#editor input")),
    "dropped heads, lines that break": state(
        "/?change=heads&text=the%20cat%0Aand%20a%20dog&breaks=true",
        "#editor .droppable button",
        ".line-breaks :checked",
    ),
}
REFUSED = {
    "no sentence": state("/?text=", "#notice strong"),
    "refused number": more(state("/?d_model=63", "body[data-status=failed]")),
    "context of other lines": more(
        state("/?text=Die%20Katze&context=The%20cat%0Aand", ".context .error:not(:empty)")
    ),
}
TABS = {
    "gradients of a number": state(
        "/?tab=gradients&objective=output.9.3",
        "#panel-gradients [data-stage=w_o] canvas[data-layer]",
    ),
    "heads": narrow("/?tab=heads&picked=key.1_2", "#panels .tile canvas"),
    "lines": narrow("/?tab=lines", "#panel-lines canvas"),
    "map": state("/?tab=map&cell=weights.9.2", "#panel-map canvas[data-map]", "#inspector output"),
    "map as a table": more(state("/?tab=map&map=scores&table=true", "#panel-map td")),
    "decoded": narrow("/?tab=decode&decoded=3", "#panel-decode .rows-of canvas"),
    "decoded as tables": more(state("/?tab=decode&table=true", "#panel-decode .card.wide table")),
    "parameters": narrow("/?tab=parameters&matrix=w_qk&bias=true", "#panel-parameters .token-dot"),
    "parameters as tables": more(
        state("/?tab=parameters&table=true", "#panel-parameters .planes table")
    ),
    "gradients": narrow(
        f"/?tab=gradients&text={LONG_WORD}",
        "#panel-gradients [data-stage=w_o] canvas[data-layer]",
    ),
}
LABORATORY = {
    "scaling": narrow(f"/?tab=lab&factor=8&text={LONG_WORD}", "#panel-lab circle"),
    "scaling as tables": more(narrow("/?tab=lab&table=true", "#panel-lab tbody td")),
    "precision": narrow("/?tab=lab&lab=precision&scale=200", "#panel-lab td.bad"),
    "costs": narrow("/?tab=lab&lab=costs&sizes=131072.8192.64.64", "#panel-lab .costs-of circle"),
    "linear attention": narrow("/?tab=lab&lab=linear", "#panel-lab .linear-of td"),
}
TRAINED = {
    "heads of a trained model": state(
        f"{ECHO}&tab=heads&probe=true&rollout=true",
        ".found-heads table",
        ".together canvas[data-layer]",
        "#panels .tile canvas",
    ),
    "worth": state(f"{ECHO}&tab=worth", "#panel-worth .in-turn button"),
    "writing": more(state(f"{ECHO}&tab=decode", "#panel-decode .writing input")),
    "why, with a dropped head": state(
        f"{ECHO}&layer=1&cell=weights.3.1&why=true&drop=0.1&after=1",
        ".why table",
        "#predictions .likely s",
    ),
}
LONG = {
    "500 tokens": state(
        f"/?text={LONG_TEXT}&d_model=8&cell=weights.9.2", ".find-token input", "#inspector .bars"
    ),
    "lines of a long text": state(
        "/?context_length=600&tab=lines", ".web-frame ~ .muted:not(:empty)"
    ),
    "heads of a long text": more(
        state("/?context_length=600&tab=heads", ".together .quantised:not(:empty)")
    ),
    "stage of a long text": more(
        state("/?context_length=600&stage=scores", "#large .quantised:not(:empty)")
    ),
}
# Before requests are answered.
AWAITED = {
    "predictions": state(ECHO, "#predictions .likely", held="**/predictions*"),
    "precision": state(
        "/?tab=lab&lab=precision", "#panel-lab .softmaxes .button", held="**/precision*"
    ),
}
FOLDED = f"{DRAWER} then .more summary"
# Changes the question, to compare its answers.
CHANGED = (
    f"{FOLDED} then .more .panel [type=checkbox] then .more summary"
    " then #change > button:nth-child(4)"
)
OPENED = {
    "help": state("/", "#help[open]", press="[data-help]"),
    "share": state("/", "#takeaway[open]", press="#share [data-take]"),
    "share of a stage": more(
        state("/", '#takeaway[open] [aria-label^="k,"]', press="#pipeline [data-take=k]")
    ),
    "examples": state("/", "#examples .panel", press="#examples summary"),
    "step by step": state("/", "#stepper .scene", press="#play button:nth-child(1)"),
    "presentation": state("/", "body[data-present] #large[open]", press="#show"),
    "options": state("/", "#options > .drawer select", ".more .panel", press=FOLDED),
    "change": state(
        "/?text=a%20b&cell=weights.1.0&table=true", ".since p:not(:empty)", press=CHANGED
    ),
    "change of a large stage": state(
        "", "#large .change table", press="[data-stage=weights] .enlarge"
    ),
    "change of heads": state(
        "", ".together.change canvas[data-head]", press="#large .close then #tab-heads"
    ),
}
COMPARED = "/compare?a.text=a%20cat%20sat&b.text=a%20black%20cat%20sat&b.seed=1&cell=weights.1.0"
COMPARISONS = {
    "comparison": page(COMPARED, DIFFERENCE),
    "help of a comparison": more(state(COMPARED, "#help[open]", press="[data-help]")),
    "large comparison": narrow(f"{COMPARED}&stage=weights", "#large[open] canvas[data-layer]"),
    "table of a comparison": more(
        state(f"{COMPARED}&stage=weights&table=true&of=a", "#large[open] table")
    ),
    "comparison with no sentence": state("/compare?b.text=", "#b .notice strong"),
    "embedded": page("/embed", WEIGHTS),
    "embedded stage": more(narrow("/embed?stage=weights", "#large[open] canvas[data-layer]")),
}
OTHERS = {
    "learn": page("/learn", "h1"),
    "chapter": page("/learn/asking", "h1"),
    "program": page("/learn/twenty_lines", "h1"),
    "lines to write": page("/learn/write_it", "h1"),
    "errata": page("/learn/errata", "h1"),
    "models": page("/models", "h1"),
    "model to get": state("", "#offers .get .main", press="[data-offer=minilm] button"),
    "model": page("/models/echo", "#spectra svg"),
    "api": page("/api", "h1", alike=".operation:nth-of-type(n + 4)"),
    "no page": page("/nowhere", "h1"),
}
GROUPS = {
    "stages": STAGES,
    "refused and awaited": REFUSED | AWAITED,
    "tabs": TABS,
    "laboratory": LABORATORY,
    "trained model": TRAINED,
    "long texts": LONG,
    "opened by a press": OPENED,
    "comparisons": COMPARISONS,
    "other pages": OTHERS,
}
PAGES = {name: each for group in GROUPS.values() for name, each in group.items() if each.whole}
