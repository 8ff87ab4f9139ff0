"""Files of attnscope that a request visits, and switches between them; `--files` lists them."""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

import httpx2 as httpx

import attnscope
from attnscope.main import create_app
from attnscope.settings import Settings
from attnscope.web.serializers.request import DEFAULT_TEXT

OURS = f"{Path(attnscope.__file__).parent}/"
ATTENTION = "/api/v1/attention"


async def visited(work: Callable[[], Awaitable[httpx.Response]]) -> list[str]:
    """The file of each call, one entry a switch; the second time, when all is imported."""
    files: list[str] = []

    def look(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(OURS):
            files.append(file.removeprefix(OURS))

    (await work()).raise_for_status()
    sys.setprofile(look)
    try:
        response = await work()
    finally:
        sys.setprofile(None)
    response.raise_for_status()
    return [file for file, _ in itertools.groupby(files)]


async def main() -> None:
    app = create_app(Settings(data_dir=Path(tempfile.mkdtemp())))
    transport, seeds = httpx.ASGITransport(app), itertools.count()
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

        async def asked() -> httpx.Response:
            model = {"source": "seeded", "seed": next(seeds)}
            return await client.post(ATTENTION, json={"text": DEFAULT_TEXT, "model": model})

        trace = (await asked()).json()["trace"]
        heads = itertools.count()

        async def tile() -> httpx.Response:
            address = f"/api/v1/traces/{trace}/tiles/weights/0/{next(heads)}/0/0/0?encoding=u8"
            return await client.get(address)

        for name, work in (("POST /attention, a new question", asked), ("a tile", tile)):
            files = await visited(work)
            print(f"{name}: {len(set(files))} files, {len(files) - 1} switches")
            if "--files" in sys.argv:
                print(*files, sep="\n")


if __name__ == "__main__":
    asyncio.run(main())
