"""Files that are chosen on the page of models are sent, and open in Explore."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from safetensors.numpy import load_file, save_file

from tests.browser.checks import AXE, FAULTS
from tests.browser.hands import Explore, fits
from tests.families.cases import made


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of an unknown architecture: q, k and v in one matrix, two heads to a key."""
    folder = tmp_path_factory.mktemp("own") / "strange"
    draw = np.random.default_rng(0)
    tensors = {}
    for i in range(3):
        sizes = {"Wqkv.weight": (40, 24), "Wqkv.bias": (40,), "out_proj.weight": (24, 24)}
        for name, shape in sizes.items():
            tensors[f"blocks.{i}.attention.{name}"] = draw.normal(size=shape).astype(np.float32)
    tensors["table"] = draw.normal(size=(1000, 24)).astype(np.float32)
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors")
    config = {"model_type": "strange", "architectures": ["StrangeLM"], "num_attention_heads": 3}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def choose(window: Explore, *paths: Path) -> Page:
    """The page of models, with a folder or files chosen in it."""
    page = window.page
    page.goto(f"{window.url}/models")
    kind = "Choose a folder…" if paths[0].is_dir() else "Choose files…"
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=kind).click()
    chooser.value.set_files(list(paths))
    return page


def sender(page: Page) -> Locator:
    return page.get_by_role("button", name="Send and open in Explore")


def opened(page: Page) -> str:
    """The id of the upload that is sent, and opens in Explore."""
    sender(page).click()
    page.wait_for_url(re.compile(r"/\?source=uploaded&id=\w{32}"))
    expect(page.locator("body")).to_have_attribute("data-status", "ready")
    return parse_qs(urlsplit(page.url).query)["id"][0]


DROP = """(names) => {
  const dropped = new DataTransfer();
  for (const name of names) dropped.items.add(new File(["{}"], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
}"""


def test_a_file_is_refused_or_described_before_it_is_sent(window: Explore, tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "w.npz", **{f"w_{x}": np.eye(6) for x in "qkvo"})  # type: ignore[arg-type]
    page = choose(window, tmp_path / "w.npz")
    expect(page.locator(".mapping-screen").get_by_role("cell").first).to_have_text("6 × 6")
    expect(page.locator(".role")).to_have_count(0)
    page.evaluate(DROP, ["pytorch_model.bin", "config.json"])
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("pytorch_model.bin is a PyTorch or pickle file")
    expect(page.locator(".mapping-screen")).to_have_count(0)
    assert [one.url for one in window.watch.requests if one.method == "POST"] == []


def test_a_folder_is_sent_without_what_is_not_read_and_opens_in_explore(
    window: Explore, strange: Path
) -> None:
    page = choose(window, strange)
    heading = page.locator(".mapping-screen").get_by_role("heading", level=2)
    expect(heading).to_be_focused()
    page.get_by_label("layers from").fill("1")
    expect(page.locator(".summary")).to_contain_text("2 layers, 12.9 KiB to send")
    page.route("**/api/v1/models", lambda route: None)
    sender(page).click()
    expect(page.get_by_role("progressbar", name="Sent")).to_be_visible()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    cancel.press("Enter")
    expect(sender(page)).to_be_focused()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.unroute("**/api/v1/models")
    model = opened(page)
    found = page.request.get(f"{window.url}/api/v1/models/{model}").json()
    shape = {"num_layers": 2, "num_heads": 3, "num_kv_heads": 1, "d_model": 24, "d_k": 8, "d_v": 8}
    assert (found["name"], found["shape"]) == ("strange", shape)
    assert {one["name"][:8] for one in found["tensors"]} == {"blocks.1", "blocks.2"}
    spectrum = f"{window.url}/api/v1/models/{model}/spectrum?layer=1"
    tensors = page.request.get(spectrum).json()["tensors"]
    stored = load_file(strange / "model.safetensors")["blocks.2.attention.Wqkv.weight"]
    for name, part in {"w_q": stored[:24], "w_k": stored[24:32], "w_v": stored[32:]}.items():
        wanted = np.linalg.svd(part.astype(float), compute_uv=False)
        assert tensors[name]["singular_values"] == pytest.approx(wanted)
    assert page.request.delete(f"{window.url}/api/v1/models/{model}").status == 204


def test_several_files_of_a_whole_model_are_sent_and_opened(
    window: Explore, tmp_path: Path
) -> None:
    page = choose(window, *made("gemma2", tmp_path).iterdir())
    expect(page.get_by_text("config.json says model_type gemma2, which is com")).to_be_visible()
    sender(page).click()
    expect(window.canvas("weights")).to_be_visible()
    assert window.question()["model"]["source"] == "uploaded"


def test_the_screen_has_no_fault_and_fits_a_phone(
    elsewhere: Callable[..., Explore], strange: Path
) -> None:
    phone = elsewhere(None, viewport={"width": 360, "height": 780}, bypass_csp=True)
    page = choose(phone, strange)
    expect(page.locator(".mapping-screen")).to_be_visible()
    fits(page, 360)
    for script in (AXE, FAULTS):
        page.add_script_tag(path=script)
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        assert page.evaluate("newFaults(false)") == [], theme
