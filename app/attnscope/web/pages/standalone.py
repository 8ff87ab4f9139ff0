from __future__ import annotations

import base64

from fastapi import Request
from markupsafe import Markup

from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.pages import scripts
from attnscope.web.pages.data import page_data
from attnscope.web.pages.sheets import SHEETS
from attnscope.web.pages.site import site_of
from attnscope.web.serializers.selection import Selection
from attnscope.web.serializers.traces import attention_safetensors, notes_of

ENTRY = "js/pages/standalone.js"


def whole(planned: Plan, selection: Selection) -> Selection:
    return Selection(planned.stages, selection.layers, selection.heads)


def standalone(request: Request, trace: Trace, selection: Selection) -> bytes:
    site = site_of(request)
    files = site.static.files
    data = page_data(request)
    data["only"] = {"layers": selection.layers, "heads": selection.heads}
    notes = notes_of(request, trace.plan)
    numbers = attention_safetensors(trace, selection, notes)
    page = site.render(
        request,
        "standalone.html",
        page_data=data,
        question=trace.plan.question.plain(),
        trace_id=trace.plan.id,
        notes=notes,
        numbers=base64.b64encode(numbers.whole()).decode(),
        style=_inline(
            "\n".join(files[f"css/{each}.css"].decode() for each in SHEETS["standalone"])
        ),
        theme=_inline(files["js/theme.js"].decode()),
        program=_inline("const $m = {};\n" + scripts.alone(files, ENTRY)),
    )
    return bytes(page.body)


def _inline(text: str) -> Markup:
    """Escape `</`, which could end the element."""
    return Markup(text.replace("</", "<\\/"))
