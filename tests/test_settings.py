"""The settings: rows that say what they are, read from the environment once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from attnscope.settings import Settings, rate_of

EXAMPLES = {
    "trusted_proxies": ("10.0.0.7, fd00::/8", ["10.0.0.7/32", "fd00::/8"]),
    "allowed_hosts": ("A.example., *.B.example,[::0001]", ["a.example", "*.b.example", "::1"]),
    "host": ("::", "::"),
    "models": (f"/a{os.pathsep}/b/c", [Path("/a"), Path("/b/c")]),
    "data_dir": ("/somewhere/else", Path("/somewhere/else")),
    "get_models": ("on", "on"),
    "accept": ("one, two", ["one", "two"]),
    "adapters": ("one:two", [Path("one"), Path("two")]),
    "api_keys": (" one , two,", ["one", "two"]),
    "rate_limit": ("10/second", "10/second"),
    "frame_ancestors": ("'self'  https://a.example", "'self' https://a.example"),
    "compute": ("dask://[::1]:8786", "dask://[::1]:8786"),
    "log_format": ("json", "json"),
    "log_level": ("warning", "warning"),
    "model_days": ("0.5", 0.5),
    "session_hours": ("0.5", 0.5),
    "question_days": ("7", 7.0),
}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ATTNSCOPE_{name.upper()}", raising=False)


def test_every_setting_has_a_default_and_says_what_it_is() -> None:
    fields = Settings.model_fields.items()
    assert [name for name, field in fields if field.is_required()] == []
    assert [name for name, field in fields if not (field.description or "").endswith(".")] == []


def test_every_setting_is_read_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for name in Settings.model_fields:
        text, value = EXAMPLES.get(name, ("17", 17))
        with subtests.test(name), monkeypatch.context() as patch:
            patch.setenv(f"ATTNSCOPE_{name.upper()}", text)
            settings = Settings()
            assert getattr(settings, name) == value
            others = set(Settings.model_fields) - {name}
            patch.delenv(f"ATTNSCOPE_{name.upper()}")
            assert settings.model_dump(include=others) == Settings().model_dump(include=others)


MEANINGLESS = [
    ("host", ""),
    ("slots", "0"),
    ("queue", "-1"),
    ("max_tokens", "0"),
    ("max_body_mb", "many"),
    ("model_days", "0"),
    ("rate_limit", "often"),
    ("rate_limit", "0/minute"),
    ("rate_limit", "1/0 hours"),
    ("rate_limit", "5/minute; 9/hour"),
    ("allowed_hosts", "https://a.example"),
    ("allowed_hosts", "a.example:8000"),
    ("allowed_hosts", "a.*.example"),
    ("trusted_proxies", "proxy.example"),
    ("trusted_proxies", "10.0.0.7/8"),
    ("trusted_proxies", "*"),
    ("session_hours", "0"),
    ("stop_seconds", "inf"),
    ("keep_alive_seconds", "inf"),
    ("compute", "10.0.0.7:8786"),
    ("compute", "dask://10.0.0.7"),
    ("compute", "dask://10.0.0.7:0"),
    ("compute", "dask://10.0.0.7:65536"),
    ("compute", "dask://a b:8786"),
    ("compute", "spark://10.0.0.7:7077"),
    ("frame_ancestors", ""),
    ("frame_ancestors", "'self'; script-src *"),
    ("frame_ancestors", "a.example,b.example"),
    ("frame_ancestors", "'none' https://a.example"),
]


def test_a_setting_that_means_nothing_stops_the_server_before_it_starts(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for name, text in MEANINGLESS:
        with subtests.test(name, text=text), monkeypatch.context() as patch:
            patch.setenv(f"ATTNSCOPE_{name.upper()}", text)
            with pytest.raises(ValidationError, match=name):
                Settings()


def test_pages_that_may_embed_are_named_with_or_without_quotes(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    cases = {
        "none": "'none'",
        "self https://a.example": "'self' https://a.example",
        "https://self.example": "https://self.example",
    }
    for text, sources in cases.items():
        with subtests.test(text):
            monkeypatch.setenv("ATTNSCOPE_FRAME_ANCESTORS", text)
            assert Settings().frame_ancestors == sources


def test_a_rate_is_a_number_in_a_number_of_seconds(subtests: pytest.Subtests) -> None:
    cases = {
        "120/minute": (120, 60),
        "10/second": (10, 1),
        "5 per 2 hours": (5, 7200),
        " 1 PER DAY ": (1, 86_400),
        "3 / 15minutes": (3, 900),
    }
    for text, rate in cases.items():
        with subtests.test(text):
            assert rate_of(text) == rate


def test_visitors_get_models_where_the_server_is_for_this_machine_alone() -> None:
    on = [Settings(host=host) for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost")]
    assert all(settings.may_get_models for settings in on)
    off = [Settings(host=host) for host in ("0.0.0.0", "::", "192.168.0.7", "school.example")]
    off += [Settings(trusted_proxies=["127.0.0.1"]), Settings(allowed_hosts=["school.example"])]
    assert not any(settings.may_get_models for settings in off)
    assert Settings(host="0.0.0.0", get_models="on").may_get_models
    assert not Settings(get_models="off").may_get_models
