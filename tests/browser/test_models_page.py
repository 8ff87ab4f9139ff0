"""The page of models: what is there opens, is searched, and tells its singular values."""

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

from app.installed.shelf import shipped_model
from tests.browser.hands import Explore
from tests.browser.test_accessible import AXE, FAULTS, RULES
from tests.families.cases import made


def rows(window: Explore) -> Locator:
    return window.page.locator("#tensors tbody tr:visible")


def test_the_header_leads_to_the_models_and_they_to_explore(explore: Explore) -> None:
    page = explore.page
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Models").click()
    expect(page).to_have_title("Models · attnscope")
    current = page.locator("nav a[aria-current=page]")
    expect(current).to_have_text("Models")
    page.get_by_role("link", name="Open in Explore: addition").click()
    expect(page.locator("body[data-status=ready]")).to_have_count(1)
    assert explore.question()["model"] == {"source": "installed", "name": "addition"}


def test_tensors_are_searched_by_words(window: Explore) -> None:
    window.page.goto(f"{window.url}/models/echo")
    expect(rows(window)).to_have_count(16)
    window.page.get_by_label("Search").fill("1 w_")
    expect(rows(window).locator("th")).to_have_text([f"layers.1.w_{x}" for x in "koqv"])
    expect(window.page.locator(".search [role=status]")).to_have_text("4 of 16")


