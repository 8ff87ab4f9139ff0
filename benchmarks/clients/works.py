"""Works of clients: a few requests each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import quote

from attnscope.web.serializers.request import DEFAULT_TEXT
from benchmarks.clients.addresses import ATTENTION, TRACES, V1
from benchmarks.clients.uploads import upload, whole_model
from benchmarks.clients.visitor import Visitor

PAGES = ["/", "/learn", "/compare", "/embed", "/api", "/api/openapi.json", f"{V1}/examples"]
BROWSER = {"Accept": "text/html,*/*", "Accept-Language": "zh", "Accept-Encoding": "gzip, deflate"}
SAFETENSORS = {"Accept": "application/x-safetensors"}
HEADS = 4
PER_PAIR = 4 * HEADS * 8  # bytes for two more tokens: four maps of float64
SLOW_READER = 512_000.0  # bytes a second; below 256 KB the server may disconnect


def seeded(visitor: Visitor, **more: Any) -> dict[str, Any]:
    """A new question."""
    model = {"source": "seeded", "seed": visitor.random.randrange(1 << 31)}
    return {"text": DEFAULT_TEXT, "model": model, **more}


def larger(visitor: Visitor, least: float, most: float) -> dict[str, Any]:
    """The size of its trace in megabytes is log-uniform."""
    megabytes = least * (most / least) ** visitor.random.random()
    tokens = int((megabytes * 1e6 / PER_PAIR) ** 0.5)
    return seeded(visitor, text=" ".join(f"t{i}" for i in range(tokens)))


async def default(visitor: Visitor) -> None:
    await visitor.ask("default question", "POST", ATTENTION, {"text": DEFAULT_TEXT})


async def new_seed(visitor: Visitor) -> None:
    await visitor.ask("default, new seed", "POST", ATTENTION, seeded(visitor))


async def trace(visitor: Visitor) -> None:
    question = seeded(visitor, text=" ".join(["it was"] * visitor.random.randint(2, 40)))
    reply = await visitor.ask("trace", "POST", TRACES, question)
    if reply is not None:
        visitor.traces.append((reply.json()["trace"], reply.json()["shape"]["n"]))
        await visitor.ask("trace", "GET", reply.headers["location"])
        await visitor.ask("trace", "GET", f"{reply.headers['location']}/question")


async def known(visitor: Visitor) -> tuple[str, int] | None:
    """Address of a trace, and its number of tokens."""
    if not visitor.traces or visitor.random.random() < 0.1:
        await trace(visitor)
    if not visitor.traces:
        return None
    found, n = visitor.random.choice(visitor.traces[-5:])
    return f"{TRACES}/{found}", n


async def cell(visitor: Visitor) -> None:
    if place := await known(visitor):
        address, n = place
        stage = visitor.random.choice(["weights", "scores", "output", "q"])
        where = f"row={visitor.random.randrange(n)}&col=0"
        await visitor.ask("cell", "GET", f"{address}/cells/{stage}?{where}")


async def block(visitor: Visitor) -> None:
    if place := await known(visitor):
        stage = visitor.random.choice(["weights", "masked_scores", "x", "head_outputs"])
        path = f"{place[0]}/stages/{stage}?head=0&rows=0:64&cols=0:64"
        headers = visitor.random.choice([{}, SAFETENSORS, {"Accept-Encoding": "gzip"}])
        await visitor.ask("block", "GET", path, headers=headers)


async def analysis(visitor: Visitor) -> None:
    if place := await known(visitor):
        what = visitor.random.choice(["heads", "rollout", "precision", "decode", "spectrum"])
        await visitor.ask(what, "GET", f"{place[0]}/{what}")


async def gradients(visitor: Visitor) -> None:
    if place := await known(visitor):
        objective = {"kind": "cell", "row": 0, "col": 1}
        body = {"objective": objective, "stages": ["weights", "x"]}
        await visitor.ask("gradients", "POST", f"{place[0]}/gradients", body)


async def predictions(visitor: Visitor) -> None:
    text = visitor.random.choice(["The cat", "a cat sat"]) + " the" * visitor.random.randrange(6)
    question = {"text": text, "model": {"source": "installed", "name": "echo"}}
    reply = await visitor.ask("link to a trained model", "POST", TRACES, question)
    if reply is not None:
        await visitor.ask("predictions", "GET", f"{reply.headers['location']}/predictions")


async def export(visitor: Visitor) -> None:
    if place := await known(visitor):
        format = visitor.random.choice(["json", "csv", "npz", "safetensors", "html"])
        path = f"{place[0]}/export?format={format}"
        await visitor.ask(f"export {format}", "GET", path, headers={"Accept-Encoding": "gzip"})


async def large(visitor: Visitor) -> None:
    """10 to 200 MB of trace, read in part or whole."""
    question = larger(visitor, 10, 200)
    if visitor.random.random() < 0.7:
        chosen = {"stages": ["head_outputs"], "heads": [0]}
        await visitor.ask("large question", "POST", ATTENTION, {**question, **chosen})
        return
    reply = await visitor.ask("large link", "POST", TRACES, question)
    if reply is not None:
        path = f"{reply.headers['location']}/export?format=safetensors"
        await visitor.ask("large export", "GET", path)


async def leaver(visitor: Visitor) -> None:
    after = visitor.random.uniform(0.02, 1.0)
    await visitor.leave("left in the middle", ATTENTION, larger(visitor, 10, 100), after)


async def slow_reader(visitor: Visitor) -> None:
    question = larger(visitor, 10, 12)
    reply = await visitor.ask("slow reader's link", "POST", TRACES, question)
    if reply is not None:
        path = f"{reply.headers['location']}/export?format=safetensors&stages=weights"
        await visitor.ask("slow reader", "GET", path, pace=SLOW_READER)


async def page(visitor: Visitor) -> None:
    """The second time with the ETag of the first."""
    path = visitor.random.choice([*PAGES, f"/?text={quote('The cat sat')}"])
    kept = visitor.tags.get(path)
    headers = BROWSER | ({"If-None-Match": kept} if kept else {})
    reply = await visitor.ask("page", "GET", path, headers=headers)
    if reply is not None and (tag := reply.headers.get("etag")):
        visitor.tags[path] = tag
    for file in visitor.random.sample(visitor.files, min(2, len(visitor.files))):
        await visitor.ask("static file", "GET", file, headers=BROWSER)


Work = Callable[[Visitor], Awaitable[None]]
# Percent.
MIXTURE: dict[Work, int] = {
    default: 16, new_seed: 12, trace: 8, cell: 10, block: 9, analysis: 7, gradients: 4, export: 6,
    page: 9, upload: 3, whole_model: 3, predictions: 6, large: 3, leaver: 2, slow_reader: 2,
}  # fmt: skip
WORKS = {work.__name__: work for work in MIXTURE}


async def live(visitor: Visitor, pause: float, until: float) -> None:
    """`pause`: average seconds between works."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(visitor.random.uniform(0, min(2.0, pause * 2)))
    works, weights = list(MIXTURE), list(MIXTURE.values())
    while loop.time() < until:
        (work,) = visitor.random.choices(works, weights)
        await work(visitor)
        await asyncio.sleep(visitor.random.expovariate(1 / pause))
    visitor.close()


async def once(visitor: Visitor, names: Iterable[str]) -> None:
    for name in names:
        await WORKS[name](visitor)
    visitor.close()
