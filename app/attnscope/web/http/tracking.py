from __future__ import annotations

from urllib.parse import quote, urlencode

from fastapi import Request

# No page has parameters of these names (tests/web/http/test_tracking.py).
NAMES = frozenset({
    "_ga", "_gl", "_hsenc", "_hsmi", "_openstat", "bd_vid", "dclid", "epik", "fb_action_ids",
    "fb_source", "fbclid", "gad_campaignid", "gad_source", "gbraid", "gclid", "gclsrc", "igsh",
    "igshid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "ml_subscriber", "ml_subscriber_hash",
    "msclkid", "oly_anon_id", "oly_enc_id", "rb_clickid", "s_cid", "s_kwcid", "sc_cid", "scid",
    "spm", "srsltid", "ttclid", "twclid", "vero_conv", "vero_id", "wbraid", "wickedid", "yclid",
    "ysclid",
})  # fmt: skip
PREFIXES = ("utm_", "hsa_", "matomo_", "mtm_", "piwik_", "pk_")


def is_tracking(name: str) -> bool:
    return name in NAMES or name.startswith(PREFIXES)


def without_tracking(request: Request) -> str | None:
    given = request.query_params.multi_items()
    kept = [one for one in given if not is_tracking(one[0])]
    if len(kept) == len(given):
        return None
    path = quote(request.url.path)
    return f"{path}?{urlencode(kept)}" if kept else path