def test_the_singular_values_are_those_of_the_head_that_is_chosen(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/models/echo")
    bars = page.locator("#spectra svg rect")
    expect(bars).to_have_count(32)
    page.get_by_label("Layer").select_option("1")
    page.get_by_label("Head").select_option("2")
    page.get_by_role("button", name=re.compile(r"^WQ WKᵀ$")).click()
    page.get_by_label("as tables").check()
    expect(page.locator("#spectra h3")).to_have_text("Singular values of WQ WKᵀ, head 2")
    told = page.locator("#spectra .sheet tbody td")
    expect(told).to_have_count(64)
    layer = shipped_model("echo").read("step-3200").layers[1]
    q, k = (matrix[:, 64:96].astype(float) for matrix in (layer.w_q, layer.w_k))
    values = np.linalg.svd(q @ k.T, compute_uv=False)
    found = [float(text.replace(",", "")) for text in told.all_inner_texts()]
    np.testing.assert_allclose(found[:32], values[:32], rtol=2e-6)
    page.get_by_label("Revision").select_option("step-400")
    expect(told.first).not_to_have_text(f"{values[0]:.6f}")


def test_a_server_that_is_away_is_told_and_asked_again(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/models/echo")
    expect(page.locator("#spectra svg")).to_be_visible()
    page.route("**/spectrum**", lambda route: route.abort())
    page.get_by_label("Head").select_option("1")
    expect(page.locator("#spectra .error")).to_contain_text("The server does not answer.")
    page.unroute("**/spectrum**")
    page.get_by_label("Head").select_option("2")
    expect(page.locator("#spectra h3")).to_contain_text("head 2")


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of nobody's architecture: q, k and v in one matrix, two heads to a key."""
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
    kind = "folder" if paths[0].is_dir() else "files"
    page.locator(f"input[data-choose={kind}]").set_input_files(list(paths))
    return page


def told_of(page: Page, role: str) -> Locator:
    return page.locator(f'[data-role="{role}"] .sum')


def sender(page: Page) -> Locator:
    return page.get_by_role("button", name="Send and open in Explore")


def opened(page: Page) -> str:
    """The id of the upload that is sent, and opens in Explore."""
    sender(page).click()
    page.wait_for_url(re.compile(r"/\?source=uploaded&id=\w{32}"))
    expect(page.locator("body[data-status=ready]")).to_have_count(1)
    return parse_qs(urlsplit(page.url).query)["id"][0]


def sent(window: Explore) -> list[str]:
    return [one.url for one in window.watch.requests if one.method == "POST"]


def test_an_unknown_checkpoint_is_told_in_words_before_anything_is_sent(
    window: Explore, strange: Path
) -> None:
    page = choose(window, strange)
    screen = page.locator(".mapping-screen")
    expect(screen.locator("h2")).to_be_focused()
    expect(screen).to_contain_text("config.json says StrangeLM, an architecture that is not known")
    whole = "40 × 24, rows 0 to 24, transposed → 24 × 24: d_model 24, 3 heads × d_k 8"
    expect(told_of(page, "w_q")).to_have_text(whole)
    expect(told_of(page, "w_v")).to_contain_text("1 key/value head × d_v 8")
    expect(told_of(page, "b_k")).to_contain_text("24 to 32 → 8: a number for each column of w_k")
    fused = screen.get_by_role("row", name=re.compile(r"^blocks\.1\.attention\.Wqkv\.weight"))
    expect(fused.locator("td").last).to_have_text("layers.1.w_q, layers.1.w_k, layers.1.w_v")
    page.get_by_label("heads", exact=True).fill("5")
    expect(told_of(page, "w_q")).to_contain_text("24 columns are no multiple of 5 heads.")
    expect(sender(page)).to_be_disabled()
    page.get_by_label("heads", exact=True).fill("3")
    page.get_by_label("Part of the tensor of W_K").select_option(label="all of it")
    expect(told_of(page, "w_k")).to_contain_text("no number of key/value heads")
    assert sent(window) == []


def test_it_is_sent_without_what_is_not_read_and_opens_in_explore(
    window: Explore, strange: Path
) -> None:
    page = choose(window, strange)
    page.get_by_label("layers from").fill("1")
    expect(page.locator(".summary")).to_contain_text("2 layers, 12.9 KiB to send")
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
    page.request.delete(f"{window.url}/api/v1/models/{model}")


def test_what_the_server_refuses_stands_at_its_field(window: Explore, strange: Path) -> None:
    page = choose(window, strange / "model.safetensors")
    expect(told_of(page, "w_q")).to_contain_text("24 rows, 24 columns")
    sender(page).click()
    heads = page.get_by_label("heads", exact=True)
    expect(page.locator("#told-heads")).to_contain_text("Give the number of heads (num_heads): 3")
    expect(heads).to_be_focused()
    expect(heads).to_have_attribute("aria-invalid", "")
    heads.fill("3")
    expect(page.locator("#told-heads")).to_be_hidden()
    expect(heads).not_to_have_attribute("aria-invalid", "")
    page.get_by_label("Tensor of b_O", exact=True).select_option(index=1)
    expect(told_of(page, "b_o")).to_contain_text("It has 40 numbers, and w_o has 24 columns.")


def test_a_fault_of_a_number_is_told_at_the_file(window: Explore, tmp_path: Path) -> None:
    arrays = {f"attn.{name}": np.eye(4, dtype=np.float32) for name in "qkv"}
    arrays["attn.v"][1, 2] = np.nan
    np.savez(tmp_path / "w.npz", **arrays)  # type: ignore[arg-type]
    page = choose(window, tmp_path / "w.npz")
    expect(told_of(page, "w_v")).to_contain_text("4 × 4")
    page.get_by_label("heads", exact=True).fill("2")
    sender(page).click()
    told = page.locator(".mapping-screen [role=alert]")
    expect(told).to_contain_text("“attn.v” is nan at [1, 2]")
    expect(sender(page)).to_be_focused()


def test_what_is_on_its_way_is_called_back(window: Explore, strange: Path) -> None:
    page = choose(window, strange)
    page.route("**/api/v1/models", lambda route: None)
    sender(page).click()
    expect(page.get_by_role("progressbar", name="Sent")).to_be_visible()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    cancel.press("Enter")
    expect(sender(page)).to_be_focused()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    assert page.url == f"{window.url}/models"


def test_files_of_our_names_ask_for_nothing_but_the_heads(window: Explore, tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "w.npz", **{f"w_{x}": np.eye(6) for x in "qkvo"})  # type: ignore[arg-type]
    page = choose(window, tmp_path / "w.npz")
    expect(page.locator(".role")).to_have_count(0)
    expect(page.locator(".mapping-screen tbody td").first).to_have_text("6 × 6")
    page.get_by_label("heads", exact=True).fill("2")
    model = opened(page)
    assert page.request.delete(f"{window.url}/api/v1/models/{model}").status == 204


DROP = """(names) => {
  const dropped = new DataTransfer();
  for (const name of names) dropped.items.add(new File(["{}"], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
}"""


def test_what_is_no_checkpoint_is_refused_at_once_with_a_sentence(
    window: Explore, tmp_path: Path
) -> None:
    for i in range(1001):
        (tmp_path / f"{i}.safetensors").touch()
    page = choose(window, tmp_path)
    told = page.locator("#own-files > [role=alert]")
    expect(told).to_have_text(
        "There are more than 1,000 files: choose the folder of one checkpoint."
    )
    expect(page.locator(".mapping-screen")).to_have_count(0)
    page.evaluate(DROP, ["pytorch_model.bin", "config.json"])
    expect(told).to_contain_text("pytorch_model.bin is a PyTorch or pickle file")
    page.evaluate(DROP, [f"{i}.safetensors" for i in range(65)])
    expect(told).to_have_text(
        "There are more than 64 files of weights: choose those of one checkpoint."
    )
    page.evaluate(DROP, ["README.md", "config.json"])
    expect(told).to_contain_text("None of these files is .safetensors")
    assert sent(window) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_screen_has_no_fault_and_fits_a_phone(
    elsewhere: Callable[..., Explore], strange: Path, theme: str
) -> None:
    phone = elsewhere(
        None, viewport={"width": 360, "height": 780}, color_scheme=theme, bypass_csp=True
    )
    page = choose(phone, strange)
    expect(page.locator(".mapping-screen")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.add_script_tag(path=AXE)
    assert page.evaluate(FAULTS, {"type": "tag", "values": RULES}) == []


def test_a_whole_model_is_sent_with_its_tokenizer_and_opens(
    window: Explore, tmp_path: Path
) -> None:
    page = choose(window, made("gemma2", tmp_path))
    expect(page.get_by_text("config.json says model_type gemma2, which is com")).to_be_visible()
    sender(page).click()
    expect(page.locator("body[data-status=ready]")).to_have_count(1)
    assert window.question()["model"]["source"] == "uploaded"
    expect(page.locator('[data-stage="weights"] canvas[data-layer]')).to_be_visible()


def test_the_tensors_of_a_whole_model_may_be_chosen_by_hand(
    window: Explore, tmp_path: Path
) -> None:
    page = choose(window, made("gpt2", tmp_path))
    page.get_by_role("button", name="Choose tensors of its attention by hand instead").click()
    expect(page.locator('[data-role="w_q"]')).to_be_visible()
