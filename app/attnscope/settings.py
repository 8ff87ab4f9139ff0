from __future__ import annotations

import os
import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from pydantic.functional_validators import AfterValidator, BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

# prometheus_client reads this variable on import
COUNTING = "PROMETHEUS_MULTIPROC_DIR"

SOURCE = re.compile(
    r"'none'|'self'|\*|[a-z][a-z0-9+.-]*:|(https?://)?(\*\.)?[\w.-]+(:(\d+|\*))?", re.A
)

CLUSTER = re.compile(r"dask://(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>\d{1,5})", re.A)

RATE = re.compile(r"(\d{1,9})\s*(?:/|per)\s*(\d{1,4})?\s*(second|minute|hour|day)s?", re.A | re.I)
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}

HOST = re.compile(r"\*|(\*\.)?[\w-]+(\.[\w-]+)*", re.A)


def _names(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _host(value: str) -> str:
    """A name in lower case, or an IP address in its shortest form."""
    bare = value.lower().removesuffix(".")
    try:
        return str(ip_address(bare.removeprefix("[").removesuffix("]")))
    except ValueError:
        if not HOST.fullmatch(bare):
            raise ValueError(
                "Input should be names such as attnscope.example, *.school.example, or *"
            ) from None
        return bare


def _address(value: str) -> str:
    """Refuse "", which would listen on every address."""
    if not value.strip():
        raise ValueError("Input should be an address such as 127.0.0.1, or 0.0.0.0 for every one")
    return value


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def rate_of(text: str) -> tuple[int, int]:
    """Amount and seconds; raises ValueError."""
    found = RATE.fullmatch(text.strip())
    amount, count, unit = found.groups() if found else ("0", "0", "")
    if not int(amount) or not int(count or 1):
        raise ValueError(
            "Input should be a number / second, minute, hour or day, such as 120/minute"
        )
    return int(amount), int(count or 1) * UNITS[unit.lower()]


def _rate(value: str) -> str:
    if value:
        rate_of(value)
    return value


def _ancestors(value: str) -> str:
    """Sources of a Content-Security-Policy. Shells unquote 'self' and 'none', which would then name
    hosts."""
    words = [f"'{word}'" if word in ("self", "none") else word for word in value.split()]
    alone = "'none'" not in words or len(words) == 1  # browsers ignore 'none' beside other sources
    if not words or not alone or not all(SOURCE.fullmatch(word) for word in words):
        raise ValueError(
            "Input should be 'none', or 'self' and addresses such as https://school.example"
        )
    return " ".join(words)


def _cluster(value: str) -> str:
    found = CLUSTER.fullmatch(value)
    if value and (found is None or not 0 < int(found["port"]) < 1 << 16):
        raise ValueError(
            "Input should be dask://host:port, such as dask://10.0.0.7:8786, or nothing"
        )
    return value


def _paths(value: object) -> object:
    return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value


Paths = Annotated[list[Path], NoDecode, BeforeValidator(_paths)]
Names = Annotated[list[str], NoDecode, BeforeValidator(_names)]
Host = Annotated[str, AfterValidator(_address)]
Hosts = Annotated[list[Annotated[str, AfterValidator(_host)]], NoDecode, BeforeValidator(_names)]
Network = Annotated[str, AfterValidator(lambda value: str(ip_network(value)))]
Networks = Annotated[list[Network], NoDecode, BeforeValidator(_names)]
Rate = Annotated[str, AfterValidator(_rate)]
Ancestors = Annotated[str, AfterValidator(_ancestors)]
Cluster = Annotated[str, AfterValidator(_cluster)]
Count = Annotated[int, Field(ge=1)]
NonNegative = Annotated[int, Field(ge=0)]
Hours = Annotated[float, Field(gt=0, le=8760)]
Seconds = Annotated[float, Field(gt=0, le=8760 * 3600)]  # threading refuses infinite timeouts
Days = Annotated[float, Field(gt=0)]
Percent = Annotated[int, Field(ge=1, le=100)]


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ATTNSCOPE_", extra="ignore")

    host: Host = Field("127.0.0.1", description="Address to listen on.")
    allowed_hosts: Hosts = Field([], description="Further names that this server answers to.")
    data_dir: Path = Field(Path("data"), description="Uploads and questions are kept here.")
    models: Paths = Field(
        [], description="Checkpoints on the disk, or folders of them, separated by colons."
    )
    adapters: Paths = Field(
        [], description="LoRA adapters on the disk, or folders of them, separated by colons."
    )
    accept: Names = Field(
        [], description="Keys of config.json to ignore in models, separated by commas."
    )
    get_models: Literal["auto", "on", "off"] = Field(
        "auto",
        description="Whether visitors may install models of the catalogue; auto: on a server that "
        "is bound to loopback and has no trusted proxies and no allowed hosts.",
    )
    max_tokens: Count = Field(131_072, description="Tokens in one text.")
    max_characters: Count = Field(1_000_000, description="Characters in one text.")
    max_trace_mb: Count = Field(512, description="Numbers of one trace, in memory.")
    max_json_numbers: Count = Field(4_000_000, description="Numbers in one JSON reply.")
    max_body_mb: Count = Field(16, description="Bytes of one JSON request.")
    max_upload_mb: Count = Field(256, description="Bytes of one upload, all files together.")
    cache_mb: NonNegative = Field(512, description="Answers kept in memory, per worker.")
    models_mb: NonNegative = Field(4096, description="Uploads kept on disk.")
    questions_mb: NonNegative = Field(
        256, description="Questions kept on disk; the least recently used go first."
    )
    maps_mb: NonNegative = Field(
        1024, description="Overviews of large maps kept on disk; the oldest go first."
    )
    client_share: Percent = Field(
        25, description="Percent of models_mb, and of questions_mb, for one client."
    )
    model_days: Days = Field(30, description="An upload unused for so long is deleted.")
    question_days: Days = Field(365, description="A question unused for so long is deleted.")
    slots: Count = Field(2, description="Large answers computed at once, per worker.")
    compute: Cluster = Field(
        "", description="A Dask cluster for long passes, dask://host:port; empty: this machine."
    )
    queue: NonNegative = Field(
        64, description="Large answers that may wait for a slot; more get 503."
    )
    queue_seconds: Seconds = Field(
        20, description="How long one waits for a slot before it gets 503."
    )
    memory_mb: Count = Field(
        1024, description="Numbers, bodies and replies that requests hold at once, per worker."
    )
    body_seconds: Seconds = Field(
        20, description="Time for a body, plus a second for each 64 KB of it."
    )
    max_connections: Count = Field(512, description="Connections open at once, per worker.")
    max_header_kb: Count = Field(32, description="Bytes of an address and its headers.")
    header_seconds: Seconds = Field(10, description="Time for an address and its headers.")
    keep_alive_seconds: Seconds = Field(15, description="Time for the next request to begin.")
    write_seconds: Seconds = Field(
        30, description="Time that a client has to read what was last sent."
    )
    stop_seconds: Seconds = Field(9, description="Time to shut down after SIGTERM.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="Format of the log; auto: console on a terminal, JSON elsewhere."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest level that is logged; info has a line for each request."
    )
    api_keys: Names = Field(
        [], description="If set, requests need one as a bearer token, and people sign in with one."
    )
    session_hours: Hours = Field(12, description="Time until a person has to sign in again.")
    rate_limit: Rate = Field(
        "", description="Requests per address and worker, such as 120/minute; empty: no limit."
    )
    trusted_proxies: Networks = Field(
        [], description="Addresses and networks whose X-Forwarded-For and -Proto are believed."
    )
    frame_ancestors: Ancestors = Field(
        "'self'", description="Pages that may show /embed in a frame, as in the CSP."
    )

    @property
    def may_get_models(self) -> bool:
        if self.get_models != "auto":
            return self.get_models == "on"
        return _is_loopback(self.host) and not (self.trusted_proxies or self.allowed_hosts)
